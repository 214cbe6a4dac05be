import { itemsOf, type JsonObject, type JsonSpan, spanOfRaw, stringOf, textMember, textSpan } from "../json/read.ts";
import { kindOfTool, namesOfPortable, portableToolNamed } from "./vocabulary.ts";

/**
 * Adds `tool_kind` and `tool_names`, all names of the tool, unless a bridge has set them: it also knows the agent's own name.
 * The names of another tool are replaced, as in a sample whose `tool_name` was changed.
 */
export function addToolFacts(members: Map<string, JsonSpan>): void {
  const name = textMember(members, "tool_name");
  if (name === "") return;
  if (members.has("tool_names") && !listedNames(members).includes(name)) {
    members.delete("tool_names");
    members.delete("tool_kind");
  }
  if (!members.has("tool_kind")) members.set("tool_kind", textSpan(kindOfTool(name)));
  if (!members.has("tool_names")) members.set("tool_names", spanOfRaw(JSON.stringify(allNamesOf(name))));
}

function allNamesOf(name: string): readonly string[] {
  const tool = portableToolNamed(name);
  return tool === null ? [name] : [...new Set([name, ...namesOfPortable(tool)])];
}

/** Every name of the tool of a call. */
export function toolNamesIn(members: JsonObject): readonly string[] {
  return [...new Set([textMember(members, "tool_name"), ...listedNames(members)])].filter((name) => name !== "");
}

function listedNames(members: JsonObject): readonly string[] {
  const names = members.get("tool_names");
  const items = names?.kind === "array" ? itemsOf(names) : [];
  return items.filter(({ kind }) => kind === "string").map(stringOf);
}

/** The names of the tool itself. Names of a similar portable tool, such as `Bash` for PowerShell, are left out. */
export function certainToolNames(members: JsonObject): readonly string[] {
  const names = toolNamesIn(members);
  const [name = ""] = names;
  return portableToolNamed(name) === null ? names.filter((one) => portableToolNamed(one) === null) : names;
}
