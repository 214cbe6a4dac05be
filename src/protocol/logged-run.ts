import { ADDITION_KINDS, type Addition, type Additions } from "./additions.ts";
import type { Mismatch } from "./match.ts";

/** One line of the audit log, checked. A line of another kind was written by a later version. */
export type LoggedLine = LoggedRun | LoggedShell | LoggedPause | LoggedPurge;

/** One run. Its texts are redacted but not escaped. */
export interface LoggedRun {
  readonly kind: "run";
  /** As it was written: ISO 8601 in UTC. */
  readonly time: string;
  /** Null: the time cannot be read. */
  readonly timeMs: number | null;
  readonly runId: string;
  readonly event: string;
  readonly session: string | null;
  /** Real path of the project folder. */
  readonly project: string | null;
  /** The agent that called `bridge`. */
  readonly agent: string | null;
  /** The user who ran hookctl; null: an earlier version did not record it. */
  readonly user: string | null;
  readonly tool: string | null;
  /** The redacted call in one line: a command, path, URL or pattern. */
  readonly call: string | null;
  readonly decision: string;
  readonly decidedBy: string | null;
  /** The rule of the deciding hook. */
  readonly rule: string | null;
  readonly reason: string | null;
  /** The signal that ended the run before it could report its decision. */
  readonly interrupted: string | null;
  /** Paths of the fields that the verdict changed: `input.command`. */
  readonly changed: readonly string[];
  readonly valueHash: string | null;
  /** The digest of the settings and hooks that judged; null: an earlier version did not record it. */
  readonly policy: string | null;
  readonly trace: LoggedTrace | null;
  readonly durationMs: number;
  readonly hooks: readonly LoggedHook[];
  readonly warnings: readonly string[];
  readonly guardWarnings: readonly { readonly code: string; readonly hook: string | null }[];
}

/** W3C trace context of the caller. */
export interface LoggedTrace {
  readonly traceId: string;
  readonly spanId: string | null;
}

export interface LoggedHook {
  readonly name: string;
  /** `on_error` for a hook that was run for a failure; null: the event of the run. */
  readonly event: string | null;
  readonly failedHook: string | null;
  readonly failedTool: string | null;
  readonly source: string;
  readonly path: string;
  /** SHA-256 of its content. */
  readonly hash: string | null;
  readonly outcome: string;
  /** The code of its failure or refusal. */
  readonly failure: string | null;
  /** Why it was skipped; null: it ran. */
  readonly why: string | null;
  /** The condition of its `match` for which it was skipped. */
  readonly mismatch: Mismatch | null;
  /** When it started, relative to the start of the run; null: an earlier version did not record it. */
  readonly startMs: number | null;
  readonly durationMs: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly trust: string;
  /** `bubblewrap: no network, no other writes`. */
  readonly sandbox: string | null;
  readonly added: Additions;
  readonly valueHash: string | null;
  readonly metadata: Members | null;
}

/** A shell command that a hook of Reyn's started. */
export interface LoggedShell extends Timed {
  readonly kind: "shell";
  readonly runId: string;
  readonly event: string;
  readonly session: string | null;
  readonly scheme: string;
  readonly command: string;
  readonly rc: number;
}

/** A hook that a person switched off for a while, or on again before the time. */
export interface LoggedPause extends Timed {
  readonly kind: "pause";
  readonly hook: string;
  /** When it should end; null: this line records an early end. */
  readonly untilMs: number | null;
  /** Null: everywhere. */
  readonly project: string | null;
  readonly by: string;
}

type Timed = Pick<LoggedRun, "time" | "timeMs">;
type Members = Readonly<Record<string, unknown>>;

/** A run has the time of its start but is written at its end, at most this much later. */
export const LONGEST_RUN_MS = 24 * 3_600_000;

export const RECORD_SCHEMA = "hookctl.record/1";
/** Runs that a person removed from the log. */
export interface LoggedPurge extends Timed {
  readonly kind: "purge";
  readonly by: string;
  /** ISO 8601; null: all runs. */
  readonly before: string | null;
  readonly logs: readonly string[];
}

export const LOG_PURGED = "log_purged";
export const PAUSE_KINDS = ["hook_paused", "hook_resumed"] as const;
export type PauseKind = (typeof PAUSE_KINDS)[number];
export const SHELL_EXECUTED = "hook_shell_executed";

/** Parses one line of the audit log. Null: it is no line of hookctl, or one of an unknown kind. Never throws. */
export function parseLoggedLine(text: string): LoggedLine | null {
  const members = objectIn(text);
  if (members?.schema !== RECORD_SCHEMA) return null;
  if (members.kind === undefined) return runOf(members);
  if (members.kind === SHELL_EXECUTED) return shellOf(members);
  if (members.kind === LOG_PURGED) return purgeOf(members);
  return PAUSE_KINDS.some((kind) => kind === members.kind) ? pauseOf(members) : null;
}

/** A hook that asks has the outcome `continue`; only its run shows the question. */
export const hasAsked = ({ name, outcome }: LoggedHook, { decision, decidedBy }: LoggedRun): boolean =>
  decision === "ask" && decidedBy === name && outcome === "continue";

/** A hook that was skipped or refused did not run. */
export const hasRun = ({ why, outcome }: LoggedHook): boolean => why === null && outcome !== "refused";

/** A hook that was not approved did not run, so it did not fail. */
export const hasFailed = (hook: LoggedHook): boolean =>
  hook.outcome === "failed" || (hook.failure !== null && hasRun(hook));

/** The number of hooks of a run that were skipped because of their `match`. */
export const countUnmatched = ({ hooks }: LoggedRun): number =>
  hooks.filter(({ mismatch }) => mismatch !== null).length;

/**
 * True for a call that was allowed because no hook matched it. It is recorded so that a rule that never matches is seen.
 * Statistics about hooks leave it out.
 */
export const isUnmatched = (run: LoggedRun): boolean =>
  run.decision === "continue" &&
  run.guardWarnings.length === 0 &&
  countUnmatched(run) > 0 &&
  run.hooks.every(({ why }) => why !== null);

function objectIn(text: string): Members | null {
  try {
    return membersIn(JSON.parse(text));
  } catch {
    return null;
  }
}

const runOf = (run: Members): LoggedRun => ({
  kind: "run",
  ...timeOf(run),
  runId: textIn(run.run_id) ?? "",
  event: textIn(run.event) ?? "",
  session: textIn(run.session),
  project: textIn(run.project),
  agent: textIn(run.agent),
  user: textIn(run.user),
  tool: textIn(run.tool),
  call: textIn(run.call),
  decision: textIn(run.decision) ?? "",
  decidedBy: textIn(run.decided_by),
  rule: textIn(run.rule),
  reason: textIn(run.reason),
  interrupted: textIn(run.interrupted),
  changed: textsIn(run.changed),
  valueHash: textIn(run.value_hash),
  policy: textIn(run.policy),
  trace: traceOf(membersIn(run.trace)),
  durationMs: durationIn(run.duration_ms) ?? 0,
  hooks: objectsIn(run.hooks).map(hookOf),
  warnings: textsIn(run.warnings),
  guardWarnings: objectsIn(run.guard_warnings).map(({ code, hook }) => ({
    code: textIn(code) ?? "",
    hook: textIn(hook),
  })),
});

function traceOf(trace: Members | null): LoggedTrace | null {
  const traceId = textIn(trace?.trace_id);
  return traceId === null ? null : { traceId, spanId: textIn(trace?.span_id) };
}

const hookOf = (hook: Members): LoggedHook => ({
  name: textIn(hook.name) ?? "",
  event: textIn(hook.event),
  failedHook: textIn(hook.failed_hook),
  failedTool: textIn(hook.failed_tool),
  source: textIn(hook.source) ?? "",
  path: textIn(hook.path) ?? "",
  hash: textIn(hook.hash),
  outcome: textIn(hook.outcome) ?? "",
  failure: textIn(hook.failure),
  why: textIn(hook.why),
  mismatch: mismatchOf(membersIn(hook.mismatch)),
  startMs: durationIn(hook.start_ms),
  durationMs: durationIn(hook.duration_ms) ?? 0,
  exitCode: numberIn(hook.exit),
  signal: textIn(hook.signal),
  trust: textIn(hook.trust) ?? "",
  sandbox: textIn(hook.sandbox),
  added: additionsOf(membersIn(hook.added)),
  valueHash: textIn(hook.value_hash),
  metadata: membersIn(hook.metadata),
});

const additionsOf = (added: Members | null): Additions =>
  Object.fromEntries(
    ADDITION_KINDS.flatMap((kind) =>
      [additionOf(membersIn(added?.[kind]))].flatMap((one) => (one === null ? [] : [[kind, one]])),
    ),
  );

function additionOf(addition: Members | null): Addition | null {
  const [count, bytes, hash] = [numberIn(addition?.count), numberIn(addition?.bytes), textIn(addition?.hash)];
  return count === null || bytes === null || hash === null ? null : { count, bytes, hash };
}

function mismatchOf(mismatch: Members | null): Mismatch | null {
  const field = textIn(mismatch?.field);
  return field === null ? null : { field, wanted: textsIn(mismatch?.wanted), found: textsIn(mismatch?.found) };
}

const shellOf = (shell: Members): LoggedShell => ({
  kind: "shell",
  ...timeOf(shell),
  runId: textIn(shell.run_id) ?? "",
  event: textIn(shell.event) ?? "",
  session: textIn(shell.session),
  scheme: textIn(shell.scheme) ?? "",
  command: textIn(shell.command) ?? "",
  rc: numberIn(shell.rc) ?? 0,
});

const pauseOf = (pause: Members): LoggedPause => ({
  kind: "pause",
  ...timeOf(pause),
  hook: textIn(pause.hook) ?? "",
  untilMs: pause.kind === "hook_paused" ? msOf(textIn(pause.until) ?? "") : null,
  project: textIn(pause.project),
  by: textIn(pause.by) ?? "",
});

const purgeOf = (purge: Members): LoggedPurge => ({
  kind: "purge",
  ...timeOf(purge),
  by: textIn(purge.by) ?? "",
  before: textIn(purge.before),
  logs: textsIn(purge.logs),
});

function timeOf(line: Members): Timed {
  const time = textIn(line.time) ?? "";
  return { time, timeMs: msOf(time) };
}

function msOf(time: string): number | null {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? null : ms;
}

const textIn = (value: unknown): string | null => (typeof value === "string" ? value : null);
const numberIn = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
/** Null for a negative or impossibly long duration. */
function durationIn(value: unknown): number | null {
  const ms = numberIn(value);
  return ms !== null && ms >= 0 && ms <= LONGEST_RUN_MS ? ms : null;
}
const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
const objectsIn = (value: unknown): readonly Members[] =>
  Array.isArray(value) ? value.map(membersIn).filter((members) => members !== null) : [];
const membersIn = (value: unknown): Members | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : null;
