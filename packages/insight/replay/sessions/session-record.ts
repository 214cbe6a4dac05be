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
import type { RecordedCall } from "../recorded-call.ts";

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
export interface UnreadCounts {
  /** Lines that are no JSON object, or not of a known agent. */
  brokenLines: number;
  longLines: number;
  /** Calls without a record of their arguments. */
  unreadableCalls: number;
  /** Calls without a known folder. */
  callsWithoutFolder: number;
  /** Files that could not be opened: path -> why. */
  readonly files: Map<string, string>;
}

export const nothingUnread = (): UnreadCounts => ({
  brokenLines: 0,
  longLines: 0,
  unreadableCalls: 0,
  callsWithoutFolder: 0,
  files: new Map(),
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

/** The exported fields of a call beside its payload. */
interface CorpusCall extends Pick<SessionRecord, "time" | "agent" | "cwd"> {
  readonly id: string;
  readonly event: EventName;
  readonly payload: string;
  readonly madeIn: NonNullable<RecordedCall["madeIn"]>;
}

/** A longer call would make a corpus of whole files. */
const LONGEST_PAYLOAD = 16 * 1024;
const HOME = "/home/user";
/** Fields that no hook judges by, and that show who worked when. */
const LEFT_OUT = ["native", "conv_id", "tool_user_id"];

/**
 * One line of a corpus: a call without its secrets, its ids and the name of the home directory. Null if it is too long.
 */
export function corpusLine({ payload, madeIn, cwd, time, ...call }: CorpusCall, redact: Redact): string | null {
  if (payload.length > LONGEST_PAYLOAD) return null;
  const members = [...membersOf(spanOfRaw(payload))].flatMap(withoutIds);
  const moved = (text: string): string => text.replaceAll(homeIn(madeIn.home), HOME);
  const kept = moved(redactJson(objectOf(members).raw, redact));
  const places = { cwd: moved(redact(cwd)), home: HOME, project: moved(redact(madeIn.project)) };
  const day = time === null ? null : time.slice(0, 10);
  return `${printableJson({ schema: CORPUS_SCHEMA, ...call, time: day, ...places, payload: rawJson(kept) })}\n`;
}

/** A hook may judge by who makes the call: the agent's name and the subagent's type stay. */
function withoutIds([name, span]: JsonMember): readonly JsonMember[] {
  if (LEFT_OUT.includes(name)) return [];
  if (name !== "agent" || span.kind !== "object") return [[name, span]];
  const kept = [...membersOf(span)].filter(([key]) => key !== "session");
  return [[name, objectOf(kept.map(([key, value]) => [key, key === "subagent" ? withoutId(value) : value]))]];
}

const withoutId = (span: JsonSpan): JsonSpan =>
  span.kind === "object" ? objectOf([...membersOf(span)].filter(([key]) => key !== "id")) : span;

const homeIn = (home: string): RegExp => new RegExp(`${home.replace(/[^\w/]/g, "\\$&")}(?![\\w.-])`, "g");
