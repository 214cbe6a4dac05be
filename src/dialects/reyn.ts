import { parsePush, pushFromRaw } from "../protocol/hook-response.ts";
import { type JsonObject, type JsonSpan, objectOf } from "../protocol/json/read.ts";
import type { JsonRecord } from "../protocol/json/write.ts";
import type { Verdict } from "../protocol/verdict.ts";
import type { Dialect, ResponseKey, ResponsePart } from "./dialect.ts";
import { valueKey } from "./response/response-keys.ts";

const STRICT = ["push_when", "wake", "message"];

/** Reyn: `{"push_when", "wake", "message", "session"?}` pushes a message. There are no other responses. */
export const reyn: Dialect = {
  name: "reyn",
  envelope: { mark: null, kinds: {}, fields: {} },
  aliases: { point: "event" },
  // If the caller uses `point` for a value that is not a string, that value stays.
  extraFields: { point: ({ event, members }) => (isOtherwiseUsed(members.get("point")) ? undefined : event) },
  responseKeys: [
    {
      key: "push_when",
      isDeciding: false,
      expected: "true or false",
      read: (_value, _event, members) => directive(members),
    },
    valueKey("wake", () => ({})),
    valueKey("session", () => ({})),
  ] satisfies readonly ResponseKey[],
  formatVerdict: verdictOut,
};

const isOtherwiseUsed = (point: JsonSpan | undefined): boolean => !["string", "null", undefined].includes(point?.kind);

/** A fault in a directive skips only the push. */
function directive(members: JsonObject): ResponsePart {
  const missing = STRICT.find((key) => (members.get(key)?.kind ?? "null") === "null");
  if (missing !== undefined) return skipped(`it has no "${missing}"`);
  const own = objectOf([...members].filter(([key]) => STRICT.includes(key) || key === "session"));
  const push = parsePush(own);
  if (push === null) return skipped("push_when and wake are true or false, message and session are texts");
  return push.isWanted ? { pushes: [own.raw] } : {};
}

const skipped = (detail: string): ResponsePart => ({ warnings: [{ code: "PUSH_SKIPPED", hook: "", detail }] });

/**
 * Returns a list of directives. Context becomes a push without `wake`, a follow-up one with it. Reyn has no response
 * for a block: the exit code stops its caller, and the reason is pushed. A change cannot be expressed.
 */
function verdictOut({ decision, reason, context, followUps, pushes }: Verdict): readonly JsonRecord[] {
  const why = decision === "continue" ? [] : [`blocked by hook: ${reason ?? ""}`];
  return [
    ...[...context, ...why].map((message) => push(message, false)),
    ...followUps.map((message) => push(message, true)),
    ...pushes.map(pushFromRaw).map(({ message, wake, session }) => push(message, wake, session)),
  ];
}

const push = (message: string, wake: boolean, session: string | null = null): JsonRecord => ({
  push_when: true,
  wake,
  message,
  session: session ?? undefined,
});
