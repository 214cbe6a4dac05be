import { tableOf } from "./json/table.ts";
import type { OffReason } from "./pause.ts";
import type { ConfigProblem, Misspelt, NoFields, Problem, Texts, UnionOf } from "./problem.ts";
import { explain } from "./problem-messages/explain.ts";
import { filled, type Template } from "./problem-messages/fill-template.ts";
import table from "./problem-messages/warnings.json" with { type: "json" };
import { pluralize } from "./text/count.ts";
import { listNames, truncate } from "./text/text.ts";

/**
 * The warnings that a guard does not protect as it should: stderr, `--json`, the audit log and, once a session, the person
 * at an agent get them.
 */
interface GuardWarnings {
  TRUST_STORE_UNUSABLE: Texts<"path" | "cause">;
  FOLDER_UNREADABLE: Texts<"path" | "cause">;
  TOO_MANY_FILES: Texts<"path"> & { limit: number };
  NO_HOME: Texts<"home">;
  HOOK_LOST: Texts<"hook" | "path" | "cause" | "fix">;
  HOOKS_OFF: NoFields;
  HOOK_PAUSED: Texts<"hook" | "path"> & OffReason;
  /** A variable of the user that is ignored for an agent. */
  VARIABLE_IGNORED: Texts<"variable" | "agent">;
  /** `variable` chose the path, or could choose another path; `used` is the path that is used instead, or null. */
  PLACE_REFUSED: Texts<"variable" | "path" | "cause"> & { used: string | null };
  BLOCK_LOST: Texts<"hook">;
  BLOCK_DOUBTFUL: Texts<"hook"> & { problem: Problem };
  SETTINGS_NOT_APPROVED: Texts<"path">;
  SETTINGS_NOT_READ: { scope: "project" | "user"; problem: ConfigProblem };
  /** An entry that hookctl cannot raise or run; the rest of its file has effect. */
  ENTRY_NOT_USED: { problem: ConfigProblem };
  /** `problem` is the fault of a broken file. */
  SETTINGS_CHANGED: Texts<"path"> & { how: "changed" | "broken" | "deleted"; problem: ConfigProblem | null };
  USER_SETTINGS_LOST: Texts<"path" | "cause"> & { guards: readonly string[]; isDeleted: boolean };
  MACHINE_REFUSED: Texts<"path" | "cause">;
  /** `events` are the agent's own names; `install` is the command that registers them. */
  EVENT_NOT_REGISTERED: Texts<"agent" | "install"> & { events: readonly string[] };
  PROTECTION_WEAKENED: { changes: readonly string[] };
  CALL_UNANSWERED: NoFields;
  CAGE_ABSENT: Texts<"cause">;
  CAGE_REFUSED: Texts<"what">;
  CAGE_PREDICTED: Texts<"path" | "why"> & { use: "read" | "write" };
}

interface OtherWarnings {
  PROBLEM: { problem: Problem };
  FROM_HOOK: Texts<"hook" | "text">;
  BLOCK_IGNORED: Texts<"hook" | "event">;
  CHANGE_IGNORED: Texts<"hook" | "key" | "event">;
  CONTEXT_CUT: Texts<"hook"> & { limitBytes: number };
  EMPTY_FOLLOW_UP: Texts<"hook">;
  UNKNOWN_KEY: Texts<"hook" | "key"> & Misspelt;
  KEY_IGNORED: Texts<"hook" | "key" | "expected" | "found">;
  KEY_TWICE: Texts<"hook" | "key">;
  NOT_UTF8: Texts<"hook">;
  RESPONSE_BROKEN: Texts<"hook" | "detail">;
  ODD_CASE: Texts<"hook" | "key" | "known">;
  CHANGE_MISSING: Texts<"hook">;
  PRIORITY_TOO_LATE: Texts<"hook" | "returned"> & { declared: number };
  STATE_NOT_KEPT: Texts<"hook" | "cause">;
  TRY_NOT_KEPT: Texts<"hook" | "cause">;
  STATE_NOT_COUNTED: Texts<"hook" | "key">;
  REQUESTED_INPUT_NOT_KEPT: Texts<"cause">;
  STATE_NOT_READ: Texts<"path" | "cause">;
  SESSION_FILE_SET_ASIDE: Texts<"path" | "aside">;
  PUSH_NOT_KEPT: Texts<"hook" | "cause">;
  PUSH_SKIPPED: Texts<"hook" | "detail">;
  TURNS_NOT_COUNTED: Texts<"cause">;
  TURNS_OVER_LIMIT: Texts<"session"> & { turns: number; limit: number };
  SLOW: Texts<"hook"> & { durationMs: number };
  /** `decision` is what the guard would have decided. */
  GUARD_OBSERVED: Texts<"hook" | "reason"> & { decision: "ask" | "block" | "redact" };
  SERVER_NOISE: Texts<"hook" | "line">;
  LEFTOVERS_ENDED: Texts<"hook"> & { count: number };
  CWD_MISSING: Texts<"cwd" | "used">;
  SCRATCH_COPY_PARTIAL: Texts<"path">;
  SUB_FOLDERS_NOT_SEARCHED: Texts<"path"> & { folders: readonly string[] };
  MACHINE_KEPT: NoFields;
  PAUSES_REFUSED: Texts<"path" | "cause">;
  RECORD_NOT_WRITTEN: Texts<"path" | "cause">;
  TRUSTED_FOR_ONE_CALL: { count: number };
  TRUST_DIGEST_DIFFERS: NoFields;
  NOT_SAID: Texts<"agent" | "what">;
  NOT_ASKED: Texts<"event"> & { problem: Problem };
  NO_TERMINAL: NoFields;
  ALLOWED_BY_USER: Texts<"hook">;
  NO_SUCH_SKIP: Texts<"name"> & Misspelt & { by: "--skip" | "HOOKCTL_SKIP" };
  NO_SUCH_OVERRIDE: Texts<"name" | "nearest">;
  NO_SUCH_RULE: Texts<"name"> & Misspelt;
  OVERRIDES_NOT_COMPARED: { count: number };
}

/** Something that a person should know although the chain continued. A closed union, like `Problem`. */
export type Warning = UnionOf<GuardWarnings & OtherWarnings>;

type Texted<Codes extends string> = Readonly<Record<Codes, string | { readonly by: string; readonly text: Template }>>;

/** A code without words does not compile. */
const GUARD_TEXTS = tableOf<Texted<keyof GuardWarnings>>(table.guard satisfies Record<keyof GuardWarnings, unknown>);
const OTHER_TEXTS = tableOf<Texted<keyof OtherWarnings>>(table.other satisfies Record<keyof OtherWarnings, unknown>);
const TEXTS: Texted<Warning["code"]> = { ...GUARD_TEXTS, ...OTHER_TEXTS };

export const isGuardWarning = ({ code }: Warning): boolean => Object.hasOwn(GUARD_TEXTS, code);

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
  const row = TEXTS[warning.code];
  const { by, text } = typeof row === "string" ? { by: "", text: row } : row;
  const problem = "problem" in warning && warning.problem !== null ? { problem: explain(warning.problem).summary } : {};
  return filled(text, by, { ...warning, ...problem, ...derivedFields(warning) });
}

/** Fields of the texts that a warning does not have as they are shown. */
function derivedFields(warning: Warning): Readonly<Record<string, unknown>> {
  switch (warning.code) {
    case "NO_HOME":
      return { shownHome: truncate(warning.home, 80) };
    case "SETTINGS_CHANGED":
      // To approve a file that cannot be read would not help.
      return { how: warning.problem === null ? warning.how : "broken" };
    case "USER_SETTINGS_LOST":
      return { names: listNames(warning.guards) };
    case "EVENT_NOT_REGISTERED":
      return { list: warning.events.join(", ") };
    case "PROTECTION_WEAKENED":
      return { lost: warning.changes.join("; ") };
    case "TURNS_OVER_LIMIT": {
      const inSession = warning.session === "" ? "" : ` in session ${truncate(warning.session, 80)}`;
      return { counted: pluralize(warning.turns, "turn"), inSession };
    }
    case "LEFTOVERS_ENDED":
      return { counted: pluralize(warning.count, "process", "processes") };
    case "SUB_FOLDERS_NOT_SEARCHED":
      return { names: listNames(warning.folders) };
    case "RECORD_NOT_WRITTEN":
      return { log: warning.path.endsWith("payloads.jsonl") ? "payload" : "audit" };
    case "TRUSTED_FOR_ONE_CALL":
      return { counted: pluralize(warning.count, "project hook") };
    case "OVERRIDES_NOT_COMPARED":
      return { counted: pluralize(warning.count, "name") };
    default:
      return {};
  }
}
