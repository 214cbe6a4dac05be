import type { LocatedEntry } from "./entry.ts";
import type { DialectName, EventName } from "./event.ts";
import type { HookProblem } from "./problem.ts";

export const SOURCES = ["project", "project-plugin", "user", "user-plugin", "config", "explicit"] as const;
export type Source = (typeof SOURCES)[number];
export const HOOK_KINDS = [
  "executable",
  "command",
  "rule",
  "tool",
  "template_push",
  "shell_exec",
  "shell_push",
  "function",
] as const;
export type HookKind = (typeof HOOK_KINDS)[number];
export type TrustState = "trusted" | "untrusted" | "changed" | "denied" | "unsafe";

/** A field path and what its value must be: an exact text or glob, or a list of them (SPEC 7.9). */
export type Match = Readonly<Record<string, string | readonly string[]>>;

export const DEFAULT_PRIORITY = 100;

/** An executable regular file in a hooks folder that has not yet said what it is. */
export interface Candidate {
  readonly name: string;
  /** Where it was found. */
  readonly path: string;
  /** Where it really lies, all links followed. */
  readonly realPath: string;
  readonly source: Source;
  /** The project folder that it belongs to; null: the user's own. */
  readonly projectDir: string | null;
  /** Its name before the project folder was put in front of it; the settings for that name count for it too. */
  readonly baseName?: string;
  /** Position of its folder in the search order; ties in priority keep it. */
  readonly rank: number;
  readonly stamp: FileStamp;
  /** The settings entry that declares it; null for a file of a hooks folder. */
  readonly entry: LocatedEntry | null;
  /** Not a hook, but a project's settings file, which is approved like one: its settings in one form. */
  readonly settings?: string;
}

/** What identifies one state of one file. Times are milliseconds since 1970. */
export interface FileStamp {
  readonly device: number;
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
}

/** Of a file that is gone: what applies is the approved text, so that nobody can change it on the disk. */
export const DELETED_FILE_STAMP: FileStamp = {
  ...{ device: 0, inode: 0, size: 0, modifiedMs: 0, changedMs: 0, mode: 0, owner: 0, group: 0 },
};

/** The name of each event chooses how its payload and the reply look. */
export type Dialects = Readonly<Partial<Record<EventName, DialectName>>>;

/** The hook as it is asked about one event. */
export const hookForEvent = (hook: Hook, event: EventName): Hook => ({
  ...hook,
  dialect: hook.dialects?.[event] ?? hook.dialect,
});

/** What a hook says of itself when it is asked `hook`. Null: it did not say. */
export interface Identity {
  readonly events: readonly EventName[];
  /** Of its first event. */
  readonly dialect: DialectName;
  /** Of each event, where they differ. */
  readonly dialects?: Dialects;
  readonly priority: number | null;
  readonly failOpen: boolean | null;
  readonly observe: boolean | null;
  readonly timeoutMs: number | null;
  readonly match: Match | null;
  /** How much it may print, in bytes; null: it did not say. */
  readonly outputLimit: number | null;
  readonly background: boolean;
  readonly files: readonly string[];
}

/** One answerer in the chain, with everything settled: identity, settings and status. */
export interface Hook {
  readonly name: string;
  /** As of a candidate. */
  readonly baseName?: string;
  readonly path: string;
  readonly source: Source;
  /** The project folder that it belongs to; null: the user's own. */
  readonly projectDir: string | null;
  readonly kind: HookKind;
  readonly rank: number;
  readonly events: readonly EventName[];
  /** Event names its text mentions; read, never run. Empty for hooks that answered. */
  readonly mentionedEvents: readonly EventName[];
  /** Of the event that it is asked about; in a list, of its first one. */
  readonly dialect: DialectName;
  /** Of each event, where they differ. */
  readonly dialects?: Dialects;
  readonly priority: number;
  readonly failOpen: boolean;
  readonly observe: boolean;
  readonly timeoutMs: number;
  readonly match: Match | null;
  /** How much it may print, in bytes; null: four times what it gets, and at least 4 MiB. */
  readonly outputLimit: number | null;
  readonly background: boolean;
  /** Why it is switched off, in words; null when it is on. */
  readonly disabledReason: string | null;
  /** Settings take from it what it would do by itself: `match`, `observe`, or `fail_open` of a guard. */
  readonly isWeakenedBySettings: boolean;
  readonly trust: TrustState;
  /** Why it may not be started or could not be identified; null when it is ready to be asked. */
  readonly refusal: HookProblem | null;
  /** It answered before and cannot answer now: why, and what to do. */
  readonly lost?: HookLoss;
  /** The settings entry that declares it; null for a file of a hooks folder. */
  readonly entry: LocatedEntry | null;
  /** SHA-256 of its content in hex, when known. */
  readonly hash: string | null;
  /** The hook of the same name in a later folder that it hides. */
  readonly shadows: string | null;
}

export interface HookLoss {
  readonly cause: string;
  readonly fix: string;
}

/** Has a hook a place in the chain of an event? One that may not run, or did not say what it answers, keeps its place. */
export const appliesTo = (hook: Hook, event: EventName): boolean =>
  hook.events.includes(event) ||
  (isUnidentified(hook) && (hook.refusal !== null || !mentionsOnlyOtherEvents(hook, event)));

/** May a file that cannot run be meant for this event? Its text decides: one that names only other events is not. */
export const mentionsOnlyOtherEvents = (hook: Hook, event: EventName): boolean =>
  isUnidentified(hook) && hook.mentionedEvents.length > 0 && !hook.mentionedEvents.includes(event);

/** Kept from starting, and not merely unable to say what it is. */
export const isRefused = ({ refusal }: Hook): boolean =>
  refusal !== null && (refusal.code.startsWith("HOOK_REFUSED_") || refusal.code === "HOOK_MISSING");

/** It has not said what it answers: it may not run, gave no answer, or nothing may be started. */
export const isUnidentified = (hook: Hook): boolean => hook.events.length === 0;

/** An entry of a hooks folder that is no hook, and why: the reasons are stable words. */
export interface SkippedFile {
  readonly name: string;
  readonly path: string;
  readonly reason: SkipReason;
  readonly detail: string;
}

export const SKIP_REASONS = {
  sub_folder: "a folder; hooks are files",
  not_executable: "no execute bit",
  disabled: "switched off by its name",
  backup: "a backup or sample by its name",
  dotfile: "a dotfile",
  not_regular: "not a regular file",
  broken_link: "a link that leads nowhere",
  link_loop: "a link that leads to itself",
  name_not_utf8: "its name is not UTF-8",
  unknown_format: "neither #! nor a program",
  unreadable: "cannot be read",
  too_many: "beyond the 1,000 executable files that are asked",
  shadowed: "hidden by a hook of the same name in an earlier folder",
  not_identified: "did not say which event it answers",
  off: "switched off in the settings",
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;
