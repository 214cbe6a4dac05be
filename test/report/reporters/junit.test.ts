import { readFileSync } from "node:fs";
import fc from "fast-check";
import { XmlDocument, XmlElement, XsdValidator } from "libxml2-wasm";
import { expect, test } from "vitest";
import { manyLines, oneLine } from "../../../packages/testing/reporters/report-items.ts";
import type { TestReport } from "../../../packages/testing/test-report.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyReport, anyText, CONTEXT, reportOf, reportText } from "./reports.ts";

const schema = XmlDocument.fromString(readFileSync(new URL("junit.xsd", import.meta.url), "utf8"));
const validator = XsdValidator.fromDoc(schema);

/** Parsed, and valid by the schema. */
function parsed(xml: string): XmlDocument {
  const document = XmlDocument.fromBuffer(new TextEncoder().encode(xml));
  validator.validate(document);
  return document;
}

const elements = (document: XmlDocument, path: string): readonly XmlElement[] =>
  document.find(path).filter((node) => node instanceof XmlElement);

const attributes = (document: XmlDocument, path: string, name: string): readonly (string | undefined)[] =>
  elements(document, path).map((element) => element.attr(name)?.value);

test("every report is valid by the schema, and its counts are those of its elements", { tags: "slow" }, () => {
  fc.assert(
    fc.property(anyReport, (report) => {
      using document = parsed(reportText("junit", report));
      const [all] = elements(document, "/testsuites");
      expect(all?.attr("tests")?.value).toBe(String(elements(document, "//testcase").length));
      expect(all?.attr("failures")?.value).toBe(String(elements(document, "//failure").length));
      for (const suite of elements(document, "//testsuite")) {
        expect(suite.attr("tests")?.value).toBe(String(suite.find("testcase").length));
        expect(suite.attr("failures")?.value).toBe(String(suite.find("testcase/failure").length));
        expect(suite.attr("skipped")?.value).toBe(String(suite.find("testcase/skipped").length));
      }
      const names = elements(document, "//testcase").map((one) => [
        one.attr("classname")?.value,
        one.attr("name")?.value,
      ]);
      expect(new Set(names.map((name) => JSON.stringify(name))).size).toBe(names.length);
    }),
    propertyRuns(500),
  );
});

test("any name, message and printed line comes back from an XML parser", () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (name, message, line) => {
      const report = reportOf([{ name, message, printed: [line, "end"] }], { name });
      using document = parsed(reportText("junit", report));
      expect(attributes(document, "//testcase", "name")).toEqual([oneLine(name)]);
      expect(attributes(document, "//testcase", "classname")).toEqual([oneLine(name)]);
      expect(attributes(document, "//failure", "message")).toEqual([oneLine(message)]);
      const [printed] = elements(document, "//testcase/system-out");
      expect(printed?.content).toBe(manyLines(`${line}\nend`));
    }),
    propertyRuns(1000),
  );
});

test("a failure names its case, with file and line, and says all that the screen says", () => {
  using document = parsed(reportText("junit", reportOf([{ printed: ["stdout | {}"] }])));
  expect(document.toString({ format: false })).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="utf-8"?>
    <testsuites name="hookctl" tests="1" failures="1" errors="0" time="0.096">
      <testsuite name="guard" tests="1" failures="1" errors="0" skipped="0" time="0.009">
        <testcase classname="guard" name="blocks rm -rf" file=".kodelet/tests/guard.yaml" line="4" time="0.009">
          <failure message="expected the decision block, got allow" type="test-case">expected the decision block, got allow
    Hint: Correct the hook, or the case.
    Run again: hookctl test -v guard --only 'blocks rm -rf'</failure>
          <system-out>stdout | {}</system-out>
        </testcase>
      </testsuite>
    </testsuites>
    "
  `);
});

test("the place of a crash is the line that threw; outside of the checkout the path is absolute", () => {
  const crashes = [`${CONTEXT.rootDir}/.kodelet/hooks/guard.py`, "/home/u/.kodelet/hooks/guard.py"];
  const report = reportOf(
    crashes.map((file, index) => ({
      name: `${index}`,
      evidence: { crash: { file, line: 12, message: "KeyError" } },
    })),
  );
  using document = parsed(reportText("junit", report));
  expect(attributes(document, "//testcase", "file")).toEqual([
    ".kodelet/hooks/guard.py",
    "/home/u/.kodelet/hooks/guard.py",
  ]);
  expect(attributes(document, "//testcase", "line")).toEqual(["12", "12"]);
});

test("skipped checks, skipped hooks and invalid files of cases are told, and notes and warnings stand in the output", () => {
  const base = reportOf([], { notes: ["never-blocks"], skippedChecks: [{ name: "may be executed", reason: "why" }] });
  const report: TestReport = {
    ...base,
    skipped: [
      {
        ...{
          name: "upload",
          path: "/work/shop/.kodelet/hooks/upload",
          reason: "not approved",
          hint: "hookctl trust upload",
        },
        ...{ why: "unapproved" as const, isDeclared: false, checks: 16 },
      },
    ],
    caseFaults: [{ code: "CASE_NOT_PARSED", file: "/work/shop/.kodelet/tests/x.json", line: 3, cause: "no value" }],
    warnings: [{ code: "FROM_HOOK", hook: "guard", text: "careful" }],
  };
  using document = parsed(reportText("junit", report));
  expect(attributes(document, "//testsuite", "name")).toEqual(["guard", "upload", ".kodelet/tests/x.json", "hookctl"]);
  expect(attributes(document, "//skipped", "message")).toEqual(["why", "not approved"]);
  expect(attributes(document, "//testcase[failure]", "line")).toEqual(["3"]);
  const remarks = elements(document, "//testsuite/system-out").map(({ content }) => content);
  expect(remarks).toEqual(["no case makes it block", expect.stringContaining("careful")]);
});

test("a report without hooks is valid, too", () => {
  using document = parsed(reportText("junit", { ...reportOf([]), hooks: [] }));
  expect(attributes(document, "/testsuites", "tests")).toEqual(["0"]);
});
