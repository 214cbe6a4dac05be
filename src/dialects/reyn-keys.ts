import type { JsonObject } from "../contract/json.ts";
import { readPush } from "../contract/push.ts";
import type { ReplyKey, ReplyPart } from "./dialect.ts";
import { valueKey } from "./keys.ts";

const STRICT = ["push_when", "wake", "message"];

/** Reyn's push directive: `{"push_when", "wake", "message", "session"?}`. Any fault in it skips the push, nothing else. */
export const reynKeys: readonly ReplyKey[] = [
  {
    key: "push_when",
    isDeciding: false,
    wanted: "true or false",
    read: (_value, _event, members) => directive(members),
  },
  valueKey("wake", () => ({})),
  valueKey("session", () => ({})),
];

function directive(members: JsonObject): ReplyPart {
  const missing = STRICT.find((key) => (members.get(key)?.kind ?? "null") === "null");
  if (missing !== undefined) return skipped(`it has no "${missing}"`);
  const own = [...members].filter(([key]) => STRICT.includes(key) || key === "session");
  const raw = `{${own.map(([key, span]) => `${JSON.stringify(key)}:${span.raw}`).join(",")}}`;
  const push = readPush({ kind: "object", raw });
  if (push === null) return skipped("push_when and wake are true or false, message and session are texts");
  return push.isWanted ? { pushes: [raw] } : {};
}

const skipped = (detail: string): ReplyPart => ({ warnings: [{ code: "PUSH_SKIPPED", hook: "", detail }] });
