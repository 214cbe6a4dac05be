import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countChecks, hasPassed } from "../../../packages/testing/test-report.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyReport, reportText } from "./reports.ts";

const text = { type: "string" } as const;
const record = (required: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}) => ({
  type: "object",
  required: Object.keys(required),
  additionalProperties: false,
  properties: { ...required, ...optional },
});
const list = (items: object) => ({ type: "array", items });
const [number, flag, maybe] = [{ type: "number" }, { type: "boolean" }, { type: ["string", "null"] }];

const crash = record({ file: text, line: number, message: text });
const evidence = record({}, { payload: text, response: text, expected: text, found: text, crash });
const check = record(
  { name: text, passed: flag, message: maybe, duration_ms: number },
  { hint: text, case_file: text, case_line: number, same_as: text, evidence },
);

const notRun = record({ why: { enum: ["bail", "interrupt", "unread"] }, hooks: number, checks: number });

const counts = { respellings: number, survived: number, score: { type: ["number", "null"] } };
const mutation = record({
  ...counts,
  cases: list(
    record(
      {
        name: text,
        case_file: text,
        case_line: number,
        expects: { enum: ["allow", "stop"] },
        respellings: number,
        untried: number,
        survived: number,
      },
      { stopped: { enum: ["timeout", "interrupt"] } },
    ),
  ),
  survivors: list(
    record({
      expects: { enum: ["allow", "stop"] },
      kind: text,
      count: number,
      examples: list(record({ case: text, command: text })),
    }),
  ),
});

const coverage = record(
  { unit: { enum: ["rules", "lines"] }, reached: number, total: number, missing: list(text) },
  { unknown_because: text },
);

/** The fields that docs/testing.md promises, and no others. */
const schema = record(
  {
    schema: { const: "hookctl.test/1" },
    hooks: list(
      record(
        {
          name: text,
          path: text,
          passed: flag,
          checks: list(check),
          left_out: list(record({ name: text, reason: text })),
          notes: list({ enum: ["never-blocks", "passes-without-it"] }),
        },
        { mutation, coverage },
      ),
    ),
    passed: number,
    failed: number,
    skipped: number,
    case_faults: list(record({ file: text, code: text, message: text, hint: text }, { line: number })),
    skipped_hooks: list(record({ name: text, path: text, reason: text, hint: text })),
    warnings: list(text),
    duration_ms: number,
  },
  { not_run: notRun, mutation: record(counts, { fail_under: number }) },
);

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

/** Half of a surrogate pair becomes U+FFFD in JSON: strict readers refuse it. */
const wellFormed = (report: Parameters<typeof reportText>[1]): typeof report =>
  JSON.parse(JSON.stringify(report).replaceAll(/\\ud[89a-f]../g, "\\ufffd"));

test("every report has the promised fields, and every text as it is, but for halves of surrogate pairs", () => {
  fc.assert(
    fc.property(anyReport.map(wellFormed), (report) => {
      const json = JSON.parse(reportText("json", report));
      expect(validate(json) ? [] : validate.errors).toEqual([]);
      expect(json).toMatchObject(countChecks(report));
      expect(json.hooks).toMatchObject(
        report.hooks.map((hook) => ({
          name: hook.name,
          path: hook.path,
          passed: hasPassed(hook),
          notes: hook.notes,
          left_out: hook.skippedChecks,
          checks: hook.checks.map(({ name, passed, message }) => ({ name, passed, message })),
        })),
      );
      const sent = report.hooks.flatMap(({ checks }) => checks.map(({ evidence: shown }) => shown?.payload));
      const written = json.hooks.flatMap((hook: { checks: readonly { evidence?: { payload?: string } }[] }) =>
        hook.checks.map((one) => one.evidence?.payload),
      );
      expect(written).toEqual(sent);
    }),
    propertyRuns(500),
  );
});
