import { exitCodeOf } from "../../../src/protocol/exit-code.ts";
import { printableJson, rawJson } from "../../../src/protocol/json/write.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import type { RequestError } from "./request.ts";

/** The answer to a request. The result is JSON text without line breaks, which is passed on unchanged. */
export const resultText = (id: string, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;

/**
 * `data.code` is the problem's code, with the next thing to do, the exit code that the command line has for it, and what
 * `run --json` prints beside it.
 */
export function errorText({ id, code, problem }: RequestError): string {
  const { summary, hint } = explain(problem);
  const result = problem.ran === undefined ? undefined : rawJson(problem.ran);
  const data = { code: problem.code, hint, exit_code: exitCodeOf(problem), result };
  const error = printableJson({ code, message: summary, data });
  return `{"jsonrpc":"2.0","id":${id ?? "null"},"error":${error}}`;
}
