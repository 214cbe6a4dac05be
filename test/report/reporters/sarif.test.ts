import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine, wellFormed } from "../../../packages/testing/reporters/report-items.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyReport, anyText, failuresIn, remarksIn, reportOf, reportText } from "./reports.ts";

const require = createRequire(import.meta.url);
const schemaFile = require.resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");

/** Of RFC 3986. */
const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string; readonly uriBaseId?: string };
        readonly region: { readonly startLine: number };
      };
    },
  ];
  readonly properties: Readonly<Record<string, string>>;
}

interface SarifLog {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly results: readonly SarifResult[];
    },
  ];
}

const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
ajv.addFormat("uri", (text) => URI_CHARACTERS.test(text) && URL.canParse(text));
ajv.addFormat("uri-reference", (text) => URI_CHARACTERS.test(text) && URL.canParse(text, "file:///checkout/"));
ajv.addFormat("date-time", (text) => !Number.isNaN(Date.parse(text)));
// Of draft 4, which ajv no longer reads, the schema uses nothing but these two names.
const { $schema, id, ...schema } = JSON.parse(readFileSync(schemaFile, "utf8"));
const validate = ajv.compile<SarifLog>(schema);

test("the schema is the one of SARIF 2.1.0", () => {
  expect({ $schema, id }).toEqual({
    $schema: "http://json-schema.org/draft-04/schema#",
    id: expect.stringContaining("sarif-2.1.0"),
  });
});

function parsed(text: string): SarifLog["runs"][0] {
  const value: unknown = JSON.parse(text);
  if (validate(value)) return value.runs[0];
  throw new Error(JSON.stringify(validate.errors));
}

/** As a viewer shows it: doubled braces stand for one. */
const shown = (text: string): string => text.replaceAll("{{", "{").replaceAll("}}", "}");

test("every report is valid by the schema of SARIF 2.1.0, and each result has its rule", () => {
  fc.assert(
    fc.property(anyReport, (report) => {
      const { tool, results } = parsed(reportText("sarif", report));
      const failed = failuresIn(report);
      expect(results.filter(({ level }) => level === "error")).toHaveLength(failed);
      expect(results).toHaveLength(failed + remarksIn(report));
      for (const { ruleId, ruleIndex, message } of results) {
        expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
        expect(message.text).not.toMatch(/\]\(/);
        expect(message.text.replaceAll("{{", "").replaceAll("}}", "")).not.toMatch(/[{}]/);
      }
    }),
    propertyRuns(300),
  );
});

test("any name, message and path comes back", () => {
  fc.assert(
    fc.property(anyText, anyText, (name, message) => {
      const path = `x${name.replaceAll("\u0000", "")}`;
      const report = reportOf([{ name, message, caseFile: `/work/shop/${path}` }]);
      const [result] = parsed(reportText("sarif", report)).results;
      expect(shown(result?.message.text ?? "")).toBe(oneLine(`guard: ${name}: ${message}`).replaceAll("](", "] ("));
      const { uri, uriBaseId } = result?.locations[0].physicalLocation.artifactLocation ?? { uri: "" };
      expect(uriBaseId).toBe("%SRCROOT%");
      expect(uri.split("/").map(decodeURIComponent).join("/")).toBe(wellFormed(path));
    }),
    propertyRuns(1000),
  );
});

test("a file outside of the checkout has an absolute URI", () => {
  const [result] = parsed(reportText("sarif", reportOf([{ caseFile: "/home/u/a b.yaml" }]))).results;
  expect(result?.locations[0].physicalLocation.artifactLocation).toEqual({ uri: "file:///home/u/a%20b.yaml" });
});

test("a result as it is written", () => {
  const evidence = { payload: '{"tool_input":{}}', response: "{}", expected: "block", found: "allow" };
  expect(
    parsed(reportText("sarif", reportOf([{ evidence }], { notes: ["never-blocks"] }))).results,
  ).toMatchInlineSnapshot(`
    [
      {
        "level": "error",
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": ".kodelet/tests/guard.yaml",
                "uriBaseId": "%SRCROOT%",
              },
              "region": {
                "startLine": 4,
              },
            },
          },
        ],
        "message": {
          "text": "guard: blocks rm -rf: expected the decision block, got allow",
        },
        "partialFingerprints": {
          "hookctl/v1": "fd87459aa2c8ef77ce16b14568abb7f4",
        },
        "properties": {
          "expected": "block",
          "found": "allow",
          "hint": "Correct the hook, or the case.",
          "payload": "{"tool_input":{}}",
          "rerun": "hookctl test -v guard --only 'blocks rm -rf'",
          "response": "{}",
        },
        "ruleId": "test-case",
        "ruleIndex": 0,
      },
      {
        "level": "warning",
        "locations": [
          {
            "physicalLocation": {
              "artifactLocation": {
                "uri": ".kodelet/hooks/guard",
                "uriBaseId": "%SRCROOT%",
              },
              "region": {
                "startLine": 1,
              },
            },
          },
        ],
        "message": {
          "text": "guard: no case makes it block",
        },
        "partialFingerprints": {
          "hookctl/v1": "e7ff6792b6b4c22f2ddb0ed6d93a9093",
        },
        "properties": {},
        "ruleId": "never-blocks",
        "ruleIndex": 1,
      },
    ]
  `);
});
