import { itemsOf, type JsonObject, type JsonSpan, stringOf } from "../../src/protocol/json/read.ts";
import { argumentsOf, MOST_VALUES } from "../../src/protocol/payload/tool-call.ts";
import type { FileAccess } from "./command/files/file-access.ts";

/** The texts among the arguments of a tool call, whatever their names are. */
export interface ToolTexts {
  /** The agent's name for the tool, and its portable kind; empty if it has none. */
  readonly tool: string;
  readonly kind: string;
  /** Decodes them: few guards need them. */
  readonly texts: () => readonly ToolText[];
  /** The files that the tool names. */
  readonly files: readonly FileAccess[];
}

/** A text with the name of its argument, in lower case and without separators. */
export interface ToolText {
  readonly key: string;
  readonly text: string;
}

/** The texts of a tool call, which are decoded when a guard asks for them. */
export function readToolTexts(members: JsonObject): Omit<ToolTexts, "files"> {
  const input = members.get("tool_input");
  let known: readonly ToolText[] | null = null;
  const texts = (): readonly ToolText[] => {
    known ??= input === undefined ? [] : textsIn(input);
    return known;
  };
  return { tool: textOf(members.get("tool_name")), kind: textOf(members.get("tool_kind")), texts };
}

function textsIn(input: JsonSpan): readonly ToolText[] {
  const named = argumentsOf(input).flatMap(([key, value]) => valuesOf(value).map((text) => ({ key, text })));
  return input.kind === "string" || input.kind === "array"
    ? [...valuesOf(input).map((text) => ({ key: "", text })), ...named]
    : named;
}

/** A text, or those in a list. Members of objects are arguments of their own. */
function valuesOf(value: JsonSpan): readonly string[] {
  if (value.kind === "string") return [stringOf(value)];
  return value.kind === "array" ? itemsOf(value).slice(0, MOST_VALUES).flatMap(valuesOf) : [];
}

const textOf = (span: JsonSpan | undefined): string => (span?.kind === "string" ? stringOf(span) : "");
