import { createHash } from "node:crypto";
import fc from "fast-check";
import { XmlDocument, XmlElement } from "libxml2-wasm";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import type { ReportData } from "../../totals/report-totals.ts";
import { anyRun, FRAGMENTS, loggedRun, pageOf, reportOf } from "./logged-runs.ts";

/** The page as a strict parser reads it: one wrong nesting, or one character that is not escaped, and it throws. */
const parsed = (report: ReportData): XmlDocument => XmlDocument.fromBuffer(new TextEncoder().encode(pageOf(report)));

const elements = (document: XmlDocument, path: string): readonly XmlElement[] =>
  document.find(path).filter((node) => node instanceof XmlElement);
const values = (document: XmlDocument, path: string, name: string): readonly string[] =>
  elements(document, path).map((element) => element.attr(name)?.value ?? "");

const run = (more: object = {}) =>
  loggedRun({
    ...{ time: "2026-11-22T10:00:00", run_id: "01KB3Y7Q4N8Z", event: "before_tool_call", tool: "Bash" },
    ...{ decision: "continue", duration_ms: 40, hooks: [] },
    ...more,
  });

/** What the page of any log keeps to. */
function checkPage(report: ReportData): void {
  using document = parsed(report);
  const ids = values(document, "//*[@id]", "id");
  expect(new Set(ids).size).toBe(ids.length);
  for (const link of values(document, "//a", "href")) expect(ids).toContain(link.slice(1));
  for (const title of values(document, "//*[@aria-labelledby]", "aria-labelledby")) expect(ids).toContain(title);
  expect(elements(document, "//script | //iframe | //object | //form | //img | //base | //foreignObject")).toEqual([]);
  expect(elements(document, "//@*[starts-with(local-name(), 'on')]/.. | //*[@style] | //*[@src]")).toEqual([]);
  expect(elements(document, "//style")).toHaveLength(1);
  expect(values(document, "//*[@href]", "href").filter((href) => !/^(#[a-z]+|data:,)$/.test(href))).toEqual([]);
  expect(elements(document, "//table[not(caption)]")).toEqual([]);
}

test("any log gives a well-formed page that loads and runs nothing", { tags: "slow" }, () => {
  fc.assert(
    fc.property(fc.array(anyRun, { maxLength: 15 }), (runs) => checkPage(reportOf(runs))),
    propertyRuns(300),
  );
});

test("a style that is not ours does not count: the policy has its hash, and allows nothing else", () => {
  using document = parsed(reportOf([run()]));
  const [style = ""] = elements(document, "//style").map(({ content }) => content);
  const hash = createHash("sha256").update(style).digest("base64");
  expect(values(document, "//meta[@http-equiv]", "content")).toEqual([
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`,
  ]);
  expect(style).not.toMatch(/@import|https?:|url\((?!#)/);
});

describe("names, commands and reasons stay text", () => {
  const shown = (text: string): string => {
    const hooks = [{ name: text, outcome: "block", duration_ms: 3 }];
    using document = parsed(reportOf([run({ call: text, decision: "block", reason: text, decided_by: text, hooks })]));
    return elements(document, "//section[@id='blocks']//*[@class='reason']/*")
      .map(({ content }) => content)
      .join("|");
  };

  test.each([
    ["</script><script>alert(1)</script>", "</script><script>alert(1)</script>"],
    ["$& {{ report }} $1", "$& {{ report }} $1"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["&lt;b&gt; \"'", "&lt;b&gt; \"'"],
    ["a\u202eb\u0000\u001b[2J", "a\\u202eb\\u0000\\u001b[2J"],
    ["two\r\nlines\tand a tab", "two lines and a tab"],
    ["half \ud800 and \uffff", "half \ufffd and \ufffd"],
    [`z${"\u0335".repeat(50)}!`, "z\u0335\u0335\u0335!"],
    ["W".repeat(3000), `${"W".repeat(500)}…`],
  ])("%j", (text, expected) => {
    expect(shown(text)).toBe(expected);
  });
});

test.each(FRAGMENTS.map((fragment) => [fragment]))("%j in every place leaves a page whole", (fragment) => {
  const hook = { name: fragment, outcome: "failed", failure: fragment, start_ms: 1, duration_ms: 2 };
  const texts = { run_id: fragment, event: fragment, tool: fragment, call: fragment, agent: fragment };
  const runs = ["continue", "block"].map((decision) =>
    run({ ...texts, decision, project: fragment, reason: fragment, decided_by: fragment, hooks: [hook] }),
  );
  checkPage(reportOf(runs, { asked: { since: null, until: null, project: fragment, hook: fragment } }));
});

describe("what a reader meets", () => {
  const textOf = (report: ReportData, path: string): string => {
    using document = parsed(report);
    return elements(document, path)
      .map(({ content }) => content.replaceAll(/\s+/g, " ").trim())
      .join("\n");
  };
  const titles = (report: ReportData): readonly string[] => textOf(report, "//h2").split("\n");
  const chain = [
    { name: "log-calls", outcome: "observed", start_ms: 1, duration_ms: 4 },
    { name: "format", outcome: "failed", failure: "HOOK_TIMED_OUT", start_ms: 5, duration_ms: 30 },
    { name: "later", outcome: "skipped", why: "blocked before", duration_ms: 0 },
  ];
  const blocked = run({ decision: "block", decided_by: "guard", reason: "Not on main.", call: "git push" });

  test("nothing recorded: what to do about it", () => {
    expect(titles(reportOf([]))).toEqual(["No runs recorded"]);
    expect(textOf(reportOf([]), "//main")).toContain("hookctl doctor");
  });

  test("nothing in the selection: how to see the rest", () => {
    const asked = { since: "2026-11-21T10:00:00+00:00", until: null, project: null, hook: null };
    const report = reportOf([], { asked });
    expect(textOf(report, "//header")).toContain("since 21 Nov 2026");
    expect(textOf(report, "//main")).toContain("None in this selection.");
  });

  test("failing hooks come first, with what to type", () => {
    const report = reportOf([run(), run({ hooks: chain })]);
    expect(titles(report)).toEqual([
      "Hooks that failed or did not start",
      "Timeline",
      "Slowest runs",
      "Latency",
      "Decisions by hook",
      "Decisions by tool",
    ]);
    expect(textOf(report, "//section[@id='failing']//li")).toBe(
      "format failed in 1 of 1 run (100 %). Last: HOOK_TIMED_OUT, 22 Nov, 10:00. hookctl why 01KB3Y7Q4N8Z",
    );
  });

  test("many failing hooks: the worst ten, and where the others are", () => {
    const failing = Array.from({ length: 14 }, (_, at) => ({ name: `hook-${at}`, outcome: "failed", duration_ms: 1 }));
    const report = reportOf([run({ hooks: failing }), run({ hooks: failing.slice(13) })]);
    expect(textOf(report, "//section[@id='failing']//li").split("\n")).toHaveLength(10);
    expect(textOf(report, "//section[@id='failing']//li[1]")).toContain("hook-13 failed in 2 of 2 runs");
    expect(textOf(report, "//section[@id='failing']/p")).toBe("and 4 more hooks: decisions by hook");
  });

  test("the summary counts runs, blocks, failures and hooks", () => {
    const report = reportOf([run(), run({ hooks: chain }), blocked]);
    expect(textOf(report, "//dl/div")).toBe(
      ["Runs 3 2 allowed", "Blocked 1 33.3 % of runs", "Failures 1 in 1 hook", "Hooks 3 1 tool"]
        .map((line) => line.replace(" ", ""))
        .join("\n"),
    );
  });

  test("a block has its call, its reason, who decided and how to learn more", () => {
    const text = textOf(reportOf([blocked]), "//section[@id='blocks']//li");
    for (const part of [
      "22 Nov, 10:00",
      "git push",
      "Blocked",
      "Not on main.",
      "blocked by guard",
      "hookctl why 01KB3Y7Q4N8Z",
    ])
      expect(text).toContain(part);
  });

  test("the waterfall has the start, the time and the outcome of each hook, in a table", () => {
    const report = reportOf([run({ hooks: chain })]);
    using document = parsed(report);
    expect(textOf(report, "//section[@id='slowest']//tbody/tr")).toBe(
      "log-calls1.04.0observed\nformat5.030failed HOOK_TIMED_OUT",
    );
    expect(values(document, "//section[@id='slowest']//tbody//rect", "x")).toEqual(["2.5%", "12.5%"]);
    expect(values(document, "//section[@id='slowest']//tbody//rect", "width")).toEqual(["10%", "75%"]);
    expect(textOf(report, "//section[@id='slowest']//li")).toContain("1 skipped.");
  });

  test("records without start times show the order, and say so", () => {
    const old = [
      { name: "a", outcome: "continue", duration_ms: 10 },
      { name: "b", outcome: "continue", duration_ms: 30 },
    ];
    const report = reportOf([run({ hooks: old })]);
    using document = parsed(report);
    expect(values(document, "//section[@id='slowest']//tbody//rect", "x")).toEqual(["0%", "25%"]);
    expect(textOf(report, "//section[@id='slowest']")).toContain("This record has no start times");
  });

  test("every chart is a table too, or has one", () => {
    using document = parsed(reportOf([run({ hooks: chain }), blocked]));
    const charts = elements(document, "//svg[@class='plot' or @class='share' or @class='spread' or @class='span']");
    expect(charts.length).toBeGreaterThan(8);
    expect(elements(document, "//svg[@class='plot'][not(@role='img' and @aria-label)]")).toEqual([]);
    expect(elements(document, "//section[@id='timeline']//table")).toHaveLength(1);
    const others = "//svg[@class='share' or @class='spread' or @class='span']";
    expect(elements(document, `${others}[not(ancestor::td[@aria-hidden='true'])]`)).toEqual([]);
  });
});

describe("the bars of the timeline", () => {
  test("are as high as their runs: together they are all runs", () => {
    const runs = Array.from({ length: 40 }, (_, index) =>
      run({
        time: `2026-11-22T10:${String((index * 7) % 40).padStart(2, "0")}:00`,
        decision: index % 9 === 0 ? "block" : "continue",
      }),
    );
    using document = parsed(reportOf([...runs, ...runs]));
    const [all, stopped] = elements(document, "//svg[@class='plot']");
    const sum = (plot: XmlElement | undefined): number => {
      const bars = plot?.find("g/g/rect").filter((node) => node instanceof XmlElement) ?? [];
      const top = Number(plot?.get("text")?.content);
      const frame = Number(plot?.attr("height")?.value) - 17;
      return bars.reduce((count, bar) => count + (Number(bar.attr("height")?.value) / frame) * top, 0);
    };
    expect(sum(all)).toBeCloseTo(80, 1);
    expect(sum(stopped)).toBeCloseTo(10, 1);
  });
});

test("the largest page is below 1 MB, whatever the names", { tags: "slow" }, () => {
  const quote = '"'.repeat(4000);
  const hooks = (seed: number) =>
    Array.from({ length: 60 }, (_, at) => ({
      ...{ name: `${seed}-${at}${quote}`, outcome: "failed", failure: quote, start_ms: at, duration_ms: 1 },
    }));
  const runs = Array.from({ length: 300 }, (_, seed) => {
    const texts = { run_id: quote, event: quote, tool: `${seed}${quote}`, call: quote, agent: quote, project: quote };
    const time = new Date(Date.UTC(2026, 10, 1) + seed * 3_600_000).toISOString();
    return run({ ...texts, time, decision: "block", decided_by: quote, reason: quote, hooks: hooks(seed % 10) });
  });
  expect(pageOf(reportOf(runs)).length).toBeLessThan(1_000_000);
});

test("a page of ours is known by how it begins", () => {
  expect(pageOf(reportOf([])).startsWith('<!DOCTYPE html>\n<html lang="en" data-made-by="hookctl report">\n')).toBe(
    true,
  );
});
