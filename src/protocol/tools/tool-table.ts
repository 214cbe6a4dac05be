import { tableOf } from "../json/table.ts";
import { PORTABLE_TOOLS, type PortableTool, type ToolKind } from "./vocabulary.ts";

/**
 * The unit or form of an agent's argument. `milliseconds`: the portable argument is in seconds. `from-zero`: lines are counted
 * from 0, in the portable call from 1. `words`: a list of a program and its arguments; the portable argument is one command.
 */
export type Conversion = "milliseconds" | "from-zero" | "words";

/** One tool of an agent. Arguments that the row does not name keep their own names and values. */
export interface ToolRow {
  /** The portable tool that does the same; null for a tool that keeps its own name and arguments. */
  readonly tool: PortableTool | null;
  readonly kind: ToolKind;
  /** The agent's argument -> the portable one. Several of the agent's names may mean one argument. */
  readonly names?: Readonly<Record<string, string>>;
  readonly conversions?: Readonly<Record<string, Conversion>>;
  /** The agent's argument with a list of edits, and the names in each of them. One edit becomes a call with one edit. */
  readonly edits?: { readonly list: string; readonly names: Readonly<Record<string, string>> };
  /** The row is used if these arguments have these values. Hooks do not see them: they only select the portable tool. */
  readonly when?: Readonly<Record<string, string>>;
  /** Claude Code's name of a similar tool, so that a `match` on it finds a tool without a counterpart. */
  readonly claude?: string;
  /** The portable argument that gets the input if the agent sends a text in place of an object. */
  readonly bare?: string;
  /** The paths of the texts in a result that is an object. A replaced text is written to the first. */
  readonly text?: readonly string[];
}

/** The tools of an agent by their names. If a tool has several rows, the first that fits the arguments is used. */
export type ToolTable = Readonly<Record<string, readonly ToolRow[]>>;

/** All names that an agent gives to tools. */
export interface AgentTools {
  readonly table: ToolTable;
  /** The tools of programs that run the agent's registration. Called only for a name that `table` does not have. */
  readonly borrowed?: () => ToolTable;
  /**
   * Matches the names of tools that an MCP server or a plugin provides, with the group `tool` and, if the name has it, the
   * group `server`. Not used for the tools of `table`.
   */
  readonly mcp: RegExp;
}

/** A tool in a JSON file: with the portable tool that does the same, or without a counterpart. */
type RowJson = (Omit<ToolRow, "tool" | "kind"> & { readonly tool: PortableTool }) | Pick<ToolRow, "kind" | "claude">;
type TableJson = Readonly<Record<string, string | RowJson | readonly RowJson[]>>;

/** The tools in a JSON file. A text in the place of rows is the name of another tool in the file, which has the same rows. */
export function toolTable(json: unknown): ToolTable {
  const tools = tableOf<TableJson>(json);
  const rowsOf = (rows: TableJson[string] = []): readonly ToolRow[] =>
    typeof rows === "string" ? rowsOf(tools[rows]) : [rows].flat().map(toolRow);
  return Object.fromEntries(Object.entries(tools).map(([name, rows]) => [name, rowsOf(rows)]));
}

const toolRow = (row: RowJson): ToolRow =>
  "tool" in row ? { ...row, kind: PORTABLE_TOOLS[row.tool].kind } : { ...row, tool: null };
