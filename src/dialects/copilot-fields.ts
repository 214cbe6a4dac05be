import type { JsonObject } from "../protocol/json/read.ts";
import { callInput, textAt, toolOutput } from "./field-paths.ts";

/** Its arguments may come as JSON inside a text. */
export const toolArgs = callInput("toolArgs");

/** True of a result that does not say in words that the tool failed. */
export const succeeded = (native: JsonObject): boolean =>
  !FAILED_RESULT.test(textAt(native, "toolResult.resultType") || textAt(native, "tool_result.result_type"));

export const FAILED_RESULT = /^(?:failure|error|denied)$/;

/** The result of a camelCase event in our fields. */
export const toolResult = toolOutput("toolName", "toolResult.textResultForLlm", succeeded);
