import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { answering, collector, spansIn } from "../../../../test/support/collector.ts";
import { appendRuns, auditFileIn } from "../../../../test/support/export-job.ts";
import { HOOKCTL_PROGRAM, HOOKCTL_WORDS, workspace } from "../../../../test/support/workspace.ts";

test("two exporters at once, killed at each stage of a batch: no run is lost, and one that comes again has the same id", async () => {
  await using place = await workspace();
  await using target = await collector();
  const runs = 4_000;
  appendRuns(auditFileIn(place), [0, runs]);
  const env = { ...place.env, OTEL_EXPORTER_OTLP_ENDPOINT: target.url };
  const start = () => spawn(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "export"], { cwd: "/", env, stdio: "ignore" });
  let kills = 0;
  for (;;) {
    const calls = [start(), start()];
    const stage = kills % 3;
    target.treat = (request, response, count) => {
      // Before it is taken, when it is taken but not acknowledged, and right after the acknowledgement.
      const isTaken =
        stage === 0 ? false : answering(200)(request, stage === 1 ? new Proxy(response, SILENT) : response, count);
      for (const call of calls) call.kill("SIGKILL");
      return isTaken;
    };
    if (kills >= 6) target.treat = answering(200);
    await Promise.all(calls.map((call) => once(call, "exit")));
    if (kills >= 6) break;
    kills += 1;
  }
  const ids = spansIn(target).map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(runs * 2);
  expect(ids.length).toBeGreaterThan(runs * 2);
});

/** A response that never leaves. */
const SILENT: ProxyHandler<ServerResponse> = {
  get: (_response, key, self) => (key === "writeHead" ? () => self : () => undefined),
};
