import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasRun, type LoggedRun } from "../../../../src/protocol/logged-run.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { HOOK_OUTCOMES } from "../../totals/hook-totals.ts";
import type { ReportData } from "../../totals/report-totals.ts";
import { MOST_BUCKETS, RUN_DECISIONS } from "../../totals/timeline.ts";
import { anyRun, loggedRun, reportOf } from "./logged-runs.ts";

const anyRuns = fc.array(anyRun, { maxLength: 60 });
const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0);
const total = (all: readonly { readonly decisions: Readonly<Record<string, number>> }[]): number =>
  all.reduce((count, { decisions }) => count + sum(decisions), 0);

describe("whatever the log holds", () => {
  const checked = (check: (report: ReportData, runs: readonly LoggedRun[]) => void): void =>
    fc.assert(
      fc.property(anyRuns, (runs) => check(reportOf(runs), runs)),
      propertyRuns(500),
    );

  test("decisions, tools and the timeline each add up to the runs", () =>
    checked((report, runs) => {
      expect(report.runs).toBe(runs.length);
      expect(sum(report.decisions)).toBe(runs.length);
      expect(total(report.tools)).toBe(runs.length);
      const timed = runs.filter(({ timeMs }) => timeMs !== null && timeMs >= 0 && timeMs < Date.UTC(9999, 0));
      expect(total(report.timeline.buckets)).toBe(timed.length);
      for (const decision of RUN_DECISIONS)
        expect(
          report.timeline.buckets.reduce((count, { decisions }) => count + decisions[decision], 0),
        ).toBeLessThanOrEqual(report.decisions[decision]);
    }));

  test("the buckets follow each other without gaps, and are not too many", () =>
    checked(({ timeline: { buckets, bucket_minutes } }) => {
      expect(buckets.length).toBeLessThanOrEqual(MOST_BUCKETS);
      // Without the offset: what a clock on the wall shows.
      const starts = buckets.map(({ start }) => Date.parse(`${start.slice(0, 19)}Z`));
      expect(starts.slice(1).every((start, at) => start - (starts[at] ?? 0) === bucket_minutes * 60_000)).toBe(true);
    }));

  test("every run is in the bucket of its time", () =>
    fc.assert(
      fc.property(anyRun, (run) => {
        const { timeline } = reportOf([run]);
        const bucket = timeline.buckets.find(({ decisions }) => sum(decisions) > 0);
        if (bucket === undefined) return;
        const late = (run.timeMs ?? 0) - Date.parse(bucket.start);
        expect([late >= 0, late < timeline.bucket_minutes * 60_000]).toEqual([true, true]);
      }),
      propertyRuns(300),
    ));

  test("a hook has as many outcomes as it was in chains, and as many times in its distribution as it was started", () =>
    checked((report, runs) => {
      const all = runs.flatMap(({ hooks }) => hooks);
      expect(report.hooks.reduce((count, { outcomes }) => count + sum(outcomes), 0)).toBe(all.length);
      expect(report.hooks.reduce((count, hook) => count + hook.runs, 0)).toBe(all.filter(hasRun).length);
      expect(report.failures).toBe(all.filter(({ outcome }) => outcome === "failed").length);
      for (const { runs: started, latency } of report.hooks) {
        expect(latency?.distribution.reduce((a, b) => a + b, 0) ?? 0).toBe(started);
        if (latency === null) continue;
        const { p50_ms, p95_ms, p99_ms, max_ms } = latency;
        expect([p50_ms, p95_ms, p99_ms, max_ms]).toEqual([p50_ms, p95_ms, p99_ms, max_ms].sort((a, b) => a - b));
      }
    }));

  test("a hook that asked is no hook with nothing to object", () => {
    const hooks = [{ name: "git", outcome: "continue", duration_ms: 1 }];
    const asked = loggedRun({ run_id: "R1", event: "before_tool_call", decision: "ask", decided_by: "git", hooks });
    const report = reportOf([asked]);
    expect(report.hooks.map(({ outcomes }) => [outcomes.ask, outcomes.continue])).toEqual([[1, 0]]);
    expect(report.stopped.flatMap(({ hooks }) => hooks.map(({ outcome }) => outcome))).toEqual(["ask"]);
  });

  test("the slowest runs are the slowest, and the last blocks the last", () =>
    checked((report, runs) => {
      const durations = runs.map(({ durationMs }) => Math.min(1e9, Math.max(0, durationMs))).sort((a, b) => b - a);
      expect(report.slowest.map(({ duration_ms }) => duration_ms)).toEqual(durations.slice(0, 10));
      const stopped = runs.filter(({ decision }) => ["block", "halt", "ask"].includes(decision));
      expect(report.stopped.map(({ decision }) => decision)).toEqual(
        stopped
          .map(({ decision }) => decision)
          .reverse()
          .slice(0, 10),
      );
    }));
});

const at = (time: string, more: object = {}): LoggedRun =>
  loggedRun({ time, run_id: "R", event: "before_tool_call", decision: "continue", duration_ms: 1, hooks: [], ...more });

test.each([
  { title: "one run", times: ["2026-11-22T10:00:30"], minutes: 1, count: 24 },
  { title: "an hour", times: ["2026-11-22T10:00:00", "2026-11-22T11:00:00"], minutes: 1, count: 61 },
  { title: "a day", times: ["2026-11-22T00:00:00", "2026-11-22T23:59:00"], minutes: 15, count: 96 },
  { title: "a week", times: ["2026-11-15T12:00:00", "2026-11-22T11:59:00"], minutes: 180, count: 56 },
  { title: "a month", times: ["2026-10-22T12:00:00", "2026-11-22T11:59:00"], minutes: 720, count: 62 },
  { title: "a year", times: ["2025-11-22T12:00:00", "2026-11-22T11:59:00"], minutes: 10_080, count: 53 },
  { title: "a wrong clock", times: ["1999-11-22T12:00:00", "2026-11-22T11:59:00"], minutes: 161_280, count: 89 },
])("$title is shown in buckets of $minutes minutes", ({ times, minutes, count }) => {
  const { timeline } = reportOf(times.map((time) => at(time)));
  expect([timeline.bucket_minutes, timeline.buckets.length]).toEqual([minutes, count]);
});

test("names without end are counted together, and no failing hook is left out for a busy one", () => {
  const hook = (name: string, outcome: string) => ({ name, outcome, duration_ms: 1 });
  const names = Array.from({ length: 700 }, (_, index) => `hook-${index}`);
  const many = names.map((name) => at("2026-11-22T10:00:00", { tool: name, hooks: [hook(name, "continue")] }));
  const failing = at("2026-11-22T10:00:00", { hooks: [hook("hook-499", "failed")] });
  const report = reportOf([...many, ...many, failing]);
  expect(report.hooks).toHaveLength(60);
  expect(report.hooks.map(({ name }) => name)).toEqual(expect.arrayContaining(["hook-499", "(other hooks)"]));
  expect(report.omitted).toEqual({ hooks: 441, tools: 442 });
});

test("texts without end are cut before they are kept", () => {
  const long = "x".repeat(10_000);
  const texts = { run_id: long, event: long, tool: long, call: long, project: long, reason: long, decided_by: long };
  const hooks = Array.from({ length: 50 }, () => ({ name: long, outcome: "failed", failure: long, duration_ms: 1 }));
  const runs = Array.from({ length: 40 }, () => at("2026-11-22T10:00:00", { ...texts, decision: "block", hooks }));
  expect(JSON.stringify(reportOf(runs)).length).toBeLessThan(400_000);
});

test("a duration beyond all sense does not break the sums", () => {
  const hooks = [{ name: "g", outcome: HOOK_OUTCOMES[0], start_ms: 1e308, duration_ms: 1e308 }];
  const [run] = reportOf([at("2026-11-22T10:00:00", { duration_ms: 1e308, hooks })]).slowest;
  expect(run?.hooks).toEqual([{ name: "g", outcome: "continue", failure: null, start_ms: null, duration_ms: 0 }]);
});
