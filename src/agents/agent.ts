import type { FieldPaths, TargetChange } from "../dialects/field-paths.ts";
import type { EventName } from "../protocol/event.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import type { JsonRecord } from "../protocol/json/write.ts";

/** Agents that can call hookctl, by hooks of their own or by a module that hookctl writes for them. */
export const AGENT_NAMES = [
  "claude",
  "codex",
  "gemini",
  "copilot",
  "cursor",
  "qwen",
  "droid",
  "goose",
  "opencode",
  "pi",
] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

export const TOOL_KINDS = ["shell", "read", "write", "edit", "search", "web", "mcp", "agent", "other"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** Those whose hooks can be taken over: Claude Code's shape, and Copilot's. */
export const ADOPTABLE_AGENTS: readonly AgentName[] = ["claude", "codex", "qwen", "droid", "copilot"];

/** One agent's hook protocol as tables: what it sends, and what it obeys. A new agent is a new file with these. */
export interface Agent {
  readonly name: AgentName;
  /** As people write it. */
  readonly title: string;
  /** Versions of the program that were run against this table; null: none, it is written from the documentation. */
  readonly testedWith: string | null;
  /** Its variable that holds the project's folder; null: hooks start in that folder. */
  readonly projectVariable: string | null;
  /** Payload in: the base fields, the same for all its events. */
  readonly baseFields: FieldPaths;
  /** Tool name -> what kind of tool it is. */
  readonly tools: Readonly<Record<string, ToolKind>>;
  /**
   * Names of MCP tools, among the names that `tools` does not list. A tool of another kind may match too: a guard for MCP
   * tools then checks one tool more, never one less.
   */
  readonly mcpTool: RegExp;
  /** The most text it takes as context, in characters. */
  readonly contextLimit: number;
  /** The turns in a row that it lets a stop hook start; 0: no limit is known. */
  readonly followUpLimit: number;
  /** What it does when the registered program is not there. */
  readonly withoutProgram: "goes on" | "denies" | "not known";
  /** Events that it has and that have no row below: nothing is asked then. */
  readonly unsupportedEvents: readonly string[];
  /** A shell call as it announces one, so that a registered line can be tried. */
  readonly sampleShellCall: { readonly event: string; readonly payload: (command: string) => JsonRecord };
  readonly events: Readonly<Record<string, NativeEvent>>;
}

/** One event of an agent: what it means here, and what can be answered. */
export interface NativeEvent {
  /** The events it raises; the first is its main meaning. */
  readonly raises: readonly RaisedEvent[];
  readonly answers: AnswerFormats;
  /** The limit that `install` registers, in milliseconds; null: not registered unless asked for. */
  readonly timeoutMs: number | null;
  /** The agent cuts a longer limit down to this. */
  readonly isTimeoutFixed?: true;
}

export interface RaisedEvent {
  readonly event: EventName;
  readonly fields: FieldPaths;
  /** Only when this holds; absent: always. */
  readonly when?: (native: JsonObject) => boolean;
}

/** What an event's answer can say, each as the part of the agent's object that says it. What is absent cannot be said. */
export interface AnswerFormats {
  readonly deny?: (reason: string) => JsonRecord;
  readonly ask?: (reason: string) => JsonRecord;
  /** A change may stand beside `ask`: the person is asked about the changed call, and a yes runs that one. */
  readonly canAskWithChange?: true;
  readonly allow?: () => JsonRecord;
  /** It has happened; the agent should stop. */
  readonly halt?: (reason: string) => JsonRecord;
  /** The target's new value. Null: this one cannot be said. */
  readonly change?: (change: TargetChange) => JsonRecord | null;
  readonly context?: (text: string) => JsonRecord;
  /** The next instruction of an agent that would stop. */
  readonly followUp?: (text: string) => JsonRecord;
  /** For the person, not for the model. */
  readonly notify?: (text: string) => JsonRecord;
}
