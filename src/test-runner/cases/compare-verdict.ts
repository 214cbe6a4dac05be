import { itemsOf, type JsonSpan, membersOf, readJson, stringOf } from "../../protocol/json/read.ts";
import type { Expectation } from "../../protocol/test-case.ts";
import { truncate } from "../../protocol/text/text.ts";
import type { Verdict } from "../../protocol/verdict.ts";
import { type Finding, failedCheck, passedCheck } from "../test-report.ts";

const SHOWN = 200;

/** Passed, or the first thing that came out otherwise than expected. */
export function compareVerdict(expected: Expectation, verdict: Verdict, printed: readonly string[]): Finding {
  const { decision, reason, change, additionalContext, followUps } = expected;
  const looks: readonly (readonly [what: string, wanted: string | undefined, found: string, isSame: boolean])[] = [
    ["the decision", decision, verdict.decision, decision === verdict.decision],
    ["a reason with", reason, verdict.reason ?? "no reason", verdict.reason?.includes(reason ?? "") ?? false],
    ["the change", change, verdict.change ?? "null", isSameJson(change ?? "null", verdict.change ?? "null")],
    compareLists("the context", additionalContext, verdict.context),
    compareLists("the follow-ups", followUps, verdict.followUps),
  ];
  const wrong = looks.find(([, wanted, , isSame]) => wanted !== undefined && !isSame);
  if (wrong === undefined) return passedCheck();
  const [what, wanted = "", found] = wrong;
  return failedCheck(`expected ${what} ${truncate(wanted, SHOWN)}, got ${truncate(found, SHOWN)}`, "", printed);
}

function compareLists(what: string, wanted: readonly string[] | undefined, found: readonly string[]) {
  const [asked, given] = [wanted, found].map((list) => (list === undefined ? undefined : JSON.stringify(list)));
  return [what, asked, given ?? "", asked === given] as const;
}

/** Equal as values: the order of keys and white space do not matter, the digits of large numbers do. */
function isSameJson(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => readJson(text, Number.POSITIVE_INFINITY));
  return a?.ok === true && b?.ok === true && canonical(a.value) === canonical(b.value);
}

function canonical(span: JsonSpan): string {
  if (span.kind === "array") return `[${itemsOf(span).map(canonical).join(",")}]`;
  if (span.kind === "string") return JSON.stringify(stringOf(span));
  if (span.kind !== "object") return span.kind === "number" ? digits(span.raw) : span.raw;
  const members = [...membersOf(span)].map(([key, value]) => `${JSON.stringify(key)}:${canonical(value)}`);
  return `{${members.sort().join(",")}}`;
}

/** `1.0` is `1`; an integer that JavaScript would round stays as it was written. */
function digits(raw: string): string {
  const value = Number(raw);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? raw : String(value);
}
