import { type Redact, redactJson } from "../../audit/redact.ts";
import { eventRow } from "../../protocol/event.ts";
import { membersOf, spanOfRaw } from "../../protocol/json/read.ts";
import { targetValue } from "../../protocol/payload.ts";
import type { FieldChange } from "../../protocol/run-record.ts";
import type { Verdict } from "../../protocol/verdict.ts";

/** The members of the target that are different now. For eyes, so redacted: the answer itself keeps every value. */
export function changedFields({ event, sent, change }: Verdict, redact: Redact): readonly FieldChange[] {
  if (change === null) return [];
  const { target } = eventRow(event);
  const prefix = typeof target === "string" ? target : "input";
  const [before, after] = [membersIn(targetValue(sent)), membersIn(change)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  const shown = (raw: string | undefined): string | null => (raw === undefined ? null : redactedStart(raw, redact));
  return keys.map((key) => ({
    path: key === "" ? prefix : `${prefix}.${key}`,
    before: shown(before.get(key)),
    after: shown(after.get(key)),
  }));
}

/** Of a long value only its beginning is looked at, and shorter again than what was redacted: half a token has no shape. */
function redactedStart(raw: string, redact: Redact): string {
  return raw.length <= LONGEST ? redactJson(raw, redact) : `${redact(raw.slice(0, LONGEST)).slice(0, SHOWN)}…`;
}

const LONGEST = 64 * 1024;
const SHOWN = 4 * 1024;

/** Member -> raw text; a value that is no object is one nameless member. */
function membersIn(raw: string | null): ReadonlyMap<string, string> {
  if (raw === null) return new Map();
  const span = spanOfRaw(raw);
  if (span.kind !== "object") return new Map([["", raw]]);
  return new Map([...membersOf(span)].map(([key, member]) => [key, member.raw]));
}
