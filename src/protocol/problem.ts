import type { JsonKind } from "./json/scan.ts";
import type { UnsafePaths } from "./unsafe-path.ts";

/** Everything that can go wrong, as a closed union: a new member does not compile until `explain` describes it. */
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

export type UsageProblem =
  | { readonly code: "USAGE_UNKNOWN_VERB"; readonly verb: string; readonly nearest: string | null }
  | {
      readonly code: "USAGE_UNKNOWN_FLAG";
      readonly flag: string;
      readonly nearest: string | null;
      readonly verb: string | null;
    }
  | { readonly code: "USAGE_UNKNOWN_EVENT"; readonly name: string; readonly nearest: string | null }
  | {
      readonly code: "USAGE_UNKNOWN_PATH";
      readonly event: string;
      readonly path: string;
      readonly nearest: string | null;
      /** The known tool whose arguments do not include it. */
      readonly tool: { readonly name: string; readonly takes: readonly string[] } | null;
      /** A tool that has an argument of this name. */
      readonly otherTool: string | null;
    }
  | { readonly code: "USAGE_UNKNOWN_HOOK"; readonly name: string; readonly nearest: string | null }
  /** Only the administrator may change it. */
  | { readonly code: "USAGE_MACHINE_HOOK"; readonly name: string; readonly path: string }
  | { readonly code: "USAGE_UNKNOWN_SUBJECT"; readonly name: string; readonly nearest: string | null }
  | { readonly code: "USAGE_UNKNOWN_GUARD"; readonly name: string; readonly nearest: string | null }
  | { readonly code: "USAGE_UNKNOWN_RUN"; readonly run: string; readonly session: string | null }
  | {
      readonly code: "USAGE_AMBIGUOUS_RUN";
      readonly run: string;
      /** Null: many. */
      readonly count: number | null;
      readonly newest: string;
    }
  | { readonly code: "USAGE_BAD_HOOK_NAME"; readonly name: string; readonly detail: string }
  | { readonly code: "USAGE_HOOK_EXISTS"; readonly path: string }
  | {
      readonly code: "USAGE_NO_SUCH_PATH";
      readonly path: string;
      /** The next step; missing: the path may have been meant as the name of a hook. */
      readonly next?: string;
    }
  | {
      readonly code: "USAGE_BAD_VALUE";
      readonly flag: string;
      readonly value: string;
      readonly detail: string;
      /** The command with this option; missing: it is an option of every command, or not known. */
      readonly command?: string;
    }
  | { readonly code: "USAGE_WRONG_WORDS"; readonly detail: string; readonly tryThis: string }
  | { readonly code: "USAGE_BAD_OPTION"; readonly option: string; readonly detail: string }
  | { readonly code: "USAGE_BAD_REQUEST"; readonly detail: string }
  | { readonly code: "USAGE_UNKNOWN_METHOD"; readonly name: string; readonly nearest: string | null }
  | { readonly code: "USAGE_CLOSED" };

export type PayloadProblem =
  | {
      readonly code: "PAYLOAD_MISSING";
      readonly why: "terminal" | "empty" | "silent";
      readonly event: string;
      /** The empty file; missing: the payload was expected on stdin. */
      readonly file?: string;
      /** A command that sends a payload, for readers of another format. */
      readonly tryThis?: string;
    }
  | { readonly code: "PAYLOAD_NOT_READABLE"; readonly place: string; readonly cause: string }
  | { readonly code: "PAYLOAD_NOT_ENDED"; readonly afterMs: number }
  | { readonly code: "PAYLOAD_TOO_LARGE"; readonly limitBytes: number }
  | { readonly code: "PAYLOAD_NOT_UTF8" }
  | { readonly code: "PAYLOAD_NOT_JSON"; readonly line: number; readonly detail: string; readonly event?: string }
  | { readonly code: "PAYLOAD_NOT_OBJECT"; readonly found: JsonKind; readonly event?: string }
  | ({ readonly field: string; readonly event: string } & FieldError)
  | { readonly code: "PAYLOAD_EVENT_DIFFERS"; readonly found: string; readonly event: string }
  | AmbiguousCall;

/** The arguments of a tool call contradict each other. */
export interface AmbiguousCall {
  readonly code: "PAYLOAD_AMBIGUOUS";
  readonly event: string;
  readonly tool: string;
  /** Two of the agent's arguments for one thing; null: one key occurs twice. */
  readonly keys: readonly [string, string] | null;
}

/** An invalid field of a payload. */
export type FieldError =
  | { readonly code: "PAYLOAD_FIELD_MISSING" }
  | { readonly code: "PAYLOAD_FIELD_TYPE"; readonly expected: string; readonly found: JsonKind }
  | { readonly code: "PAYLOAD_FIELD_VALUE"; readonly found: string; readonly values: readonly string[] };

/** The hook of a problem: its name, its file, how it was sandboxed, and `asked` if it was asked for its events alone. */
export interface ProblemHook {
  readonly hook: string;
  readonly path: string;
  readonly sandbox?: string;
  readonly asked?: "hook";
}

/** A hook without a response. */
export type HookProblem = ProblemHook &
  (
    | {
        readonly code: "HOOK_TIMED_OUT";
        readonly afterMs: number;
        readonly byDeadline: boolean;
        readonly ended: number;
      }
    | { readonly code: "HOOK_DEADLINE_PASSED" }
    /** The hook reads its call from variables, which cannot hold this call. */
    | { readonly code: "HOOK_CALL_NOT_PASSED"; readonly cause: string }
    | { readonly code: "HOOK_INTERRUPTED"; readonly signal: string }
    | { readonly code: "HOOK_TOO_MUCH_OUTPUT"; readonly limitBytes: number }
    | { readonly code: "HOOK_EXITED"; readonly exitCode: number; readonly stderr: string }
    | { readonly code: "HOOK_SIGNALLED"; readonly signal: string }
    | { readonly code: "HOOK_THREW"; readonly cause: string }
    /** A built-in guard could not judge a call, because of a fault of hookctl. */
    | { readonly code: "HOOK_GUARD_THREW"; readonly cause: string }
    | { readonly code: "HOOK_TOOL_FAILED"; readonly cause: string }
    | {
        readonly code: "HOOK_NO_SUCH_TOOL";
        readonly tool: string;
        readonly server: string;
        readonly nearest: string | null;
      }
    | { readonly code: "HOOK_NOT_STARTED"; readonly cause: string }
    /** A settings entry starts a program that does not exist; the command runs in `folder`. */
    | {
        readonly code: "HOOK_COMMAND_MISSING";
        readonly cause: string;
        /** Null: create what is missing, or correct the command. */
        readonly fix: string | null;
        readonly file: string;
        readonly folder: string;
      }
    | { readonly code: "HOOK_BAD_FORMAT"; readonly cause: string; readonly fix: string }
    | { readonly code: "HOOK_UNKNOWN_TYPE"; readonly answer: string; readonly nearest: string | null }
    | { readonly code: "HOOK_BAD_ANSWER"; readonly detail: string }
    | { readonly code: "HOOK_MISSING" }
    | { readonly code: "HOOK_REFUSED_UNTRUSTED" }
    | ({ readonly code: "HOOK_REFUSED_UNSAFE" } & UnsafePaths)
    | { readonly code: "HOOK_REFUSED_UNREADABLE"; readonly place: string; readonly cause: string }
    /** `settingsFile` is the user's, the only one that may allow the hook to run without a sandbox; null: its grants are at fault. */
    | { readonly code: "HOOK_REFUSED_SANDBOX"; readonly cause: string; readonly settingsFile: string | null }
    | { readonly code: "HOOK_REFUSED_SETTINGS"; readonly place: string; readonly cause: string }
    /** The machine folder, or its settings file, may not be what the administrator wrote. */
    | { readonly code: "HOOK_REFUSED_MACHINE"; readonly place: string; readonly cause: string }
    | { readonly code: "HOOK_REFUSED_LINK"; readonly leadsTo: string }
    | { readonly code: "HOOK_REFUSED_CHANGED"; readonly changes: readonly string[] }
    | { readonly code: "HOOK_REFUSED_DENIED" }
    | { readonly code: "HOOK_REFUSED_STORE"; readonly cause: string }
  );

export type ReplyProblem = { readonly hook: string; readonly path: string } & (
  | { readonly code: "REPLY_NOT_UTF8" }
  | { readonly code: "REPLY_NOT_JSON"; readonly line: number; readonly detail: string; readonly text: string }
  | { readonly code: "REPLY_NOT_OBJECT"; readonly found: JsonKind }
  | { readonly code: "REPLY_TOO_DEEP"; readonly detail: string }
  | { readonly code: "REPLY_WRONG_TYPE"; readonly key: string; readonly expected: string; readonly found: string }
  | { readonly code: "REPLY_MISSPELT_KEY"; readonly key: string; readonly nearest: string }
);

/** `file` is the path of the settings file, `entry` the key in it: `overrides.guard.timeout`. */
export type ConfigProblem = { readonly file: string } & (
  | { readonly code: "CONFIG_NOT_READABLE"; readonly cause: string }
  | { readonly code: "CONFIG_NOT_PARSED"; readonly cause: string }
  | {
      readonly code: "CONFIG_UNKNOWN_KEY";
      readonly entry: string;
      readonly key: string;
      readonly nearest: string | null;
    }
  | { readonly code: "CONFIG_BAD_VALUE"; readonly entry: string; readonly detail: string }
  | {
      readonly code: "CONFIG_USER_ONLY";
      readonly entry: string;
      /** The user's settings file, or where it would be. */
      readonly userFile: string;
    }
  | { readonly code: "CONFIG_SECOND_FILE"; readonly second: string }
  | { readonly code: "CONFIG_TEMPLATE"; readonly entry: string; readonly cause: string }
  | { readonly code: "CONFIG_CONTRADICTION"; readonly entry: string; readonly detail: string }
);

/** `file` is the path of a file with test cases, `line` counts from 1, `place` is the key in it: `cases[1].expect`. */
export type CaseProblem = { readonly file: string; readonly line: number | null } & (
  | { readonly code: "CASE_NOT_READABLE"; readonly cause: string }
  | { readonly code: "CASE_NOT_WRITTEN"; readonly cause: string }
  | { readonly code: "CASE_NOT_PARSED"; readonly cause: string }
  | { readonly code: "CASE_UNKNOWN_KEY"; readonly place: string; readonly key: string; readonly nearest: string | null }
  | { readonly code: "CASE_BAD_VALUE"; readonly place: string; readonly detail: string }
  | {
      readonly code: "CASE_UNKNOWN_HOOK";
      readonly kind: "hook" | "rule";
      readonly hook: string;
      readonly nearest: string | null;
    }
);

/** A pack that was not added, updated or removed. `source` is a source of packs as it is typed, `pack` a name. */
export type PackProblem =
  | { readonly code: "PACK_BAD_SOURCE"; readonly source: string; readonly detail: string }
  | { readonly code: "PACK_NOT_FETCHED"; readonly source: string; readonly cause: string }
  | { readonly code: "PACK_UNKNOWN_REVISION"; readonly source: string; readonly revision: string }
  | { readonly code: "PACK_WITHOUT_HOOKS"; readonly source: string }
  | { readonly code: "PACK_UNSAFE"; readonly source: string; readonly path: string; readonly cause: string }
  /** The pack's own settings, with the name of their file in it. */
  | { readonly code: "PACK_BAD_SETTINGS"; readonly source: string; readonly problem: ConfigProblem }
  /** In the user's scope settings of packs have no effect. */
  | { readonly code: "PACK_PROJECT_ONLY"; readonly source: string; readonly path: string }
  /** The fetched content differs from the pinned one. */
  | { readonly code: "PACK_DIFFERS"; readonly source: string; readonly path: string }
  /** `by` is the source of the other pack; null: the folder is in no lock file. */
  | { readonly code: "PACK_NAME_TAKEN"; readonly pack: string; readonly by: string | null }
  | { readonly code: "PACK_BAD_NAME"; readonly pack: string }
  | { readonly code: "PACK_UNKNOWN"; readonly pack: string; readonly nearest: string | null }
  | {
      readonly code: "PACK_MODIFIED";
      readonly pack: string;
      readonly files: readonly string[];
      readonly command: string;
    }
  /** `command` does it without a prompt; null: the user declined. */
  | { readonly code: "PACK_NOT_APPROVED"; readonly pack: string; readonly command: string | null }
  | { readonly code: "PACK_LOCK_INVALID"; readonly path: string; readonly detail: string };

/** An export that stopped early. What it did not send stays in the audit log. */
export type ExportProblem =
  | { readonly code: "EXPORT_NOT_CONFIGURED" }
  /** A setting or variable. Its value may be a secret. */
  | { readonly code: "EXPORT_BAD_VALUE"; readonly name: string; readonly detail: string }
  | { readonly code: "EXPORT_NO_LOG" }
  | {
      readonly code: "EXPORT_UNREACHABLE";
      readonly url: string;
      readonly cause: string;
      /** The wait that the collector asks for; null: none. */
      readonly waitMs: number | null;
    }
  | {
      readonly code: "EXPORT_REFUSED";
      readonly url: string;
      readonly status: number;
      readonly message: string;
      readonly signal: "traces" | "metrics" | "logs";
    }
  | { readonly code: "EXPORT_CURSOR_INVALID"; readonly path: string; readonly cause: string }
  | { readonly code: "EXPORT_CURSOR_NOT_WRITTEN"; readonly path: string; readonly cause: string };

/** A server that did not start, or a request that it did not answer. `place` is a socket, an address or a command. */
export type ServeProblem =
  | { readonly code: "SERVE_NOT_STARTED"; readonly place: string; readonly cause: string }
  | { readonly code: "SERVE_CANCELLED" }
  | { readonly code: "SERVE_STOPPING" }
  | { readonly code: "SERVE_UNREACHABLE"; readonly place: string; readonly cause: string };

export type HostProblem =
  | { readonly code: "RECURSION"; readonly depth: number }
  | { readonly code: "INTERRUPTED"; readonly signal: string }
  | { readonly code: "DEADLINE_PASSED"; readonly deadlineMs: number }
  /** `isDecision`: the caller needs it to decide. */
  | { readonly code: "OUTPUT_LOST"; readonly cause: string; readonly isDecision: boolean }
  /** `isOnStdout`: stdout has the results, too. */
  | { readonly code: "REPORT_NOT_WRITTEN"; readonly path: string; readonly cause: string; readonly isOnStdout: boolean }
  | { readonly code: "PLATFORM_UNSUPPORTED"; readonly platform: string }
  | { readonly code: "TRUST_STORE_NOT_WRITTEN"; readonly path: string; readonly cause: string }
  | { readonly code: "TRUST_STORE_NOT_READ"; readonly path: string; readonly cause: string }
  | { readonly code: "TRUST_STORE_MISSING"; readonly detail: string }
  | ({
      readonly code: "TRUST_UNSAFE_PLACE";
      /** How to fix it if the mode is not the cause. */
      readonly fix: string | null;
    } & UnsafePaths)
  /** `isAgent`: an agent was found above the call, so that the hint must name no command that it would type. */
  | { readonly code: "TRUST_NEEDS_PERSON"; readonly cause: string; readonly isAgent: boolean }
  | {
      readonly code: "PROTECTION_WEAKENED";
      /** What was lost, each with its file. */
      readonly changes: readonly string[];
      readonly isRestored: boolean;
    }
  | { readonly code: "CALL_UNANSWERED" }
  | { readonly code: "TRUST_NOT_CONFIRMED"; readonly cause: string }
  | { readonly code: "TRUST_DIGEST_DIFFERS" }
  | { readonly code: "STATE_NOT_NUMBER"; readonly key: string }
  | { readonly code: "SESSION_NOT_USABLE"; readonly session: string; readonly cause: string }
  | { readonly code: "PROJECT_MISSING"; readonly path: string; readonly cause: string }
  | {
      readonly code: "NOTHING_TO_TEST";
      readonly why: "empty";
      /** The arguments of the call. */
      readonly place: string;
    }
  | {
      readonly code: "NOTHING_TO_TEST";
      readonly why: "unapproved" | "refused" | "skipped";
      readonly hooks: readonly string[];
    }
  | { readonly code: "NOTHING_TO_TEST"; readonly why: "off" }
  | { readonly code: "BASE_NOT_READ"; readonly base: string; readonly cause: string }
  | { readonly code: "LOG_NOT_READ"; readonly path: string; readonly cause: string }
  | { readonly code: "NOTHING_RECORDED"; readonly files: number; readonly unread: readonly string[] }
  | { readonly code: "SCRATCH_MISSING"; readonly path: string; readonly cause: string }
  | { readonly code: "PROJECT_IS_HOME"; readonly path: string }
  | { readonly code: "FILE_NOT_WRITTEN"; readonly path: string; readonly cause: string }
  | {
      readonly code: "AGENT_PROGRAM_UNSAFE";
      /** Node, or hookctl's own folder. */
      readonly path: string;
      readonly cause: string;
    }
  | {
      readonly code: "AGENT_SETTINGS_NOT_PARSED";
      readonly path: string;
      /** Null if the fault has no line. */
      readonly line: number | null;
      readonly detail: string;
    }
  | { readonly code: "INTERNAL_FAULT"; readonly detail: string };

/**
 * True if an approved hook may not run now. That blocks every event that can be blocked, even if the hook is fail-open.
 */
export const isLostGuard = ({ code }: Pick<Problem, "code">): boolean =>
  code === "HOOK_REFUSED_CHANGED" || code === "HOOK_REFUSED_STORE";
