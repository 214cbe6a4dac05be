import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LogClock, logPrinter } from "../../packages/insight/report/log-text.ts";
import { cellWidth } from "../../packages/screen/cell-width.ts";
import { type LoggedLine, parseLoggedLine } from "../../src/protocol/logged-run.ts";
import { PLAIN_STYLE } from "../../src/report/text-style.ts";

const clock: LogClock = {
  full: (atMs) => new Date(atMs).toISOString().slice(0, 19),
  time: (atMs) => new Date(atMs).toISOString().slice(11, 19),
  day: (atMs) => new Date(atMs).toISOString().slice(0, 10),
  today: "2026-03-04",
};
const lineOf = (members: object): LoggedLine => {
  const line = parseLoggedLine(JSON.stringify({ schema: "hookctl.record/1", ...members }));
  if (line === null) throw new Error("no line");
  return line;
};
const runAt = (time: string, more: object = {}): LoggedLine =>
  lineOf({
    ...{ time, run_id: "01M822PNKGMPFCAFNM6S81BBBD", event: "before_tool_call", tool: "Bash", decision: "continue" },
    ...{ project: "/work/webapp", duration_ms: 7, hooks: [] },
    ...more,
  });
const show = (width: number | null, lines: readonly LoggedLine[]): readonly string[] =>
  logPrinter({ width, style: PLAIN_STYLE, clock })(lines).trimEnd().split("\n");

const TODAY = "2026-03-04T14:03:22.000Z";
const push = runAt(TODAY, { call: "git push origin main --force-with-lease", decision: "block", decided_by: "guard" });
const wide = runAt(TODAY, { call: "echo 你好，世界。这是一个很长的命令，它不适合在一行中显示，真的不适合" });

describe("a row fits the terminal, and loses the least important columns first", () => {
  test.each([
    [160, "81BBBD  14:03:22  block  Bash  git push origin main --force-with-lease  guard  webapp  7 ms"],
    [80, "81BBBD  14:03:22  block  Bash  git push origin main --force-with…  guard  webapp"],
    [60, "81BBBD  14:03:22  block  Bash  git push origin main --force…"],
    [50, "81BBBD  14:03:22  block  Bash  git push origin ma…"],
    [40, "81BBBD  14:03:22  block  Bash  git push…"],
    [32, "81BBBD  block  Bash  git push o…"],
  ])("%i columns", (width, expected) => {
    const [row = ""] = show(width, [push]);
    expect(row).toBe(expected);
    expect(cellWidth(row)).toBeLessThanOrEqual(width);
  });

  test("wide characters take two columns", () => {
    const [first = "", second = ""] = show(60, [push, wide]);
    expect(cellWidth(first)).toBeLessThanOrEqual(60);
    expect(second).toMatch(/^81BBBD {2}14:03:22 {2}allow {2}Bash {2}echo 你好.*…$/);
    expect(cellWidth(second)).toBeLessThanOrEqual(60);
  });

  test("whatever it contains", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", " ", "世", "é", "e\u0301", "😀", "\u001b[2J", "\u202e", "\n"),
      maxLength: 60,
    });
    const fields = fc.record({ call: text, tool: text, decided_by: text, project: text, event: text, decision: text });
    fc.assert(
      fc.property(fc.array(fields, { minLength: 1, maxLength: 5 }), fc.integer({ min: 28, max: 200 }), (all, width) => {
        const rows = show(
          width,
          all.map((more) => runAt(TODAY, more)),
        );
        expect(rows).toHaveLength(all.length);
        for (const row of rows) {
          expect(cellWidth(row)).toBeLessThanOrEqual(width);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: no such character may reach a terminal.
          expect(row).not.toMatch(/[\u0000-\u001f\u202e]/);
        }
      }),
    );
  });
});

test("on a terminal a day is a heading; elsewhere each row has its date, and nothing is cut", () => {
  const lines = [runAt("2026-03-02T09:00:00.000Z", { call: "x".repeat(110) }), runAt("2026-03-03T10:00:00.000Z"), push];
  expect(show(60, lines)).toEqual([
    "2026-03-02",
    expect.stringMatching(/^81BBBD {2}09:00:00 {2}allow {2}Bash {2}x{19,}…$/),
    "2026-03-03",
    expect.stringMatching(/^81BBBD {2}10:00:00/),
    "2026-03-04",
    expect.stringMatching(/^81BBBD {2}14:03:22/),
  ]);
  const [first = "", , last = ""] = show(null, lines);
  expect(first).toContain(`81BBBD  2026-03-02T09:00:00  allow  Bash  ${"x".repeat(110)}  `);
  expect(last).toMatch(/^81BBBD {2}2026-03-04T14:03:22 {2}block .* guard {2}webapp {2}7 ms$/);
});

test("an event other than a call that is about to run is named", () => {
  const [row] = show(80, [
    runAt(TODAY, { event: "after_tool_call" }),
    runAt(TODAY, { event: "turn_end", tool: undefined }),
  ]);
  expect(row).toContain("Bash after_tool_call");
});

test("pauses and shell commands fit as well", () => {
  const pause = lineOf({
    kind: "hook_paused",
    time: TODAY,
    hook: "git\u001b[2J",
    until: TODAY,
    by: "dev",
    project: "/p",
  });
  const command = lineOf({ kind: "hook_shell_executed", scheme: "shell_exec", command: "echo ".repeat(30), rc: 3 });
  const [first = "", second = ""] = show(50, [pause, command]);
  expect([cellWidth(first), cellWidth(second)]).toEqual([50, 50]);
  expect(first).toContain("git\\u001b[2J off until");
  expect(second).toMatch(/^ {2}shell_exec: echo .*… \[rc=3\]$/);
});

test("ids are as long as it takes to tell the runs apart, and never left out", () => {
  const ids = ["01M822PNKGMPFCAFNM6S81BBBD", "01M822PNKGMPFCAFNM6T81BBBD", "01M822PNKGMPFCAFNM6S81BBBC"];
  const rows = show(
    28,
    ids.map((run_id) => runAt(TODAY, { run_id })),
  );
  expect(rows.map((row) => row.split(" ")[0])).toEqual(["S81BBBD", "T81BBBD", "S81BBBC"]);
});

test("later rows have columns at least as wide", () => {
  const printer = logPrinter({ width: 100, style: PLAIN_STYLE, clock });
  printer([runAt(TODAY, { tool: "a_long_tool_name", call: "ls" })]);
  expect(printer([runAt(TODAY, { call: "ls" })])).toBe("81BBBD  14:03:22  allow  Bash              ls  webapp  7 ms\n");
});
