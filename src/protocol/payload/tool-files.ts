import { type JsonObject, type JsonSpan, membersOf, spanOfRaw, stringOf } from "../json/read.ts";
import { jsonText } from "../json/write.ts";

const FILE_KEYS = ["file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file"];
const PATCH_KEYS = ["command", "input", "patch"];
const PATCH_LINE = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm;

/**
 * Returns the members with `tool_files` made from `tool_input`, so that a hook that changes the input cannot hide a
 * file.
 */
export function withToolFiles(members: JsonObject): Map<string, JsonSpan> {
  const input = members.get("tool_input");
  const named = new Map(members);
  if (input?.kind === "object") named.set("tool_files", spanOfRaw(jsonText(toolFiles(membersOf(input)))));
  else named.delete("tool_files");
  return named;
}

/** The files that a tool call names, in one of its fields or in the header lines of a patch. */
function toolFiles(input: JsonObject): readonly string[] {
  const named = FILE_KEYS.map((key) => textIn(input, key)).filter((path) => path !== "");
  const patched = PATCH_KEYS.map((key) => textIn(input, key))
    .filter((text) => text.startsWith("*** Begin Patch") || text.includes("\n*** "))
    .flatMap((text) => [...text.matchAll(PATCH_LINE)].map(([, path]) => path?.trim() ?? ""));
  return [...new Set([...named, ...patched])];
}

function textIn(members: JsonObject, key: string): string {
  const span = members.get(key);
  return span?.kind === "string" ? stringOf(span) : "";
}
