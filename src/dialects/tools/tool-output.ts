import {
  type JsonObject,
  type JsonSpan,
  membersOf,
  membersOrNone,
  objectOf,
  stringOf,
  textSpan,
} from "../../protocol/json/read.ts";
import type { ToolRow } from "../../protocol/tools/tool-table.ts";
import type { PortableCall } from "../../protocol/tools/translate.ts";
import { spanAt } from "../field-paths.ts";

/**
 * The output of a tool in kodelet's format, with the tool's portable name. A result that is an object becomes the text that
 * the model sees, if its row names that text. A shell's output also has kodelet's `metadata`.
 */
export function portableOutput(output: JsonSpan, { tool, input, row }: PortableCall): JsonSpan {
  if (output.kind !== "object") return output;
  const members = new Map(membersOf(output));
  members.set("toolName", textSpan(tool));
  const text = resultText(members.get("result"), row);
  if (text !== null) members.set("result", text);
  const result = members.get("result");
  if (tool === "bash" && result?.kind === "string") {
    const command = input.kind === "object" ? membersOf(input).get("command") : undefined;
    members.set("metadataType", textSpan("bash"));
    members.set(
      "metadata",
      objectOf([
        ["command", command ?? textSpan("")],
        ["output", result],
      ]),
    );
  }
  return objectOf(members);
}

/** The text of a result that is an object; null if its row names none, or the result has another shape. */
export function resultText(result: JsonSpan | undefined, row: ToolRow | null): JsonSpan | null {
  if (row?.text === undefined || result?.kind !== "object") return null;
  const members = membersOf(result);
  const found = row.text.map((path) => spanAt(members, path));
  if (found[0]?.kind !== "string") return null;
  const texts = found.flatMap((span) => (span?.kind === "string" && span.raw !== '""' ? [stringOf(span)] : []));
  return textSpan(texts.reduce((all, text) => (all === "" || all.endsWith("\n") ? all + text : `${all}\n${text}`), ""));
}

/** The agent's result with another text; null if its row names no text, or the result has another shape. */
export function resultWithText(result: JsonSpan, row: ToolRow | null, text: string): JsonSpan | null {
  if (result.kind !== "object" || resultText(result, row) === null) return null;
  const [first = "", ...others] = row?.text ?? [];
  const emptied = others.reduce((members, path) => withText(members, path.split("."), ""), membersOf(result));
  return objectOf(withText(emptied, first.split("."), text));
}

function withText(members: JsonObject, [key = "", ...rest]: readonly string[], text: string): JsonObject {
  const own = members.get(key);
  if (own === undefined) return members;
  const inner =
    rest.length === 0 ? textSpan(text) : own.kind === "object" ? objectOf(withText(membersOf(own), rest, text)) : own;
  return new Map([...members, [key, inner]]);
}

/** The text of a shell result in Claude Code's format; null if the value has another format. */
export const shellOutputText = (span: JsonSpan): string | null => {
  const members = membersOrNone(span);
  const [stdout, stderr] = [members.get("stdout"), members.get("stderr")];
  if (stdout?.kind !== "string") return null;
  return stringOf(stdout) + (stderr?.kind === "string" ? stringOf(stderr) : "");
};
