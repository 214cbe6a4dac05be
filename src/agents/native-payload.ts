import { fieldsAt, textAt, toSpan } from "../dialects/field-paths.ts";
import { type JsonObject, type JsonSpan, membersOf } from "../protocol/json/read.ts";
import { rawJson } from "../protocol/json/write.ts";
import { withToolFiles } from "../protocol/payload/tool-files.ts";
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

function add(members: Map<string, JsonSpan>, key: string, span: JsonSpan | undefined): void {
  if (span !== undefined) members.set(key, span);
}

/** The kind of a tool, by the agent's name of it. */
export function toolKind({ tools, mcpTool }: Agent, name: string): ToolKind {
  if (Object.hasOwn(tools, name)) return tools[name] ?? "other";
  return mcpTool.test(name) ? "mcp" : "other";
}
