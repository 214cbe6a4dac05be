import { PORTABLE_TOOLS, type PortableTool, type ToolKind } from "./vocabulary.ts";

/**
 * How an agent's argument becomes a portable one, where that is more than another name. `milliseconds`: seconds in the
 * portable call. `from-zero`: lines that are counted from 0. `words`: a list of program and arguments; a shell with its
 * `-c` text becomes that text.
 */
export type Conversion = "milliseconds" | "from-zero" | "words";

/** One tool of an agent. Arguments that the row does not name keep their own names and values. */
export interface ToolRow {
  /** The portable tool that does the same. Null: the tool keeps its own name and arguments. */
  readonly tool: PortableTool | null;
  readonly kind: ToolKind;
  /** The agent's argument -> the portable one. Several of the agent's names may mean one argument. */
  readonly names?: Readonly<Record<string, string>>;
  readonly conversions?: Readonly<Record<string, Conversion>>;
  /** The agent's argument with a list of edits, and the names in each of them. One edit becomes a call with one edit. */
  readonly edits?: { readonly list: string; readonly names: Readonly<Record<string, string>> };
  /** Arguments whose value chooses this row of the tool's rows. They are part of the tool's name, so no hook sees them. */
  readonly when?: Readonly<Record<string, string>>;
  /** Claude Code's name for tools of this kind, for a tool without a counterpart. */
  readonly claude?: string;
  /** The argument that holds the whole input where the agent sends a text in place of an object. */
  readonly bare?: string;
  /** The paths of the text in a result that is an object. */
  readonly text?: readonly string[];
}

/** The tools of an agent by their names. Of several rows the first that fits the arguments is used. */
export type ToolTable = Readonly<Record<string, ToolRow | readonly ToolRow[]>>;

/** All names that an agent gives to tools. */
export interface AgentTools {
  readonly table: ToolTable;
  /** The tools of programs that run the agent's registration. Made for a name that `table` does not have. */
  readonly borrowed?: () => ToolTable;
  /**
   * Matches the names of tools that an MCP server or a plugin provides, with the group `tool` and, if the name has it, the
   * group `server`. Tools of `table` are never asked.
   */
  readonly mcp: RegExp;
}

type Names = Readonly<Record<string, string>>;

/** A tool with a portable counterpart. */
export const means = (
  tool: PortableTool,
  names: Names = {},
  more: Omit<ToolRow, "tool" | "kind" | "names"> = {},
): ToolRow => ({ tool, kind: PORTABLE_TOOLS[tool].kind, names, ...more });

/** A tool without a counterpart. */
export const own = (kind: ToolKind, claude?: string): ToolRow => ({
  tool: null,
  kind,
  ...(claude === undefined ? {} : { claude }),
});
