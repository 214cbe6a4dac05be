import { ProblemError } from "../../../src/protocol/result.ts";

/** A command line that cannot be carried out as it was typed; `tryThis` can. */
export const wrongWords = (detail: string, tryThis: string): ProblemError =>
  new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });
