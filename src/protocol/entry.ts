import type { EventName } from "./event.ts";
import type { HookKind, Reads } from "./hook-kind.ts";
import { type JsonSpan, membersOf, readJson } from "./json/read.ts";
import { type JsonValue, jsonText } from "./json/write.ts";
import type { McpServer, Override } from "./setting-rows.ts";
import { escapeControls } from "./text/text.ts";

export type { McpServer };

/** The schemes of a declared entry. An entry has exactly one of these keys. */
export const SCHEME_ROWS = {
  command: {
    kind: "command",
    value: "command",
    about: "A program: a text for `/bin/sh -c`, or a list without a shell.",
  },
  block: { kind: "rule", value: "text", about: "Blocks with this reason, without starting a process." },
  ask: { kind: "rule", value: "text", about: "Asks the person, with this reason, without starting a process." },
  inject: { kind: "rule", value: "text", about: "Adds this context, without starting a process." },
  tool: { kind: "tool", value: "tool", about: "A tool of an MCP server: `server.tool`. Its result is the response." },
  template_push: {
    kind: "template_push",
    value: "push",
    isReyn: true,
    about: "Pushes a message made from Jinja2 templates.",
  },
  shell_exec: {
    kind: "shell_exec",
    value: "command",
    isReyn: true,
    requiresSandbox: true,
    about: "Runs a command and ignores its output.",
  },
  shell_push: {
    kind: "shell_push",
    value: "command",
    isReyn: true,
    requiresSandbox: true,
    about: "Runs a command that must print one push directive; other output is ignored.",
  },
} as const satisfies Record<string, SchemeRow>;

export interface SchemeRow {
  readonly kind: HookKind;
  readonly value: "command" | "text" | "push" | "tool";
  /** A key of Reyn's: the hook gets its event in Reyn's fields. */
  readonly isReyn?: true;
  /** It runs in the sandbox unless the user turns that off, and its command may not contain template syntax. */
  readonly requiresSandbox?: true;
  readonly about: string;
}
export type SchemeName = keyof typeof SCHEME_ROWS;
export const SCHEME_NAMES = Object.keys(SCHEME_ROWS) as readonly SchemeName[];
export const schemeRow = (name: SchemeName): SchemeRow => SCHEME_ROWS[name];

/** The Jinja2 templates of a `template_push`, rendered with the payload. */
export interface PushTemplates {
  readonly message: string;
  /** True (default) if the message starts a turn. */
  readonly wake?: boolean | string;
  /** Default true. */
  readonly push_when?: boolean | string;
  /** Default: the session of the payload. */
  readonly session?: string;
}
export const PUSH_KEYS = ["message", "wake", "push_when", "session"] as const satisfies (keyof PushTemplates)[];

/** True if the value is rendered. Like Reyn, a session without `{{` is taken literally. */
export const isTemplate = (key: keyof PushTemplates, value: boolean | string | undefined): value is string =>
  typeof value === "string" && (key !== "session" || value.includes("{{"));

/** The value types that `SchemeRow.value` names. */
interface SchemeValues {
  /** A shell command, or a list of arguments. */
  readonly command: string | readonly string[];
  readonly text: string;
  readonly push: PushTemplates;
  readonly tool: string;
}
type ValueName = keyof SchemeValues;
type SchemeOf<V extends ValueName> = {
  [S in SchemeName]: (typeof SCHEME_ROWS)[S]["value"] extends V ? S : never;
}[SchemeName];
interface ActionOf<V extends ValueName> {
  readonly scheme: SchemeOf<V>;
  readonly value: SchemeValues[V];
}

/** The scheme of the entry and its value. */
export type EntryAction = { [V in ValueName]: ActionOf<V> }[ValueName];

interface EntryBase extends Override {
  readonly name: string;
  readonly event: EventName;
  /** The event's name as it was written, which selects the dialect. */
  readonly on: string;
  readonly files: readonly string[];
  readonly reads?: Reads;
}

/** One hook as a settings file declares it. */
export type DeclaredEntry = EntryBase & EntryAction;
export type DeclaredTool = EntryBase & ActionOf<"tool">;

interface ResolvedTool extends DeclaredTool {
  /** The server as it was declared when the settings were read. */
  readonly server: EntryServer;
  /** The `mcp.json` that declares the server, if the settings file does not. */
  readonly serverFile?: string;
}

/** A declared entry; a `tool` entry has its MCP server. */
export type ResolvedEntry = Exclude<DeclaredEntry, { readonly scheme: "tool" }> | ResolvedTool;

interface EntryLocation {
  readonly scope: "project" | "user" | "machine";
  /** The project's folder; empty for the user and the machine. */
  readonly folder: string;
  readonly file: string;
  /** Position among all entries; the order of hooks with the same priority. */
  readonly position: number;
  /** The user wants to approve their own commands too (`own_commands: ask`). */
  readonly isAsked?: true;
}

/** A declared entry and the settings file it comes from. */
export type LocatedEntry = ResolvedEntry & EntryLocation;

/** The MCP server of a `tool` entry; null for any other. */
export const entryServer = (entry: ResolvedEntry | null): EntryServer | null =>
  entry?.scheme === "tool" ? entry.server : null;

/** Keys for the origin of an entry are not part of its approved text. */
const LOCATION_KEYS = ["scope", "folder", "file", "position", "serverFile", "isAsked"];

/** Returns the entry as JSON with sorted keys. An approval is bound to this text. */
export function canonicalEntryText(entry: ResolvedEntry): string {
  const keys = Object.entries(entry).filter(([key, value]) => value !== undefined && !LOCATION_KEYS.includes(key));
  const sorted = Object.fromEntries(keys.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<string, JsonValue>;
  return escapeControls(jsonText(sorted));
}

/** Formats a canonical entry for review: one key on each line, with the server's keys as `server.…`. */
export function canonicalEntryLines(text: string): string {
  const read = readJson(text, Number.POSITIVE_INFINITY);
  return read.ok && read.value.kind === "object" ? fieldLines(read.value, "").join("\n") : text;
}

const fieldLines = (span: JsonSpan, prefix: string): readonly string[] =>
  [...membersOf(span)].flatMap(([key, value]) =>
    key === "server" && value.kind === "object" ? fieldLines(value, "server.") : [`${prefix}${key}: ${value.raw}`],
  );

/** The program that an entry starts, with its arguments; empty for a rule or a template. */
export function entryProgram(entry: ResolvedEntry): readonly string[] {
  const server = entryServer(entry);
  if (server !== null) return [server.command, ...server.args];
  const command = entryCommand(entry) ?? [];
  return typeof command === "string" ? ["/bin/sh", "-c", command] : command;
}

/** The command of an entry: shell text or a list of arguments; null if it has none. */
export const entryCommand = (action: EntryAction): string | readonly string[] | null =>
  hasCommand(action) ? action.value : null;

const hasCommand = (action: EntryAction): action is ActionOf<"command"> =>
  SCHEME_ROWS[action.scheme].value === "command";

/** The server that a `tool` entry names. Its `cwd` is relative to the folder of the entry's settings file. */
export interface EntryServer extends Required<McpServer> {
  readonly name: string;
}

/** `memory.load_facts` is the tool `load_facts` of the server `memory`. Server names have no dot. */
export const TOOL_NAME_PATTERN = /^[^.]+\../;

export function parseToolName(value: string): { readonly server: string; readonly tool: string } {
  const dot = value.indexOf(".");
  return { server: value.slice(0, dot), tool: value.slice(dot + 1) };
}
