import type { OffReason } from "./pause.ts";
import type { ConfigProblem, Problem } from "./problem.ts";
import { explain } from "./problem-messages/explain.ts";
import type { Texts, UnionOf } from "./problem-messages/row.ts";
import { pluralize } from "./text/count.ts";
import { listNames, truncate } from "./text/text.ts";
import { formatDuration } from "./text/units.ts";

/** The text of a warning in one line, from its fields. `hook` and `key` are already cut to `LIMITS`. */
type WarningRows = Readonly<Record<string, (warning: never) => string>>;

const LIMITS = { hook: 80, key: 60 };
const shown = (path: string): string => truncate(path, 200);

interface ChangedSettings {
  readonly path: string;
  readonly how: "changed" | "broken" | "deleted";
  /** The fault of a broken file. */
  readonly problem: ConfigProblem | null;
}

interface LostSettings extends Texts<"path" | "cause"> {
  readonly guards: readonly string[];
  readonly isDeleted: boolean;
}

interface RefusedPlace {
  /** The environment variable that chose the path, or could choose another path. */
  readonly variable: string;
  readonly path: string;
  readonly cause: string;
  /** The path that is used instead, or null. */
  readonly used: string | null;
}

interface UnregisteredEvents {
  readonly agent: string;
  /** The agent's own event names. */
  readonly events: readonly string[];
  /** The command that registers them. */
  readonly install: string;
}

/**
 * The warnings that a guard does not protect as it should: stderr, `--json`, the audit log and, once a session, the person
 * at an agent get them.
 */
const GUARD_ROWS = {
  TRUST_STORE_UNUSABLE: ({ path, cause }: Texts<"path" | "cause">) =>
    `your approvals cannot be read (${shown(path)}: ${truncate(cause, 1000)})`,
  FOLDER_UNREADABLE: ({ path, cause }: Texts<"path" | "cause">) => `${shown(path)} cannot be read: ${cause}`,
  TOO_MANY_FILES: ({ path, limit }: { path: string; limit: number }) =>
    `${shown(path)} holds more than ${limit} executable files; the rest are ignored`,
  NO_HOME: ({ home }: { home: string }) =>
    `${home === "" ? "HOME is not set" : `HOME ${JSON.stringify(truncate(home, 80))} is not an existing absolute folder outside the project`}: user hooks are not loaded`,
  HOOK_LOST: ({ hook, path, cause, fix }: Texts<"hook" | "path" | "cause" | "fix">) =>
    `${hook} no longer runs: ${truncate(cause, 200)} (${shown(path)}). ${truncate(fix, 300)}`,
  HOOKS_OFF: () => "no hooks were run: HOOKCTL_NO_HOOKS is set",
  HOOK_PAUSED: ({ hook, reason }: Texts<"hook" | "path"> & OffReason) => `${hook} is ${reason}`,
  /** A variable of the user that is ignored for an agent. */
  VARIABLE_IGNORED: ({ variable, agent }: Texts<"variable" | "agent">) =>
    `${variable} is set and has no effect in ${agent}, where a project can set it. ${variable === "HOOKCTL_TRUST" ? "To approve a hook: hookctl trust" : "To pause a hook: hookctl off"}`,
  PLACE_REFUSED: ({ variable, path, cause, used }: RefusedPlace) =>
    `${variable}: ${shown(path)} is not used: ${truncate(cause, 1000)}${used === null ? "" : `; ${truncate(used, 200)} is used instead`}`,
  BLOCK_LOST: ({ hook }: Texts<"hook">) => `${hook} may have printed a block, but its output cannot be read`,
  BLOCK_DOUBTFUL: ({ problem }: Texts<"hook"> & { problem: Problem }) =>
    `${explain(problem).summary}; that may be a block or a change, and the hook is not fail-closed`,
  SETTINGS_NOT_APPROVED: ({ path }: Texts<"path">) =>
    `the project's settings are not approved and have no effect: ${shown(path)}. Review them: hookctl trust`,
  SETTINGS_NOT_READ: ({ scope, problem }: { scope: "project" | "user"; problem: ConfigProblem }) =>
    `${scope === "user" ? "your hooks" : "the project's settings"} have no effect: ${explain(problem).summary}`,
  /** An entry that hookctl cannot raise or run; the rest of its file has effect. */
  ENTRY_NOT_USED: ({ problem }: { problem: ConfigProblem }) =>
    `a declared hook has no effect: ${explain(problem).summary}`,
  SETTINGS_CHANGED: (warning: ChangedSettings) => changedSettings(warning),
  USER_SETTINGS_LOST: ({ path, cause, guards, isDeleted }: LostSettings) =>
    `your settings file cannot be used: ${shown(path)}: ${cause}. It declared the guards ${listNames(guards)}. ${isDeleted ? "Restore it, or if you deleted it: hookctl trust --prune" : "Repair it"}`,
  MACHINE_REFUSED: ({ path, cause }: Texts<"path" | "cause">) =>
    `the hooks of this machine (${shown(path)}) are not used, and calls that they could block are blocked: ${truncate(cause, 1000)}`,
  EVENT_NOT_REGISTERED: ({ agent, events, install }: UnregisteredEvents) =>
    `hooks exist for ${events.join(", ")}, but ${agent} does not call hookctl for them. To register: ${install}`,
  PROTECTION_WEAKENED: ({ changes }: { changes: readonly string[] }) =>
    `settings protect less than when they were sealed: ${truncate(changes.join("; "), 500)}. To restore it: hookctl restore; to accept it: hookctl seal`,
  CALL_UNANSWERED: () => "hookctl was killed before it answered an earlier call, which may have run",
} as const satisfies WarningRows;

interface IgnoredKey extends Texts<"hook" | "key"> {
  readonly expected: string;
  readonly found: string;
}

interface ObservedDecision extends Texts<"hook" | "reason"> {
  /** The decision that the guard would have made. */
  readonly decision: keyof typeof OBSERVED;
}

interface UnknownSkip {
  readonly by: "--skip" | "HOOKCTL_SKIP";
  readonly name: string;
  readonly nearest: string | null;
}

const OBSERVED = { ask: "asked", block: "blocked", redact: "redacted" };

const OTHER_ROWS = {
  PROBLEM: ({ problem }: { problem: Problem }) => explain(problem).summary,
  FROM_HOOK: ({ hook, text }: Texts<"hook" | "text">) => `${hook}: ${truncate(text, 500)}`,
  BLOCK_IGNORED: ({ hook, event }: Texts<"hook" | "event">) => `${hook} blocked, but ${event} cannot be blocked`,
  CHANGE_IGNORED: ({ hook, key, event }: Texts<"hook" | "key" | "event">) =>
    `${hook} set "${key}", which has no effect at ${event}`,
  CONTEXT_CUT: ({ hook, limitBytes }: { hook: string; limitBytes: number }) =>
    `the context of ${hook} was cut at ${limitBytes} bytes`,
  EMPTY_FOLLOW_UP: ({ hook }: Texts<"hook">) => `an empty follow-up message of ${hook} was dropped`,
  UNKNOWN_KEY: ({ hook, key, nearest }: Texts<"hook" | "key"> & { nearest: string | null }) =>
    `${hook} printed the unknown key "${key}"${didYouMean(nearest)}`,
  KEY_IGNORED: ({ hook, key, found, expected }: IgnoredKey) =>
    `${hook} printed "${key}" as ${truncate(found, 40)}; it must be ${expected}, so it is ignored`,
  KEY_TWICE: ({ hook, key }: Texts<"hook" | "key">) =>
    `${hook} printed the key "${key}" twice; a value that blocks counts, else the last one`,
  NOT_UTF8: ({ hook }: Texts<"hook">) => `${hook} printed bytes that are not UTF-8; they were read as U+FFFD`,
  RESPONSE_BROKEN: ({ hook, detail }: Texts<"hook" | "detail">) =>
    `${hook} did not print one JSON object (${truncate(detail, 120)}); only its block was read`,
  ODD_CASE: ({ hook, key, known }: Texts<"hook" | "key" | "known">) =>
    `${hook} printed "${key}"; it was read as "${known}"`,
  CHANGE_MISSING: ({ hook }: Texts<"hook">) => `${hook} returned modify without a new value, so nothing is changed`,
  PRIORITY_TOO_LATE: ({ hook, returned, declared }: Texts<"hook" | "returned"> & { declared: number }) =>
    `${hook} returned priority ${truncate(returned, 20)}, which has no effect: its declared priority is ${declared}`,
  STATE_NOT_KEPT: ({ hook, cause }: Texts<"hook" | "cause">) =>
    `the state patch of ${hook} was not saved: ${truncate(cause, 200)}`,
  STATE_NOT_COUNTED: ({ hook, key }: Texts<"hook" | "key">) => `${hook} increments "${key}", which is not a number`,
  REQUESTED_INPUT_NOT_KEPT: ({ cause }: Texts<"cause">) =>
    `the requested arguments of the changed call were not saved for the hooks after it: ${truncate(cause, 200)}`,
  STATE_NOT_READ: ({ path, cause }: Texts<"path" | "cause">) =>
    `the session's state ${shown(path)} cannot be read: ${truncate(cause, 200)}`,
  SESSION_FILE_SET_ASIDE: ({ path, aside }: Texts<"path" | "aside">) =>
    `${shown(path)} was broken; it was moved to ${truncate(aside, 240)}`,
  PUSH_NOT_KEPT: ({ hook, cause }: Texts<"hook" | "cause">) =>
    `the push of ${hook} was not delivered: ${truncate(cause, 200)}`,
  PUSH_SKIPPED: ({ hook, detail }: Texts<"hook" | "detail">) =>
    `the push of ${hook} was skipped: ${truncate(detail, 200)}`,
  TURNS_NOT_COUNTED: ({ cause }: Texts<"cause">) =>
    `the turns that hooks start could not be counted: ${truncate(cause, 200)}`,
  TURNS_OVER_LIMIT: ({ session, turns, limit }: { session: string; turns: number; limit: number }) =>
    `hooks have started ${pluralize(turns, "turn")} in a row${session === "" ? "" : ` in session ${truncate(session, 80)}`}; the limit is ${limit} (max_hook_driven_turns). Their messages wait in the inbox`,
  SLOW: ({ hook, durationMs }: { hook: string; durationMs: number }) =>
    `${hook} is slow: ${formatDuration(durationMs)}`,
  GUARD_OBSERVED: ({ hook, decision, reason }: ObservedDecision) =>
    `${hook} would have ${OBSERVED[decision]}: ${truncate(reason, 300)}`,
  SERVER_NOISE: ({ hook, line }: Texts<"hook" | "line">) =>
    `the MCP server of ${hook} printed a line that is not an MCP message: ${truncate(line, 80)}`,
  LEFTOVERS_ENDED: ({ hook, count }: { hook: string; count: number }) =>
    `${hook} left ${pluralize(count, "process", "processes")} running; killed (background: true allows it)`,
  CWD_MISSING: ({ cwd, used }: Texts<"cwd" | "used">) =>
    `the payload's cwd ${truncate(cwd, 120)} is not a folder; hooks run in ${truncate(used, 120)}`,
  SCRATCH_COPY_PARTIAL: ({ path }: Texts<"path">) =>
    `${shown(path)} is too large to copy completely: declared hooks are tested in a copy without some of its files`,
  SUB_FOLDERS_NOT_SEARCHED: ({ path, folders }: { path: string; folders: readonly string[] }) =>
    `only files directly in ${shown(path)} are hooks; these sub-folders with executable files are not searched: ${truncate(listNames(folders), 300)}`,
  MACHINE_KEPT: () => "the hooks of this machine run all the same: neither --skip nor --no-hooks applies to them",
  PAUSES_REFUSED: ({ path, cause }: Texts<"path" | "cause">) =>
    `${shown(path)} pauses no hook: ${truncate(cause, 200)}. Remove it`,
  RECORD_NOT_WRITTEN: ({ path, cause }: Texts<"path" | "cause">) =>
    `the ${path.endsWith("payloads.jsonl") ? "payload" : "audit"} log ${shown(path)} was not written: ${cause}`,
  TRUSTED_FOR_ONE_CALL: ({ count }: { count: number }) =>
    `--trust: ${pluralize(count, "project hook")} approved for this call only`,
  TRUST_DIGEST_DIFFERS: () =>
    "HOOKCTL_TRUST is not the digest of this project's hooks (hookctl trust --digest), so it approves nothing",
  NOT_SAID: ({ agent, what }: Texts<"agent" | "what">) => `${agent} cannot receive ${truncate(what, 300)}`,
  NOT_ASKED: ({ event, problem }: { event: string; problem: Problem }) =>
    `no hook for ${event} ran: ${explain(problem).summary}`,
  NO_TERMINAL: () => "--ask: there is no terminal",
  ALLOWED_BY_USER: ({ hook }: Texts<"hook">) => `you allowed the call that ${hook} asked about`,
  NO_SUCH_SKIP: ({ by, name, nearest }: UnknownSkip) =>
    `${by} ${truncate(name, 80)} matches no hook${didYouMean(nearest)}`,
  NO_SUCH_OVERRIDE: ({ name, nearest }: Texts<"name" | "nearest">) =>
    `the settings override "${truncate(name, 80)}" matches no hook, so nothing in it takes effect${didYouMean(nearest)}`,
  OVERRIDES_NOT_COMPARED: ({ count }: { count: number }) =>
    `too many overrides match no hook: ${pluralize(count, "name")} could not be checked for a spelling mistake. Remove overrides of hooks that no longer exist`,
} as const satisfies WarningRows;

const ROWS = { ...GUARD_ROWS, ...OTHER_ROWS };

/** Something that a person should know although the chain continued: a closed union, derived from the rows. */
export type Warning = UnionOf<typeof ROWS>;

export const isGuardWarning = ({ code }: Warning): boolean => Object.hasOwn(GUARD_ROWS, code);

/** A guard warning as programs and the audit log get it. */
export interface GuardWarning {
  readonly code: Warning["code"];
  /** Null if it is not about one hook. */
  readonly hook: string | null;
  readonly message: string;
}

export const guardWarningsIn = (warnings: readonly Warning[]): readonly GuardWarning[] =>
  warnings.filter(isGuardWarning).map((warning) => ({
    code: warning.code,
    hook: "hook" in warning ? warning.hook : null,
    message: warningText(warning),
  }));

/** Describes the warning in one line. Names are not escaped: the report escapes them for its own format. */
export function warningText(warning: Warning): string {
  const cut = Object.entries(warning).map(([name, value]) => [
    name,
    typeof value === "string" && Object.hasOwn(LIMITS, name)
      ? truncate(value, LIMITS[name as keyof typeof LIMITS])
      : value,
  ]);
  // The row of a code takes the warning of that code, which the compiler cannot see.
  return (ROWS[warning.code] as (warning: Warning) => string)(Object.fromEntries(cut));
}

const didYouMean = (nearest: string | null): string =>
  nearest === null ? "" : `. Did you mean "${truncate(nearest, 80)}"?`;

function changedSettings({ path, how, problem }: ChangedSettings): string {
  const applies = "The approved version still applies";
  // Approving a file that cannot be read would not help.
  if (problem !== null)
    return `the project's settings are broken: ${explain(problem).summary}. ${applies}. Repair the file`;
  const what = how === "deleted" ? "were deleted" : "changed since you approved them";
  return `the project's settings ${what}: ${shown(path)}. ${applies}. Review the change: hookctl trust`;
}
