import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "../sandbox/bubblewrap.ts";
import { CASES } from "./cases.ts";
import { runCase } from "./run-case.ts";

const hasProgram = (name: string): boolean => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
const NEEDED_BY_ALL = ["script", "install", "/usr/bin/time"];
const missing = new Set(
  [...NEEDED_BY_ALL, ...CASES.flatMap(({ needs = [] }) => needs)].filter((name) => !hasProgram(name)),
);
const cases = CASES.map((one) => {
  const lacking = [...NEEDED_BY_ALL, ...(one.needs ?? [])].filter((name) => missing.has(name));
  return { ...one, lacking, skipped: lacking.length > 0 ? ` (skipped: needs ${lacking.join(", ")})` : "" };
});

/** `test` takes its hooks by their paths and without the user's settings; for `list` nothing would change. */
const runs = cases.filter(({ command = "run" }) => command === "run");

describe.skipIf(missingHere !== null)(`hostile hooks in the sandbox${unlessMissing}`, () => {
  for (const one of runs) {
    test.skipIf(one.lacking.length > 0)(`${one.id} ${one.title}${one.skipped}`, async () => {
      expect(await runCase(one, { isCaged: true })).toEqual([]);
    });
  }
});

describe.skipIf(process.platform !== "linux")("hostile hooks (needs Linux)", () => {
  for (const one of cases) {
    test.skipIf(one.lacking.length > 0)(`${one.id} ${one.title}${one.skipped}`, async () => {
      expect(await runCase(one)).toEqual([]);
    });
  }
});
