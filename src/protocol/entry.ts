import { type ConfigRow, OVERRIDE_ROWS, type Override } from "./config.ts";
import type { EventName } from "./event.ts";
import type { HookKind } from "./hook.ts";
import type { EntryServer } from "./mcp-server.ts";

/** What a declared entry does: exactly one of these keys stands in it (SPEC 9). */
export const SCHEMES = {
  command: {
    kind: "command",
    value: "command",
    about: "A program: a text for `/bin/sh -c`, or a list without a shell.",
  },
  block: { kind: "rule", value: "text", about: "Blocks with this reason; no process at all." },
  ask: { kind: "rule", value: "text", about: "Asks the person, with this reason; no process at all." },
  inject: { kind: "rule", value: "text", about: "Adds this context; no process at all." },
  tool: { kind: "tool", value: "tool", about: "A tool of an MCP server: `server.tool`. Its result is the reply." },
  template_push: {
    kind: "template_push",
    value: "push",
    isReyn: true,
    about: "Leaves a message, made from Jinja2 templates.",
  },
  shell_exec: {
    kind: "shell_exec",
    value: "command",
    isReyn: true,
    isBoxed: true,
    about: "Runs for its effect; what it prints is ignored.",
  },
  shell_push: {
    kind: "shell_push",
    value: "command",
    isReyn: true,
    isBoxed: true,
    about: "Prints one push directive, and nothing else of it counts.",
  },
} as const satisfies Record<string, SchemeRow>;

export interface SchemeRow {
  readonly kind: HookKind;
  readonly value: "command" | "text" | "push" | "tool";
  /** One of Reyn's: it gets its event in Reyn's fields. */
  readonly isReyn?: true;
  /** It needs the sandbox unless somebody says otherwise, and its command may not look like a template (SPEC 9). */
  readonly isBoxed?: true;
  readonly about: string;
}
export type SchemeName = keyof typeof SCHEMES;
export const SCHEME_NAMES = Object.keys(SCHEMES) as readonly SchemeName[];
export const schemeRow = (name: SchemeName): SchemeRow => SCHEMES[name];

/** The templates of a `template_push`: Jinja2 over the payload. What is not there has its default. */
export interface PushTemplates {
  readonly message: string;
  /** Default true: it opens a turn of its own. */
  readonly wake?: boolean | string;
  /** Default true. */
  readonly push_when?: boolean | string;
  /** Default: the session of the payload. */
  readonly session?: string;
}
export const PUSH_KEYS = ["message", "wake", "push_when", "session"] as const satisfies (keyof PushTemplates)[];

/** Reyn renders a session only if `{{` is in it, and takes any other literally. */
export const isTemplate = (key: keyof PushTemplates, value: boolean | string | undefined): value is string =>
  typeof value === "string" && (key !== "session" || value.includes("{{"));

/** What an entry may say beside its scheme: all that an override may, and what it is called and needs. */
export const ENTRY_ROWS = {
  ...OVERRIDE_ROWS,
  name: { kind: "text", isUserOnly: false, about: "What it is called. Default: `<event>#<n>`." },
  files: { kind: "texts", isUserOnly: false, about: "Files of the project that it needs; an approval covers them." },
} as const satisfies Record<string, ConfigRow>;

/** What stands under a scheme's key, by what its row calls it. */
interface SchemeValues {
  /** A text for a shell, or a list of words. */
  readonly command: string | readonly string[];
  readonly text: string;
  readonly push: PushTemplates;
  readonly tool: string;
}
type ValueName = keyof SchemeValues;
type SchemeOf<V extends ValueName> = {
  [S in SchemeName]: (typeof SCHEMES)[S]["value"] extends V ? S : never;
}[SchemeName];
interface Saying<V extends ValueName> {
  readonly scheme: SchemeOf<V>;
  readonly value: SchemeValues[V];
}

/** A scheme with its value. */
export type EntrySaying = { [V in ValueName]: Saying<V> }[ValueName];

interface Entry extends Override {
  readonly name: string;
  readonly event: EventName;
  /** The event's name as it was written: it chooses the dialect. */
  readonly on: string;
  readonly files: readonly string[];
}

/** One hook as a settings file declares it. */
export type DeclaredEntry = Entry & EntrySaying;
export type DeclaredTool = Entry & Saying<"tool">;

interface TiedTool extends DeclaredTool {
  /** As it was declared when the settings were read. */
  readonly server: EntryServer;
  /** The `mcp.json` that declares it, where the settings file does not. */
  readonly serverFile?: string;
}

/** The same with the server of a `tool`. */
export type TiedEntry = Exclude<DeclaredEntry, { readonly scheme: "tool" }> | TiedTool;

interface Place {
  readonly scope: "project" | "user";
  /** The project's folder; empty for the user. */
  readonly folder: string;
  readonly file: string;
  /** Among all entries of the call; ties in priority keep it. */
  readonly position: number;
  /** Of the user, who wants to approve it nevertheless (`own_commands: ask`). */
  readonly isAsked?: true;
}

/** A declared entry with the file it stands in. */
export type PlacedEntry = TiedEntry & Place;
export type PlacedTool = TiedTool & Place;

/** The MCP server that is asked; null: another kind of entry, or none. */
export const serverOf = (entry: TiedEntry | null): EntryServer | null =>
  entry?.scheme === "tool" ? entry.server : null;
