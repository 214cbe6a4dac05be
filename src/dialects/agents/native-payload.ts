import { type JsonObject, type JsonSpan, membersOf } from "../../contract/json.ts";
import { rawJson } from "../../contract/json-text.ts";
import type { Agent, Raised } from "./agent.ts";
import { fieldsAt, spanAt, spanOf, textAt } from "./places.ts";
import { toolFiles, toolKind } from "./tool-facts.ts";

/** What an agent sent about one event, as the members of the event it raises here. Under `native` all is as it came. */
export function canonicalMembers(agent: Agent, nativeEvent: string, raised: Raised, native: JsonSpan): JsonObject {
  const own = membersOf(native);
  const members = new Map<string, JsonSpan>([
    ...fieldsAt({ event: () => raised.event }, own),
    ...fieldsAt(agent.base, own),
    ...fieldsAt(raised.fields, own),
  ]);
  const toolName = textAt(members, "tool_name");
  if (toolName !== "") add(members, "tool_kind", spanOf(toolKind(agent, toolName)));
  const input = spanAt(members, "tool_input");
  if (toolName !== "" && input?.kind === "object") {
    add(members, "tool_files", spanOf(toolFiles(membersOf(input))));
  }
  add(members, "native", spanOf({ agent: agent.name, event: nativeEvent, payload: rawJson(native.raw) }));
  return members;
}

function add(members: Map<string, JsonSpan>, key: string, span: JsonSpan | undefined): void {
  if (span !== undefined) members.set(key, span);
}
