import { type RecordedPayload, readPayloads } from "../../audit/payload-log.ts";
import { changedFields } from "../../engine/run/make-run-record.ts";
import { findEvent } from "../../protocol/event.ts";
import { membersOf } from "../../protocol/json/read.ts";
import { LONGEST_RUN_MS, type LoggedRun } from "../../protocol/logged-run.ts";
import type { FieldChange } from "../../protocol/run-record.ts";

/** The payload of a run, if it was recorded. Both logs are in the order of time, so the search ends before older runs. */
export function payloadOfRun({ runId, timeMs }: LoggedRun, auditFile: string | null): RecordedPayload | null {
  for (const recorded of auditFile === null ? [] : readPayloads(auditFile)) {
    if (recorded.runId === runId) return recorded;
    if (timeMs !== null && Date.parse(recorded.time) < timeMs - LONGEST_RUN_MS) return null;
  }
  return null;
}

/** The changed fields of a recorded payload, before and after. */
export function recordedChanges(recorded: RecordedPayload | null): readonly FieldChange[] {
  const event = findEvent(recorded?.event ?? "")?.event;
  if (recorded?.payload == null || recorded.change === null || event === undefined) return [];
  const sent = { event, session: "", cwd: recorded.cwd, members: membersOf(recorded.payload) };
  return changedFields({ event, sent, change: recorded.change.raw }, (text) => text);
}
