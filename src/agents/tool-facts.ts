import { textAt } from "../dialects/field-paths.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import type { Agent, ToolKind } from "./agent.ts";

/** What kind of tool it is, whatever the agent calls it. */
export function toolKind({ tools, mcpTool }: Agent, name: string): ToolKind {
  if (Object.hasOwn(tools, name)) return tools[name] ?? "other";
  return mcpTool.test(name) ? "mcp" : "other";
}

const FILE_KEYS = ["file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file"];
const PATCH_KEYS = ["command", "input", "patch"];
const PATCH_LINE = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm;

/** The files that a call names: in a field of its own, or in the header lines of a patch. */
export function toolFiles(input: JsonObject): readonly string[] {
  const named = FILE_KEYS.map((key) => textAt(input, key)).filter((path) => path !== "");
  const patched = PATCH_KEYS.map((key) => textAt(input, key))
    .filter((text) => text.startsWith("*** Begin Patch") || text.includes("\n*** "))
    .flatMap((text) => [...text.matchAll(PATCH_LINE)].map(([, path]) => path?.trim() ?? ""));
  return [...new Set([...named, ...patched])];
}
