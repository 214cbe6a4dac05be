import type { FieldPaths, TargetChange } from "../dialects/field-paths.ts";
import type { EventName } from "../protocol/event.ts";
import type { JsonObject } from "../protocol/json/read.ts";
import type { JsonRecord } from "../protocol/json/write.ts";
import type { AgentTools } from "../protocol/tools/tool-table.ts";
import type { McpTool } from "../protocol/tools/translate.ts";
import type { Registration, SettingsFormat } from "./agent-install.ts";
import type { AgentSettings } from "./known-agents.ts";

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

export const INSTALL_SCOPES = ["project", "user", "local", "machine"] as const;
export type InstallScope = (typeof INSTALL_SCOPES)[number];

/**
 * An agent's hook protocol as tables: its payloads, the answers it supports, and its files. A new agent is one new file
 * with this record and an `AgentInstall`, its name above, its rows in `agents.ts`, `load-agent.ts`, `known-agents.ts`, `native-samples.ts` and
 * `transcripts/transcripts.ts`, which the compiler asks for, and its files in `engine/own-files.ts`, which a test compares.
 */
export interface Agent {
  readonly name: AgentName;
  /** Its name in the audit log and in `native.agent`, if it only runs the registrations of the agent `name`. */
  readonly recordedAs?: string;
  readonly title: string;
  /** The versions that were run against this table; null: it is written from the documentation. */
  readonly testedWith: string | null;
  /** The environment variable that holds the project's folder; null: hooks start in that folder. */
  readonly projectVariable: string | null;
  readonly settings: AgentSettings;
  /** Set if its payloads do not name the event, so that the registered command has to. */
  readonly omitsEventName?: true;
  /** The fields that every event has. */
  readonly baseFields: FieldPaths;
  readonly tools: AgentTools;
  /** The server and the tool of an MCP call, if the payload has them apart from the tool's name. */
  readonly mcpOf?: (native: JsonObject) => McpTool | null;
  /** The fields `type` and `id` of the subagent that makes the call. Absent: the agent does not name its subagents. */
  readonly subagent?: FieldPaths;
  /** The longest context that it accepts, in characters. */
  readonly contextLimit: number;
  /** The most consecutive turns that a stop hook can start; 0: no limit is known. */
  readonly followUpLimit: number;
  /** Its reaction to a call when the registered program is missing. */
  readonly withoutProgram: "allows" | "blocks" | "unknown";
  /** How it treats a hook's question. Absent: no run of it was tried. */
  readonly asks?: AskBehavior;
  /** Events of the agent that hookctl does not support. */
  readonly unsupportedEvents: readonly string[];
  /** The event and payload of a shell call, to test a registration with. */
  readonly sampleShellCall: { readonly event: string; readonly payload: (command: string) => JsonRecord };
  readonly events: Readonly<Record<string, NativeEvent>>;
}

/** What a terminal program does with a hook's question, seen with the version in `testedWith`. */
export interface AskBehavior {
  /** Each mode that was tried without a person: whether a tool ran in spite of the question. An option is a mode, too. */
  readonly modes: Readonly<Record<string, "held" | "dropped">>;
  /** True for the environment of a run that answers one prompt. Absent: only the command line tells. */
  readonly isHeadless?: (env: Readonly<Record<string, string | undefined>>) => boolean;
}

/** One event of an agent: the hookctl event that it maps to, and the supported answers. */
export interface NativeEvent {
  /** The first is its main meaning. Empty: hookctl itself answers. */
  readonly raises: readonly RaisedEvent[];
  readonly answers: AnswerFormats;
  /** Its settings changed. It raises no event of hookctl; exit code 2 keeps the change out of the session. */
  readonly isSettingsChange?: true;
  /** The event is registered only on request. */
  readonly isOnRequest?: true;
  /** The agent itself waits no longer than this. */
  readonly limitMs?: number;
}

export interface RaisedEvent {
  readonly event: EventName;
  readonly fields: FieldPaths;
  /** Raised only if this returns true; absent: always. */
  readonly when?: (native: JsonObject) => boolean;
}

/** The supported answers to an event, each as a part of the agent's answer object. Absent: not supported. */
export interface AnswerFormats {
  readonly deny?: (reason: string) => JsonRecord;
  readonly ask?: (reason: string) => JsonRecord;
  /** True if a change can accompany `ask`: the user is asked about the changed call, and allowing runs that one. */
  readonly canAskWithChange?: true;
  readonly allow?: () => JsonRecord;
  /** Stops the agent after the event. */
  readonly halt?: (reason: string) => JsonRecord;
  /** The new value of the event's target. Null: this value is not supported. */
  readonly change?: (change: TargetChange) => JsonRecord | null;
  readonly context?: (text: string) => JsonRecord;
  /** The next instruction for an agent that would stop. */
  readonly followUp?: (text: string) => JsonRecord;
  /** A message for the person, not for the model. */
  readonly notify?: (text: string) => JsonRecord;
}

/** The format of a block, before or after the event. Undefined: the event cannot be blocked. */
export const blockFormat = ({ deny, halt }: AnswerFormats): AnswerFormats["deny"] => deny ?? halt;

/** The registered timeout. It never changes, whatever timeouts the hooks have: agents trust a registration by its text. */
const REGISTERED_MS = 3_600_000;
const MARGIN_MS = 2000;

export const agentTimeoutOf = ({ limitMs = REGISTERED_MS }: Pick<NativeEvent, "limitMs">): number => limitMs;

/** Shorter than the agent's timeout, after which every agent allows the call. */
export const deadlineOf = (event: Pick<NativeEvent, "limitMs">): number =>
  agentTimeoutOf(event) - Math.min(MARGIN_MS, agentTimeoutOf(event) / 5);

/** True if settings register an event, as a command or as an address. */
export function namesBridge(text: string, agent: AgentName, event: string): boolean {
  const name = event.replaceAll(".", String.raw`\.`);
  return new RegExp(String.raw`(?:bridge ${agent} --event |/bridge/${agent}/)${name}(?![\w.])`).test(text);
}

/** The timeout in whole seconds, at least one. */
export const timeoutSeconds = ({ timeoutMs }: Registration): number => Math.max(1, Math.round(timeoutMs / 1000));

/** A group without a matcher, so that it handles every tool: hookctl's hooks filter themselves. */
export const hookGroup = (handler: JsonRecord): JsonRecord => ({ hooks: [handler] });

export const commandGroup = (registration: Registration): JsonRecord =>
  hookGroup({ type: "command", command: registration.command, timeout: timeoutSeconds(registration) });

/** Claude Code's format, which other agents use as well. */
export const commandGroups: SettingsFormat = { kind: "settings", root: {}, entry: commandGroup };

export const isJsonTrue = (value: unknown): boolean => value === true;
export const isJsonFalse = (value: unknown): boolean => value === false;

/** True for a variable's value that means yes: agents accept several. */
export const isYes = (value: unknown): boolean => /^(?:1|true|yes|on)$/i.test(String(value).trim());
