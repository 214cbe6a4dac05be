import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const LOG = "home/.local/state/hookctl/audit.jsonl";
const NOW = Date.UTC(2026, 10, 22, 12);
const ERASE_LINE = "\r\u001b[K";
const HOUR = 3_600_000;
const host = { nowMs: () => NOW };

interface LoggedHookLine {
  readonly name: string;
  readonly outcome: string;
  readonly duration_ms?: number;
  readonly why?: string;
  readonly mismatch?: object;
  readonly failure?: string;
}

const line = (hoursAgo: number, hooks: readonly LoggedHookLine[], more: object = {}): string =>
  `${JSON.stringify({
    ...{ schema: "hookctl.record/1", time: new Date(NOW - hoursAgo * HOUR).toISOString(), run_id: `R${hoursAgo}` },
    ...{ event: "before_tool_call", project: "/work/webapp", decision: "continue", duration_ms: 9, hooks },
    ...more,
  })}\n`;
const ran = (name: string, duration_ms: number, outcome = "continue"): LoggedHookLine => ({
  name,
  outcome,
  duration_ms,
});

async function writeLog(place: Workspace): Promise<void> {
  const guard = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1000].map((ms, index) =>
    line(
      20 - index,
      [ran("guard", ms, ms === 9 ? "block" : "continue"), { name: "other", outcome: "skipped", why: "no match" }],
      ms === 8 ? { decision: "ask", decided_by: "guard" } : {},
    ),
  );
  const failed = line(2, [{ ...ran("flaky", 30, "failed"), failure: "HOOK_EXITED" }], { project: "/work/other" });
  const mismatch = { field: "tool_name", wanted: ["web"], found: ["bash"] };
  const unmatched = line(3, [{ ...ran("guard", 0, "skipped"), why: "its match does not fit this payload", mismatch }]);
  const refused = line(1, [{ name: "new", outcome: "refused", failure: "HOOK_REFUSED_UNTRUSTED" }]);
  await place.write(LOG, [...guard, "not a line\n", failed, unmatched, refused].join(""));
}

test("counts what each hook did, with percentiles by nearest rank", async () => {
  await using place = await workspace();
  await writeLog(place);
  const { stdout, stderr, code } = await runInProcess(place, "stats --json", { host });
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const counted = (runs: number, blocks: number, asks: number, failures: number, refused: number) => ({
    ...{ runs, blocks, asks, failures, refused },
  });
  expect(JSON.parse(stdout)).toEqual({
    ...{ schema: "hookctl.stats/1", since: "2026-11-21T16:00:00.000Z", until: "2026-11-22T12:00:00.000Z", runs: 12 },
    hooks: [
      {
        ...{ name: "guard", ...counted(10, 1, 1, 0, 0), p50_ms: 5, p95_ms: 1000, p99_ms: 1000, max_ms: 1000 },
        runs_over_time: [2, 1, 1, 1, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
      },
      {
        ...{ name: "flaky", ...counted(1, 0, 0, 1, 0), p50_ms: 30, p95_ms: 30, p99_ms: 30, max_ms: 30 },
        runs_over_time: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
      },
      {
        ...{ name: "new", ...counted(0, 0, 0, 0, 1), p50_ms: null, p95_ms: null, p99_ms: null, max_ms: null },
        runs_over_time: Array.from({ length: 16 }, () => 0),
      },
    ],
  });
});

describe("as a table", () => {
  test("in a pipe without sparklines", async () => {
    await using place = await workspace();
    await writeLog(place);
    expect(await runInProcess(place, "stats", { host })).toEqual({
      stdout: [
        "hook   runs  blocks  asks  fails     p50    p95    p99    max",
        "guard    10       1     1      0  5.0 ms    1 s    1 s    1 s",
        "flaky     1       0     0      1   30 ms  30 ms  30 ms  30 ms",
        "new       0       0     0      0       -      -      -      -  ▲ refused 1 time",
        "",
      ].join("\n"),
      stderr: "",
      code: 0,
    });
  });

  test("on a terminal with one bar for each part of the time, where there is room", async () => {
    await using place = await workspace();
    await writeLog(place);
    const shown = async (columns: number) =>
      (await runInProcess(place, "stats", { host: { ...host, stdoutColumns: () => columns } })).stdout.split("\n");
    const [head = "", guard = ""] = await shown(100);
    expect(head).toMatch(/max {2}runs in 20 h$/);
    expect(guard).toMatch(/1 s {2}█▄▄▄█▄▄▄$/);
    expect((await shown(72))[0]).toMatch(/max$/);
    expect((await shown(40))[0]).toMatch(/^hook +runs +blocks +asks +fails +p95$/);
  });
});

test.each([
  ["--since 3h", ["flaky", "new"]],
  ["--hook gu*", ["guard"]],
  ["--project /work/other", ["flaky"]],
])("%s selects", async (options, expected) => {
  await using place = await workspace();
  await writeLog(place);
  const { stdout } = await runInProcess(place, `stats --json ${options}`, { host });
  expect(JSON.parse(stdout).hooks.map(({ name }: { readonly name: string }) => name)).toEqual(expected);
});

test("hostile names are escaped", async () => {
  await using place = await workspace();
  await place.write(LOG, line(1, [ran("a\u001b[2J\u202e\n", 1)]));
  const { stdout } = await runInProcess(place, "stats", { host });
  expect(stdout).toContain("a\\u001b[2J\\u202e\\u000a");
});

test("without runs it says what to type", async () => {
  await using place = await workspace();
  expect(await runInProcess(place, "stats", { host })).toEqual({
    stdout: "",
    stderr: "• No runs recorded yet. Connect your agents: hookctl init\n",
    code: 0,
  });
});

test("a person who waits sees how much is read; a pipe does not", async () => {
  await using place = await workspace();
  await place.write(LOG, Array.from({ length: 3000 }, (_, index) => line(index / 1000, [ran("guard", 1)])).join(""));
  let elapsedMs = 0;
  const slow = {
    ...host,
    elapsedMs: () => {
      elapsedMs += 200;
      return elapsedMs;
    },
  };
  const onTerminal = await runInProcess(place, "stats", { host: { ...slow, isStderrTerminal: () => true } });
  expect(onTerminal.stderr).toContain(`${ERASE_LINE}Reading the audit log: `);
  expect(onTerminal.stderr.endsWith(ERASE_LINE)).toBe(true);
  expect((await runInProcess(place, "stats", { host: slow })).stderr).toBe("");
});
