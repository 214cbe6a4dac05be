import { type RecordedPayload, readPayloads } from "../../audit/payload-log.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";

const ID_LENGTH = 26;

/** Finds the recorded payload of a run by its id or the beginning of it; without one the newest. */
export function findPayload(auditFile: string | null, prefix: string): Result<RecordedPayload, UsageProblem> {
  const matches: RecordedPayload[] = [];
  for (const recorded of auditFile === null ? [] : readPayloads(auditFile)) {
    if (recorded.payload === null || !recorded.runId.startsWith(prefix)) continue;
    matches.push(recorded);
    if (prefix === "" || prefix.length >= ID_LENGTH) break;
  }
  const [newest] = matches;
  if (newest === undefined) return fail(notRecorded(prefix));
  if (matches.length === 1) return ok(newest);
  return fail({ code: "USAGE_AMBIGUOUS_RUN", run: prefix, count: matches.length, newest: newest.runId });
}

const notRecorded = (prefix: string): UsageProblem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `no payload is recorded${prefix === "" ? "" : ` for the run ${JSON.stringify(prefix)}`}; with the user's setting \`record: payloads\` new runs keep theirs.`,
  tryThis: "hookctl log",
});
