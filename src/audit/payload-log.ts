import { dirname, join } from "node:path";
import {
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOf,
  objectOf,
  readJson,
  stringOf,
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
  /** Null: it was too large to be recorded. */
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
function parsePayload(text: string): RecordedPayload | null {
  const read = readJson(text, Number.POSITIVE_INFINITY);
  if (!read.ok || read.value.kind !== "object") return null;
  const members = membersOf(read.value);
  if (textOf(members.get("schema")) !== PAYLOAD_SCHEMA) return null;
  const native = members.get("native");
  return {
    time: textOf(members.get("time")) ?? "",
    runId: textOf(members.get("run_id")) ?? "",
    event: textOf(members.get("event")) ?? "",
    agent: textOf(members.get("agent")),
    project: textOf(members.get("project")),
    cwd: textOf(members.get("cwd")) ?? "",
    decision: textOf(members.get("decision")) ?? "",
    decidedBy: textOf(members.get("decided_by")),
    reason: textOf(members.get("reason")),
    functions: textsOf(members.get("functions")),
    payload: objectOrNull(members.get("payload")),
    change: members.get("change") ?? null,
    native: native?.kind === "object" ? nativeOf(membersOf(native)) : null,
  };
}

function nativeOf(native: JsonObject): RecordedPayload["native"] {
  const event = textOf(native.get("event"));
  const payload = objectOrNull(native.get("payload"));
  return event === null || payload === null ? null : { event, payload };
}

const textsOf = (span: JsonSpan | undefined): readonly string[] =>
  span?.kind === "array" ? itemsOf(span).flatMap((item) => textOf(item) ?? []) : [];
const objectOrNull = (span: JsonSpan | undefined): JsonSpan | null => (span?.kind === "object" ? span : null);
const textOf = (span: JsonSpan | undefined): string | null => (span?.kind === "string" ? stringOf(span) : null);
