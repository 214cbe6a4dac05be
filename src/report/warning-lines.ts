import { type Warning, warningText } from "../protocol/warning.ts";
import { warningLine } from "./problem-text.ts";
import { PLAIN_STYLE } from "./text-style.ts";

/** Warnings for stderr. In a file of its own, because most calls have none and need none of its code. */
export const warningLines = (warnings: readonly Warning[]): string =>
  warnings.map((warning) => warningLine(warningText(warning), PLAIN_STYLE)).join("");
