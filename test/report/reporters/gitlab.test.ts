import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine, wellFormed } from "../../../packages/testing/reporters/report-items.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyReport, anyText, failuresIn, remarksIn, reportOf, reportText } from "./reports.ts";

/** The fields of a code quality report that GitLab documents as required, with their values. */
const schema = {
  type: "array",
  items: {
    type: "object",
    required: ["description", "check_name", "fingerprint", "severity", "location"],
    additionalProperties: false,
    properties: {
      description: { type: "string", minLength: 1 },
      check_name: { type: "string", minLength: 1 },
      fingerprint: { type: "string", pattern: "^[0-9a-f]{32}$" },
      severity: { enum: ["info", "minor", "major", "critical", "blocker"] },
      location: {
        type: "object",
        required: ["path", "lines"],
        additionalProperties: false,
        properties: {
          path: { type: "string", minLength: 1, not: { pattern: "^\\./" } },
          lines: {
            type: "object",
            required: ["begin"],
            additionalProperties: false,
            properties: { begin: { type: "integer", minimum: 1 } },
          },
        },
      },
    },
  },
} as const;

interface Violation {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

const validate = new Ajv({ allErrors: true }).compile<readonly Violation[]>(schema);

function parsed(text: string): readonly Violation[] {
  const value: unknown = JSON.parse(text);
  if (validate(value)) return value;
  throw new Error(JSON.stringify(validate.errors));
}

test("every report fits the schema, and no two violations have the same fingerprint", () => {
  fc.assert(
    fc.property(anyReport, (report) => {
      const violations = parsed(reportText("gitlab", report));
      const failed = failuresIn(report);
      expect(violations.filter(({ severity }) => severity === "major")).toHaveLength(failed);
      expect(violations).toHaveLength(failed + remarksIn(report));
      const failures = violations.filter(({ severity }) => severity === "major").map(({ fingerprint }) => fingerprint);
      expect(new Set(failures).size).toBe(failures.length);
    }),
    propertyRuns(500),
  );
});

test("any name, message and path comes back", () => {
  fc.assert(
    fc.property(anyText, anyText, (name, message) => {
      const report = reportOf([{ name, message, caseFile: `/work/shop/x${name}` }]);
      expect(parsed(reportText("gitlab", report))).toMatchObject([
        {
          description: oneLine(`guard: ${name}: ${message}`),
          location: { path: wellFormed(`x${name}`), lines: { begin: 4 } },
        },
      ]);
    }),
    propertyRuns(1000),
  );
});

test("a failure keeps its fingerprint when its line and its message change, and not when its case does", () => {
  const fingerprintOf = (check: Parameters<typeof reportOf>[0][number]) =>
    parsed(reportText("gitlab", reportOf([check])))[0]?.fingerprint;
  expect(fingerprintOf({ caseLine: 9, message: "other", durationMs: 1 })).toBe(fingerprintOf({}));
  expect(fingerprintOf({ name: "other" })).not.toBe(fingerprintOf({}));
});

test("a violation as it is written", () => {
  expect(parsed(reportText("gitlab", reportOf([{}], { notes: ["never-blocks"] })))).toMatchInlineSnapshot(`
    [
      {
        "check_name": "hookctl/test-case",
        "description": "guard: blocks rm -rf: expected the decision block, got allow",
        "fingerprint": "fd87459aa2c8ef77ce16b14568abb7f4",
        "location": {
          "lines": {
            "begin": 4,
          },
          "path": ".kodelet/tests/guard.yaml",
        },
        "severity": "major",
      },
      {
        "check_name": "hookctl/never-blocks",
        "description": "guard: no case makes it block",
        "fingerprint": "e7ff6792b6b4c22f2ddb0ed6d93a9093",
        "location": {
          "lines": {
            "begin": 1,
          },
          "path": ".kodelet/hooks/guard",
        },
        "severity": "minor",
      },
    ]
  `);
});
