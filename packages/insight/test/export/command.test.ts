import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answering, collector, spansIn } from "../../../../test/support/collector.ts";
import { appendRuns, auditFileIn, auditLine } from "../../../../test/support/export-job.ts";
import { makeFifo } from "../../../../test/support/fifo.ts";
import { expectOtlp } from "../../../../test/support/otlp-schema.ts";
import { HOOKCTL_PROGRAM, HOOKCTL_WORDS, workspace } from "../../../../test/support/workspace.ts";
import type { Signal } from "../../export/otlp.ts";

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

test("without a collector it says how to name one", async () => {
  await using place = await workspace();
  expect(await place.run(["export"])).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining('{"settings": {"export": "http://localhost:4318"}}'),
    code: 78,
  });
});

test("a run of a hook arrives as spans, and doctor says so", async () => {
  await using place = await workspace();
  await using target = await collector();
  await place.hook("guard", `echo '{"blocked":true,"reason":"no rm"}'`);
  const env = { TRACEPARENT: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
  await place.run(["run", "before_tool_call"], { stdin: '{"tool_name":"bash","tool_input":{}}', env });
  expect(await place.run(["export"], { env: { [ENDPOINT]: target.url } })).toMatchObject({
    stdout: "",
    stderr: `✔ exported 1 run (2 spans, 1 log record) to ${target.url}\n`,
    code: 0,
  });
  for (const { signal, body } of target.kept) expectOtlp(signal, body);
  expect(spansIn(target)[0]).toMatchObject({ traceId: "a".repeat(32), parentSpanId: "b".repeat(16) });
  expect((await place.run(["doctor"])).stdout).toContain("exported up to 20");
});

test("the settings decide before a variable, which a project could set, and a project's settings do not count", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  await using target = await collector();
  await using other = await collector();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ settings: { export: target.url } }));
  appendRuns(auditFileIn(place), [0, 3]);
  const result = await place.run(["export", "--json"], { env: { [ENDPOINT]: other.url } });
  expect(JSON.parse(result.stdout)).toMatchObject({ schema: "hookctl.export-result/1", runs: 3, problem: null });
  expect([target.count(), other.count()]).toEqual([2, 0]);
  await place.write("project/.kodelet/hooks.json", JSON.stringify({ settings: { export: other.url } }));
  await place.run(["export", "--trust"]);
  expect(other.count()).toBe(0);
});

test.each([
  ["a password in the URL", { [ENDPOINT]: "ftp://me:sesame-open@x" }],
  ["a broken header", { [ENDPOINT]: "http://x", OTEL_EXPORTER_OTLP_HEADERS: "a=1,sesame-open" }],
  ["gRPC", { [ENDPOINT]: "http://x", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
  ["a timeout that is none", { [ENDPOINT]: "http://x", OTEL_EXPORTER_OTLP_TIMEOUT: "sesame-open" }],
])("%s: it names the variable and not its value", async (_title, env) => {
  await using place = await workspace();
  const result = await place.run(["export"], { env });
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringMatching(/OTEL_EXPORTER_OTLP_\w+/), code: 78 });
  expect(result.stderr).not.toContain("sesame-open");
});

test("a collector that is down: exit 1, nothing is lost, and doctor says it", { tags: "slow" }, async () => {
  await using place = await workspace();
  appendRuns(auditFileIn(place), [0, 3]);
  const env = { [ENDPOINT]: "http://127.0.0.1:9" };
  expect(await place.run(["export", "--deadline", "1ms"], { env })).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining("Nothing is lost"),
    code: 1,
  });
  expect((await place.run(["doctor"])).stdout).toContain("ECONNREFUSED");
});

test.each<[what: string, put: (path: string) => void, cause: string]>([
  ["a file of somebody else", (path) => writeFileSync(path, "mine\n"), "it exists and hookctl did not write it"],
  ["a link", (path) => symlinkSync("/dev/null", path), "it is a symbolic link"],
  ["a pipe", (path) => void makeFifo(path), "it is not a regular file"],
])("--output does not replace %s", async (_what, put, cause) => {
  await using place = await workspace();
  appendRuns(auditFileIn(place), [0, 3]);
  await place.write("project/out/x", "");
  const path = join(place.project, "out/traces.jsonl");
  put(path);
  const result = await place.run(["export", "--output", "out"]);
  expect(result).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining(`${path} could not be written: ${cause}.`),
    code: 74,
  });
});

test("--output writes all of the log as OpenTelemetry's files, and leaves the cursor alone", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  appendRuns(auditFileIn(place), [0, 3]);
  await place.write(
    "home/.local/state/hookctl/audit.2026-01-01T00-00-00.000Z.1.jsonl",
    `${auditLine(9, { decision: "block" })}\n`,
  );
  for (let time = 0; time < 2; time++) {
    expect(await place.run(["export", "--output", "out"])).toMatchObject({ stdout: "", code: 0 });
    for (const signal of ["traces", "metrics", "logs"] as const satisfies readonly Signal[]) {
      const text = await readFile(join(place.project, "out", `${signal}.jsonl`), "utf8");
      const lines = text.trimEnd().split("\n");
      for (const line of lines) expectOtlp(signal, JSON.parse(line));
      expect(lines).toHaveLength(signal === "traces" ? 2 : 1);
    }
  }
  expect(existsSync(join(place.home, ".local/state/hookctl/export.json"))).toBe(false);
});

test("--follow sends what is recorded later, one exporter works at a time, and a signal ends it", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  await using target = await collector();
  appendRuns(auditFileIn(place), [0, 3]);
  const env = { ...place.env, [ENDPOINT]: target.url };
  const child = spawn(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "export", "--follow", "-q"], {
    cwd: "/",
    env,
    stdio: "ignore",
  });
  const spans = async (count: number): Promise<void> => {
    while (spansIn(target).length < count) await new Promise((again) => setTimeout(again, 20));
  };
  await spans(6);
  expect(await place.run(["export"], { env: { [ENDPOINT]: target.url } })).toMatchObject({
    stderr: "• Another export is running; it sends these runs.\n",
    code: 0,
  });
  target.treat = answering(503, { "retry-after": "0" });
  appendRuns(auditFileIn(place), [3, 5]);
  const before = target.count();
  while (target.count() < before + 3) await new Promise((again) => setTimeout(again, 20));
  target.treat = answering(200);
  await spans(10);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(spansIn(target)).toHaveLength(10);
});
