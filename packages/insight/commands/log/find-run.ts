import { type RecordedPayload, readPayloads } from "../../../../src/audit/payload-log.ts";
import { newestFirst } from "../../../../src/audit/read.ts";
import type { LoggedRun, LoggedShell } from "../../../../src/protocol/logged-run.ts";
import type { UsageProblem } from "../../../../src/protocol/problem.ts";
import { ProblemError } from "../../../../src/protocol/result.ts";

export interface WantedRun {
  /** Its id, or the beginning or end of it; empty for any run. */
  readonly name: string;
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
const LEAST_NAME = 4;
const MOST_MATCHES = 10;
/** A run starts far fewer shell commands. */
const MOST_SHELLS = 1000;

/** `log` shows the end of an id, because the ids of a day begin alike. A shorter name could be meant as a number of runs. */
const isNamed = (id: string, name: string): boolean =>
  name === "" || (name.length >= LEAST_NAME && (id.startsWith(name) || id.endsWith(name)));

/** Finds a run by its id, or the beginning or end of it; without one the newest. Returns null if there is none. */
export function findRun(file: string, { name, session }: WantedRun): RunSearch | null {
  const contains = JSON.stringify(name).slice(1, -1);
  const isFirstEnough = name === "" || name.length >= ID_LENGTH;
  const shells: FoundRun["shells"][number][] = [];
  const matches: LoggedRun[] = [];
  let [count, found, lastId]: [number, FoundRun | null, string] = [0, null, ""];
  for (const { line, text } of newestFirst(file, contains)) {
    if (line.kind === "shell" && found === null && shells.length < MOST_SHELLS) shells.push({ line, text });
    if (line.kind !== "run" || !isNamed(line.runId, name) || (session !== null && line.session !== session)) continue;
    found ??= { run: line, text, shells: shells.filter((shell) => shell.line.runId === line.runId).reverse() };
    // The same run may be written twice.
    count += line.runId === lastId ? 0 : 1;
    if (line.runId !== lastId && count <= MOST_MATCHES) matches.push(line);
    lastId = line.runId;
    if (isFirstEnough || count > MOST_MATCHES) break;
  }
  return found === null ? null : { found, matches, count: count > MOST_MATCHES ? null : count };
}

/** The newest run that was stopped, and the newer ones that were not. */
export interface LastStopped {
  readonly runId: string;
  readonly newer: readonly string[];
}

/** A person who asks why was stopped a moment ago; a log of months is not read to its beginning. */
const MOST_SEARCHED = 20_000;

/** Returns null if none of the latest runs was stopped. */
export function findLastStopped(file: string, session: string | null): LastStopped | null {
  const newer = new Set<string>();
  for (const { line } of newestFirst(file)) {
    if (line.kind !== "run" || (session !== null && line.session !== session)) continue;
    if (line.decision !== "continue") return { runId: line.runId, newer: [...newer] };
    if (newer.add(line.runId).size > MOST_SEARCHED) return null;
  }
  return null;
}

/** Finds the recorded payload of a run by its id, or the beginning or end of it; without one the newest. */
export function findPayload(auditFile: string | null, name: string): RecordedPayload {
  const matches: RecordedPayload[] = [];
  for (const recorded of auditFile === null ? [] : readPayloads(auditFile)) {
    if (recorded.payload === null || !isNamed(recorded.runId, name)) continue;
    matches.push(recorded);
    if (name === "" || name.length >= ID_LENGTH) break;
  }
  const [newest] = matches;
  if (newest === undefined) throw new ProblemError(notRecorded(auditFile, name));
  if (matches.length === 1) return newest;
  throw new ProblemError({
    code: "USAGE_AMBIGUOUS_RUN",
    run: name,
    count: matches.length,
    newest: newest.runId,
  });
}

function notRecorded(auditFile: string | null, run: string): UsageProblem {
  refuseShort(run);
  const found = auditFile === null ? null : findRun(auditFile, { name: run, session: null });
  if (run !== "" && found === null) return { code: "USAGE_UNKNOWN_RUN", run, session: null };
  const whose = run === "" ? "" : ` for the run ${JSON.stringify(run)}`;
  const detail = `No payload is recorded${whose}. With \`record: payloads\` in your settings, new runs keep theirs.`;
  return { code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl log" };
}

export function refuseShort(run: string): void {
  if (run === "" || run.length >= LEAST_NAME) return;
  const detail = `At least ${LEAST_NAME} characters of an id are needed, but ${run} has fewer.`;
  throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl log --decision block" });
}
