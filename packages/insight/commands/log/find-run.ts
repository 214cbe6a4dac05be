import { type RecordedPayload, readPayloads } from "../../../../src/audit/payload-log.ts";
import { newestFirst } from "../../../../src/audit/read.ts";
import type { LoggedRun, LoggedShell } from "../../../../src/protocol/logged-run.ts";
import type { UsageProblem } from "../../../../src/protocol/problem.ts";
import { ProblemError } from "../../../../src/protocol/result.ts";

export interface WantedRun {
  /** The beginning of its id; empty for any run. */
  readonly prefix: string;
  /** Only runs of this session; null for all sessions. */
  readonly session: string | null;
}

export interface FoundRun {
  readonly run: LoggedRun;
  readonly text: string;
  /** The shell commands that it started. */
  readonly shells: readonly { readonly line: LoggedShell; readonly text: string }[];
}

interface RunSearch {
  readonly found: FoundRun;
  /** The newest matching runs, newest first, and their number; null if there are more. */
  readonly matches: readonly LoggedRun[];
  readonly count: number | null;
}

const ID_LENGTH = 26;
const MOST_MATCHES = 10;
/** A run starts far fewer shell commands. */
const MOST_SHELLS = 1000;

/** Finds a run by its id or the beginning of it; without one the newest. Returns null if there is none. */
export function findRun(file: string, { prefix, session }: WantedRun): RunSearch | null {
  const contains = prefix === "" ? "" : `"run_id":${JSON.stringify(prefix).slice(0, -1)}`;
  const isFirstEnough = prefix === "" || prefix.length >= ID_LENGTH;
  const shells: FoundRun["shells"][number][] = [];
  const matches: LoggedRun[] = [];
  let [count, found, lastId]: [number, FoundRun | null, string] = [0, null, ""];
  for (const { line, text } of newestFirst(file, contains)) {
    if (line.kind === "shell" && found === null && shells.length < MOST_SHELLS) shells.push({ line, text });
    if (line.kind !== "run" || !line.runId.startsWith(prefix) || (session !== null && line.session !== session))
      continue;
    found ??= { run: line, text, shells: shells.filter((shell) => shell.line.runId === line.runId).reverse() };
    // The same run may be written twice.
    count += line.runId === lastId ? 0 : 1;
    if (line.runId !== lastId && count <= MOST_MATCHES) matches.push(line);
    lastId = line.runId;
    if (isFirstEnough || count > MOST_MATCHES) break;
  }
  return found === null ? null : { found, matches, count: count > MOST_MATCHES ? null : count };
}

/** Finds the recorded payload of a run by its id or the beginning of it; without one the newest. */
export function findPayload(auditFile: string | null, prefix: string): RecordedPayload {
  const matches: RecordedPayload[] = [];
  for (const recorded of auditFile === null ? [] : readPayloads(auditFile)) {
    if (recorded.payload === null || !recorded.runId.startsWith(prefix)) continue;
    matches.push(recorded);
    if (prefix === "" || prefix.length >= ID_LENGTH) break;
  }
  const [newest] = matches;
  if (newest === undefined) throw new ProblemError(notRecorded(prefix));
  if (matches.length === 1) return newest;
  throw new ProblemError({
    code: "USAGE_AMBIGUOUS_RUN",
    run: prefix,
    count: matches.length,
    newest: newest.runId,
  });
}

const notRecorded = (prefix: string): UsageProblem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `No payload is recorded${prefix === "" ? "" : ` for the run ${JSON.stringify(prefix)}`}. With \`record: payloads\` in your settings, new runs keep theirs.`,
  tryThis: "hookctl log",
});
