import { EVENT_ROWS } from "../protocol/event.ts";
import { parsePush } from "../protocol/hook-response.ts";
import { itemsOf, type JsonSpan, membersOf } from "../protocol/json/read.ts";
import { type JsonRecord, rawJson } from "../protocol/json/write.ts";
import { truncate } from "../protocol/text/text.ts";
import { emptyAnswer, metadataJson, type Verdict } from "../protocol/verdict.ts";
import type { Dialect, ResponseKey } from "./dialect.ts";
import {
  decidingKey,
  flagKey,
  inputPart,
  listKey,
  listOfTexts,
  objectKey,
  outputPart,
  textKey,
  textsKey,
  valueKey,
  wordKey,
} from "./response/response-keys.ts";

const EXPECTED =
  'an object with "set" (an object), "delete" (a key or a list of keys) and "increment" (an object of numbers)';
const KEYS = ["set", "delete", "increment"];

/** `state {set, delete, increment}`. Read strictly, so that a patch is applied as a whole or not at all. */
const stateKey: ResponseKey = {
  key: "state",
  isDeciding: false,
  expected: EXPECTED,
  read: (value) => {
    if (value.kind !== "object") return null;
    const members = new Map([...membersOf(value)].filter(([, span]) => span.kind !== "null"));
    const set = rawMembers(members.get("set"));
    const increment = rawMembers(members.get("increment"), "number");
    const remove = keysOf(members.get("delete"));
    if (set === null || increment === null || remove === null) return null;
    const unknown = [...members.keys()].find((key) => !KEYS.includes(key));
    if (unknown === undefined) return { state: { set, remove, increment } };
    const found = `an object with "${truncate(unknown, 40)}"`;
    const fault = { code: "REPLY_WRONG_TYPE", key: "state", expected: EXPECTED, found } as const;
    return { isRead: false, unread: [{ fault, loss: "detail" }] };
  },
};

function rawMembers(span: JsonSpan | undefined, kind?: JsonSpan["kind"]): ReadonlyMap<string, string> | null {
  if (span === undefined) return new Map();
  if (span.kind !== "object") return null;
  const members = [...membersOf(span)];
  if (kind !== undefined && members.some(([, value]) => value.kind !== kind)) return null;
  return new Map(members.map(([key, value]) => [key, value.raw]));
}

function keysOf(span: JsonSpan | undefined): readonly string[] | null {
  if (span === undefined) return [];
  // Reading null as an empty string would delete an unnamed key.
  const hasNull = span.kind === "array" && itemsOf(span).some(({ kind }) => kind === "null");
  return hasNull ? null : listOfTexts(span);
}

/** kodelet's format (ADR 021) and hookctl's additional keys, which every hook may use. */
export const kodelet: Dialect = {
  name: "kodelet",
  envelope: { mark: null, kinds: {}, fields: {} },
  aliases: {},
  extraFields: {},
  responseKeys: [
    decidingKey(flagKey("blocked", (isBlocked) => (isBlocked ? { decision: "block" } : {}))),
    textKey("reason", (reason) => ({ reason })),
    valueKey("input", inputPart),
    valueKey("output", outputPart),
    {
      ...textKey("message", () => ({})),
      isValue: true,
      read: (value, event, members) => {
        // In a push directive this key is the pushed message.
        if (members.has("push_when")) return {};
        return event.target === "message" ? { change: value.raw } : { isOutOfPlace: true };
      },
    },
    textsKey("follow_up_messages", (followUps) => ({ followUps })),
    textsKey("additional_context", (context) => ({ context })),
    wordKey("additional_context_mode", {
      append: () => ({ contextMode: "append" }),
      overwrite: () => ({ contextMode: "overwrite" }),
    }),
    listKey("pushes", 'a list of objects with a text "message", "wake" and "push_when" true or false', (items) => {
      const pushes = items.map((item) => ({ raw: item.raw, push: parsePush(item) }));
      if (pushes.some(({ push }) => push === null)) return null;
      return { pushes: pushes.flatMap(({ raw, push }) => (push?.isWanted ? [raw] : [])) };
    }),
    stateKey,
    textKey("system_message", (systemMessage) => ({ systemMessage })),
    objectKey("metadata", (value) => ({ metadata: value.raw })),
    textsKey("warnings", (texts) => ({ warnings: texts.map((text) => ({ code: "FROM_HOOK", hook: "", text })) })),
    decidingKey(
      wordKey("decision", {
        allow: () => ({ decision: "allow" }),
        approve: () => ({ decision: "allow" }),
        ask: () => ({ decision: "ask" }),
        deny: () => ({ decision: "block" }),
        block: () => ({ decision: "block" }),
      }),
    ),
  ],
  formatVerdict: verdictOut,
};

/** The output of `run`: kodelet's keys, and hookctl's additional keys if they have a value. */
function verdictOut(verdict: Verdict): JsonRecord {
  const row = EVENT_ROWS[verdict.event];
  const { turns } = verdict;
  const isStopped = verdict.decision !== "continue";
  const changeKey = row.target === "message" ? "message" : row.phase === "pre" ? "input" : "output";
  const change = verdict.change === null ? undefined : rawJson(verdict.change);
  return {
    // Every key by its name: an object with a computed one takes ten times as long to make.
    blocked: isStopped ? true : emptyAnswer(row).blocked,
    reason: verdict.reason ?? undefined,
    message: changeKey === "message" ? change : undefined,
    input: changeKey === "input" ? change : undefined,
    output: changeKey === "output" ? change : undefined,
    follow_up_messages: someOf(verdict.followUps),
    decision: verdict.decision === "ask" ? "ask" : verdict.isAllowed ? "allow" : undefined,
    additional_context: someOf(verdict.context),
    pushes: someOf(verdict.pushes)?.map(rawJson),
    hook_driven_turns: turns?.isOver ? { count: turns.count, limit: turns.limit, over: true } : undefined,
    system_message: verdict.systemMessage ?? undefined,
    warnings: someOf(verdict.warnings),
    metadata: metadataJson(verdict),
  };
}

const someOf = <T>(items: readonly T[]): readonly T[] | undefined => (items.length > 0 ? items : undefined);
