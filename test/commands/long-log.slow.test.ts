import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type Workspace, workspace } from "../support/workspace.ts";

const COUNT = 1_000_000;
const FILES = 5;
const START = Date.UTC(2026, 0, 1);

/** One run a second, over several files; every tenth blocks, and its time is its number modulo 1,000. */
function writeLongLog(place: Workspace): void {
  const file = join(place.home, ".local/state/hookctl/audit.jsonl");
  mkdirSync(dirname(file), { recursive: true });
  const perFile = COUNT / FILES;
  for (let part = 0; part < FILES; part++) {
    const end = new Date(START + (part + 1) * perFile * 1000).toISOString().replaceAll(":", "-");
    const descriptor = openSync(part === FILES - 1 ? file : file.replace(".jsonl", `.${end}.1.jsonl`), "w", 0o600);
    for (let from = part * perFile; from < (part + 1) * perFile; from += 1000)
      writeSync(descriptor, Array.from({ length: 1000 }, (_, index) => lineOf(from + index)).join(""));
    closeSync(descriptor);
  }
}

function lineOf(index: number): string {
  const isBlocked = index % 10 === 0;
  const hook = `{"name":"guard","outcome":"${isBlocked ? "block" : "continue"}","duration_ms":${index % 1000},"trust":"trusted"}`;
  const id = index.toString(32).toUpperCase().padStart(26, "0");
  return `{"schema":"hookctl.record/1","time":"${new Date(START + index * 1000).toISOString()}","run_id":"${id}","event":"before_tool_call","tool":"Bash","call":"git push ${index}","decision":"${isBlocked ? "block" : "continue"}","duration_ms":9,"hooks":[${hook}]}\n`;
}

/** A heap in which a tenth of the lines would not fit. */
const env = { NODE_OPTIONS: "--max-old-space-size=40" };

test("a log of a million lines is read right, in little memory", async () => {
  await using place = await workspace();
  writeLongLog(place);
  const { stdout, stderr, code } = await place.run(["stats", "--json"], { env });
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const { runs, hooks } = JSON.parse(stdout);
  expect(runs).toBe(COUNT);
  const [{ p50_ms: p50, p95_ms: p95, p99_ms: p99, ...counts }] = hooks;
  expect(counts).toMatchObject({ name: "guard", runs: COUNT, blocks: COUNT / 10, failures: 0, max_ms: 999 });
  for (const [found, exact] of [
    [p50, 499],
    [p95, 949],
    [p99, 989],
  ])
    expect(Math.abs(found - exact) / exact).toBeLessThan(0.01);

  const last = `git push ${COUNT - 1}`;
  const found = await place.run(["log", "--since", "2026-01-01", "--grep", `/${last}$/`], { env });
  expect(found).toMatchObject({ stdout: expect.stringContaining(last), stderr: "", code: 0 });
  expect(found.stdout.split("\n")).toHaveLength(2);
  const oldest = await place.run(["why", "0".repeat(26)], { env });
  expect(oldest).toMatchObject({ stdout: expect.stringContaining("  call     git push 0\n"), code: 0 });
});
