import type { LocatedEntry } from "./entry.ts";
import type { DialectName, EventName } from "./event.ts";
import type { HookKind, Match, Source } from "./hook-kind.ts";
import type { HookProblem } from "./problem.ts";
import type { HookSandbox } from "./sandbox.ts";

export { type HookKind, type Match, READS, type Reads, SOURCES, type Source } from "./hook-kind.ts";

/** True if the administrator chose the hook: no user, project, option or variable may take it away. */
export const isMachine = ({ source }: { readonly source: Source }): boolean => source === "machine";

export type TrustState = "trusted" | "untrusted" | "changed" | "denied" | "unsafe";

export const DEFAULT_PRIORITY = 100;
export const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * The first rank of each kind of hook. Among equal priorities the lowest rank runs first; the hooks of a kind are
 * numbered from its first rank.
 */
export const RANK = {
  /** A file, by the position of its folder. */
  folder: 0,
  /** An entry of a settings file, by its position. */
  declared: 1_000_000,
  /** A function of the host program. */
  function: 2 ** 40,
  /** A built-in guard, which judges the payload after the changes of other hooks. */
  guard: 2 ** 41,
  /** A hook that is not there: its folder may be deleted, too. */
  missing: Number.MAX_SAFE_INTEGER,
} as const;

/** An executable regular file in a hooks folder, or an entry of the settings, that is not identified yet. */
export interface Candidate {
  readonly name: string;
  /** The path at which it was found. */
  readonly path: string;
  /** The path with all symbolic links resolved. */
  readonly realPath: string;
  readonly source: Source;
  /** The project folder it belongs to; null for the user's own hooks. */
  readonly projectDir: string | null;
  /** Its name without the project folder's prefix. Settings for this name apply too. */
  readonly baseName?: string;
  /** The order of hooks with the same priority: see `RANK`. */
  readonly rank: number;
  readonly stamp: FileStamp;
  /** The settings entry that declares it; null for a file of a hooks folder. */
  readonly entry: LocatedEntry | null;
  /**
   * Set if the candidate is a project's settings file, which is approved like a hook: the canonical text of its
   * settings.
   */
  readonly settings?: string;
}

/** Identifies one state of a file. Times are in milliseconds since 1970. */
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

/** The stamp of a file that was not read; never compared. */
export const UNKNOWN_STAMP: FileStamp = {
  device: 0,
  inode: 0,
  size: 0,
  modifiedMs: 0,
  changedMs: 0,
  mode: 0,
  owner: 0,
  group: 0,
};

/** The stamp of a deleted file, whose approved text applies, so that nobody can change it on disk. Compared by identity. */
export const DELETED_FILE_STAMP: FileStamp = { ...UNKNOWN_STAMP };

/** The name of each event chooses how its payload and the reply look. */
export type Dialects = Readonly<Partial<Record<EventName, DialectName>>>;

/** The hook with the dialect in which it handles the event. */
export function hookForEvent(hook: Hook, event: EventName): Hook {
  const dialect = hook.dialects?.[event] ?? hook.dialect;
  return dialect === hook.dialect ? hook : { ...hook, dialect };
}

/** The declaration that a hook prints when started with `hook`. A field that it does not declare is null. */
export interface Identity {
  readonly events: readonly EventName[];
  /** The dialect of its first event. */
  readonly dialect: DialectName;
  /** The dialect of each event, if they differ. */
  readonly dialects?: Dialects;
  readonly priority: number | null;
  readonly failOpen: boolean | null;
  readonly observe: boolean | null;
  readonly timeoutMs: number | null;
  readonly match: Match | null;
  /** The output limit in bytes. */
  readonly outputLimit: number | null;
  readonly background: boolean;
  /** True if the hook gets the call in variables, too. */
  readonly readsEnv: boolean;
  readonly files: readonly string[];
}

/** Which hook it is, and the events that it handles. */
interface HookIdentity
  extends Pick<Candidate, "name" | "baseName" | "path" | "source" | "projectDir" | "rank" | "entry">,
    Pick<Identity, "events" | "dialects"> {
  readonly kind: HookKind;
  /** SHA-256 of its content in hex, if known. */
  readonly hash: string | null;
  /** Event names in its text, which is read and never run. Empty for hooks that declared their events. */
  readonly mentionedEvents: readonly EventName[];
  /** The dialect for the current event; in a list, that of the first event. */
  readonly dialect: DialectName;
}

type Decided<T> = { readonly [Key in keyof T]: NonNullable<T[Key]> };

/**
 * How the hook runs and what its result means: its declaration and the settings, joined. Without an `outputLimit` it is four
 * times the payload, but at least 4 MiB.
 */
interface HookPolicy
  extends Decided<Pick<Identity, "priority" | "failOpen" | "observe" | "timeoutMs">>,
    Pick<Identity, "match" | "outputLimit" | "background" | "readsEnv"> {
  /** Absent if its settings request none. */
  readonly sandbox?: HookSandbox;
  /** True if settings limit what the hook declares: `match`, `observe`, or `fail_open` of a guard. */
  readonly isWeakenedBySettings: boolean;
}

/** Whether the hook may run in this call. */
interface HookStatus {
  readonly trust: TrustState;
  /** Set if it worked in an earlier call and cannot run now: the reason and the fix. */
  readonly lost?: HookLoss;
  /** The path of a hook with the same name in a later folder. */
  readonly shadows: string | null;
}

/** The fields of a hook in any state. */
interface HookFields extends HookIdentity, HookPolicy, HookStatus {}

interface HookIn<State extends string, Refusal, DisabledReason> extends HookFields {
  readonly state: State;
  /** Why it could not be invoked; null if it could. */
  readonly refusal: Refusal;
  readonly disabledReason: DisabledReason;
}

/** May be invoked. Its events are unknown only where nothing may be started to ask for them. */
export type ReadyHook = HookIn<"ready", null, null>;
/** May not be started: it is not approved, not safe, needs a sandbox, or is required and missing. */
export type RefusedHook = HookIn<"refused", HookProblem, null>;
/** Could not declare its event, or cannot be started now. Its events may be known from an earlier call. */
export type UnidentifiedHook = HookIn<"unidentified", HookProblem, null>;
/** Switched off by the settings, by its name, by --skip or for a while. */
export type DisabledHook = HookIn<"disabled", HookProblem | null, string>;

/** A hook of this call with everything decided: identity, settings and trust. */
export type Hook = ReadyHook | RefusedHook | UnidentifiedHook | DisabledHook;

type Stateless = HookFields & Pick<Hook, "refusal" | "disabledReason">;

/** Makes a hook; its state follows from why it is disabled or refused. */
export function makeHook(fields: Stateless): Hook {
  const { refusal, disabledReason } = fields;
  if (disabledReason !== null) return { ...fields, state: "disabled", refusal, disabledReason };
  if (refusal === null) return { ...fields, state: "ready", refusal, disabledReason };
  if (isRefusal(refusal)) return { ...fields, state: "refused", refusal, disabledReason };
  return { ...fields, state: "unidentified", refusal, disabledReason };
}

/** The hook with another refusal, or null for none. */
export const withRefusal = (hook: Hook, refusal: HookProblem | null): Hook => makeHook({ ...hook, refusal });

/** The hook switched off. */
export const disabled = (hook: Hook, disabledReason: string): Hook => makeHook({ ...hook, disabledReason });

/** True if a problem means that a program may not be started for lack of trust. */
export const isTrustRefusal = ({ code }: { readonly code: string }): boolean => code.startsWith("HOOK_REFUSED_");

const isRefusal = (problem: HookProblem): boolean => isTrustRefusal(problem) || problem.code === "HOOK_MISSING";

export interface HookLoss {
  readonly cause: string;
  readonly fix: string;
}

/** True if the hook handles the event. Refused and unidentified hooks keep their position in the chain. */
export const appliesTo = (hook: Hook, event: EventName): boolean =>
  hook.events.includes(event) ||
  (hasUnknownEvents(hook) && (hook.refusal !== null || !mentionsOnlyOtherEvents(hook, event)));

/** True if the events of a hook are unknown and its text mentions only others: then it is not for this event. */
export const mentionsOnlyOtherEvents = (hook: Hook, event: EventName): boolean =>
  hasUnknownEvents(hook) && hook.mentionedEvents.length > 0 && !hook.mentionedEvents.includes(event);

/** True if the hook may not be started, also where it is disabled. */
export const isRefused = ({ refusal }: Hook): boolean => refusal !== null && isRefusal(refusal);

/** True if the hook never declared its events: it may not run, gave no answer, or nothing may be started. */
export const hasUnknownEvents = ({ events }: Hook): boolean => events.length === 0;

/** A hook, or a candidate, that would not start in a run. */
export interface NotReady {
  readonly name: string;
  readonly path: string;
  /** The code of a problem or a warning, or the reason why an entry of a hooks folder was skipped. */
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** An entry of a hooks folder that is not a hook. The reasons are part of the JSON output. */
export interface SkippedFile {
  readonly name: string;
  readonly path: string;
  readonly reason: SkipReason;
  readonly detail: string;
}

export const SKIP_REASONS = {
  sub_folder: "a folder; hooks are files",
  not_executable: "no execute bit",
  disabled: "disabled by its name",
  backup: "a backup or sample by its name",
  dotfile: "a dotfile",
  not_regular: "not a regular file",
  broken_link: "a broken link",
  link_loop: "a link loop",
  name_not_utf8: "its name is not UTF-8",
  unknown_format: "neither a script (#!) nor a program",
  unreadable: "cannot be read",
  too_many: "more than 1,000 executable files in the folder",
  shadowed: "replaced by a hook of the same name in an earlier folder",
  not_identified: "did not declare an event",
  off: "disabled in the settings",
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

const FROM_PROJECT: ReadonlySet<Source> = new Set(["project", "project-plugin", "explicit"]);

/** True if the author of the project chose the hook, and not the user. */
export const isFromProject = ({ source, entry, settings }: Pick<Candidate, "source" | "entry" | "settings">): boolean =>
  FROM_PROJECT.has(source) || entry?.scope === "project" || settings !== undefined;

/** The owner of a hook: the administrator of the machine, the user, or the author of the project. */
export type Owner = "machine" | "user" | "project";

export const ownerOf = (candidate: Pick<Candidate, "source" | "entry" | "settings">): Owner =>
  isMachine(candidate) ? "machine" : isFromProject(candidate) ? "project" : "user";

/** True if the hook runs only after the user has approved it. */
export const needsApproval = (candidate: Pick<Candidate, "source" | "entry" | "settings">): boolean =>
  isFromProject(candidate) || candidate.entry?.isAsked === true;
