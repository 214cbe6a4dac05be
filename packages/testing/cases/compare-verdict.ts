import { Script } from "node:vm";
import { itemsOf, type JsonSpan, membersOf, spanOfRaw, stringOf } from "../../../src/protocol/json/read.ts";
import type { ExpectedValues, ListPattern, TextPattern } from "./case-schema.ts";
import type { CaseRun, TestCase } from "./test-case.ts";

/** An expectation that was not met, with both sides as text. */
export interface Mismatch {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

/** The decision as the screen and the case files call it. */
export const decisionWord = (decision: NonNullable<ExpectedValues["decision"]>): string =>
  decision === "continue" ? "allow" : decision;

/** The first difference from the expected result, of which the decision comes first. */
export function firstMismatch(
  { values, written }: NonNullable<TestCase["expected"]>,
  { verdict, state, invocations }: CaseRun,
): Mismatch | undefined {
  const { members } = verdict.payload;
  const result = invocations.at(-1)?.result ?? null;
  const change = spanOfRaw(verdict.change ?? "null");
  const expectedChange = written.get("change");
  const exitCode = result === null ? "none: it was not started" : String(result.exitCode ?? `none: ${result.signal}`);
  const tookMs = result?.durationMs ?? 0;
  const part = (what: string, expected: JsonSpan | undefined, found: JsonSpan | undefined): Mismatch | undefined => {
    if (expected === undefined || found === undefined)
      return unequal(what, expected?.raw, "none: the event has no such field");
    const isMet = values.exact === true ? isSameJson(found, expected) : hasPart(found, expected);
    return isMet ? undefined : { what, expected: expected.raw, found: found.raw };
  };
  return (
    unequal("the decision", values.decision && decisionWord(values.decision), decisionWord(verdict.decision)) ??
    unmatched("a reason with", values.reason, verdict.reason, "no reason") ??
    part("the input", written.get("input"), members.get("tool_input")) ??
    part("the output", written.get("output"), members.get("tool_output")) ??
    part("the state", written.get("state"), state) ??
    (expectedChange === undefined || isSameJson(expectedChange, change)
      ? undefined
      : { what: "the change", expected: expectedChange.raw, found: change.raw }) ??
    otherList("the context", values.context ?? values.additional_context, verdict.context) ??
    otherList("the follow-ups", values.follow_ups ?? values.follow_up_messages, verdict.followUps) ??
    otherList("the pushes", values.pushes, verdict.pushes) ??
    unequal("the exit code", values.exit_code?.toString(), exitCode) ??
    unmatched("stderr with", values.stderr, result?.stderr ?? "", "nothing") ??
    (values.max_ms === undefined || tookMs <= values.max_ms
      ? undefined
      : { what: "at most", expected: `${values.max_ms} ms`, found: `${Math.round(tookMs)} ms` })
  );
}

const unequal = (what: string, expected: string | undefined, found: string): Mismatch | undefined =>
  expected === undefined || expected === found ? undefined : { what, expected, found };

function unmatched(what: string, pattern: TextPattern | undefined, text: string | null, none: string) {
  if (pattern === undefined || (text !== null && fitsText(pattern, text))) return undefined;
  return { what, expected: patternText(pattern), found: text || none };
}

function otherList(what: string, pattern: ListPattern | undefined, texts: readonly string[]): Mismatch | undefined {
  const found = JSON.stringify(texts);
  if (Array.isArray(pattern)) return unequal(what, JSON.stringify(pattern), found);
  if (pattern === undefined || fitsText(pattern, texts.join("\n"))) return undefined;
  return { what, expected: patternText(pattern), found };
}

const patternText = (pattern: TextPattern): string => (typeof pattern === "string" ? pattern : `/${pattern.matches}/`);

/** Compares as values: key order and white space do not matter, the digits of large numbers do. */
export const isSameJson = (a: JsonSpan, b: JsonSpan): boolean => canonical(a) === canonical(b);

/** True if an object has at least the members of the part, at every level; lists have as many items. */
export function hasPart(whole: JsonSpan | undefined, part: JsonSpan): boolean {
  if (whole?.kind !== part.kind) return false;
  if (part.kind === "object") {
    const members = membersOf(whole);
    return [...membersOf(part)].every(([key, value]) => hasPart(members.get(key), value));
  }
  if (part.kind !== "array") return isSameJson(whole, part);
  const [items, wanted] = [itemsOf(whole), itemsOf(part)];
  return items.length === wanted.length && wanted.every((value, index) => hasPart(items[index], value));
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

/** Far longer than any expression takes that does not run away. */
const REGEX_TIMEOUT_MS = 5000;

/** False also for a regular expression that takes seconds: a case must not be able to hang the runner. */
export function fitsText(pattern: TextPattern, text: string): boolean {
  if (typeof pattern === "string") return text.includes(pattern);
  const script = new Script('new RegExp(source, "u").test(text)');
  try {
    return script.runInNewContext({ source: pattern.matches, text }, { timeout: REGEX_TIMEOUT_MS }) === true;
  } catch {
    return false;
  }
}
