import { type Redact, redactJson } from "../../../../src/audit/redact.ts";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { type EventName, findEvent } from "../../../../src/protocol/event.ts";
import {
  isObject,
  type JsonMember,
  type JsonSpan,
  membersOf,
  objectOf,
  spanOfRaw,
  stringOr,
  type UncheckedObject,
} from "../../../../src/protocol/json/read.ts";
import { printableJson, rawJson } from "../../../../src/protocol/json/write.ts";
import type { RecordedCall } from "../replay-project.ts";

/** A call in a session file or an exported one. Its payload is made only if the call is judged. */
export interface SessionRecord extends Pick<RecordedCall, "id" | "time" | "cwd" | "madeIn"> {
  readonly agent: AgentName | null;
  readonly session: string;
  /** The agent's id of the call; empty if it has none. */
  readonly callId: string;
  /** Equal for calls that differ only in their ids and times. */
  readonly likeness: string;
  /** Returns the call as hooks get it, or null if no event of hookctl corresponds to it. */
  readonly recorded: () => { readonly event: EventName; readonly payload: string } | null;
}

/** Lines and calls that could not be read, summed over all files. */
export type UnreadCounts = ReturnType<typeof nothingUnread>;

export const nothingUnread = () => ({
  /** Lines that are no JSON object, or not of a known agent. */
  brokenLines: 0,
  longLines: 0,
  /** Calls without a record of their arguments. */
  unreadableCalls: 0,
  /** Calls without a known folder. */
  callsWithoutFolder: 0,
  /** Files that could not be opened: path -> why. */
  files: new Map<string, string>(),
});

export const CORPUS_SCHEMA = "hookctl.call/1";

/** Reads a call of a corpus, which `--export` has written. Returns null if a field is missing. */
export function readCorpusLine(entry: UncheckedObject): SessionRecord | null {
  const { id, time, agent, session, cwd, home, project, payload } = entry;
  const event = findEvent(stringOr(entry.event))?.event;
  const isComplete = [id, cwd, home, project].every((one) => typeof one === "string") && isObject(payload);
  if (event === undefined || !isComplete) return null;
  const text = JSON.stringify(payload);
  return {
    id: stringOr(id),
    session: stringOr(session),
    callId: "",
    cwd: stringOr(cwd),
    likeness: text,
    time: stringOr(time) || null,
    agent: AGENT_NAMES.find((name) => name === agent) ?? null,
    madeIn: { home: stringOr(home), project: stringOr(project) },
    recorded: () => ({ event, payload: text }),
  };
}

/** A longer call would make a corpus of whole files. */
const LONGEST_PAYLOAD = 16 * 1024;
const HOME = "/home/user";
/** Fields that no hook judges by, and that show who worked when. */
const LEFT_OUT = ["native", "conv_id", "tool_user_id"];

/**
 * One line of a corpus: a call without its secrets, its ids and the name of the home directory. Null if it is too long, or
 * if no hook could get it.
 */
export function corpusLine({ agent, time, cwd, madeIn, recorded }: SessionRecord, own: Folders, redact: Redact) {
  const made = recorded();
  if (made === null || made.payload.length > LONGEST_PAYLOAD) return null;
  const { home, project } = madeIn ?? own;
  const moved = (text: string): string => text.replaceAll(homeIn(home), HOME);
  const payload = objectOf([...membersOf(spanOfRaw(made.payload))].flatMap(withoutIds));
  const call = {
    schema: CORPUS_SCHEMA,
    id: "",
    agent,
    event: made.event,
    time: time === null ? null : time.slice(0, 10),
    cwd: moved(redact(cwd)),
    home: HOME,
    project: moved(redact(project)),
    payload: rawJson(moved(redactJson(payload.raw, redact))),
  };
  return `${printableJson(call)}\n`;
}

type Folders = NonNullable<RecordedCall["madeIn"]>;

/** A hook may judge by who makes the call: the agent's name and the subagent's type stay. */
function withoutIds([name, span]: JsonMember): readonly JsonMember[] {
  if (LEFT_OUT.includes(name)) return [];
  if (name !== "agent" || span.kind !== "object") return [[name, span]];
  const named = [...membersOf(span)].filter(([key]) => key !== "session");
  return [[name, objectOf(named.map(([key, value]) => [key, key === "subagent" ? withoutId(value) : value]))]];
}

const withoutId = (span: JsonSpan): JsonSpan =>
  span.kind === "object" ? objectOf([...membersOf(span)].filter(([key]) => key !== "id")) : span;

const homeIn = (home: string): RegExp => new RegExp(`${home.replace(/[^\w/]/g, "\\$&")}(?![\\w.-])`, "g");
