import fc from "fast-check";
import { marked, type Token, type Tokens } from "marked";
import { expect, test } from "vitest";
import { oneLine, wellFormed } from "../../../packages/testing/reporters/report-items.ts";
import { TEST_REPORTERS } from "../../../packages/testing/reporters/test-reporters.ts";
import type { TestReport } from "../../../packages/testing/test-report.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyReport, anyText, CONTEXT, failuresIn, remarksIn, reportOf, reportText } from "./reports.ts";

interface Command {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

const unescapedData = (text: string): string =>
  text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
const unescapedProperty = (text: string): string =>
  text
    .replaceAll("%0D", "\r")
    .replaceAll("%0A", "\n")
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",")
    .replaceAll("%25", "%");

/**
 * A line as GitHub's runner reads it: `::name key=value,key=value::data` after white space, and the older `##[name …]`
 * anywhere in a line. Null: it is only shown.
 */
function commandOf(line: string): Command | null {
  const text = line.trimStart();
  if (!text.startsWith("::")) return /##\[[^\]]*\]/.test(line) ? { name: "old", properties: {}, data: line } : null;
  const end = text.indexOf("::", 2);
  if (end < 0) return null;
  const head = text.slice(2, end);
  const space = head.indexOf(" ");
  const pairs = (space < 0 ? "" : head.slice(space + 1).trim())
    .split(",")
    .map((pair) => [pair.slice(0, pair.indexOf("=")), unescapedProperty(pair.slice(pair.indexOf("=") + 1))]);
  return {
    name: space < 0 ? head : head.slice(0, space),
    properties: Object.fromEntries(pairs),
    data: unescapedData(text.slice(end + 2)),
  };
}

const commandsOf = (text: string): readonly Command[] =>
  text.split(/\r\n|\r|\n/).flatMap((line) => commandOf(line) ?? []);

const summaryOf = (report: TestReport): string => TEST_REPORTERS.github.create(CONTEXT).stepSummary?.(report) ?? "";

test("every report has at most 10 annotations and no other command, whatever names and messages say", () => {
  fc.assert(
    fc.property(anyReport, (report) => {
      const text = reportText("github", report);
      const commands = commandsOf(text);
      const [failed, notes] = [failuresIn(report), remarksIn(report)];
      expect(commands).toHaveLength(Math.min(10, failed + notes));
      expect(commands.filter(({ name }) => name === "error")).toHaveLength(Math.min(10, failed));
      for (const { name, properties } of commands) {
        expect(["error", "warning"]).toContain(name);
        expect(Object.keys(properties)).toEqual(["title", "file", "line"]);
        expect(properties.line).toMatch(/^\d+$/);
      }
    }),
    propertyRuns(500),
  );
});

test("any name, message and path comes back from GitHub's syntax", () => {
  fc.assert(
    fc.property(anyText, anyText, (name, excerpt) => {
      const file = `/work/shop/x${name}`;
      const report = reportOf([{ name, message: "no", excerpt: [], hint: undefined, caseFile: file }], {
        name,
        again: excerpt,
      });
      const [command] = commandsOf(reportText("github", report));
      expect(command).toEqual({
        name: "error",
        properties: { title: `${oneLine(name)}: ${oneLine(name)}`, file: wellFormed(`x${name}`), line: "4" },
        data: `no\n${oneLine(`Run again: hookctl ${excerpt} --only ${shellQuote(name)}`)}`,
      });
    }),
    propertyRuns(1000),
  );
});

test("in a log of GitHub Actions no text of the report for a person is a command", () => {
  fc.assert(
    fc.property(anyReport, fc.boolean(), (report, isVerbose) => {
      const text = reportText("pretty", report, { ...CONTEXT, isVerbose, isWorkflowLog: true });
      expect(commandsOf(text)).toEqual([]);
    }),
    propertyRuns(500),
  );
  const report = reportOf([{ message: "::error::x", excerpt: ["##[error]y"] }]);
  expect(commandsOf(reportText("pretty", report))).toHaveLength(2);
  expect(reportText("pretty", report, { ...CONTEXT, isWorkflowLog: true })).toContain(
    "     \\::error::x\n       ##\\[error]y\n",
  );
});

test("the eleventh annotation is a count, and failures come before remarks", () => {
  const checks = Array.from({ length: 12 }, (_, index) => ({ name: `case ${index}` }));
  const text = reportText("github", reportOf(checks, { notes: ["never-blocks"] }));
  expect(commandsOf(text).map(({ properties }) => properties.title)).toEqual(
    checks.slice(0, 10).map(({ name }) => `guard: ${name}`),
  );
  expect(text).toContain("\n3 more in the summary of this step\nhookctl: 12 failed, 0 passed, 1 hook, 96 ms\n");
});

test("an annotation as it is written", () => {
  expect(reportText("github", reportOf([{}], { notes: ["never-blocks"] }))).toMatchInlineSnapshot(`
    "::error title=guard%3A blocks rm -rf,file=.kodelet/tests/guard.yaml,line=4::expected the decision block, got allow%0AHint: Correct the hook, or the case.%0ARun again: hookctl test -v guard --only 'blocks rm -rf'
    ::warning title=guard,file=.kodelet/hooks/guard,line=1::no case makes it block
    hookctl: 1 failed, 0 passed, 1 hook, 96 ms
    "
  `);
});

const textOf = (token: Token): string =>
  "tokens" in token && token.tokens !== undefined
    ? token.tokens.map(textOf).join("")
    : "text" in token
      ? token.text
      : token.raw;

/** Every kind of token in a Markdown text, nested ones too. */
const kindsIn = (tokens: readonly Token[]): readonly string[] =>
  tokens.flatMap((token) => {
    const cells = token.type === "table" ? [...token.header, ...token.rows.flat()] : [];
    const inner = [...("tokens" in token ? (token.tokens ?? []) : []), ...cells.flatMap((cell) => cell.tokens)];
    return [token.type, ...kindsIn(inner)];
  });

test("in the summary no text becomes a link, an image, HTML or the end of its block", () => {
  const plain = ["heading", "table", "code", "text", "escape", "space", "blockquote", "paragraph"];
  fc.assert(
    fc.property(anyReport, (report) => {
      const tokens = marked.lexer(summaryOf(report));
      for (const kind of kindsIn(tokens)) expect(plain).toContain(kind);
      const failed = failuresIn(report);
      expect(tokens.filter(({ type }) => type === "code")).toHaveLength(failed);
      expect(tokens.filter(({ type }) => type === "heading")).toHaveLength(failed + 1);
      const table = tokens.find((token): token is Tokens.Table => token.type === "table");
      expect(table?.rows.length ?? 0).toBe(report.hooks.length);
    }),
    propertyRuns(300),
  );
});

test("a fence in the text of a failure does not end its block", () => {
  const tokens = marked.lexer(
    summaryOf(reportOf([{ message: "```", excerpt: ["````", "# no heading"], hint: undefined }])),
  );
  expect(tokens.filter(({ type }) => type === "code").map(textOf)).toEqual([
    "```\n  ````\n  # no heading\nRun again: hookctl test -v guard --only 'blocks rm -rf'",
  ]);
  expect(tokens.filter(({ type }) => type === "heading")).toHaveLength(2);
});

test("any text of a failure comes back from the summary", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const again = `x${text}y`;
      const tokens = marked.lexer(summaryOf(reportOf([{ message: "no", hint: undefined }], { again })));
      const [code] = tokens.filter(({ type }) => type === "code");
      expect((code && textOf(code))?.replaceAll("\t", "    ")).toBe(
        `no\n${oneLine(`Run again: hookctl ${again} --only 'blocks rm -rf'`)}`.replaceAll("\t", "    "),
      );
    }),
    propertyRuns(500),
  );
});

test("the summary of a very large report stays below the limit of 1 MiB", { tags: "slow" }, () => {
  const long = "漢`漢|漢<".repeat(1000);
  const checks = Array.from({ length: 100 }, (_, index) => ({
    name: `${index}${long}`,
    message: long,
    hint: long,
    excerpt: Array.from({ length: 100 }, () => long),
  }));
  const survivor = { command: long, kinds: [long] };
  const mutated = Array.from({ length: 5 }, () => ({
    ...{ name: long, file: long, line: 1, expects: "stop" as const, respellings: 200, untried: 0 },
    ...{ survivors: [survivor], stopped: null },
  }));
  const hooks = Array.from({ length: 1000 }, () => ({ checks, name: long })).flatMap(
    ({ checks: some, name }, index) =>
      reportOf(index === 0 ? some : some.slice(0, 1), {
        name: `${index}${name}`,
        again: long,
        mutation: mutated,
      }).hooks,
  );
  const text = summaryOf({ ...reportOf([]), hooks });
  expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
  expect(text).toContain("… and 900 more hooks");
  expect(text).toContain("… and 1049 more failures");
});
