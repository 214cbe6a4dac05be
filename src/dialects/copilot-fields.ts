import type { JsonObject } from "../protocol/json/read.ts";
import { callInput, textAt, toolOutput } from "./field-paths.ts";

/** The arguments can be a JSON string. Requests for a permission have another name for them. */
export const toolArgs = (native: JsonObject) => callInput(native.has("toolArgs") ? "toolArgs" : "toolInput")(native);

export const FAILED_RESULT = /^(?:failure|error|denied)$/;

/** False if the result type is a failure. */
export const succeeded = (native: JsonObject): boolean =>
  !FAILED_RESULT.test(textAt(native, "toolResult.resultType") || textAt(native, "tool_result.result_type"));

/** The tool output of a camelCase event. */
export const toolResult = toolOutput("toolName", "toolResult.textResultForLlm", succeeded);
