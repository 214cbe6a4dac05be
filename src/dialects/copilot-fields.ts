import type { JsonObject } from "../protocol/json/read.ts";
import { callInput, textAt, toolOutput } from "./field-paths.ts";

/** The fields of the arguments: `toolInput` is that of permission requests. */
const ARGUMENTS = ["toolArgs", "toolInput"] as const;

export const hasToolArgs = (native: JsonObject): boolean => ARGUMENTS.some((key) => native.has(key));

/** The arguments, which can be a JSON string. */
export const toolArgs = (native: JsonObject) =>
  callInput(ARGUMENTS.find((key) => native.has(key)) ?? "toolArgs")(native);

export const FAILED_RESULT = /^(?:failure|error|denied)$/;

/** False if the result type is a failure. */
export const succeeded = (native: JsonObject): boolean =>
  !FAILED_RESULT.test(textAt(native, "toolResult.resultType") || textAt(native, "tool_result.result_type"));

/** The tool output of a camelCase event. */
export const toolResult = toolOutput("toolName", "toolResult.textResultForLlm", succeeded);
