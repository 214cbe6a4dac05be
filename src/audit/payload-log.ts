import { dirname, join } from "node:path";
import {
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOrNone,
  objectOf,
  readJson,
  stringOf,
  textMember,
} from "../protocol/json/read.ts";
import { printableJson, rawJson } from "../protocol/json/write.ts";
import { payloadText } from "../protocol/payload/payload.ts";
import type { RunRecord } from "../protocol/run-record.ts";
import type { Verdict } from "../protocol/verdict.ts";
import { linesFromEnd, listLogFiles, MAX_LINE_BYTES } from "./log-files.ts";
import type { CallOrigin } from "./log-lines.ts";
import { type Redact, redactJson } from "./redact.ts";

const PAYLOAD_SCHEMA = "hookctl.payload/1";

/** The payload log lies beside the audit log. */
export const payloadLogOf = (auditFile: string): string => join(dirname(auditFile), "payloads.jsonl");

/** The part of a run record that the payload log needs. */
interface PayloadRun extends Pick<RunRecord, "run_id" | "hooks"> {
  readonly verdict: Pick<Verdict, "event" | "sent" | "change" | "decision" | "decidedBy" | "reason">;
}

export interface PayloadLineInput {
  readonly run: PayloadRun;
  readonly origin: CallOrigin;
  readonly isoTime: string;
  /** The payload as an agent sent it. */
  readonly native: { readonly event: string; readonly members: JsonObject } | null;
  readonly redact: Redact;
}

/** The payload log's line for one run. All of it is redacted, each text by itself. */
export function payloadLine({ run, origin, isoTime, native, redact }: PayloadLineInput): string {
  const { sent, event, change, decision, decidedBy, reason } = run.verdict;
  const functions = decidingFunctions(run);
  const head = {
    schema: PAYLOAD_SCHEMA,
    time: isoTime,
    run_id: run.run_id,
    event,
    agent: origin.agent ?? undefined,
    project: origin.project ?? undefined,
    cwd: redact(sent.cwd),
    decision,
    decided_by: decidedBy ?? undefined,
    reason: reason ?? undefined,
    functions: functions.length > 0 ? functions : undefined,
  };
  const shown = (raw: string) => rawJson(redactJson(raw, redact));
  const line = printableJson({
    ...head,
    payload: shown(payloadText(sent)),
    change: change === null ? undefined : shown(change),
    native: native === null ? undefined : { event: native.event, payload: shown(objectOf(native.members).raw) },
  });
  // Readers skip a longer line.
  const size = Buffer.byteLength(line);
  return size < MAX_LINE_BYTES ? line : printableJson({ ...head, omitted_bytes: size });
}

/** Functions of the host program that decided or changed something: without the program nobody can ask them again. */
const decidingFunctions = ({ hooks, verdict }: PayloadRun): readonly string[] =>
  hooks
    .filter(({ kind, name, change }) => kind === "function" && (change !== null || name === verdict.decidedBy))
    .map(({ name }) => name);

/** The payload of one run. Values are raw JSON, as they were redacted. */
export interface RecordedPayload {
  readonly time: string;
  readonly runId: string;
  readonly event: string;
  readonly agent: string | null;
  readonly project: string | null;
  readonly cwd: string;
  readonly decision: string;
  readonly decidedBy: string | null;
  readonly reason: string | null;
  /** Functions of the program that ran it which decided or changed something. */
  readonly functions: readonly string[];
  /** Null if it was too large to be recorded. */
  readonly payload: JsonSpan | null;
  readonly change: JsonSpan | null;
  readonly native: { readonly event: string; readonly payload: JsonSpan } | null;
}

/** Reads the payload log beside an audit log, newest first. Other lines are skipped. */
export function* readPayloads(auditFile: string): Generator<RecordedPayload> {
  for (const { path } of listLogFiles(payloadLogOf(auditFile)).toReversed()) {
    for (const { text } of linesFromEnd(path)) {
      const recorded = parsePayload(text);
      if (recorded !== null) yield recorded;
    }
  }
}

/** Payloads may be nested as deeply as a reader of payloads allows. */
function parsePayload(line: string): RecordedPayload | null {
  const read = readJson(line, Number.POSITIVE_INFINITY);
  const members = membersOrNone(read.ok ? read.value : undefined);
  if (textMember(members, "schema") !== PAYLOAD_SCHEMA) return null;
  const text = (key: string): string => textMember(members, key);
  const native = membersOrNone(members.get("native"));
  const nativePayload = objectOrNull(native.get("payload"));
  const functions = members.get("functions");
  return {
    time: text("time"),
    runId: text("run_id"),
    event: text("event"),
    agent: textOrNull(members.get("agent")),
    project: textOrNull(members.get("project")),
    cwd: text("cwd"),
    decision: text("decision"),
    decidedBy: textOrNull(members.get("decided_by")),
    reason: textOrNull(members.get("reason")),
    functions: functions?.kind === "array" ? itemsOf(functions).flatMap((item) => textOrNull(item) ?? []) : [],
    payload: objectOrNull(members.get("payload")),
    change: members.get("change") ?? null,
    native: nativePayload === null ? null : { event: textMember(native, "event"), payload: nativePayload },
  };
}

const objectOrNull = (span: JsonSpan | undefined): JsonSpan | null => (span?.kind === "object" ? span : null);
const textOrNull = (span: JsonSpan | undefined): string | null => (span?.kind === "string" ? stringOf(span) : null);
