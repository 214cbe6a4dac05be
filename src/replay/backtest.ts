import type { DecisionChange } from "./changes.ts";
import type { AlarmKind } from "./judge-records.ts";
import type { LeftOutHook } from "./recorded-call.ts";
import { readSession, type SessionSource } from "./sessions/read-session.ts";
import { nothingUnread, type SessionRecord, type UnreadCounts } from "./sessions/session-record.ts";
import type { HookTally, Tally } from "./tally.ts";

/** The calls that were found, and what could not be read. */
export interface FoundCalls {
  readonly calls: number;
  readonly sessions: number;
  readonly callsByAgent: ReadonlyMap<string, number>;
  /** The times of the first and the last call; null: none has one. */
  readonly times: { readonly first: string; readonly last: string } | null;
  /** Calls that could not be judged: why -> how many. */
  readonly unjudged: ReadonlyMap<string, number>;
  readonly unread: UnreadCounts;
}

interface BacktestInput {
  readonly sources: readonly SessionSource[];
  readonly isMeant: (record: SessionRecord) => boolean;
  /** Called once for each selected call. Returns why the call was not judged, or null. */
  readonly judge: (record: SessionRecord) => Promise<string | null>;
  /** Called often; lets timers and signals in. Returns true if the work has to end. */
  readonly pause: (calls: number) => Promise<boolean>;
}

/** Reads and judges every call of the files. A call that several files contain counts once. */
export async function runBacktest({ sources, isMeant, judge, pause }: BacktestInput): Promise<FoundCalls> {
  const unread = nothingUnread();
  const sessions = new Set<string>();
  const callsByAgent = new Map<string, number>();
  const unjudged = new Map<string, number>();
  const isNew = newCalls();
  const times = timeRange();
  let calls = 0;
  for (const source of sources) {
    for (const record of readSession(source, unread)) {
      if (!isNew(record) || !isMeant(record)) continue;
      calls += 1;
      sessions.add(record.session);
      times.add(record.time);
      addTo(callsByAgent, record.agent ?? "hookctl");
      const why = await judge(record);
      if (why !== null) addTo(unjudged, why);
      if (await pause(calls)) break;
    }
    if (await pause(calls)) break;
  }
  return { calls, sessions: sessions.size, callsByAgent, times: times.range(), unjudged, unread };
}

const addTo = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

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

function timeRange() {
  let range: FoundCalls["times"] = null;
  return {
    add: (time: string | null): void => {
      if (time === null) return;
      const { first, last } = range ?? { first: time, last: time };
      range = { first: time < first ? time : first, last: time > last ? time : last };
    },
    range: (): FoundCalls["times"] => range,
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
    ...{ calls, sessions, times, leftOut },
    agents: agents.sort((a, b) => b.calls - a.calls),
    judged: tally.judged(),
    judgedByDefaults: tally.judgedByDefaults(),
    decisions: tally.decisions(),
    hooks: tally.hooks(),
    notJudged: notJudgedParts(found, unreadableAgents),
  };
}

/** Selected calls that could not be read or judged. */
export const notJudgedParts = (
  { unread, unjudged }: Pick<FoundCalls, "unread" | "unjudged">,
  unreadableAgents: readonly string[],
): readonly NotJudged[] => [...unreadParts(unread), ...unjudgedParts(unjudged), ...agentParts(unreadableAgents)];

const unreadParts = (unread: UnreadCounts): readonly NotJudged[] => [
  ...part("broken_lines", unread.brokenLines),
  ...part("long_lines", unread.longLines),
  ...part("unreadable_calls", unread.unreadableCalls),
  ...part("calls_without_folder", unread.callsWithoutFolder),
  ...part("files", unread.files.size, [...unread.files].map(([path, why]) => `${path}: ${why}`)[0]),
];

const unjudgedParts = (unjudged: FoundCalls["unjudged"]): readonly NotJudged[] =>
  [...unjudged].flatMap(([why, count]) => part("unjudged_calls", count, why));

const agentParts = (agents: readonly string[]): readonly NotJudged[] =>
  agents.flatMap((agent) => part("agents", 1, agent));

const part = (what: NotJudged["what"], count: number, detail = ""): readonly NotJudged[] =>
  count === 0 ? [] : [{ what, count, detail }];
