import type { JsonKind } from "./payload/field.ts";
import type { UnsafePaths } from "./unsafe-path.ts";

/** Everything that can go wrong, as a closed union. A new code does not compile until `messages.json` has its message. */
export type Problem =
  | UsageProblem
  | PayloadProblem
  | HookProblem
  | ReplyProblem
  | ConfigProblem
  | CaseProblem
  | PackProblem
  | ExportProblem
  | ServeProblem
  | HostProblem;
export type ProblemCode = Problem["code"];

/** What happened and where (`summary`), and what to type next (`hint`). Names are unescaped: each report escapes them for its output. */
export interface Explanation {
  readonly summary: string;
  readonly hint: string;
}

/** A union of codes, each with its fields. */
export type UnionOf<Table> = { [Code in keyof Table]: { readonly code: Code } & Readonly<Table[Code]> }[keyof Table];
export type Texts<Names extends string> = Readonly<Record<Names, string>>;
export type NoFields = unknown;

/** A name that is not known, and a similar one that is. */
export interface Misspelt {
  readonly nearest: string | null;
}
type UnknownName = Texts<"name"> & Misspelt;

export type UsageProblem = UnionOf<{
  USAGE_UNKNOWN_VERB: Texts<"verb"> & Misspelt;
  USAGE_UNKNOWN_FLAG: Texts<"flag"> & Misspelt & { verb: string | null };
  USAGE_UNKNOWN_EVENT: UnknownName;
  /** `tool` is the known tool whose arguments do not include the path, `otherTool` a tool that has an argument of this name. */
  USAGE_UNKNOWN_PATH: Texts<"event" | "path"> &
    Misspelt & {
      tool: { readonly name: string; readonly takes: readonly string[] } | null;
      otherTool: string | null;
    };
  USAGE_UNKNOWN_HOOK: UnknownName;
  /** Only the administrator may change it. */
  USAGE_MACHINE_HOOK: Texts<"name" | "path">;
  USAGE_UNKNOWN_SUBJECT: UnknownName;
  USAGE_UNKNOWN_GUARD: UnknownName;
  USAGE_UNKNOWN_RULE: UnknownName & Texts<"list">;
  USAGE_UNKNOWN_RUN: Texts<"run"> & { session: string | null; isConnected?: boolean };
  /** `count` is null for many runs. */
  USAGE_AMBIGUOUS_RUN: Texts<"run" | "newest"> & { count: number | null };
  USAGE_BAD_HOOK_NAME: Texts<"name" | "detail">;
  USAGE_HOOK_EXISTS: Texts<"path">;
  /** Without `next` the path may have been intended as the name of a hook. */
  USAGE_NO_SUCH_PATH: Texts<"path"> & { next?: string };
  /** `command` has this option; it is missing for an option of every command, or if it is not known. */
  USAGE_BAD_VALUE: Texts<"flag" | "value" | "detail"> & { command?: string };
  USAGE_WRONG_WORDS: Texts<"detail" | "tryThis">;
  USAGE_BAD_OPTION: Texts<"option" | "detail">;
  USAGE_BAD_REQUEST: Texts<"detail">;
  USAGE_UNKNOWN_METHOD: UnknownName;
  USAGE_CLOSED: NoFields;
}>;

/** `event` is missing if the payload cannot be read, so that it names none. */
export type PayloadProblem = UnionOf<{
  /** An empty `file`, or no payload on stdin. `tryThis` is a command that sends one, for readers of another format. */
  PAYLOAD_MISSING: Texts<"event"> & { why: "terminal" | "empty" | "silent"; file?: string; tryThis?: string };
  PAYLOAD_NOT_READABLE: Texts<"place" | "cause">;
  PAYLOAD_NOT_ENDED: { afterMs: number };
  PAYLOAD_TOO_LARGE: { limitBytes: number };
  PAYLOAD_NOT_UTF8: NoFields;
  PAYLOAD_NOT_JSON: { line: number; detail: string; event?: string };
  PAYLOAD_NOT_OBJECT: { found: JsonKind; event?: string };
  PAYLOAD_FIELD_MISSING: Texts<"field" | "event">;
  PAYLOAD_FIELD_TYPE: Texts<"field" | "event" | "expected"> & { found: JsonKind };
  PAYLOAD_FIELD_VALUE: Texts<"field" | "event" | "found"> & { values: readonly string[] };
  PAYLOAD_EVENT_DIFFERS: Texts<"found" | "event">;
  /** `keys` are two of the agent's arguments for the same thing; null if a key occurs twice. */
  PAYLOAD_AMBIGUOUS: Texts<"event" | "tool"> & { keys: readonly [string, string] | null };
}>;

/** The arguments of a tool call contradict each other. */
export type AmbiguousCall = Extract<PayloadProblem, { readonly code: "PAYLOAD_AMBIGUOUS" }>;

/** An invalid field of a payload. */
export type FieldError = WithoutField<Extract<PayloadProblem, { readonly field: string }>>;
type WithoutField<P> = P extends unknown ? Omit<P, "field" | "event"> : never;

/** The hook of a problem: its name, its file, how it was sandboxed, and `asked` if it was asked for its events alone. */
export interface ProblemHook {
  readonly hook: string;
  readonly path: string;
  readonly sandbox?: string;
  readonly asked?: "hook";
}

/** A hook without a response. */
export type HookProblem = ProblemHook &
  UnionOf<{
    /** `ended` is the number of child processes that were killed. */
    HOOK_TIMED_OUT: { afterMs: number; byDeadline: boolean; ended: number };
    HOOK_DEADLINE_PASSED: NoFields;
    /** The hook reads its call from variables, which cannot hold this call. */
    HOOK_CALL_NOT_PASSED: Texts<"cause">;
    HOOK_INTERRUPTED: Texts<"signal">;
    HOOK_TOO_MUCH_OUTPUT: { limitBytes: number };
    HOOK_EXITED: { exitCode: number; stderr: string };
    HOOK_SIGNALLED: Texts<"signal">;
    HOOK_THREW: Texts<"cause">;
    /** A built-in guard could not judge a call, because of a fault of hookctl. */
    HOOK_GUARD_THREW: Texts<"cause">;
    HOOK_TOOL_FAILED: Texts<"cause">;
    HOOK_NO_SUCH_TOOL: Texts<"tool" | "server"> & Misspelt;
    HOOK_NOT_STARTED: Texts<"cause">;
    /**
     * A settings entry starts a program that does not exist; the command runs in `folder`. Without a `fix` the missing file has
     * to be created, or the command corrected.
     */
    HOOK_COMMAND_MISSING: Texts<"cause" | "file" | "folder"> & { fix: string | null };
    HOOK_BAD_FORMAT: Texts<"cause" | "fix">;
    HOOK_UNKNOWN_TYPE: Texts<"answer"> & Misspelt;
    HOOK_BAD_ANSWER: Texts<"detail">;
    HOOK_MISSING: NoFields;
    HOOK_REFUSED_UNTRUSTED: NoFields;
    HOOK_REFUSED_UNSAFE: UnsafePaths;
    HOOK_REFUSED_UNREADABLE: Texts<"place" | "cause">;
    /** Only the user's `settingsFile` may allow the hook to run without a sandbox; null if its grants are at fault. */
    HOOK_REFUSED_SANDBOX: Texts<"cause"> & { settingsFile: string | null };
    HOOK_REFUSED_SETTINGS: Texts<"place" | "cause">;
    /** The machine folder, or its settings file, may not be what the administrator wrote. */
    HOOK_REFUSED_MACHINE: Texts<"place" | "cause">;
    /** `fix` is set where an approval would not help. */
    HOOK_REFUSED_CHANGED: { changes: readonly string[]; fix?: string };
    HOOK_REFUSED_DENIED: NoFields;
    HOOK_REFUSED_STORE: Texts<"cause">;
    HOOK_REFUSED_LINK: Texts<"leadsTo">;
  }>;

/** A response that cannot be used. */
export type ReplyProblem = Texts<"hook" | "path"> &
  UnionOf<{
    REPLY_NOT_UTF8: NoFields;
    REPLY_NOT_JSON: Texts<"detail" | "text"> & { line: number };
    REPLY_NOT_OBJECT: { found: JsonKind };
    REPLY_TOO_DEEP: Texts<"detail">;
    REPLY_WRONG_TYPE: Texts<"key" | "expected" | "found">;
    REPLY_MISSPELT_KEY: Texts<"key" | "nearest">;
  }>;

/** `file` is the path of the settings file, `entry` the key in it: `overrides.guard.timeout`. */
export type ConfigProblem = Texts<"file"> &
  UnionOf<{
    CONFIG_NOT_READABLE: Texts<"cause">;
    CONFIG_NOT_PARSED: Texts<"cause">;
    CONFIG_UNKNOWN_KEY: Texts<"entry" | "key"> & Misspelt;
    CONFIG_BAD_VALUE: Texts<"entry" | "detail">;
    CONFIG_TEMPLATE: Texts<"entry" | "cause">;
    /** `userFile` is the user's settings file, or the path that it would have. */
    CONFIG_USER_ONLY: Texts<"entry" | "userFile">;
    CONFIG_SECOND_FILE: Texts<"second">;
    CONFIG_CONTRADICTION: Texts<"entry" | "detail">;
  }>;

/** `file` is the path of a file with test cases, `line` counts from 1, `place` is the key in it: `cases[1].expect`. */
export type CaseProblem = Texts<"file"> & { readonly line: number | null } & UnionOf<{
    CASE_NOT_READABLE: Texts<"cause">;
    CASE_NOT_WRITTEN: Texts<"cause">;
    CASE_NOT_PARSED: Texts<"cause">;
    CASE_UNKNOWN_KEY: Texts<"place" | "key"> & Misspelt;
    CASE_BAD_VALUE: Texts<"place" | "detail">;
    CASE_UNKNOWN_HOOK: Texts<"hook"> & Misspelt & { kind: "hook" | "rule" };
  }>;

/** A pack that was not added, updated or removed. `source` is a source of packs as it is typed, `pack` a name. */
export type PackProblem = UnionOf<{
  PACK_BAD_SOURCE: Texts<"source" | "detail">;
  PACK_NOT_FETCHED: Texts<"source" | "cause">;
  PACK_UNKNOWN_REVISION: Texts<"source" | "revision">;
  PACK_WITHOUT_HOOKS: Texts<"source">;
  PACK_UNSAFE: Texts<"source" | "path" | "cause">;
  /** The pack's own settings, with the name of their file in it. */
  PACK_BAD_SETTINGS: Texts<"source"> & { problem: ConfigProblem };
  /** In the user's scope settings of packs have no effect. */
  PACK_PROJECT_ONLY: Texts<"source" | "path">;
  /** The fetched content differs from the pinned content. */
  PACK_DIFFERS: Texts<"source" | "path">;
  /** `by` is the source of the other pack; null if the folder is in no lock file. */
  PACK_NAME_TAKEN: Texts<"pack"> & { by: string | null };
  PACK_BAD_NAME: Texts<"pack">;
  PACK_UNKNOWN: Texts<"pack"> & Misspelt;
  PACK_MODIFIED: Texts<"pack" | "command"> & { files: readonly string[] };
  PACK_TAG_MOVED: Texts<"pack" | "tag" | "from" | "to" | "command">;
  /** `command` approves it without a prompt; null if the user declined. */
  PACK_NOT_APPROVED: Texts<"pack"> & { command: string | null };
  PACK_LOCK_INVALID: Texts<"path" | "detail">;
}>;

/** An export that stopped early. What it did not send stays in the audit log. */
export type ExportProblem = UnionOf<{
  EXPORT_NOT_CONFIGURED: NoFields;
  /** A setting or variable. Its value may be a secret. */
  EXPORT_BAD_VALUE: Texts<"name" | "detail">;
  EXPORT_NO_LOG: NoFields;
  /** `waitMs` is the wait that the collector asks for; null if it asks for none. */
  EXPORT_UNREACHABLE: Texts<"url" | "cause"> & { waitMs: number | null };
  EXPORT_REFUSED: Texts<"url" | "message"> & { status: number; signal: "traces" | "metrics" | "logs" };
  EXPORT_CURSOR_INVALID: Texts<"path" | "cause">;
  EXPORT_CURSOR_NOT_WRITTEN: Texts<"path" | "cause">;
}>;

/** A server that did not start, or a request that it did not answer. `place` is a socket, an address or a command. */
export type ServeProblem = UnionOf<{
  SERVE_NOT_STARTED: Texts<"place" | "cause">;
  SERVE_CANCELLED: NoFields;
  SERVE_STOPPING: NoFields;
  SERVE_UNREACHABLE: Texts<"place" | "cause">;
}>;

export type HostProblem = UnionOf<{
  RECURSION: { depth: number };
  INTERRUPTED: Texts<"signal">;
  DEADLINE_PASSED: { deadlineMs: number };
  /** `isDecision`: the caller needs it to decide. */
  OUTPUT_LOST: Texts<"cause"> & { isDecision: boolean };
  /** `isOnStdout`: stdout has the results, too. */
  REPORT_NOT_WRITTEN: Texts<"path" | "cause"> & { isOnStdout: boolean };
  PLATFORM_UNSUPPORTED: Texts<"platform">;
  TRUST_STORE_NOT_WRITTEN: Texts<"path" | "cause">;
  TRUST_STORE_NOT_READ: Texts<"path" | "cause">;
  TRUST_STORE_MISSING: Texts<"detail">;
  /** `fix` says how to fix it if the mode is not the cause. */
  TRUST_UNSAFE_PLACE: UnsafePaths & { fix: string | null };
  /** `isAgent`: an agent was found above the call, so that the hint must name no command that it would type. */
  TRUST_NEEDS_PERSON: Texts<"cause"> & { isAgent: boolean };
  /** `changes` says what was lost, each with its file. */
  PROTECTION_WEAKENED: { changes: readonly string[]; isRestored: boolean };
  CALL_UNANSWERED: NoFields;
  CAGE_UNAVAILABLE: Texts<"cause">;
  CAGE_REFUSED: Texts<"path" | "why" | "fix"> & { use: "read" | "write" };
  TRUST_NOT_CONFIRMED: Texts<"cause">;
  TRUST_DIGEST_DIFFERS: NoFields;
  STATE_NOT_NUMBER: Texts<"key">;
  SESSION_NOT_USABLE: Texts<"session" | "cause">;
  PROJECT_MISSING: Texts<"path" | "cause">;
  /** `place` holds the arguments of the call. */
  NOTHING_TO_TEST:
    | { why: "empty"; place: string }
    | { why: "unapproved" | "refused" | "skipped"; hooks: readonly string[] }
    | { why: "off" };
  BASE_NOT_READ: Texts<"base" | "cause">;
  LOG_NOT_READ: Texts<"path" | "cause">;
  NOTHING_RECORDED: { files: number; unread: readonly string[] };
  SCRATCH_MISSING: Texts<"path" | "cause">;
  PROJECT_IS_HOME: Texts<"path">;
  FILE_NOT_WRITTEN: Texts<"path" | "cause">;
  /** `path` is Node, or hookctl's own folder. */
  AGENT_PROGRAM_UNSAFE: Texts<"path" | "cause" | "command">;
  /** `line` is null if the fault has none. */
  AGENT_SETTINGS_NOT_PARSED: Texts<"path" | "detail"> & { line: number | null };
  INTERNAL_FAULT: Texts<"detail">;
}>;

/** True if an approved hook may not run now. That blocks every event that can be blocked, even if the hook is fail-open. */
export const isLostGuard = ({ code }: Pick<Problem, "code">): boolean =>
  code === "HOOK_REFUSED_CHANGED" || code === "HOOK_REFUSED_STORE";

/** True if the user can approve the hook as it is: only then does a message name `hookctl trust`. */
export const canBeApproved = (problem: Problem | null): boolean =>
  problem?.code === "HOOK_REFUSED_UNTRUSTED" || (problem?.code === "HOOK_REFUSED_CHANGED" && problem.fix === undefined);
