import type { DecisionChange } from "./changes.ts";
import type { AlarmKind } from "./judge-records.ts";
import type { LeftOutHook } from "./recorded-call.ts";
import { readSession, type SessionSource } from "./sessions/read-session.ts";
import { nothingUnread, type SessionRecord, type UnreadCounts } from "./sessions/session-record.ts";
import type { HookTally, Tally } from "./tally.ts";

/** The calls that were found, and what could not be read. */
export interface FoundCalls {
  calls: number;
  readonly sessions: Set<string>;
  readonly callsByAgent: Map<string, number>;
  /** The times of the first and the last call; null if no call has a time. */
  times: { readonly first: string; readonly last: string } | null;
  /** Calls that could not be judged: why -> how many. */
  readonly unjudged: Map<string, number>;
  readonly unread: UnreadCounts;
}

export const nothingFound = (): FoundCalls => ({
  calls: 0,
  sessions: new Set(),
  callsByAgent: new Map(),
  times: null,
  unjudged: new Map(),
  unread: nothingUnread(),
});

/** Reads the selected calls of the files and counts them. A call that several files contain is returned once. */
export function* selectedCalls(
  sources: readonly SessionSource[],
  isSelected: (record: SessionRecord) => boolean,
  found: FoundCalls,
): Generator<SessionRecord> {
  const isNew = newCalls();
  for (const source of sources) {
    for (const record of readSession(source, found.unread)) {
      if (!isNew(record) || !isSelected(record)) continue;
      found.calls += 1;
      found.sessions.add(record.session);
      found.times = widened(found.times, record.time);
      addTo(found.callsByAgent, record.agent ?? "hookctl");
      yield record;
    }
  }
}

export const addTo = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

function widened(range: FoundCalls["times"], time: string | null): FoundCalls["times"] {
  if (time === null) return range;
  const { first, last } = range ?? { first: time, last: time };
  return { first: time < first ? time : first, last: time > last ? time : last };
}

const MOST_IDS = 2_000_000;
/** A shorter id is not unique beyond its session. */
const UNIQUE_ID = 16;

/** True for a call that no earlier entry contained: agents copy sessions when they resume them. */
function newCalls(): (record: SessionRecord) => boolean {
  const seen = new Set<string>();
  return ({ agent, session, callId }) => {
    if (callId === "") return true;
    const key = callId.length >= UNIQUE_ID ? `${agent} ${callId}` : `${agent} ${session} ${callId}`;
    if (seen.has(key)) return false;
    if (seen.size >= MOST_IDS) seen.clear();
    seen.add(key);
    return true;
  };
}

/** Calls or lines that could not be read or judged: number, kind and detail. */
export interface NotJudged {
  readonly what: keyof typeof NOT_JUDGED;
  readonly count: number;
  readonly detail: string;
}

/** Why calls could not be read or judged, for one and for many; `detail` is an example or a reason. */
export const NOT_JUDGED = {
  broken_lines: {
    one: "line is broken, or no call of a known agent",
    many: "lines are broken, or no calls of a known agent",
  },
  long_lines: { one: "line or file is too long", many: "lines or files are too long" },
  unreadable_calls: {
    one: "program called tools, and the session file does not hold their commands",
    many: "programs called tools, and the session files do not hold their commands",
  },
  calls_without_folder: { one: "call has no known folder", many: "calls have no known folder" },
  files: { one: "file could not be opened", many: "files could not be opened" },
  unjudged_calls: { one: "call could be judged by no hook", many: "calls could be judged by no hook" },
  agents: { one: "agent has its own format of session files", many: "agents have their own formats of session files" },
} as const;

export interface BacktestReport {
  readonly calls: number;
  readonly sessions: number;
  readonly agents: readonly { readonly agent: string; readonly calls: number }[];
  readonly times: FoundCalls["times"];
  readonly judged: number;
  /** Calls by the decision that the hooks would have made. */
  readonly decisions: Readonly<Record<AlarmKind, number>>;
  readonly hooks: readonly HookTally[];
  readonly leftOut: readonly LeftOutHook[];
  readonly notJudged: readonly NotJudged[];
  /** Calls that no hook of today handles, judged by the built-in guards with their defaults. */
  readonly judgedByDefaults: number;
}

/** Calls about which two revisions of the hooks decide differently. */
export interface CompareReport extends Pick<BacktestReport, "calls" | "judged" | "leftOut" | "notJudged"> {
  readonly base: string;
  readonly differing: number;
  readonly changes: readonly DecisionChange[];
}

interface ReportInput {
  readonly found: FoundCalls;
  readonly tally: Tally;
  readonly leftOut: readonly LeftOutHook[];
  /** Agents whose own files cannot be read, with the reason. */
  readonly unreadableAgents: readonly string[];
}

export function backtestReport({ found, tally, leftOut, unreadableAgents }: ReportInput): BacktestReport {
  const { calls, sessions, callsByAgent, times } = found;
  const agents = [...callsByAgent].map(([agent, count]) => ({ agent, calls: count }));
  return {
    calls,
    sessions: sessions.size,
    times,
    leftOut,
    agents: agents.sort((a, b) => b.calls - a.calls),
    judged: tally.judged(),
    judgedByDefaults: tally.judgedByDefaults(),
    decisions: tally.decisions(),
    hooks: tally.hooks(),
    notJudged: notJudgedParts(found, unreadableAgents),
  };
}

/** Selected calls that could not be read or judged. */
export function notJudgedParts(
  { unread, unjudged }: Pick<FoundCalls, "unread" | "unjudged">,
  unreadableAgents: readonly string[],
): readonly NotJudged[] {
  const [file] = unread.files;
  const parts: readonly NotJudged[] = [
    { what: "broken_lines", count: unread.brokenLines, detail: "" },
    { what: "long_lines", count: unread.longLines, detail: "" },
    { what: "unreadable_calls", count: unread.unreadableCalls, detail: "" },
    { what: "calls_without_folder", count: unread.callsWithoutFolder, detail: "" },
    { what: "files", count: unread.files.size, detail: file?.join(": ") ?? "" },
    ...[...unjudged].map(([detail, count]): NotJudged => ({ what: "unjudged_calls", count, detail })),
    ...unreadableAgents.map((detail): NotJudged => ({ what: "agents", count: 1, detail })),
  ];
  return parts.filter(({ count }) => count > 0);
}
