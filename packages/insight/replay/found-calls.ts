import { readSession, type SessionSource } from "./sessions/read-session.ts";
import { nothingUnread, type SessionRecord } from "./sessions/session-record.ts";

/** The calls that were found, and what could not be read. */
export type FoundCalls = ReturnType<typeof nothingFound>;

export const nothingFound = () => ({
  calls: 0,
  sessions: new Set<string>(),
  callsByAgent: new Map<string, number>(),
  /** The times of the first and the last call; null if no call has a time. */
  times: null as { readonly first: string; readonly last: string } | null,
  /** Calls that could not be judged: why -> how many. */
  unjudged: new Map<string, number>(),
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
      const { session, time, agent } = record;
      found.calls += 1;
      found.sessions.add(session);
      addTo(found.callsByAgent, agent ?? "hookctl");
      if (time !== null) {
        const { first, last } = found.times ?? { first: time, last: time };
        found.times = { first: time < first ? time : first, last: time > last ? time : last };
      }
      yield record;
    }
  }
}

export const addTo = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

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

/** Selected calls that could not be read or judged: number, kind, and an example or a reason. */
export interface NotJudged {
  readonly what: keyof typeof NOT_JUDGED;
  readonly count: number;
  readonly detail: string;
}

/** Why calls could not be read or judged, for one and for many. */
export const NOT_JUDGED = {
  broken_lines: {
    one: "line is broken, or not a call of a known agent",
    many: "lines are broken, or not calls of a known agent",
  },
  long_lines: { one: "line or file is too long", many: "lines or files are too long" },
  unreadable_calls: {
    one: "program called tools, but the session file does not contain their commands",
    many: "programs called tools, but the session files do not contain their commands",
  },
  calls_without_folder: { one: "call has no known folder", many: "calls have no known folder" },
  files: { one: "file could not be opened", many: "files could not be opened" },
  unjudged_calls: { one: "call could not be judged by any hook", many: "calls could not be judged by any hook" },
  agents: { one: "agent has its own format of session files", many: "agents have their own formats of session files" },
} as const;

/** `unreadableAgents`: agents whose own files cannot be read, with the reason. */
export function notJudgedIn({ unread, unjudged }: FoundCalls, unreadableAgents: readonly string[]) {
  const { brokenLines, longLines, unreadableCalls, callsWithoutFolder, files } = unread;
  const [file] = files;
  const parts: readonly NotJudged[] = [
    { what: "broken_lines", count: brokenLines, detail: "" },
    { what: "long_lines", count: longLines, detail: "" },
    { what: "unreadable_calls", count: unreadableCalls, detail: "" },
    { what: "calls_without_folder", count: callsWithoutFolder, detail: "" },
    { what: "files", count: files.size, detail: file?.join(": ") ?? "" },
    ...[...unjudged].map(([detail, count]): NotJudged => ({ what: "unjudged_calls", count, detail })),
    ...unreadableAgents.map((detail): NotJudged => ({ what: "agents", count: 1, detail })),
  ];
  return parts.filter(({ count }) => count > 0);
}
