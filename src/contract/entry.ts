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
  template_push: { kind: "template_push", value: "push", about: "Leaves a message, made from Jinja2 templates." },
  shell_exec: {
    kind: "shell_exec",
    value: "command",
    isBoxed: true,
    about: "Runs for its effect; what it prints is ignored.",
  },
  shell_push: {
    kind: "shell_push",
    value: "command",
    isBoxed: true,
    about: "Prints one push directive, and nothing else of it counts.",
  },
} as const satisfies Record<string, SchemeRow>;

export interface SchemeRow {
  readonly kind: HookKind;
  readonly value: "command" | "text" | "push" | "tool";
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

/** What an entry may say beside its scheme: all that an override may, and what it is called and needs. */
export const ENTRY_ROWS = {
  ...OVERRIDE_ROWS,
  name: { kind: "text", isUserOnly: false, about: "What it is called. Default: `<event>#<n>`." },
  files: { kind: "texts", isUserOnly: false, about: "Files of the project that it needs; an approval covers them." },
} as const satisfies Record<string, ConfigRow>;

/** One hook that a settings file declares. */
export interface DeclaredEntry extends Override {
  readonly name: string;
  readonly event: EventName;
  /** The event's name as it was written: it chooses the dialect. */
  readonly on: string;
  readonly scheme: SchemeName;
  /** A command is a text for a shell or a list of words; a rule is its text; a push is its templates; a tool is named. */
  readonly value: string | readonly string[] | PushTemplates;
  readonly files: readonly string[];
  /** The server of a `tool`, as it was declared when the settings were read. */
  readonly server?: EntryServer;
  /** The `mcp.json` that declares it, where the settings file does not. */
  readonly serverFile?: string;
}

/** A declared entry with the file it stands in. */
export interface PlacedEntry extends DeclaredEntry {
  readonly scope: "project" | "user";
  readonly file: string;
  /** Among all entries of the call; ties in priority keep it. */
  readonly position: number;
}
