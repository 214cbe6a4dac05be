import type * as z from "zod";
import type { PathKey } from "../../config/located-yaml.ts";
import { type JsonSpan, membersOf } from "../../protocol/json/read.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { fileSchema, filledCaseSchema } from "./case-schema.ts";
import type { CaseSubject, Expectation, ListPattern, TestCase, TextPattern } from "./test-case.ts";

export type FileValues = z.infer<typeof fileSchema>;
type CaseValues = z.infer<typeof filledCaseSchema>;
type Expected = CaseValues["expect"];

/** A case after the schema accepted it: its values, and its JSON, in which numbers keep their digits. */
export interface FilledValues {
  readonly checked: CaseValues;
  readonly span: JsonSpan;
  /** What the file says for all of its cases. */
  readonly shared: FileValues;
}

interface ValueFault {
  readonly path: readonly PathKey[];
  readonly detail: string;
}

/** Joins a case with what its file says for all, and checks what the schema cannot. */
export function caseFrom(
  { checked, span, shared }: FilledValues,
  at: Pick<TestCase, "file" | "line">,
): Result<TestCase, ValueFault> {
  const subject = subjectOf(checked, shared);
  if (!subject.ok) return subject;
  const members = membersOf(span);
  const expect = membersOf(members.get("expect") ?? EMPTY);
  if (expect.size === 0) return fail({ path: ["expect"], detail: "nothing is expected" });
  const badPattern = regexFault(checked.expect);
  if (badPattern !== null) return fail(badPattern);
  return ok({
    ...at,
    name: checked.name,
    subject: subject.value,
    event: checked.event ?? shared.event ?? null,
    payload: membersOf(members.get("payload") ?? EMPTY),
    expected: expectationOf(checked.expect, expect),
  });
}

const EMPTY: JsonSpan = { kind: "object", raw: "{}" };
const SUBJECT_KEYS = ["hook", "rule"] as const;

/** A case's own subject replaces that of its file. */
function subjectOf(checked: CaseValues, shared: FileValues): Result<CaseSubject, ValueFault> {
  const [own, common] = [checked, shared].map((values) =>
    SUBJECT_KEYS.flatMap((kind) => (values[kind] === undefined ? [] : [{ kind, name: values[kind] }])),
  );
  const named = own?.length ? own : (common ?? []);
  const [subject, second] = named;
  if (subject === undefined) return fail({ path: [], detail: `it names no hook: ${SUBJECT_KEYS.join(" or ")}` });
  if (second === undefined) return ok(subject);
  return fail({ path: [], detail: `it has ${subject.kind} and ${second.kind}; only one of them is allowed` });
}

/** Payloads and changes stay raw text, so that numbers keep their digits. */
const expectationOf = (values: Expected, written: ReadonlyMap<string, JsonSpan>): Expectation => ({
  decision: values.decision === "allow" ? "continue" : values.decision,
  reason: textPattern(values.reason),
  input: written.get("input"),
  output: written.get("output"),
  isExact: values.exact ?? false,
  change: written.get("change"),
  context: listPattern(values.context ?? values.additional_context),
  followUps: listPattern(values.follow_ups ?? values.follow_up_messages),
  pushes: listPattern(values.pushes),
  exitCode: values.exit_code,
  stderr: textPattern(values.stderr),
  maxMs: values.max_ms,
});

const textPattern = (value: Expected["reason"]): TextPattern | undefined =>
  typeof value === "string" ? { contains: value } : value;

const listPattern = (value: Expected["context"]): ListPattern | undefined =>
  typeof value === "string" ? { contains: value } : value;

const PATTERN_KEYS = [
  ...(["reason", "stderr", "context", "additional_context"] as const),
  ...(["follow_ups", "follow_up_messages", "pushes"] as const),
];

function regexFault(expected: Expected): ValueFault | null {
  for (const key of PATTERN_KEYS) {
    const value = expected[key];
    if (typeof value !== "object" || !("matches" in value)) continue;
    try {
      new RegExp(value.matches, "u");
    } catch (error) {
      return { path: ["expect", key, "matches"], detail: error instanceof Error ? error.message : "not valid" };
    }
  }
  return null;
}
