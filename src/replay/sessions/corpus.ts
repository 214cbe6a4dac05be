import { AGENT_NAMES } from "../../agents/agent.ts";
import { findEvent } from "../../protocol/event.ts";
import { isObject, stringOr, type UncheckedObject } from "../../protocol/json/read.ts";
import { printableJson, rawJson } from "../../protocol/json/write.ts";
import type { RecordedCall } from "../recorded-call.ts";
import type { SessionRecord } from "./session-record.ts";

export const CORPUS_SCHEMA = "hookctl.call/1";

/** A call of a corpus, as `--export` has written it; null: a field is missing. */
export function readCorpusLine(entry: UncheckedObject): SessionRecord | null {
  const { id, time, agent, session, cwd, home, project, payload } = entry;
  const event = findEvent(stringOr(entry.event))?.event;
  const isComplete = [id, cwd, home, project].every((one) => typeof one === "string") && isObject(payload);
  if (event === undefined || !isComplete) return null;
  const text = JSON.stringify(payload);
  return {
    ...{ id: stringOr(id), session: stringOr(session), callId: "", cwd: stringOr(cwd), likeness: text },
    time: stringOr(time) || null,
    agent: AGENT_NAMES.find((name) => name === agent) ?? null,
    madeIn: { home: stringOr(home), project: stringOr(project) },
    recorded: () => ({ event, payload: text }),
  };
}

type CorpusCall = Pick<SessionRecord, "id" | "time" | "agent" | "session" | "cwd"> &
  Pick<RecordedCall, "event" | "payload"> &
  NonNullable<RecordedCall["madeIn"]>;

/** One line of a corpus: a call with all that guards need to judge it on another machine. */
export const corpusLine = ({ payload, ...call }: CorpusCall): string =>
  `${printableJson({ schema: CORPUS_SCHEMA, ...call, payload: rawJson(payload) })}\n`;
