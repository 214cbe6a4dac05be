import type { FieldPaths, TargetChange } from "../../src/dialects/field-paths.ts";
import type { AgentName, InstallScope } from "../../src/protocol/agent-names.ts";
import type { EventName } from "../../src/protocol/event.ts";
import type { JsonObject } from "../../src/protocol/json/read.ts";
import type { JsonRecord, JsonValue } from "../../src/protocol/json/write.ts";
import type { AgentTools } from "../../src/protocol/tools/tool-table.ts";
import type { McpTool } from "../../src/protocol/tools/translate.ts";

/** The files from which an agent reads hooks. */
export interface AgentSettings {
  /**
   * Relative to the project or to the home directory; the machine's is absolute. The agent does not have a scope that is
   * absent.
   */
  readonly files: Partial<Readonly<Record<InstallScope, string>>>;
  /** The machine's file on macOS, if it is another. */
  readonly machineFileOnMac?: string;
  /** Files that earlier versions of hookctl wrote: the agent reads no hooks there, and install removes ours. */
  readonly formerFiles?: AgentSettings["files"];
  /** The project's file is read only if the agent was started in the project's root folder. */
  readonly isStartFolderOnly?: true;
  /** The variable that replaces a folder below the home directory. */
  readonly userFolder?: { readonly variable: string; readonly instead: string };
  /** A TOML file in the same folder that can hold hooks as well. */
  readonly tomlFile?: string;
  /** True if it reads hooks from every JSON file in the folder. */
  readonly readsWholeFolder?: true;
}

/** How to recognize a process of the agent, or one that it started. */
export interface AgentProcess {
  /**
   * Variables that the agent sets for commands it runs and that a person's shell does not have. Prefixes are not enough:
   * the terminal of an editor sets many similar ones. (Cursor sets `CURSOR_TRACE_ID` in each terminal of its editor: a person there
   * answers one more prompt.)
   */
  readonly variables: readonly string[];
  /** The name that it sets in `AGENT`, a variable that several programs use. */
  readonly nameInAgentVariable?: string;
  readonly programs: readonly string[];
  /** Packages in `node_modules` that hold its program, for a command line such as `node …/cli.js`. */
  readonly packages: readonly string[];
}

/**
 * What a setting of the cage names: the shell that the agent starts, the file that bash or the folder that zsh reads at its
 * start, or the folder of temporary files that calls share with the agent.
 */
export type CageValue = "shell" | "bashStart" | "zshStart" | "temp";

/** The settings by which an agent starts the shell of the cage, and keeps temporary files in another folder. */
export interface CageKeys {
  /** The settings file, below the home directory: JSON, TOML, or lines with variables. */
  readonly file: string;
  /** Another file below the home directory, which the agent no longer reads if `file` exists. */
  readonly hides?: string;
  /** Dotted paths of the settings. */
  readonly values: Readonly<Record<string, CageValue>>;
  /** The variable that leads the agent to the shell of the cage, if its hooks get it. */
  readonly shellVariable?: string;
  /** Files of a project that can name another shell. */
  readonly projectFiles?: readonly string[];
  /** Files of a project that the agent reads in the place of `file`. */
  readonly hiddenBy?: readonly string[];
  /** The settings by which the agent runs calls in its own sandbox, where they stay. */
  readonly ownSandbox?: string;
  /** The argument by which a call can name another shell. Hooks do not get it, but the agent's transcript has it. */
  readonly shellArgument?: string;
}

/** What is known about an agent without its protocol: `agent.json` in its folder. */
export interface KnownAgent {
  readonly title: string;
  /** The versions that were run against this table; null if it is written from the documentation. */
  readonly testedWith: string | null;
  /** The environment variable that holds the project's folder; null if hooks start in that folder. */
  readonly projectVariable: string | null;
  /** Set if its payloads do not name the event, so that the registered command has to. */
  readonly omitsEventName?: true;
  readonly settings: AgentSettings;
  /** Its folders below the home directory and in a project: their presence shows that the agent is used. */
  readonly ownFolders: Readonly<Record<"user" | "project", string>>;
  readonly process: AgentProcess;
  /** The longest context that it accepts, in characters. */
  readonly contextLimit: number;
  /** The most consecutive turns that a stop hook can start; 0: no limit is known. */
  readonly followUpLimit: number;
  /** Its reaction to a call when the registered program is missing. */
  readonly withoutProgram: "allows" | "blocks" | "unknown";
  /** What `enable cage` sets in its settings. Absent if its calls cannot run in the cage. */
  readonly cage?: CageKeys;
  /** Why its calls cannot run in the cage. */
  readonly withoutCage?: string;
  /** Events of the agent that hookctl does not support. */
  readonly unsupportedEvents: readonly string[];
}

/**
 * An agent's hook protocol: its payloads and the answers it supports, by its `protocol.json`. A new agent is one new folder with its
 * tables in JSON and a few lines that load them; its name in `agent-names.ts`; its row in `known-agents.ts`, `load-agent.ts`, `agents.ts`,
 * `native-samples.ts` and `transcripts/transcripts.json`; and its files in `guard-hooks/own-files.json`, which
 * a test compares.
 */
export interface Agent extends KnownAgent {
  readonly name: AgentName;
  /** Its name in the audit log and in `native.agent`, if it only runs the registrations of the agent `name`. */
  readonly recordedAs?: string;
  /** The fields that every event has. */
  readonly baseFields: FieldPaths;
  readonly tools: AgentTools;
  /** The server and the tool of an MCP call, if the payload has them apart from the tool's name. */
  readonly mcpOf?: (native: JsonObject) => McpTool | null;
  /** The fields `type` and `id` of the subagent that makes the call. Absent if the agent does not name its subagents. */
  readonly subagent?: FieldPaths;
  /** How it treats a hook's question. Absent if no run of it was tried. */
  readonly asks?: AskBehavior;
  /** The event before a tool call, and its payload for a call, as the agent sends it. */
  readonly call: { readonly event: string; readonly payload: (call: NativeCall) => JsonRecord };
  /** The event and payload of a shell call, to test a registration with. */
  readonly sampleShellCall: { readonly event: string; readonly payload: (command: string) => JsonRecord };
  readonly events: Readonly<Record<string, NativeEvent>>;
}

/** A tool call in the agent's names. */
export interface NativeCall {
  readonly session: string;
  readonly cwd?: string;
  readonly tool: string;
  readonly input: JsonValue;
  readonly id: string | undefined;
  readonly time: string | number;
  /** The id of the subagent that makes the call. */
  readonly subagent?: string | undefined;
}

/** What a terminal program does with a hook's question, seen with the version in `testedWith`. */
export interface AskBehavior {
  /** Each mode that was tried without a person: whether a tool ran in spite of the question. An option is a mode, too. */
  readonly modes: Readonly<Record<string, "held" | "dropped">>;
  /** Variables with the values that they have in a run that answers one prompt. Absent if only the command line shows it. */
  readonly headlessIf?: Readonly<Record<string, string>>;
}

/** One event of an agent: the hookctl event that it maps to, and the supported answers. */
export interface NativeEvent {
  /** The first is its main meaning. If there are none, hookctl itself answers. */
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

/** The supported answers to an event, each as a part of the agent's answer object. Absent if not supported. */
export interface AnswerFormats {
  readonly deny?: (reason: string) => JsonRecord;
  readonly ask?: (reason: string) => JsonRecord;
  /** True if a change can accompany `ask`: the user is asked about the changed call, and allowing runs that one. */
  readonly canAskWithChange?: true;
  readonly allow?: () => JsonRecord;
  /** Stops the agent after the event. */
  readonly halt?: (reason: string) => JsonRecord;
  /** The new value of the event's target. Null if this value is not supported. */
  readonly change?: (change: TargetChange) => JsonRecord | null;
  readonly context?: (text: string) => JsonRecord;
  /** The next instruction for an agent that would stop. */
  readonly followUp?: (text: string) => JsonRecord;
  /** A message for the person, not for the model. */
  readonly notify?: (text: string) => JsonRecord;
}

/** The format of a block, before or after the event. Undefined if the event cannot be blocked. */
export const blockFormat = ({ deny, halt }: AnswerFormats): AnswerFormats["deny"] => deny ?? halt;

/** The registered timeout. It never changes, whatever timeouts the hooks have: agents trust a registration by its text. */
const REGISTERED_MS = 3_600_000;
const MARGIN_MS = 2000;

export const agentTimeoutOf = ({ limitMs = REGISTERED_MS }: Pick<NativeEvent, "limitMs">): number => limitMs;

/** Shorter than the agent's timeout, after which every agent allows the call. */
export const deadlineOf = (event: Pick<NativeEvent, "limitMs">): number =>
  agentTimeoutOf(event) - Math.min(MARGIN_MS, agentTimeoutOf(event) / 5);

/** The agent in an address of a server over HTTP, which earlier versions registered in the place of a command; null for others. */
export const formerAddressAgent = (text: string): string | null =>
  /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/bridge\/([a-z]+)\//.exec(text)?.[1] ?? null;

/** True if a command in settings registers an event. */
export function namesBridge(text: string, agent: AgentName, event: string): boolean {
  const name = event.replaceAll(".", String.raw`\.`);
  return new RegExp(String.raw`bridge ${agent} --event ${name}(?![\w.])`).test(text);
}
