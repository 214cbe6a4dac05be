import { appendFileSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { skippableTime } from "../../../../test/support/clock.ts";
import {
  answering,
  type Collector,
  collector,
  metricsIn,
  recordsIn,
  spansIn,
  type Treat,
} from "../../../../test/support/collector.ts";
import { appendRuns, auditFileIn, auditLine, exportJob } from "../../../../test/support/export-job.ts";
import { expectOtlp } from "../../../../test/support/otlp-schema.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { purgeLog } from "../../commands/log/purge.ts";
import { exportOnce } from "../../export/run-export.ts";

/** A log with so many runs, and a collector. */
async function scene(runs: number) {
  const [place, target] = [await workspace(), await collector()];
  const file = auditFileIn(place);
  appendRuns(file, [0, runs]);
  const dispose = async (): Promise<void> => {
    await target[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  };
  return { place, target, file, [Symbol.asyncDispose]: dispose };
}

const startTimes = (target: Collector): readonly number[] =>
  spansIn(target)
    .filter(({ name }) => name.startsWith("before_tool_call"))
    .map(({ startTimeUnixNano }) => (Number(startTimeUnixNano) / 1e6 - Date.UTC(2026, 0, 1)) / 1000);

const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, at) => from + at);

const cursorOf = async (place: Workspace) =>
  JSON.parse((await place.read("home/.local/state/hookctl/export.json")) ?? "null");

test("each run is a span with a span for each hook, as the schema has them, and nothing is sent twice", {
  tags: "slow",
}, async () => {
  await using one = await scene(2000);
  const { request } = exportJob(one.file, one.target.url);
  expect(await exportOnce(request)).toBe("done");
  expect(startTimes(one.target)).toEqual(range(0, 2000));
  expect(new Set(spansIn(one.target).map(({ spanId }) => spanId)).size).toBe(4000);
  for (const { signal, body } of one.target.kept) expectOtlp(signal, body);
  expect(one.target.kept.filter(({ signal }) => signal === "traces").length).toBeGreaterThan(1);
  const before = one.target.count();
  expect(await exportOnce(request)).toBe("done");
  expect(one.target.count()).toBe(before);
  appendRuns(one.file, [2000, 2001]);
  expect(await exportOnce(request)).toBe("done");
  expect(startTimes(one.target)).toEqual(range(0, 2001));
  const runs = metricsIn(one.target).find(({ name }) => name === "hookctl.runs");
  expect(runs?.sum?.dataPoints.map(({ asInt }) => asInt)).toEqual(["2001"]);
});

describe("a run belongs to the trace of the agent that called", () => {
  test.each([
    ["a valid one", { trace_id: "a".repeat(32), span_id: "b".repeat(16) }, "a".repeat(32), "b".repeat(16)],
    ["one without a span", { trace_id: "a".repeat(32) }, "a".repeat(32), undefined],
    ["a zero id", { trace_id: "0".repeat(32), span_id: "b".repeat(16) }, null, undefined],
    ["an invalid id", { trace_id: "x", span_id: "b".repeat(16) }, null, undefined],
    ["none", undefined, null, undefined],
  ])("%s", async (_title, trace, traceId, parent) => {
    await using one = await scene(0);
    await one.place.write(one.file, `${auditLine(1, { trace })}\n`);
    await exportOnce(exportJob(one.file, one.target.url).request);
    const [run, hook] = spansIn(one.target);
    expect(run?.traceId).toMatch(/^[0-9a-f]{32}$/);
    if (traceId !== null) expect(run?.traceId).toBe(traceId);
    expect(run?.parentSpanId).toBe(parent);
    expect(hook).toMatchObject({ traceId: run?.traceId, parentSpanId: run?.spanId });
  });
});

test("a block, a failure and a warning of a guard are log records with their span", async () => {
  await using one = await scene(0);
  const hook = {
    name: "guard",
    source: "user",
    path: "/g",
    outcome: "failed",
    failure: "HOOK_TIMED_OUT",
    duration_ms: 5,
  };
  const line = auditLine(1, {
    ...{ decision: "block", decided_by: "guard", reason: "no rm", call: "rm -rf /", agent: "claude", hooks: [hook] },
    guard_warnings: [{ code: "HOOK_NOT_PROTECTING", hook: "other" }],
  });
  await one.place.write(one.file, `${line}\n${auditLine(2, { call: "ls" })}\n`);
  await exportOnce(exportJob(one.file, one.target.url).request);
  const [run, hookSpan] = spansIn(one.target);
  expect(
    recordsIn(one.target).map(({ eventName, severityText, spanId, body }) => [eventName, severityText, spanId, body]),
  ).toEqual([
    ["hookctl.block", "WARN", run?.spanId, { stringValue: "block by guard: no rm" }],
    ["hookctl.hook_failure", "ERROR", hookSpan?.spanId, { stringValue: "hook guard failed: HOOK_TIMED_OUT" }],
    [
      "hookctl.guard_warning",
      "ERROR",
      run?.spanId,
      { stringValue: "a guard does not protect: HOOK_NOT_PROTECTING (other)" },
    ],
  ]);
  expect(hookSpan?.status).toEqual({ code: 2, message: "HOOK_TIMED_OUT" });
  const calls = spansIn(one.target).flatMap(({ attributes }) => attributes.filter(({ key }) => key === "hookctl.call"));
  // The call of a run that was allowed stays on the machine.
  expect(calls.map(({ value }) => value)).toEqual([{ stringValue: "rm -rf /" }]);
  for (const { signal, body } of one.target.kept) expectOtlp(signal, body);
});

test("rule, policy, user and additions are attributes, and a hook that was not approved is no failure", async () => {
  await using one = await scene(0);
  const base = { source: "project", path: "/g", duration_ms: 5, trust: "trusted" };
  const hooks = [
    { ...base, name: "notes", outcome: "continue", added: { context: { count: 1, bytes: 2, hash: "ab" } } },
    { ...base, name: "theirs", outcome: "refused", trust: "untrusted", failure: "HOOK_REFUSED_UNTRUSTED" },
  ];
  const who = { user: "jo", policy: "c0ffee", rule: "reset-hard", decided_by: "git", decision: "block" };
  await one.place.write(one.file, `${auditLine(1, { ...who, hooks })}\n`);
  await exportOnce(exportJob(one.file, one.target.url).request);
  const [run, ...hookSpans] = spansIn(one.target);
  const valueIn = (attributes: typeof run, key: string) =>
    attributes?.attributes.find((attribute) => attribute.key === key)?.value;
  expect(["user.name", "hookctl.policy", "hookctl.rule"].map((key) => valueIn(run, key))).toEqual([
    { stringValue: "jo" },
    { stringValue: "c0ffee" },
    { stringValue: "reset-hard" },
  ]);
  expect(hookSpans.map((span) => valueIn(span, "hookctl.hook.added"))).toEqual([
    { arrayValue: { values: [{ stringValue: "context" }] } },
  ]);
  expect([run, ...hookSpans].map((span) => span?.status)).toEqual([undefined, undefined]);
  expect(recordsIn(one.target).map(({ eventName, body }) => [eventName, body.stringValue])).toEqual([
    ["hookctl.block", "block by git: no reason given"],
    ["hookctl.hook_refusal", "hook theirs refused: HOOK_REFUSED_UNTRUSTED"],
  ]);
  const names = metricsIn(one.target).map(({ name }) => name);
  expect(names).toContain("hookctl.hook.refusals");
  expect(names).not.toContain("hookctl.hook.failures");
  for (const { signal, body } of one.target.kept) expectOtlp(signal, body);
});

test("hostile texts and numbers are valid OTLP", async () => {
  await using one = await scene(0);
  const name = "\ud800 \u0000 \u001b[31m \u202e \udc00 __proto__";
  const hooks = [
    {
      name,
      source: name,
      outcome: name,
      failure: name,
      duration_ms: 1e300,
      start_ms: -1e300,
      exit: 1e300,
      signal: name,
    },
    {
      name: "constructor",
      source: "user",
      outcome: "failed",
      failure: "__proto__",
      duration_ms: -5,
      exit: 2 ** 60,
    },
  ];
  const lines = [
    auditLine(1, {
      event: name,
      tool: name,
      decision: name,
      reason: name,
      hooks,
      session: "x".repeat(1e6),
      changed: [name],
    }),
    auditLine(2, { time: "0001-01-01T00:00:00.000Z", hooks }),
    auditLine(3, { time: "+275760-09-13T00:00:00.000Z", duration_ms: 1e308, hooks }),
    auditLine(4, { time: "never" }),
    '{"schema":"hookctl.record/1","time":"2026-01-01T00:00:00.000Z","hooks":7,"run_id":{}}',
    ...['{"schema":"hookctl.record/1","kind":"of tomorrow"}', "null", "[]", "7", '{"half', "\u0000\u0000"],
  ];
  await one.place.write(one.file, `${lines.join("\n")}\n`);
  const { request } = exportJob(one.file, one.target.url);
  expect(await exportOnce(request)).toBe("done");
  for (const { signal, body } of one.target.kept) expectOtlp(signal, body);
  expect(JSON.stringify(one.target.kept)).not.toMatch(/(?<!\\)\\u00|\u202e|(?<!\\)\\ud[89a-f]/);
  expect(request.tally).toMatchObject({ runs: 4, unreadable: 3 });
});

describe("while the collector does not take a batch, nothing is lost and nothing is sent twice", () => {
  const flaky =
    (fault: Treat): Treat =>
    (request, response, count) =>
      count < 3 ? fault(request, response, count) : answering(200)(request, response, count);

  test.each<[string, Treat, number[]]>([
    ["503", answering(503), [1000, 2000, 4000]],
    ["429 with Retry-After in seconds", answering(429, { "retry-after": "7" }), [7000, 7000, 7000]],
    [
      "503 with Retry-After as a date",
      answering(503, { "retry-after": "Sun, 01 Feb 2026 00:00:05 GMT" }),
      [5000, 5000, 5000],
    ],
    ["502 with a broken Retry-After", answering(502, { "retry-after": "soon" }), [1000, 2000, 4000]],
    ["504", answering(504), [1000, 2000, 4000]],
    ["a reset", (_request, response) => void response.socket?.resetAndDestroy() === true, [1000, 2000, 4000]],
    ["an end without an answer", (_request, response) => void response.socket?.end() === true, [1000, 2000, 4000]],
    [
      "half of an answer",
      (_request, response) => {
        response.writeHead(200, { "content-length": "50" });
        response.write("{");
        setTimeout(() => response.destroy(), 10);
        return false;
      },
      [1000, 2000, 4000],
    ],
  ])("%s", async (_title, fault, pauses) => {
    await using one = await scene(50);
    one.target.treat = flaky(fault);
    const { request, waited } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    expect(waited).toEqual(pauses);
    expect(startTimes(one.target)).toEqual(range(0, 50));
  });

  test("an answer that does not come in time", async () => {
    await using one = await scene(5);
    using time = skippableTime();
    one.target.treat = flaky(() => {
      setImmediate(time.skip);
      return false;
    });
    const { request, waited } = exportJob(one.file, one.target.url, { OTEL_EXPORTER_OTLP_TIMEOUT: "9000" });
    expect(await exportOnce(request)).toBe("done");
    expect(waited).toEqual([1000, 2000, 4000]);
    expect(startTimes(one.target)).toEqual(range(0, 5));
  });

  test("an outage that lasts: it ends, says so, and the next export continues", async () => {
    await using one = await scene(5);
    one.target.treat = answering(503);
    const job = exportJob(one.file, one.target.url);
    const url = `${one.target.url}/v1/traces`;
    expect(await exportOnce(job.request)).toEqual({ code: "EXPORT_UNREACHABLE", url, cause: "HTTP 503", waitMs: null });
    expect((await cursorOf(one.place)).problem.text).toContain("HTTP 503");
    one.target.treat = answering(200);
    expect(await exportOnce(job.request)).toBe("done");
    expect(startTimes(one.target)).toEqual(range(0, 5));
    expect((await cursorOf(one.place)).problem).toBeNull();
  });

  test("a collector that takes the traces but not yet the logs gets the same traces once", async () => {
    await using one = await scene(0);
    await one.place.write(one.file, `${auditLine(1, { decision: "block" })}\n`);
    one.target.treat = (request, response, count) =>
      answering(request.signal === "logs" ? 404 : 200)(request, response, count);
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toMatchObject({ code: "EXPORT_REFUSED", status: 404, signal: "logs" });
    // More runs must not change which batch it is.
    appendFileSync(one.file, `${auditLine(2, { decision: "block" })}\n`);
    one.target.treat = answering(200);
    expect(await exportOnce(request)).toBe("done");
    expect(startTimes(one.target)).toEqual([1, 2]);
    expect(recordsIn(one.target)).toHaveLength(2);
  });
});

describe("what a collector refuses for good", () => {
  test.each([400, 413, 500])("%i: the batch is given up, counted and said", async (status) => {
    await using one = await scene(3);
    one.target.treat = (request, response, count) =>
      count === 0
        ? answering(status, {}, '{"message":"bad \\u001b span"}')(request, response, count)
        : answering(200)(request, response, count);
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    expect(request.tally).toMatchObject({ runs: 3, rejected: 6 });
    expect([...request.tally.messages]).toEqual([`HTTP ${status}: bad \\u001b span`]);
    expect(await cursorOf(one.place)).toMatchObject({ rejected: 6, files: [{ lines: 3 }] });
  });

  test.each([401, 403, 404, 302])(
    "%i: the address or the person is refused, so nothing is given up",
    async (status) => {
      await using one = await scene(3);
      one.target.treat = answering(
        status,
        { location: "http://127.0.0.1:1/" },
        '{"message":"token sesame-open unknown"}',
      );
      const { request, waited } = exportJob(one.file, one.target.url, {
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20sesame-open",
      });
      expect(await exportOnce(request)).toMatchObject({ code: "EXPORT_REFUSED", status, message: "token *** unknown" });
      expect(waited).toEqual([]);
      expect(one.target.kept).toEqual([]);
      one.target.treat = answering(200);
      expect(await exportOnce(request)).toBe("done");
      expect(startTimes(one.target)).toEqual(range(0, 3));
      expect(one.target.kept[0]?.headers.authorization).toBe("Bearer sesame-open");
    },
  );

  test("a partial success is not sent again; what was rejected is counted", async () => {
    await using one = await scene(3);
    const partial = { partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } };
    one.target.treat = answering(200, {}, JSON.stringify(partial));
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    expect(one.target.count()).toBe(2);
    expect(request.tally).toMatchObject({ rejected: 2 });
    expect([...request.tally.messages]).toEqual(["too old"]);
  });

  test.each(["", "no JSON", "[]", '{"partialSuccess":{"rejectedSpans":-1}}', '{"partialSuccess":null}'])(
    "a success with the body %j is a success",
    async (body) => {
      await using one = await scene(3);
      one.target.treat = answering(200, {}, body);
      const { request } = exportJob(one.file, one.target.url);
      expect(await exportOnce(request)).toBe("done");
      expect(request.tally).toMatchObject({ runs: 3, rejected: 0 });
    },
  );
});

describe("the log changes underneath", () => {
  test("it is rotated between batches and within one", async () => {
    await using one = await scene(0);
    const { request } = exportJob(one.file, one.target.url);
    for (let round = 0; round < 6; round++) {
      appendRuns(one.file, [round * 100, round * 100 + 100], 400_000);
      if (round % 2 === 0) expect(await exportOnce(request)).toBe("done");
    }
    expect(await exportOnce(request)).toBe("done");
    expect(readdirSync(dirname(one.file)).filter((name) => name.startsWith("audit.2")).length).toBeGreaterThan(2);
    expect(startTimes(one.target)).toEqual(range(0, 600));
    expect(request.tally).toMatchObject({ lost: 0, gaps: 0 });
  });

  test("files that were rotated away before they were exported are counted", async () => {
    await using one = await scene(10);
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    appendRuns(one.file, [10, 1000], 160_000);
    expect(await exportOnce(request)).toBe("done");
    const sent = startTimes(one.target);
    expect(sent.length).toBeLessThan(1000);
    expect(request.tally.lost).toBe(1000 - sent.length);
    expect(new Set(sent).size).toBe(sent.length);
    expect((await cursorOf(one.place)).lost).toBe(1000 - sent.length);
    const lost = metricsIn(one.target).find(({ name }) => name === "hookctl.export.lost");
    expect(lost?.sum?.dataPoints).toMatchObject([{ asInt: String(1000 - sent.length) }]);
  });

  test("files that another program removed are said, without a number", async () => {
    await using one = await scene(10);
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    rmSync(one.file);
    appendRuns(one.file, [20, 25]);
    expect(await exportOnce(request)).toBe("done");
    expect(request.tally).toMatchObject({ gaps: 1, lost: 0 });
    expect(startTimes(one.target)).toEqual([...range(0, 10), ...range(20, 25)]);
    expect(await exportOnce(request)).toBe("done");
    expect(request.tally.gaps).toBe(1);
  });

  test("its oldest lines were removed, the rest is in a new file", async () => {
    await using one = await scene(10);
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    writeFileSync(
      `${one.file}.new`,
      `${range(7, 13)
        .map((index) => auditLine(index))
        .join("\n")}\n`,
    );
    renameSync(`${one.file}.new`, one.file);
    expect(await exportOnce(request)).toBe("done");
    expect(startTimes(one.target)).toEqual(range(0, 13));
    expect(request.tally).toMatchObject({ gaps: 0 });
  });

  test("a purge erases exported lines, and lines that were not exported are counted", async () => {
    await using one = await scene(10);
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    appendRuns(one.file, [10, 15]);
    expect(purgeLog(one.file, Date.UTC(2026, 0, 1, 0, 0, 12)).lines).toBe(12);
    expect(await exportOnce(request)).toBe("done");
    expect(startTimes(one.target)).toEqual([...range(0, 10), ...range(12, 15)]);
    expect(request.tally).toMatchObject({ lost: 2, gaps: 0, unreadable: 0 });
    expect(purgeLog(one.file, null).files).toBe(1);
    appendRuns(one.file, [15, 17]);
    expect(await exportOnce(request)).toBe("done");
    expect(startTimes(one.target)).toEqual([...range(0, 10), ...range(12, 17)]);
    expect(request.tally).toMatchObject({ lost: 2, gaps: 0 });
  });

  test("it was cut, and written again", async () => {
    await using one = await scene(10);
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    truncateSync(one.file, 0);
    appendRuns(one.file, [10, 30]);
    expect(await exportOnce(request)).toBe("done");
    expect(startTimes(one.target)).toEqual(range(0, 30));
  });

  test("half a line waits until it is whole; in a rotated file it is skipped", async () => {
    await using one = await scene(2);
    const { request } = exportJob(one.file, one.target.url);
    const line = auditLine(2);
    appendFileSync(one.file, line.slice(0, 50));
    expect(await exportOnce(request)).toBe("done");
    expect(request.tally).toMatchObject({ runs: 2, unreadable: 0 });
    appendFileSync(one.file, `${line.slice(50)}\n${line.slice(0, 50)}`);
    expect(await exportOnce(request)).toBe("done");
    expect(startTimes(one.target)).toEqual([0, 1, 2]);
    renameSync(one.file, join(dirname(one.file), "audit.2026-01-01T00-00-00.000Z.1.jsonl"));
    appendRuns(one.file, [3, 4]);
    expect(await exportOnce(request)).toBe("done");
    expect(startTimes(one.target)).toEqual([0, 1, 2, 3]);
    expect(request.tally).toMatchObject({ unreadable: 1, gaps: 0 });
  });

  test("a line of 6 MB that hookctl did not write is skipped", async () => {
    await using one = await scene(1);
    appendFileSync(one.file, `"${"x".repeat(6e6)}"\n${auditLine(1)}\n`);
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    expect(startTimes(one.target)).toEqual([0, 1]);
    expect(request.tally).toMatchObject({ unreadable: 1 });
    expect(await exportOnce(request)).toBe("done");
    expect(startTimes(one.target)).toEqual([0, 1]);
  });

  test("a clock that was set back loses nothing: a newer file may sort before an older one", async () => {
    await using one = await scene(5);
    const { request } = exportJob(one.file, one.target.url);
    expect(await exportOnce(request)).toBe("done");
    appendRuns(one.file, [5, 8]);
    renameSync(one.file, join(dirname(one.file), "audit.2026-05-01T00-00-00.000Z.1.jsonl"));
    appendRuns(one.file, [8, 9]);
    renameSync(one.file, join(dirname(one.file), "audit.2026-04-01T00-00-00.000Z.1.jsonl"));
    appendRuns(one.file, [9, 10]);
    expect(await exportOnce(request)).toBe("done");
    expect([...startTimes(one.target)].sort((a, b) => a - b)).toEqual(range(0, 10));
  });
});

test("a broken cursor sends nothing, because it would send everything again", async () => {
  await using one = await scene(3);
  await one.place.write("home/.local/state/hookctl/export.json", '{"schema":');
  const ended = await exportOnce(exportJob(one.file, one.target.url).request);
  expect(ended).toMatchObject({ code: "EXPORT_CURSOR_INVALID" });
  expect(one.target.count()).toBe(0);
});
