import { eventRow } from "../contract/event.ts";
import { membersOf, readJson } from "../contract/json.ts";
import { targetText } from "../contract/payload.ts";
import type { ChangedMember } from "../contract/run-record.ts";
import type { Verdict } from "../contract/verdict.ts";
import { type Redact, redactedJson } from "../record/redact.ts";

/** The members of the target that are different now. For eyes, so redacted: the answer itself keeps every value. */
export function changedMembers({ event, sent, change }: Verdict, redact: Redact): readonly ChangedMember[] {
  if (change === null) return [];
  const { target } = eventRow(event);
  const prefix = typeof target === "string" ? target : "input";
  const [before, after] = [membersIn(targetText(sent)), membersIn(change)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  const shown = (raw: string | undefined): string | null => (raw === undefined ? null : redactedJson(raw, redact));
  return keys.map((key) => ({
    path: key === "" ? prefix : `${prefix}.${key}`,
    before: shown(before.get(key)),
    after: shown(after.get(key)),
  }));
}

/** Member -> raw text; a value that is no object is one nameless member. */
function membersIn(raw: string | null): ReadonlyMap<string, string> {
  const read = raw === null ? null : readJson(raw, Number.POSITIVE_INFINITY);
  if (!read?.ok) return new Map();
  if (read.value.kind !== "object") return new Map([["", read.value.raw]]);
  return new Map([...membersOf(read.value)].map(([key, span]) => [key, span.raw]));
}
