import { readSession, type SessionSource } from "./sessions/read-session.ts";
import { nothingUnread, type SessionRecord, type UnreadCounts } from "./sessions/session-record.ts";

/** The calls that were found, and what could not be read. */
export interface FoundCalls {
  readonly calls: number;
  readonly sessions: number;
  readonly callsByAgent: ReadonlyMap<string, number>;
  /** The times of the first and of the last call; null: none has one. */
  readonly times: { readonly first: string; readonly last: string } | null;
  /** Calls that could not be judged: why -> how many. */
  readonly unjudged: ReadonlyMap<string, number>;
  readonly unread: UnreadCounts;
}

export interface BacktestInput {
  readonly sources: readonly SessionSource[];
  readonly isMeant: (record: SessionRecord) => boolean;
  /** Called for each call that is meant, once. Returns why the call was not judged, or null. */
  readonly judge: (record: SessionRecord) => Promise<string | null>;
  /** Called often; lets timers and signals in. Returns true if the work has to end. */
  readonly pause: (calls: number) => Promise<boolean>;
}

/** Reads every call of the files and judges it. A call that several files hold counts once. */
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

/** True for a call that no earlier entry has told of: sessions are copied when they are resumed. */
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
