import { EMPTY_TEXT, type JsonSpan, membersOf, NULL, objectOf } from "../json/read.ts";

const SUBAGENT: JsonSpan = { kind: "string", raw: '"subagent"' };
const UNKNOWN_SUBAGENT: JsonSpan = { kind: "object", raw: '{"type":null,"id":null}' };

/**
 * Completes `agent` from the other fields, and `invoked_by` from `agent`. A text, as in Base Coat's envelope, is the
 * agent's name. A value of another type is left for the check of the fields.
 */
export function addCallingAgent(members: Map<string, JsonSpan>): void {
  const sent = members.get("agent") ?? NULL;
  if (sent.kind !== "object" && sent.kind !== "string" && sent.kind !== "null") return;
  const own = sent.kind === "object" ? membersOf(sent) : new Map([["name", filledOr(sent, NULL)]]);
  const isInside = own.get("subagent")?.kind === "object";
  if (isInside) members.set("invoked_by", filledOr(members.get("invoked_by"), SUBAGENT));
  const filled = new Map([
    ["name", NULL],
    ["session", filledOr(members.get("conv_id"), EMPTY_TEXT)],
    ["subagent", members.get("invoked_by")?.raw === SUBAGENT.raw ? UNKNOWN_SUBAGENT : NULL],
  ]);
  if (sent.kind !== "object" || [...filled.keys()].some((key) => !own.has(key)))
    members.set("agent", objectOf(new Map([...filled, ...own])));
}

/** Go programs write null or an empty text for a field without a value. */
const filledOr = (span: JsonSpan | undefined, standIn: JsonSpan): JsonSpan =>
  span === undefined || span.kind === "null" || span.raw === EMPTY_TEXT.raw ? standIn : span;
