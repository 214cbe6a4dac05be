import type * as z from "zod";
import { nearestEvent } from "../../protocol/event.ts";
import { faultText, itemsOf, type JsonSpan, membersOf, readJson } from "../../protocol/json/read.ts";
import type { CaseProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { TestCase, TestCaseFile } from "../../protocol/test-case.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import { caseKeysAt, caseSchema } from "./case-schema.ts";

const DEPTH = 64;

/** Parses a file of test cases. The first fault is returned with its path. */
export function checkCases(text: string, file: string): Result<TestCaseFile, CaseProblem> {
  const read = readJson(text.replace(/^\ufeff/, ""), DEPTH);
  if (!read.ok) {
    return fail({ code: "CASE_NOT_PARSED", file, cause: `line ${read.error.line}: ${faultText(read.error)}` });
  }
  const checked = caseSchema().safeParse(JSON.parse(read.value.raw), { reportInput: true });
  if (!checked.success) return fail(problemOf(checked.error, file));
  const written = itemsOf(memberOf(read.value, "cases"));
  const cases = checked.data.cases.map((one, index) => caseOf(one, written[index] ?? read.value));
  return ok({ file, hook: checked.data.hook, cases });
}

type Checked = z.infer<ReturnType<typeof caseSchema>>["cases"][number];

/** Payloads and changes stay raw text, so that numbers keep their digits. */
function caseOf({ name, event, expect }: Checked, written: JsonSpan): TestCase {
  return {
    name,
    event,
    payload: membersOf(memberOf(written, "payload")),
    expected: {
      decision: expect.decision,
      reason: expect.reason,
      change: membersOf(memberOf(written, "expect")).get("change")?.raw,
      additionalContext: expect.additional_context,
      followUps: expect.follow_up_messages,
    },
  };
}

const memberOf = (span: JsonSpan, key: string): JsonSpan => membersOf(span).get(key) ?? { kind: "null", raw: "null" };

function problemOf(error: z.ZodError, file: string): CaseProblem {
  // First, because a misspelt key is also reported as a missing one.
  const issue = error.issues.find(({ code }) => code === "unrecognized_keys") ?? error.issues[0];
  const path = issue?.path ?? [];
  const place = path.length === 0 ? "the file" : placeOf(path);
  if (issue?.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    return { code: "CASE_UNKNOWN_KEY", file, place, key, nearest: nearest(key, caseKeysAt(path)) };
  }
  return { code: "CASE_BAD_VALUE", file, place, detail: detailOf(issue) };
}

/** `cases[1].expect.decision` */
const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .slice(1);

/** There are too many event names to list them all. */
function detailOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.path.at(-1) !== "event") return issue?.message ?? "not valid";
  const near = typeof issue.input === "string" ? nearestEvent(issue.input) : null;
  return `it is not the name of an event${near === null ? "" : `. Did you mean ${near}?`}`;
}
