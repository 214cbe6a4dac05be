import { ADDITION_KINDS, type Addition, type Additions } from "./additions.ts";
import { isObject, objectOr, type UncheckedObject } from "./json/read.ts";
import type { Mismatch } from "./match.ts";

/** Reads the value of a member, which may have any type or be missing. */
type Read<T = unknown> = (value: unknown) => T;

const nullableText = (value: unknown): string | null => (typeof value === "string" ? value : null);
const text = (value: unknown): string => nullableText(value) ?? "";
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
const nullableNumber = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
/** Null for a negative or impossibly long duration. */
function nullableDuration(value: unknown): number | null {
  const ms = nullableNumber(value);
  return ms !== null && ms >= 0 && ms <= LONGEST_RUN_MS ? ms : null;
}
const duration = (value: unknown): number => nullableDuration(value) ?? 0;
const listOf =
  <T>(read: (members: UncheckedObject) => T): Read<readonly T[]> =>
  (value) =>
    Array.isArray(value) ? value.filter(isObject).map(read) : [];

type Fields<Rows extends Readonly<Record<string, Read>>> = { readonly [Key in keyof Rows]: ReturnType<Rows[Key]> };

/** Reads the members with the names of the rows, which the log writes in snake_case. */
function reader<Rows extends Readonly<Record<string, Read>>>(rows: Rows): (members: UncheckedObject) => Fields<Rows> {
  const named = Object.entries(rows).map(([key, read]) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { key, name, read };
  });
  return (members) =>
    Object.fromEntries(named.map(({ key, name, read }) => [key, read(members[name])])) as Fields<Rows>;
}

/** A run has the time of its start but is written at its end, at most this much later. */
export const LONGEST_RUN_MS = 24 * 3_600_000;

const readHook = reader({
  name: text,
  /** `on_error` for a hook that was run for a failure; null for the event of the run. */
  event: nullableText,
  failedHook: nullableText,
  failedTool: nullableText,
  source: text,
  path: text,
  /** SHA-256 of its content. */
  hash: nullableText,
  outcome: text,
  /** The code of its failure or refusal. */
  failure: nullableText,
  /** Why it was skipped; null if it ran. */
  why: nullableText,
  /** The condition of its `match` for which it was skipped. */
  mismatch: (value): Mismatch | null => {
    const { field, wanted, found } = objectOr(value);
    return typeof field === "string" ? { field, wanted: texts(wanted), found: texts(found) } : null;
  },
  /** When it started, relative to the start of the run; null if an earlier version did not record it. */
  startMs: nullableDuration,
  durationMs: duration,
  exit: nullableNumber,
  signal: nullableText,
  trust: text,
  /** `bubblewrap: no network, no other writes`. */
  sandbox: nullableText,
  added: (value): Additions => {
    const kinds = objectOr(value);
    return Object.fromEntries(
      ADDITION_KINDS.flatMap((kind) => {
        const added = additionOf(objectOr(kinds[kind]));
        return added === null ? [] : [[kind, added]];
      }),
    );
  },
  valueHash: nullableText,
  metadata: (value): UncheckedObject | null => (isObject(value) ? value : null),
});

function additionOf({ count, bytes, hash }: UncheckedObject): Addition | null {
  const known = { count: nullableNumber(count), bytes: nullableNumber(bytes), hash: nullableText(hash) };
  return known.count === null || known.bytes === null || known.hash === null ? null : (known as Addition);
}

/** A hook of a run. */
export type LoggedHook = Omit<ReturnType<typeof readHook>, "exit"> & { readonly exitCode: number | null };

function hookOf(members: UncheckedObject): LoggedHook {
  const { exit, ...hook } = readHook(members);
  return { ...hook, exitCode: exit };
}

/** W3C trace context of the caller. */
export interface LoggedTrace {
  readonly traceId: string;
  readonly spanId: string | null;
}

const readRun = reader({
  runId: text,
  event: text,
  session: nullableText,
  /** Real path of the project folder. */
  project: nullableText,
  /** The agent that called `bridge`. */
  agent: nullableText,
  /** The user who ran hookctl; null if an earlier version did not record it. */
  user: nullableText,
  tool: nullableText,
  /** The redacted call in one line: a command, path, URL or pattern. */
  call: nullableText,
  decision: text,
  decidedBy: nullableText,
  /** The rule of the deciding hook. */
  rule: nullableText,
  reason: nullableText,
  /** The signal that ended the run before it could report its decision. */
  interrupted: nullableText,
  /** Paths of the fields that the verdict changed: `input.command`. */
  changed: texts,
  valueHash: nullableText,
  /** The digest of the settings and hooks that judged; null if an earlier version did not record it. */
  policy: nullableText,
  trace: (value): LoggedTrace | null => {
    const { trace_id: traceId, span_id: spanId } = objectOr(value);
    return typeof traceId === "string" ? { traceId, spanId: nullableText(spanId) } : null;
  },
  durationMs: duration,
  hooks: listOf(hookOf),
  warnings: texts,
  guardWarnings: listOf(reader({ code: text, hook: nullableText })),
});

/** A shell command that a hook of Reyn's started. */
const readShell = reader({
  runId: text,
  event: text,
  session: nullableText,
  scheme: text,
  command: text,
  rc: (value) => nullableNumber(value) ?? 0,
});

/** A hook that a person paused, or resumed early. */
const readPause = reader({
  hook: text,
  /** Null for a pause in all projects. */
  project: nullableText,
  by: text,
});

/** Runs that a person removed from the log. */
const readPurge = reader({
  by: text,
  /** ISO 8601; null for all runs. */
  before: nullableText,
  logs: texts,
});

interface Line<Kind extends string> {
  readonly kind: Kind;
  /** As it was written: ISO 8601 in UTC. */
  readonly time: string;
  /** Null if the time cannot be read. */
  readonly timeMs: number | null;
}

/** One run. Its texts are redacted but not escaped. */
export type LoggedRun = Line<"run"> & ReturnType<typeof readRun>;
export type LoggedShell = Line<"shell"> & ReturnType<typeof readShell>;
export type LoggedPause = Line<"pause"> & ReturnType<typeof readPause> & PauseEnd;
export type LoggedPurge = Line<"purge"> & ReturnType<typeof readPurge>;

interface PauseEnd {
  /** When the pause should end; null if this line records an early end. */
  readonly untilMs: number | null;
}

/** One line of the audit log, checked. A line of another kind was written by a later version. */
export type LoggedLine = LoggedRun | LoggedShell | LoggedPause | LoggedPurge;

export const RECORD_SCHEMA = "hookctl.record/1";
export const LOG_PURGED = "log_purged";
export const PAUSE_KINDS = ["hook_paused", "hook_resumed"] as const;
export type PauseKind = (typeof PAUSE_KINDS)[number];
export const SHELL_EXECUTED = "hook_shell_executed";

/** Parses one line of the audit log; null if hookctl did not write it, or for an unknown kind. Never throws. */
export function parseLoggedLine(line: string): LoggedLine | null {
  const members = objectIn(line);
  if (members?.schema !== RECORD_SCHEMA) return null;
  const time = text(members.time);
  const at = { time, timeMs: msOf(time) };
  switch (members.kind) {
    case undefined:
      return { kind: "run", ...at, ...readRun(members) };
    case SHELL_EXECUTED:
      return { kind: "shell", ...at, ...readShell(members) };
    case LOG_PURGED:
      return { kind: "purge", ...at, ...readPurge(members) };
    case "hook_paused":
      return { kind: "pause", ...at, ...readPause(members), untilMs: msOf(text(members.until)) };
    case "hook_resumed":
      return { kind: "pause", ...at, ...readPause(members), untilMs: null };
    default:
      return null;
  }
}

function objectIn(line: string): UncheckedObject | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function msOf(time: string): number | null {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? null : ms;
}

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
