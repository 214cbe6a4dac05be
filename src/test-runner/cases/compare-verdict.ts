import { Script } from "node:vm";
import { itemsOf, type JsonSpan, membersOf, spanOfRaw, stringOf } from "../../protocol/json/read.ts";
import type { Verdict, VerdictDecision } from "../../protocol/verdict.ts";
import type { CaseRun } from "./run-case.ts";
import type { Expectation, ListPattern, TextPattern } from "./test-case.ts";

/** An expectation that was not met, with both sides as text. */
export interface Mismatch {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

/** The decision as the screen and the case files call it. */
export const decisionWord = (decision: VerdictDecision): string => (decision === "continue" ? "allow" : decision);

/** Everything that came out otherwise than expected, the decision first. */
export const mismatches = (expected: Expectation, outcome: CaseRun): readonly Mismatch[] => [
  ...compareDecision(expected, outcome.verdict),
  ...compareValues(expected, outcome),
  ...compareLists(expected, outcome.verdict),
  ...compareProcess(expected, outcome.invocations),
];

function compareDecision({ decision, reason }: Expectation, verdict: Verdict): readonly Mismatch[] {
  const found = verdict.reason ?? "no reason";
  return [
    ...unless(decision === undefined || decision === verdict.decision, () => ({
      what: "the decision",
      expected: decisionWord(decision ?? "continue"),
      found: decisionWord(verdict.decision),
    })),
    ...(reason === undefined || (verdict.reason !== null && fitsText(reason, verdict.reason))
      ? []
      : [{ what: "a reason with", expected: patternText(reason), found }]),
  ];
}

function compareValues(expected: Expectation, { verdict, state }: CaseRun): readonly Mismatch[] {
  const { members } = verdict.payload;
  const fits = (found: JsonSpan | undefined, wanted: JsonSpan): boolean =>
    expected.isExact ? found !== undefined && isSameJson(found, wanted) : hasPart(found, wanted);
  const compare = (what: string, wanted: JsonSpan | undefined, found: JsonSpan | undefined): readonly Mismatch[] =>
    wanted === undefined || fits(found, wanted)
      ? []
      : [{ what, expected: wanted.raw, found: found?.raw ?? "none: the event has no such field" }];
  const change = spanOfRaw(verdict.change ?? "null");
  return [
    ...compare("the input", expected.input, members.get("tool_input")),
    ...compare("the output", expected.output, members.get("tool_output")),
    ...compare("the state", expected.state, state),
    ...(expected.change === undefined || isSameJson(expected.change, change)
      ? []
      : [{ what: "the change", expected: expected.change.raw, found: change.raw }]),
  ];
}

function compareLists(expected: Expectation, verdict: Verdict): readonly Mismatch[] {
  const rows = [
    ["the context", expected.context, verdict.context],
    ["the follow-ups", expected.followUps, verdict.followUps],
    ["the pushes", expected.pushes, verdict.pushes],
  ] as const;
  return rows.flatMap(([what, wanted, found]) =>
    wanted === undefined || fitsList(wanted, found)
      ? []
      : [{ what, expected: listText(wanted), found: JSON.stringify(found) }],
  );
}

function compareProcess(expected: Expectation, invocations: CaseRun["invocations"]): readonly Mismatch[] {
  const { exitCode, stderr, maxMs } = expected;
  const result = invocations.at(-1)?.result ?? null;
  const exit = result === null ? "none: it was not started" : String(result.exitCode ?? `none: ${result.signal}`);
  const took = result?.durationMs ?? 0;
  return [
    ...unless(exitCode === undefined || exitCode === result?.exitCode, () => ({
      what: "the exit code",
      expected: String(exitCode),
      found: exit,
    })),
    ...(stderr === undefined || fitsText(stderr, result?.stderr ?? "")
      ? []
      : [{ what: "stderr with", expected: patternText(stderr), found: result?.stderr || "nothing" }]),
    ...unless(maxMs === undefined || took <= maxMs, () => ({
      what: "at most",
      expected: `${maxMs} ms`,
      found: `${Math.round(took)} ms`,
    })),
  ];
}

const unless = (isMet: boolean, mismatch: () => Mismatch): readonly Mismatch[] => (isMet ? [] : [mismatch()]);

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
  if ("contains" in pattern) return text.includes(pattern.contains);
  const script = new Script('new RegExp(source, "u").test(text)');
  try {
    return script.runInNewContext({ source: pattern.matches, text }, { timeout: REGEX_TIMEOUT_MS }) === true;
  } catch {
    return false;
  }
}

const fitsList = (pattern: ListPattern, texts: readonly string[]): boolean =>
  isList(pattern) ? JSON.stringify(pattern) === JSON.stringify(texts) : fitsText(pattern, texts.join("\n"));

const patternText = (pattern: TextPattern): string =>
  "contains" in pattern ? pattern.contains : `/${pattern.matches}/`;

const listText = (pattern: ListPattern): string => (isList(pattern) ? JSON.stringify(pattern) : patternText(pattern));

const isList = (pattern: ListPattern): pattern is readonly string[] => Array.isArray(pattern);
