import { fieldsAt, textAt, toSpan } from "../dialects/field-paths.ts";
import { type JsonObject, type JsonSpan, membersOf } from "../protocol/json/read.ts";
import { rawJson } from "../protocol/json/write.ts";
import type { Agent, RaisedEvent, ToolKind } from "./agent.ts";

/** The fields of a raised event, read from an agent's payload. `native` holds the payload as it was sent. */
export function canonicalFields(agent: Agent, nativeEvent: string, raised: RaisedEvent, native: JsonSpan): JsonObject {
  const own = membersOf(native);
  const members = new Map<string, JsonSpan>([
    ...fieldsAt({ event: () => raised.event }, own),
    ...fieldsAt(agent.baseFields, own),
    ...fieldsAt(raised.fields, own),
  ]);
  const toolName = textAt(members, "tool_name");
  if (toolName !== "") add(members, "tool_kind", toSpan(toolKind(agent, toolName)));
  const named = withToolFiles(members);
  add(named, "native", toSpan({ agent: agent.name, event: nativeEvent, payload: rawJson(native.raw) }));
  return named;
}

/** Adds the files in the current input, so that a hook cannot hide a changed file from the next hook. */
export function withToolFiles(members: JsonObject): Map<string, JsonSpan> {
  const input = members.get("tool_input");
  const named = new Map(members);
  if (input?.kind === "object") add(named, "tool_files", toSpan(toolFiles(membersOf(input))));
  else named.delete("tool_files");
  return named;
}

function add(members: Map<string, JsonSpan>, key: string, span: JsonSpan | undefined): void {
  if (span !== undefined) members.set(key, span);
}

/** The kind of a tool, by the agent's name of it. */
export function toolKind({ tools, mcpTool }: Agent, name: string): ToolKind {
  if (Object.hasOwn(tools, name)) return tools[name] ?? "other";
  return mcpTool.test(name) ? "mcp" : "other";
}

const FILE_KEYS = ["file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file"];
const PATCH_KEYS = ["command", "input", "patch"];
const PATCH_LINE = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm;

/** The files that a call names, in a field or in the headers of a patch. */
export function toolFiles(input: JsonObject): readonly string[] {
  const named = FILE_KEYS.map((key) => textAt(input, key)).filter((path) => path !== "");
  const patched = PATCH_KEYS.map((key) => textAt(input, key))
    .filter((text) => text.startsWith("*** Begin Patch") || text.includes("\n*** "))
    .flatMap((text) => [...text.matchAll(PATCH_LINE)].map(([, path]) => path?.trim() ?? ""));
  return [...new Set([...named, ...patched])];
}
