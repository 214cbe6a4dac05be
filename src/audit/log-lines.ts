import { additionsJson } from "../protocol/additions.ts";
import { itemsOf, type JsonObject, type JsonSpan, startOfRaw, stringOf } from "../protocol/json/read.ts";
import { type JsonRecord, printableJson, rawJson } from "../protocol/json/write.ts";
import { type PauseKind, RECORD_SCHEMA, SHELL_EXECUTED } from "../protocol/logged-run.ts";
import { MATCH_DOES_NOT_FIT, type Mismatch } from "../protocol/match.ts";
import { ownValue } from "../protocol/own-value.ts";
import type { Pause } from "../protocol/pause.ts";
import { argumentsOf, COMMAND_KEYS, FILE_KEYS } from "../protocol/payload/tool-call.ts";
import type { HookRecord, RunRecord } from "../protocol/run-record.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { escapeControls, isBlank, truncate } from "../protocol/text/text.ts";
import type { Verdict } from "../protocol/verdict.ts";
import { type Redact, redactedStart } from "./secret-values.ts";

/** Where a run came from, with secrets redacted. */
export interface CallOrigin {
  /** The project's folder; null without a project. */
  readonly project: string | null;
  readonly agent: string | null;
  /** The user who runs hookctl. */
  readonly user: string;
  /** The tool call in one line. */
  readonly call: string | null;
  readonly trace: TraceParent | null;
}

/** The call of a line. */
interface CallHead {
  readonly run: Pick<RunRecord, "run_id" | "session" | "tool"> & { readonly verdict: Pick<Verdict, "event"> };
  readonly origin: CallOrigin;
  readonly isoTime: string;
}

interface RunLineInput extends CallHead {
  readonly run: RunRecord;
  /** The signal that ended the run before it could report its decision; null if none did. */
  readonly interruptedBy: string | null;
  readonly hash: (text: string) => string;
  /** The digest of the settings and hooks that judged the call. */
  readonly policy: string;
}

const MOST_CHANGED_FIELDS = 20;

/** The audit log's line for one run: names, numbers and the call in one line, but no other value of the payload. */
export function runLine({ run, origin, isoTime, interruptedBy, hash, policy }: RunLineInput): string {
  const { change } = run.verdict;
  return printableJson({
    ...headPart({ run, origin, isoTime }),
    decision: run.verdict.decision,
    interrupted: interruptedBy ?? undefined,
    decided_by: run.verdict.decidedBy ?? undefined,
    rule: run.rule ?? undefined,
    reason: run.verdict.reason ?? undefined,
    changed:
      run.changes.length > 0
        ? run.changes.slice(0, MOST_CHANGED_FIELDS).map(({ path }) => truncate(path, 100))
        : undefined,
    value_hash: change === null ? undefined : hash(change),
    duration_ms: run.duration_ms,
    hooks: run.hooks.map((hook) => hookPart(hook, run, hash)),
    warnings: run.verdict.warnings.length > 0 ? run.verdict.warnings : undefined,
    guard_warnings: guardWarningsPart(run),
    policy,
    trace: tracePart(origin),
  });
}

/** The part of a hook whose `match` did not fit. */
export type UnmatchedPart = Pick<HookRecord, "name" | "source" | "path"> & { readonly mismatch: Mismatch };

/** The line of a call that no hook matched. It needs no run record, so that the code of runs is not loaded. */
export const unmatchedLine = ({ hooks, ...head }: CallHead & { readonly hooks: readonly UnmatchedPart[] }): string =>
  printableJson({
    ...headPart(head),
    decision: "continue",
    duration_ms: 0,
    hooks: hooks.map(({ name, source, path, mismatch }) => ({
      name,
      source,
      path,
      outcome: "skipped",
      why: MATCH_DOES_NOT_FIT,
      mismatch: { ...mismatch },
      duration_ms: 0,
    })),
    trace: tracePart(head.origin),
  });

const headPart = ({ run, origin, isoTime }: CallHead) => ({
  schema: RECORD_SCHEMA,
  time: isoTime,
  run_id: run.run_id,
  event: run.verdict.event,
  session: run.session === "" ? undefined : run.session,
  project: origin.project ?? undefined,
  agent: origin.agent ?? undefined,
  user: origin.user,
  tool: run.tool ?? undefined,
  call: origin.call ?? undefined,
});

const tracePart = ({ trace }: CallOrigin): JsonRecord | undefined => (trace === null ? undefined : { ...trace });

const MOST_MISMATCH_TEXTS = 10;
const MISMATCH_CHARACTERS = 120;

/** Redacts a text, and a text in the field of a path. */
export interface FieldRedactor {
  readonly redact: Redact;
  readonly redactField: (path: string, text: string, redact: Redact) => string;
}

/** A mismatch as it is shown: without secrets, and the start of each text. */
export function shownMismatch({ field, wanted, found }: Mismatch, { redact, redactField }: FieldRedactor): Mismatch {
  const shown = (text: string): string => truncate(redactField(field, text, redact), MISMATCH_CHARACTERS);
  const shownTexts = (texts: readonly string[]) => texts.slice(0, MOST_MISMATCH_TEXTS).map(shown);
  return {
    field: truncate(redact(field), MISMATCH_CHARACTERS),
    wanted: shownTexts(wanted),
    found: shownTexts(found),
  };
}

/** Without their messages, which `warnings` already has. */
function guardWarningsPart({ verdict: { guardWarnings } }: RunRecord): readonly JsonRecord[] | undefined {
  return guardWarnings.length === 0
    ? undefined
    : guardWarnings.map(({ code, hook }) => ({ code, hook: hook ?? undefined }));
}

function hookPart(hook: HookRecord, run: RunRecord, hash: RunLineInput["hash"]): JsonRecord {
  // A hook may be named like an inherited property, such as `constructor`.
  const metadata = Object.hasOwn(run.verdict.metadata, hook.name) ? run.verdict.metadata[hook.name] : undefined;
  return {
    name: hook.name,
    event: hook.failed === null ? undefined : "on_error",
    failed_hook: hook.failed?.kind === "hook" ? hook.failed.name : undefined,
    failed_tool: hook.failed?.kind === "tool" ? hook.failed.name : undefined,
    source: hook.source,
    path: hook.path,
    hash: hook.hash ?? undefined,
    outcome: hook.outcome,
    failure: hook.failure?.code,
    why: hook.why ?? undefined,
    mismatch: hook.mismatch === null ? undefined : { ...hook.mismatch },
    start_ms: hook.start_ms ?? undefined,
    duration_ms: hook.duration_ms,
    exit: hook.exit_code ?? undefined,
    signal: hook.signal ?? undefined,
    trust: hook.trust,
    sandbox: hook.sandbox ?? undefined,
    added: additionsJson(hook.added),
    value_hash: hook.change === null ? undefined : hash(hook.change),
    metadata: metadata === undefined ? undefined : rawJson(metadata),
  };
}

export interface PauseLineInput {
  readonly kind: PauseKind;
  readonly isoTime: string;
  readonly pause: Pause;
}

/** The audit log's line for a hook that a person paused, or resumed before the time. */
export const pauseLine = ({ kind, isoTime, pause }: PauseLineInput): string =>
  printableJson({
    schema: RECORD_SCHEMA,
    kind,
    time: isoTime,
    hook: pause.name,
    project: pause.project ?? undefined,
    until: new Date(pause.endMs).toISOString(),
    by: pause.by,
  });

/** The exit codes of killed programs, as timeout(1) and shells report them. */
const KILLED_EXIT_CODES: Readonly<Record<string, number>> = {
  HOOK_TIMED_OUT: 124,
  HOOK_TOO_MUCH_OUTPUT: 137,
  HOOK_INTERRUPTED: 143,
};

/** The audit log's lines for the shell commands that were started. */
export function shellCommandLines(run: RunRecord, isoTime: string): readonly string[] {
  return run.hooks.flatMap((hook) => {
    const rc = returnCode(hook);
    if (hook.command === null || rc === null) return [];
    return printableJson({
      schema: RECORD_SCHEMA,
      kind: SHELL_EXECUTED,
      time: isoTime,
      run_id: run.run_id,
      event: run.verdict.event,
      session: run.session === "" ? undefined : run.session,
      hook: hook.name,
      scheme: hook.kind,
      command: hook.command,
      rc,
    });
  });
}

/** Returns null if the command was not started. */
function returnCode({ exit_code, signal, failure, duration_ms }: HookRecord): number | null {
  if (exit_code !== null) return exit_code;
  if (signal !== null) return 128 + (ownValue(signalNumbers(), signal) ?? 0);
  return duration_ms > 0 ? (ownValue(KILLED_EXIT_CODES, failure?.code ?? "") ?? null) : null;
}

const signalNumbers = (): Readonly<Record<string, number>> => process.getBuiltinModule("node:os").constants.signals;

/** The trace to which a run belongs, as W3C Trace Context names it. */
interface TraceParent {
  readonly trace_id: string;
  readonly span_id: string;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** Reads the variable TRACEPARENT; null if it is missing or not valid. Only later versions may have further fields. */
export function readTraceParent(text: string | undefined): TraceParent | null {
  if (text === undefined) return null;
  const [, traceId, spanId, further] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return further !== undefined && text.startsWith("00") ? null : { trace_id: traceId, span_id: spanId };
}

const SHOWN_CHARACTERS = 120;
const MOST_TEXTS = 20;
const SUBJECT_KEYS = new Set([...FILE_KEYS, "url", "urls", "pattern", "query", "regex", "search"]);

/** A tool call in one line, with secrets redacted: its command, else what it names; null if it names nothing. */
export function describeCall(members: JsonObject, redact: Redact): string | null {
  const input = members.get("tool_input");
  if (input === undefined) return null;
  const text =
    input.kind === "string" ? stringOf(input) : (subjectOf(startOf(input), redact) ?? subjectOf(input, redact));
  return text === null ? null : inOneLine(redactedStart(text, redact));
}

/** The members before a long text, which need no scan of that text. */
function startOf(input: JsonSpan): JsonSpan {
  const raw = startOfRaw(input, FIRST_LOOK_CHARACTERS + 1);
  return raw.length <= FIRST_LOOK_CHARACTERS ? input : { kind: input.kind, raw: raw.slice(0, -1) };
}
const FIRST_LOOK_CHARACTERS = 8 * 1024;

function subjectOf(input: JsonSpan, redact: Redact): string | null {
  const all = argumentsOf(input);
  for (const keys of [COMMAND_KEYS, SUBJECT_KEYS, DESCRIPTION_KEYS]) {
    const texts = all.filter(([key]) => keys.has(key)).flatMap(([, value]) => textsIn(value, redact));
    if (texts.some((text) => !isBlank(text))) return texts.slice(0, MOST_TEXTS).join(" ");
  }
  return null;
}

const DESCRIPTION_KEYS = new Set(["description"]);

/** The items of a list are quoted like arguments, which hides a secret that has quotes: so they are redacted before, too. */
function textsIn(value: JsonSpan, redact: Redact): readonly string[] {
  if (value.kind === "string") return [stringOf(value)];
  if (value.kind !== "array") return [];
  return itemsOf(value)
    .slice(0, MOST_TEXTS)
    .flatMap((item) => (item.kind === "string" ? [shellQuote(redactedStart(stringOf(item), redact))] : []));
}

function inOneLine(text: string): string {
  const start = text
    .slice(0, 8 * SHOWN_CHARACTERS)
    .replace(/\s+/g, " ")
    .trim();
  const shown = escapeControls(start);
  return shown.length <= SHOWN_CHARACTERS ? shown : `${shown.slice(0, SHOWN_CHARACTERS - 1)}…`.replace(HALF_PAIR, "…");
}

/** The first half of a character of two code units, whose second half was cut off. */
const HALF_PAIR = /[\ud800-\udbff]…$/;
