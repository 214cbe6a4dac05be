import { join } from "node:path";
import { appendLine } from "../../audit/append.ts";
import { runLine, shellCommandLines, shownMismatch } from "../../audit/log-lines.ts";
import { payloadLine, payloadLogOf } from "../../audit/payload-log.ts";
import { type Redact, redactField, redactJson } from "../../audit/redact.ts";
import { isoTimeOf } from "../../audit/run-stamp.ts";
import { redactedStart } from "../../audit/secret-values.ts";
import { checksum } from "../../config/load-settings.ts";
import { sha256Of } from "../../fs/hash.ts";
import { writeCacheFile } from "../../fs/machine-folder.ts";
import { readOwnFile } from "../../fs/permissions.ts";
import { ADDITION_KINDS, type AdditionKind, type Additions } from "../../protocol/additions.ts";
import { entryCommand, type LocatedEntry, schemeRow } from "../../protocol/entry.ts";
import { EVENT_ROWS } from "../../protocol/event.ts";
import type { Hook } from "../../protocol/hook.ts";
import type { HookResponse, StatePatch } from "../../protocol/hook-response.ts";
import { membersOf, spanOfRaw, stringOf } from "../../protocol/json/read.ts";
import { targetValue } from "../../protocol/payload/payload.ts";
import type { Problem } from "../../protocol/problem.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import { type FieldChange, type HookRecord, type RunRecord, withRunWarnings } from "../../protocol/run-record.ts";
import { sandboxText } from "../../protocol/sandbox.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import { truncate } from "../../protocol/text/text.ts";
import { roundedMs } from "../../protocol/text/units.ts";
import type { Outcome, Step, Verdict } from "../../protocol/verdict.ts";
import { type Warning, warningText } from "../../protocol/warning.ts";
import { approvalFor } from "../../trust/decide/approval-key.ts";
import type { RunContext } from "../run-context.ts";
import { originOf, toolOf } from "./call-origin.ts";
import { recordRedactor } from "./known-values.ts";

interface RunRecordInput {
  readonly verdict: Verdict;
  readonly runId: string;
  readonly durationMs: number;
  readonly redact: Redact;
}

/** The record of a run. The texts of hooks were redacted by `redactResult`; the texts that were made since are redacted here. */
export function makeRunRecord({ verdict, runId, durationMs, redact }: RunRecordInput): RunRecord {
  const { reason } = verdict;
  const redacted: Verdict = {
    ...verdict,
    reason: reason === null || isReasonOfHook(verdict) ? reason : redact(reason),
    warnings: verdict.warnings.map(redact),
    guardWarnings: verdict.guardWarnings.map((one) => ({ ...one, message: redact(one.message) })),
  };
  return {
    run_id: runId,
    session: redact(verdict.payload.session),
    tool: toolOf(verdict.payload, redact),
    rule: decidingRule(verdict),
    hooks: verdict.steps.map((step) => hookRecord(step, redact)),
    duration_ms: roundedMs(durationMs),
    changes: changedFields(verdict, redact),
    verdict: redacted,
  };
}

/** True if the reason is the text of a hook, and not one of hookctl about a hook. */
const isReasonOfHook = ({ reason, steps }: Verdict): boolean =>
  steps.some(({ result }) => result?.response.ok === true && result.response.value?.reason === reason);

function hookRecord({ hook, outcome, result, why, mismatch, change, failed }: Step, redact: Redact): HookRecord {
  const problem = failureOf(result, outcome) ?? hook.refusal;
  const words = problem === null ? null : explain(problem);
  return {
    name: hook.name,
    path: redact(hook.path),
    source: hook.source,
    kind: hook.kind,
    outcome,
    failure:
      problem === null || words === null
        ? null
        : { code: problem.code, message: redact(words.summary), hint: words.hint },
    command: hook.entry === null ? null : shellCommand(hook.entry, redact),
    why,
    mismatch: mismatch === null ? null : shownMismatch(mismatch, { redact, redactField }),
    added: result?.response.ok && COUNTED.includes(outcome) ? addedBy(result.response.value) : {},
    exit_code: result?.exitCode ?? null,
    signal: result?.signal ?? null,
    ended_by: result?.failedWith ?? null,
    start_ms: result?.startMs === undefined ? null : roundedMs(result.startMs),
    duration_ms: roundedMs(result?.durationMs ?? 0),
    stderr: result?.stderr ?? "",
    sandbox: hook.sandbox === undefined ? null : sandboxText(hook.sandbox),
    trust: hook.trust,
    fail_open: hook.failOpen,
    hash: hook.hash,
    failed,
    change,
  };
}

/** The problem of a failed hook. A fail-closed hook also fails by a response that is only partly valid. */
function failureOf(result: Step["result"], outcome: Step["outcome"]): Problem | null {
  if (result === null) return null;
  if (!result.response.ok) return result.response.error;
  return outcome === "failed" ? (result.response.value?.possibleBlock ?? null) : null;
}

/** The command of a shell hook, for the audit log. */
function shellCommand(entry: LocatedEntry, redact: Redact): string | null {
  const command = schemeRow(entry.scheme).requiresSandbox ? entryCommand(entry) : null;
  return command === null ? null : redact(typeof command === "string" ? command : command.map(shellQuote).join(" "));
}

/** The outcomes of hooks whose response was used. An observer only watches. */
const COUNTED: readonly Outcome[] = ["continue", "block", "modify", "replace"];

const ADDED_TEXTS: Readonly<Record<AdditionKind, (response: HookResponse) => readonly string[]>> = {
  context: ({ context }) => context,
  follow_ups: ({ followUps }) => followUps,
  pushes: ({ pushes }) => pushes,
  system_message: ({ systemMessage }) => (systemMessage === null ? [] : [systemMessage]),
  state: ({ state }) => (state === null ? [] : patchTexts(state)),
};

function addedBy(response: HookResponse | null): Additions {
  if (response === null) return {};
  return Object.fromEntries(
    ADDITION_KINDS.flatMap((kind) => {
      const texts = ADDED_TEXTS[kind](response);
      const all = texts.join("\n");
      return texts.length === 0
        ? []
        : [[kind, { count: texts.length, bytes: Buffer.byteLength(all), hash: sha256Of(all) }]];
    }),
  );
}

const patchTexts = ({ set, remove, increment }: StatePatch): readonly string[] => [
  ...[...set].map(([key, value]) => `${key}=${value}`),
  ...remove.map((key) => `-${key}`),
  ...[...increment].map(([key, value]) => `${key}+=${value}`),
];

const RULE_LENGTH = 100;

/** Null if no hook decided, or if the deciding hook names no rule. */
function decidingRule({ decidedBy, metadata }: Verdict): string | null {
  const raw = decidedBy !== null && Object.hasOwn(metadata, decidedBy) ? metadata[decidedBy] : undefined;
  const rule = raw === undefined ? undefined : membersIn(raw).get("rule");
  const span = rule === undefined ? null : spanOfRaw(rule);
  return span?.kind === "string" ? truncate(`${decidedBy}/${stringOf(span)}`, RULE_LENGTH) : null;
}

/** The fields of the payload that hooks changed, redacted for display; the response keeps the real values. */
export function changedFields(
  { event, sent, change }: Pick<Verdict, "event" | "sent" | "change">,
  redact: Redact,
): readonly FieldChange[] {
  if (change === null) return [];
  const { target } = EVENT_ROWS[event];
  const prefix = typeof target === "string" ? target : "input";
  const [before, after] = [membersIn(targetValue(sent)), membersIn(change)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  const shown = (raw: string | undefined): string | null => (raw === undefined ? null : shownStart(raw, redact));
  return keys.map((key) => ({
    path: key === "" ? prefix : `${prefix}.${redact(key)}`,
    before: shown(before.get(key)),
    after: shown(after.get(key)),
  }));
}

/** Shows the beginning of a long value, redacted before it is cut. */
function shownStart(raw: string, redact: Redact): string {
  return raw.length <= LONGEST ? redactJson(raw, redact) : `${redactedStart(raw, redact).slice(0, SHOWN)}…`;
}

const LONGEST = 64 * 1024;
const SHOWN = 4 * 1024;

/** Field -> raw text; a value that is not an object is one field without a name. */
function membersIn(raw: string | null): ReadonlyMap<string, string> {
  if (raw === null) return new Map();
  const span = spanOfRaw(raw);
  if (span.kind !== "object") return new Map([["", raw]]);
  return new Map([...membersOf(span)].map(([key, member]) => [key, member.raw]));
}

/**
 * Appends the run to the audit log, and its payload if the user wants that. Returns it with a warning if that failed. A run
 * in which no hook ran or compared its `match` is not logged, unless it has a guard warning.
 */
export function appendRun(record: RunRecord, context: RunContext): RunRecord {
  const { auditFile: file, settings } = context;
  const isEventless =
    record.verdict.decision === "continue" && record.hooks.every(wasOff) && record.verdict.guardWarnings.length === 0;
  if (isEventless || file === null || settings.record === "off") return record;
  const hooks = record.verdict.steps.map(({ hook }) => hook);
  const redact = recordRedactor(hooks, record.verdict.sent.session, context);
  const origin = originOf(record.verdict.sent, context, redact);
  const isoTime = isoTimeOf(context.nowMs);
  const interruptedBy = context.interrupt.raised();
  const lines = [
    runLine({ run: record, origin, isoTime, interruptedBy, hash: sha256Of, policy: policyDigest(hooks, context) }),
    ...shellCommandLines(record, isoTime),
  ].map((line) => ({ path: file, line }));
  if (settings.record === "payloads") {
    const native = context.native ?? null;
    lines.push({ path: payloadLogOf(file), line: payloadLine({ run: record, origin, isoTime, native, redact }) });
  }
  const lost = lines.flatMap(({ path, line }): Warning[] => {
    const cause = appendLine(path, line, settings.recordLimits);
    return cause === null ? [] : [{ code: "RECORD_NOT_WRITTEN", path, cause }];
  });
  const [first] = lost;
  return first === undefined ? record : withRunWarnings(record, [warningText(first)]);
}

/** The id with which `hookctl why` finds a run that was to be appended; null: the run is not recorded, or its line was lost. */
export function explainableId(run: RunRecord, appended: RunRecord, { auditFile, settings }: RunContext): string | null {
  const isRecorded = auditFile !== null && settings.record !== "off" && appended === run;
  return isRecorded ? run.run_id : null;
}

const wasOff = ({ why, mismatch }: HookRecord): boolean => why !== null && mismatch === null;

/** For a program that calls the library many times. */
let latest: { readonly text: string; readonly digest: string } | null = null;

/**
 * SHA-256 of what judged a call: the settings in effect and its hooks with their contents. Machines with the same policy have
 * the same digest, wherever their folders are. It is cached, because `node:crypto` takes longer to load than a guard runs.
 */
function policyDigest(hooks: readonly Hook[], context: RunContext): string {
  const { cacheDir, options, scopes } = context;
  const text = policyText(hooks, context);
  if (latest?.text === text) return latest.digest;
  // One file for the same hooks of a project: another policy for them overwrites it.
  const key = [scopes.projectDir, ...hooks.map(({ path }) => path)].join("\n");
  const file = cacheDir === null || !options.useCache ? null : join(cacheDir, `policy-${checksum(key)}`);
  const digest = cachedDigest(file, text) ?? sha256Of(text);
  latest = { text, digest };
  return digest;
}

function policyText(hooks: readonly Hook[], { settings, scopes, trustStore }: RunContext): string {
  // The limits of one call belong to its caller.
  const inEffect = { ...settings, forcedTimeoutMs: undefined, deadlineMs: undefined };
  const stored = hooks.some(({ projectDir }) => projectDir !== null) ? trustStore.approvals() : null;
  const judging = hooks.map((hook) => {
    const approval = stored?.ok === true ? approvalFor(hook, stored.value) : null;
    const { name, source, kind, hash, trust, state, entry } = hook;
    return [name, source, kind, hash, trust, state, entry, approval?.helpers, approval?.files];
  });
  const folders = [[scopes.projectDir, "$PROJECT"] as const, [scopes.homeDir ?? "", "$HOME"] as const];
  return folders.reduce(
    (text, [folder, name]) => (folder.length > 1 ? text.replaceAll(JSON.stringify(folder).slice(1, -1), name) : text),
    JSON.stringify([inEffect, judging]),
  );
}

const DIGEST_LENGTH = 64;

/** Returns the cached digest of exactly this text, or stores it; without a cache file null. */
function cachedDigest(file: string | null, text: string): string | null {
  if (file === null) return null;
  try {
    const stored = readOwnFile(file);
    if (stored.slice(DIGEST_LENGTH) === text) return stored.slice(0, DIGEST_LENGTH);
  } catch {
    // Missing or not readable: it is written now.
  }
  const digest = sha256Of(text);
  try {
    writeCacheFile(file, digest + text);
  } catch {
    // A read-only or full disk makes calls slower, not wrong.
  }
  return digest;
}
