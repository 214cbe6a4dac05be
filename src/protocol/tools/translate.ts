import {
  arrayOf,
  isSame,
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOf,
  membersOrNone,
  objectOf,
  stringOf,
} from "../json/read.ts";
import { ownValue } from "../own-value.ts";
import { converted } from "./conversions.ts";
import type { AgentTools, ToolRow, ToolTable } from "./tool-table.ts";
import { namesOfPortable, portableToolNamed, type ToolKind } from "./vocabulary.ts";

/** A tool call of an agent in portable names. */
export interface PortableCall {
  readonly tool: string;
  readonly kind: ToolKind;
  /** Every name of the tool, the portable one first: `match` accepts each. */
  readonly names: readonly string[];
  readonly input: JsonSpan;
  /** Null for a tool that is not the agent's own. */
  readonly row: ToolRow | null;
  /** True if the arguments are no object (or text, where the tool takes one), such as JSON that an agent has cut off. */
  readonly isMisshapen: boolean;
  /** Two of the agent's arguments that mean one portable argument and differ; null if there are none. */
  readonly ambiguous: readonly [string, string] | null;
}

/** An MCP server and its tool, from fields of the payload. */
export interface McpTool {
  readonly server: string;
  readonly tool: string;
}

/** A tool call as the agent sent it. */
export interface NativeToolCall {
  readonly name: string;
  readonly input: JsonSpan;
  readonly mcp: McpTool | null;
}

export function portableCall(tools: AgentTools, { name, input, mcp }: NativeToolCall): PortableCall {
  const row = mcp === null ? rowOfTool(tools, name, input) : null;
  const isMisshapen = input.kind !== "object" && row?.bare === undefined;
  if (row === null) return { ...providedTool(tools, name, mcp), input, row, isMisshapen, ambiguous: null };
  if (row.tool === null) {
    // A rule for the portable tool has to see what the agent's own tool does in its place.
    const like = row.claude === undefined ? [] : namesOfPortable(portableToolNamed(row.claude) ?? row.claude);
    const names = [...new Set([name, ...like])];
    return { tool: name, kind: row.kind, names, input, row, isMisshapen, ambiguous: null };
  }
  const names = [...new Set([row.tool, name, ...namesOfPortable(row.tool)])];
  return { tool: row.tool, kind: row.kind, names, row, isMisshapen, ...portableInput(row, input) };
}

/** The row of a tool of the agent, or of a program that runs its registration. */
export const rowOfTool = ({ table, borrowed }: AgentTools, name: string, input: JsonSpan): ToolRow | null =>
  rowFor(borrowed === undefined || Object.hasOwn(table, name) ? table : borrowed(), name, input);

/** The first row of a tool that fits the arguments. */
export function rowFor(table: ToolTable, name: string, input: JsonSpan): ToolRow | null {
  const fits = ({ when, bare }: ToolRow): boolean =>
    (bare === undefined || input.kind === "string") && (when === undefined || hasTexts(input, when));
  return ownValue(table, name)?.find(fits) ?? null;
}

const isText = (span: JsonSpan | undefined, text: string): boolean =>
  span?.kind === "string" && stringOf(span) === text;

function hasTexts(input: JsonSpan, texts: NonNullable<ToolRow["when"]>): boolean {
  const members = membersOrNone(input);
  return Object.entries(texts).every(([key, text]) => isText(members.get(key), text));
}

/** A tool of an MCP server or a plugin. It never gets the name of a portable tool, which a rule may allow. */
function providedTool({ mcp: pattern }: AgentTools, name: string, said: McpTool | null) {
  const found = pattern.exec(name);
  if (said === null && found === null) {
    const tool = portableToolNamed(name) === null ? name : `custom_tool_${name}`;
    return { tool, kind: "other" as const, names: [...new Set([tool, name])] };
  }
  const { server, tool = name }: Partial<McpTool> = said ?? found?.groups ?? {};
  // kodelet's scheme, then Claude Code's.
  const portable = server === undefined ? `mcp__${tool}` : `mcp__${server}_${tool}`;
  const claude = server === undefined ? [] : [`mcp__${server}__${tool}`];
  return { tool: portable, kind: "mcp" as const, names: [...new Set([portable, name, ...claude])] };
}

function portableInput(row: ToolRow, input: JsonSpan): Pick<PortableCall, "input" | "ambiguous"> {
  if (input.kind !== "object") {
    const isBare = row.bare !== undefined && input.kind === "string";
    return { input: isBare ? objectOf([[row.bare ?? "", input]]) : input, ambiguous: null };
  }
  const found = new Map<string, JsonSpan>();
  const from = new Map<string, string>();
  let ambiguous: PortableCall["ambiguous"] = null;
  let isUnchanged = true;
  for (const [key, span] of membersOf(input)) {
    const parts = portableMembers(row, key, span);
    isUnchanged &&= parts.length === 1;
    for (const [name, value] of parts) {
      isUnchanged &&= name === key && isSame(value, span);
      const had = found.get(name);
      if (had !== undefined && !isSame(had, value)) ambiguous ??= [from.get(name) ?? name, key];
      if (had === undefined) from.set(name, key);
      found.set(name, had ?? value);
    }
  }
  // Without a change the text stays as the agent wrote it.
  return { input: isUnchanged ? input : objectOf(found), ambiguous };
}

/** The portable arguments for one argument of the agent: usually one, none for `when`, several for a list with one edit. */
function portableMembers(row: ToolRow, key: string, span: JsonSpan): readonly (readonly [string, JsonSpan])[] {
  if (Object.hasOwn(row.when ?? {}, key)) return [];
  if (row.edits?.list === key) return portableEdits(row.edits, span);
  return [[ownValue(row.names ?? {}, key) ?? key, converted(ownValue(row.conversions ?? {}, key), span)]];
}

/** A list with one edit becomes the arguments of a single edit, unless the edit has unknown members. */
function portableEdits(
  { names }: NonNullable<ToolRow["edits"]>,
  span: JsonSpan,
): readonly (readonly [string, JsonSpan])[] {
  if (span.kind !== "array") return [["edits", span]];
  const [first, ...others] = itemsOf(span);
  const isOne = first?.kind === "object" && others.length === 0;
  if (isOne && [...membersOf(first).keys()].every((key) => Object.hasOwn(names, key)))
    return [...renamedMembers(first, names)];
  const renamed = (item: JsonSpan) => (item.kind === "object" ? objectOf(renamedMembers(item, names)) : item);
  return [["edits", arrayOf(itemsOf(span).map(renamed))]];
}

const renamedMembers = (span: JsonSpan, names: Readonly<Record<string, string>>): JsonObject =>
  new Map([...membersOf(span)].map(([key, value]) => [ownValue(names, key) ?? key, value]));
