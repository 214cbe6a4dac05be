import type { OffReason } from "./pause.ts";
import type { ConfigProblem, Problem } from "./problem.ts";
import { explain } from "./problem-messages/explain.ts";
import { pluralize } from "./text/count.ts";
import { listNames, truncate } from "./text/text.ts";
import { formatDuration } from "./text/units.ts";

/** Something that a person should know although the chain continued. A closed union, like `Problem`. */
export type Warning =
  | { readonly code: "PROBLEM"; readonly problem: Problem }
  | { readonly code: "FROM_HOOK"; readonly hook: string; readonly text: string }
  | { readonly code: "BLOCK_LOST"; readonly hook: string }
  | { readonly code: "BLOCK_DOUBTFUL"; readonly hook: string; readonly problem: Problem }
  | { readonly code: "BLOCK_IGNORED"; readonly hook: string; readonly event: string }
  | { readonly code: "CHANGE_IGNORED"; readonly hook: string; readonly key: string; readonly event: string }
  | { readonly code: "CONTEXT_CUT"; readonly hook: string; readonly limitBytes: number }
  | { readonly code: "EMPTY_FOLLOW_UP"; readonly hook: string }
  | { readonly code: "UNKNOWN_KEY"; readonly hook: string; readonly key: string; readonly nearest: string | null }
  | {
      readonly code: "KEY_IGNORED";
      readonly hook: string;
      readonly key: string;
      readonly expected: string;
      readonly found: string;
    }
  | { readonly code: "KEY_TWICE"; readonly hook: string; readonly key: string }
  | { readonly code: "NOT_UTF8"; readonly hook: string }
  | { readonly code: "RESPONSE_BROKEN"; readonly hook: string; readonly detail: string }
  | { readonly code: "ODD_CASE"; readonly hook: string; readonly key: string; readonly known: string }
  | { readonly code: "CHANGE_MISSING"; readonly hook: string }
  | { readonly code: "PRIORITY_TOO_LATE"; readonly hook: string; readonly returned: string; readonly declared: number }
  | { readonly code: "STATE_NOT_KEPT"; readonly hook: string; readonly cause: string }
  | { readonly code: "STATE_NOT_COUNTED"; readonly hook: string; readonly key: string }
  | { readonly code: "REQUESTED_INPUT_NOT_KEPT"; readonly cause: string }
  | { readonly code: "STATE_NOT_READ"; readonly path: string; readonly cause: string }
  | { readonly code: "SESSION_FILE_SET_ASIDE"; readonly path: string; readonly aside: string }
  | { readonly code: "PUSH_NOT_KEPT"; readonly hook: string; readonly cause: string }
  | { readonly code: "PUSH_SKIPPED"; readonly hook: string; readonly detail: string }
  | { readonly code: "TURNS_NOT_COUNTED"; readonly cause: string }
  | { readonly code: "TURNS_OVER_LIMIT"; readonly session: string; readonly turns: number; readonly limit: number }
  | { readonly code: "SLOW"; readonly hook: string; readonly durationMs: number }
  | {
      readonly code: "GUARD_OBSERVED";
      readonly hook: string;
      /** The decision that the guard would have made. */
      readonly decision: "ask" | "block" | "redact";
      readonly reason: string;
    }
  | { readonly code: "SERVER_NOISE"; readonly hook: string; readonly line: string }
  | { readonly code: "LEFTOVERS_ENDED"; readonly hook: string; readonly count: number }
  | { readonly code: "CWD_MISSING"; readonly cwd: string; readonly used: string }
  | { readonly code: "FOLDER_UNREADABLE"; readonly path: string; readonly cause: string }
  | { readonly code: "TOO_MANY_FILES"; readonly path: string; readonly limit: number }
  | { readonly code: "SCRATCH_COPY_PARTIAL"; readonly path: string }
  | { readonly code: "SUB_FOLDERS_NOT_SEARCHED"; readonly path: string; readonly folders: readonly string[] }
  | {
      readonly code: "PLACE_REFUSED";
      /** The environment variable that chose it, or could choose another path. */
      readonly variable: string;
      readonly path: string;
      readonly cause: string;
      /** The path that is used instead, or null. */
      readonly used: string | null;
    }
  | { readonly code: "SETTINGS_NOT_APPROVED"; readonly path: string }
  | { readonly code: "SETTINGS_NOT_READ"; readonly scope: "project" | "user"; readonly problem: ConfigProblem }
  /** An entry that hookctl cannot raise or run; the rest of its file has effect. */
  | { readonly code: "ENTRY_NOT_USED"; readonly problem: ConfigProblem }
  | {
      readonly code: "SETTINGS_CHANGED";
      readonly path: string;
      readonly how: "changed" | "broken" | "deleted";
      /** The fault of a broken file. */
      readonly problem: ConfigProblem | null;
    }
  | {
      readonly code: "USER_SETTINGS_LOST";
      readonly path: string;
      readonly cause: string;
      readonly guards: readonly string[];
      readonly isDeleted: boolean;
    }
  | { readonly code: "MACHINE_REFUSED"; readonly path: string; readonly cause: string }
  | { readonly code: "MACHINE_KEPT" }
  | ({ readonly code: "HOOK_PAUSED"; readonly hook: string; readonly path: string } & OffReason)
  | { readonly code: "PAUSES_REFUSED"; readonly path: string; readonly cause: string }
  /** A variable of the user that is ignored for an agent. */
  | { readonly code: "VARIABLE_IGNORED"; readonly variable: string; readonly agent: string }
  | { readonly code: "RECORD_NOT_WRITTEN"; readonly path: string; readonly cause: string }
  | { readonly code: "TRUSTED_FOR_ONE_CALL"; readonly count: number }
  | { readonly code: "TRUST_DIGEST_DIFFERS" }
  | { readonly code: "TRUST_STORE_UNUSABLE"; readonly path: string; readonly cause: string }
  | { readonly code: "NO_TERMINAL" }
  | {
      readonly code: "EVENT_NOT_REGISTERED";
      readonly agent: string;
      /** The agent's own event names. */
      readonly events: readonly string[];
      /** The command that registers them. */
      readonly install: string;
    }
  | { readonly code: "CALL_UNANSWERED" }
  | { readonly code: "PROTECTION_WEAKENED"; readonly changes: readonly string[] }
  | { readonly code: "NOT_SAID"; readonly agent: string; readonly what: string }
  | { readonly code: "NOT_ASKED"; readonly event: string; readonly problem: Problem }
  | { readonly code: "ALLOWED_BY_USER"; readonly hook: string }
  | {
      readonly code: "NO_SUCH_SKIP";
      readonly by: "--skip" | "HOOKCTL_SKIP";
      readonly name: string;
      readonly nearest: string | null;
    }
  | { readonly code: "NO_SUCH_OVERRIDE"; readonly name: string; readonly nearest: string }
  | { readonly code: "OVERRIDES_NOT_COMPARED"; readonly count: number }
  | { readonly code: "HOOKS_OFF" }
  | {
      readonly code: "HOOK_LOST";
      readonly hook: string;
      readonly path: string;
      readonly cause: string;
      readonly fix: string;
    }
  | { readonly code: "NO_HOME"; readonly home: string };

/**
 * The warnings that a guard does not protect as it should: stderr, `--json`, the audit log and, once a session, the person
 * at an agent get them. Add the code of every new warning of this kind.
 */
const GUARD_WARNINGS: ReadonlySet<Warning["code"]> = new Set([
  "TRUST_STORE_UNUSABLE",
  "FOLDER_UNREADABLE",
  "TOO_MANY_FILES",
  "NO_HOME",
  "HOOK_LOST",
  "HOOKS_OFF",
  "HOOK_PAUSED",
  "VARIABLE_IGNORED",
  "PLACE_REFUSED",
  "BLOCK_LOST",
  "BLOCK_DOUBTFUL",
  "SETTINGS_NOT_APPROVED",
  "SETTINGS_NOT_READ",
  "ENTRY_NOT_USED",
  "SETTINGS_CHANGED",
  "USER_SETTINGS_LOST",
  "MACHINE_REFUSED",
  "EVENT_NOT_REGISTERED",
  "PROTECTION_WEAKENED",
  "CALL_UNANSWERED",
]);

export const isGuardWarning = ({ code }: Warning): boolean => GUARD_WARNINGS.has(code);

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

const OBSERVED = { ask: "asked", block: "blocked", redact: "redacted" } as const;

/** Describes the warning in one line. Names are not escaped: the report escapes them for its own format. */
export function warningText(warning: Warning): string {
  switch (warning.code) {
    case "PROBLEM":
      return explain(warning.problem).summary;
    case "FROM_HOOK":
      return `${truncate(warning.hook, 80)}: ${truncate(warning.text, 500)}`;
    case "EVENT_NOT_REGISTERED":
      return `hooks exist for ${warning.events.join(", ")}, but ${warning.agent} does not call hookctl for them. To register: ${warning.install}`;
    case "BLOCK_LOST":
      return `${truncate(warning.hook, 80)} may have printed a block, but its output cannot be read`;
    case "BLOCK_DOUBTFUL":
      return `${explain(warning.problem).summary}; that may be a block or a change, and the hook is not fail-closed`;
    case "BLOCK_IGNORED":
      return `${truncate(warning.hook, 80)} blocked, but ${warning.event} cannot be blocked`;
    case "CHANGE_IGNORED":
      return `${truncate(warning.hook, 80)} set "${warning.key}", which has no effect at ${warning.event}`;
    case "CONTEXT_CUT":
      return `the context of ${truncate(warning.hook, 80)} was cut at ${warning.limitBytes} bytes`;
    case "EMPTY_FOLLOW_UP":
      return `an empty follow-up message of ${truncate(warning.hook, 80)} was dropped`;
    case "UNKNOWN_KEY":
      return `${truncate(warning.hook, 80)} printed the unknown key "${truncate(warning.key, 60)}"${hint(warning.nearest)}`;
    case "KEY_IGNORED":
      return `${truncate(warning.hook, 80)} printed "${truncate(warning.key, 60)}" as ${truncate(warning.found, 40)}; it must be ${warning.expected}, so it is ignored`;
    case "KEY_TWICE":
      return `${truncate(warning.hook, 80)} printed the key "${truncate(warning.key, 60)}" twice; a value that blocks counts, else the last one`;
    case "NOT_UTF8":
      return `${truncate(warning.hook, 80)} printed bytes that are not UTF-8; they were read as U+FFFD`;
    case "RESPONSE_BROKEN":
      return `${truncate(warning.hook, 80)} did not print one JSON object (${truncate(warning.detail, 120)}); only its block was read`;
    case "ODD_CASE":
      return `${truncate(warning.hook, 80)} printed "${truncate(warning.key, 60)}"; it was read as "${warning.known}"`;
    case "CHANGE_MISSING":
      return `${truncate(warning.hook, 80)} returned modify without a new value, so nothing is changed`;
    case "PRIORITY_TOO_LATE":
      return `${truncate(warning.hook, 80)} returned priority ${truncate(warning.returned, 20)}, which has no effect: its declared priority is ${warning.declared}`;
    case "STATE_NOT_KEPT":
      return `the state patch of ${truncate(warning.hook, 80)} was not saved: ${truncate(warning.cause, 200)}`;
    case "STATE_NOT_COUNTED":
      return `${truncate(warning.hook, 80)} increments "${truncate(warning.key, 60)}", which is not a number`;
    case "REQUESTED_INPUT_NOT_KEPT":
      return `the requested arguments of the changed call were not saved for the hooks after it: ${truncate(warning.cause, 200)}`;
    case "STATE_NOT_READ":
      return `the session's state ${truncate(warning.path, 200)} cannot be read: ${truncate(warning.cause, 200)}`;
    case "SESSION_FILE_SET_ASIDE":
      return `${truncate(warning.path, 200)} was broken; it was moved to ${truncate(warning.aside, 240)}`;
    case "PUSH_NOT_KEPT":
      return `the push of ${truncate(warning.hook, 80)} was not delivered: ${truncate(warning.cause, 200)}`;
    case "PUSH_SKIPPED":
      return `the push of ${truncate(warning.hook, 80)} was skipped: ${truncate(warning.detail, 200)}`;
    case "TURNS_NOT_COUNTED":
      return `the turns that hooks start could not be counted: ${truncate(warning.cause, 200)}`;
    case "TURNS_OVER_LIMIT":
      return `hooks have started ${pluralize(warning.turns, "turn")} in a row${ofSession(warning.session)}; the limit is ${warning.limit} (max_hook_driven_turns). Their messages wait in the inbox`;
    case "SLOW":
      return `${truncate(warning.hook, 80)} is slow: ${formatDuration(warning.durationMs)}`;
    case "GUARD_OBSERVED":
      return `${truncate(warning.hook, 80)} would have ${OBSERVED[warning.decision]}: ${truncate(warning.reason, 300)}`;
    case "SERVER_NOISE":
      return `the MCP server of ${truncate(warning.hook, 80)} printed a line that is not an MCP message: ${truncate(warning.line, 80)}`;
    case "LEFTOVERS_ENDED":
      return `${truncate(warning.hook, 80)} left ${pluralize(warning.count, "process", "processes")} running; killed (background: true allows it)`;
    case "CWD_MISSING":
      return `the payload's cwd ${truncate(warning.cwd, 120)} is not a folder; hooks run in ${truncate(warning.used, 120)}`;
    case "FOLDER_UNREADABLE":
      return `${truncate(warning.path, 200)} cannot be read: ${warning.cause}`;
    case "TOO_MANY_FILES":
      return `${truncate(warning.path, 200)} holds more than ${warning.limit} executable files; the rest are ignored`;
    case "SCRATCH_COPY_PARTIAL":
      return `${truncate(warning.path, 200)} is too large to copy completely: declared hooks are tested in a copy without some of its files`;
    case "SUB_FOLDERS_NOT_SEARCHED":
      return `only files directly in ${truncate(warning.path, 200)} are hooks; these sub-folders with executable files are not searched: ${truncate(listNames(warning.folders), 300)}`;
    case "PLACE_REFUSED":
      return `${warning.variable}: ${truncate(warning.path, 200)} is not used: ${truncate(warning.cause, 1000)}${insteadOf(warning.used)}`;
    case "SETTINGS_NOT_APPROVED":
      return `the project's settings are not approved and have no effect: ${truncate(warning.path, 200)}. Review them: hookctl trust`;
    case "SETTINGS_NOT_READ":
      return `${warning.scope === "user" ? "your hooks" : "the project's settings"} have no effect: ${explain(warning.problem).summary}`;
    case "ENTRY_NOT_USED":
      return `a declared hook has no effect: ${explain(warning.problem).summary}`;
    case "SETTINGS_CHANGED":
      return changedSettings(warning);
    case "USER_SETTINGS_LOST":
      return lostSettings(warning);
    case "MACHINE_REFUSED":
      return `the hooks of this machine (${truncate(warning.path, 200)}) are not used, and calls that they could block are blocked: ${truncate(warning.cause, 1000)}`;
    case "MACHINE_KEPT":
      return "the hooks of this machine run all the same: neither --skip nor --no-hooks applies to them";
    case "HOOK_PAUSED":
      return `${truncate(warning.hook, 80)} is ${warning.reason}`;
    case "PAUSES_REFUSED":
      return `${truncate(warning.path, 200)} pauses no hook: ${truncate(warning.cause, 200)}. Remove it`;
    case "VARIABLE_IGNORED":
      return `${warning.variable} is set and has no effect in ${warning.agent}, where a project can set it. ${warning.variable === "HOOKCTL_TRUST" ? "To approve a hook: hookctl trust" : "To pause a hook: hookctl off"}`;
    case "RECORD_NOT_WRITTEN":
      return `the ${warning.path.endsWith("payloads.jsonl") ? "payload" : "audit"} log ${truncate(warning.path, 200)} was not written: ${warning.cause}`;
    case "TRUSTED_FOR_ONE_CALL":
      return `--trust: ${pluralize(warning.count, "project hook")} approved for this call only`;
    case "TRUST_DIGEST_DIFFERS":
      return "HOOKCTL_TRUST is not the digest of this project's hooks (hookctl trust --digest), so it approves nothing";
    case "TRUST_STORE_UNUSABLE":
      return `your approvals cannot be read (${truncate(warning.path, 200)}: ${truncate(warning.cause, 1000)})`;
    case "PROTECTION_WEAKENED":
      return `settings protect less than when they were sealed: ${truncate(warning.changes.join("; "), 500)}. To restore it: hookctl restore; to accept it: hookctl seal`;
    case "CALL_UNANSWERED":
      return "hookctl was killed before it answered an earlier call, which may have run";
    case "NOT_SAID":
      return `${warning.agent} cannot receive ${truncate(warning.what, 300)}`;
    case "NOT_ASKED":
      return `no hook for ${warning.event} ran: ${explain(warning.problem).summary}`;
    case "NO_TERMINAL":
      return "--ask: there is no terminal";
    case "ALLOWED_BY_USER":
      return `you allowed the call that ${truncate(warning.hook, 80)} asked about`;
    case "NO_SUCH_SKIP":
      return `${warning.by} ${truncate(warning.name, 80)} matches no hook${hint(warning.nearest)}`;
    case "NO_SUCH_OVERRIDE":
      return `the settings override "${truncate(warning.name, 80)}" matches no hook, so nothing in it takes effect${hint(warning.nearest)}`;
    case "OVERRIDES_NOT_COMPARED":
      return `too many overrides match no hook: ${pluralize(warning.count, "name")} could not be checked for a spelling mistake. Remove overrides of hooks that no longer exist`;
    case "HOOKS_OFF":
      return "no hooks were run: HOOKCTL_NO_HOOKS is set";
    case "HOOK_LOST":
      return `${truncate(warning.hook, 80)} no longer runs: ${truncate(warning.cause, 200)} (${truncate(warning.path, 200)}). ${truncate(warning.fix, 300)}`;
    case "NO_HOME":
      return `${warning.home === "" ? "HOME is not set" : `HOME ${JSON.stringify(truncate(warning.home, 80))} is not an existing absolute folder outside the project`}: user hooks are not loaded`;
  }
}

const hint = (nearest: string | null): string => (nearest === null ? "" : `. Did you mean "${truncate(nearest, 80)}"?`);
const insteadOf = (used: string | null): string => (used === null ? "" : `; ${truncate(used, 200)} is used instead`);
const ofSession = (session: string): string => (session === "" ? "" : ` in session ${truncate(session, 80)}`);

function changedSettings({ path, how, problem }: Extract<Warning, { readonly code: "SETTINGS_CHANGED" }>): string {
  const applies = "The approved version still applies";
  // Approving a file that cannot be read would not help.
  if (problem !== null)
    return `the project's settings are broken: ${explain(problem).summary}. ${applies}. Repair the file`;
  const what = how === "deleted" ? "were deleted" : "changed since you approved them";
  return `the project's settings ${what}: ${truncate(path, 200)}. ${applies}. Review the change: hookctl trust`;
}

function lostSettings(warning: Extract<Warning, { readonly code: "USER_SETTINGS_LOST" }>): string {
  const { path, cause, guards, isDeleted } = warning;
  const next = isDeleted ? "Restore it, or if you deleted it: hookctl trust --prune" : "Repair it";
  return `your settings file cannot be used: ${truncate(path, 200)}: ${cause}. It declared the guards ${listNames(guards)}. ${next}`;
}
