import {
  EMPTY_OBJECT,
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOf,
  membersOrNone,
  objectOf,
  spanOfRaw,
  stringOf,
} from "../../protocol/json/read.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import { expressedCall, restoredInput } from "../../protocol/tools/restore.ts";
import { certainToolNames, toolNamesIn } from "../../protocol/tools/tool-facts.ts";
import type { AgentTools } from "../../protocol/tools/tool-table.ts";
import { type PortableCall, portableCall } from "../../protocol/tools/translate.ts";
import { isPortableTool } from "../../protocol/tools/vocabulary.ts";
import { spanAt, textAt } from "../field-paths.ts";

/** The names that a dialect has for tools and their arguments, and where its agent's payload has them. */
export interface DialectTools {
  readonly tools: AgentTools;
  readonly agent: string;
  readonly namePath: string;
  readonly input: (native: JsonObject) => JsonSpan | undefined;
}

/** A tool call as a hook of a dialect sees it. */
export interface DialectCall {
  readonly name: string;
  readonly input: JsonSpan;
  /** True if the dialect has no such tool: the arguments are the portable ones. */
  readonly isForeign: boolean;
}

/** The tool call of a payload in the dialect's names; null if there is none. */
export function callInDialect(dialect: DialectTools, { members }: Payload): DialectCall | null {
  const tool = textAt(members, "tool_name");
  const input = members.get("tool_input") ?? EMPTY_OBJECT;
  if (tool === "") return null;
  const own = ownCall(dialect, members, input);
  if (own !== null) return own;
  const expressed = expressedCall(dialect.tools.table, tool, input);
  if (expressed !== null) return { ...expressed, isForeign: false };
  // A tool that an MCP server or a plugin provides never gets the name of a built-in tool.
  const names = /^(?:mcp__|custom_tool_)/.test(tool) ? certainToolNames(members) : toolNamesIn(members);
  const known = names.find((name) => Object.hasOwn(dialect.tools.table, name)) ?? names.find(isMcpName(dialect.tools));
  return { name: known ?? tool, input: withFile(input, members), isForeign: true };
}

/** The call as the dialect's own agent sent it, with the changes of hooks; null if another agent made it. */
function ownCall(dialect: DialectTools, members: JsonObject, input: JsonSpan): DialectCall | null {
  const payload = textAt(members, "native.agent") === dialect.agent ? spanAt(members, "native.payload") : undefined;
  const sent = membersOrNone(payload);
  const [name, native] = [textAt(sent, dialect.namePath), dialect.input(sent)];
  if (name === "" || native === undefined) return null;
  const { row, input: portable } = portableCall(dialect.tools, { name, input: native, mcp: null });
  // The tool of another program, which runs this agent's registration.
  if (row === null && isPortableTool(textAt(members, "tool_name"))) return null;
  const restored = restoredInput({ row, native, portable }, input);
  return restored === null ? null : { name, input: restored, isForeign: false };
}

/** The portable call for members in the dialect's names; null if they have no tool call. */
export function callFromDialect({ tools, namePath, input }: DialectTools, members: JsonObject): PortableCall | null {
  const [name, native] = [textAt(members, namePath), input(members)];
  return name === "" || native === undefined ? null : portableCall(tools, { name, input: native, mcp: null });
}

/** True for a name with a separate server, such as `mcp__SERVER__TOOL`. */
const isMcpName =
  ({ mcp }: AgentTools) =>
  (name: string): boolean =>
    mcp.exec(name)?.groups?.server !== undefined;

/** Hooks read the file of a call, also of a patch, from `file_path`. */
function withFile(input: JsonSpan, members: JsonObject): JsonSpan {
  const files = members.get("tool_files");
  const [file] = files?.kind === "array" ? itemsOf(files) : [];
  if (file === undefined || input.kind !== "object" || membersOf(input).has("file_path")) return input;
  return objectOf([...membersOf(input), ["file_path", file]]);
}

/** The files of a patch that a hook of the dialect is asked about one by one: it has no patches. There are none if it is asked once. */
export function foreignFiles(dialect: DialectTools, payload: Payload): readonly string[] {
  const listed = payload.members.get("tool_files");
  const files = listed?.kind === "array" ? itemsOf(listed).map(stringOf) : [];
  return files.length > 1 && callInDialect(dialect, payload)?.isForeign === true ? files : [];
}

/** The portable arguments for arguments that a hook of the dialect wrote. */
export function inputFromDialect(dialect: DialectTools, payload: Payload, change: string): string {
  const call = callInDialect(dialect, payload);
  const span = spanOfRaw(change);
  if (call === null || span.kind !== "object") return change;
  if (call.isForeign) return withoutAddedFile(span, payload);
  if (call.input.raw === change) return payload.members.get("tool_input")?.raw ?? change;
  return portableCall(dialect.tools, { name: call.name, input: span, mcp: null }).input.raw;
}

function withoutAddedFile(span: JsonSpan, { members }: Payload): string {
  const own = members.get("tool_input");
  const had = own?.kind === "object" && membersOf(own).has("file_path");
  return had ? span.raw : objectOf([...membersOf(span)].filter(([key]) => key !== "file_path")).raw;
}
