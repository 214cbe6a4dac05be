import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
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

describe.skipIf(process.platform !== "linux")("hostile hooks (needs Linux)", () => {
  for (const one of cases) {
    test.skipIf(one.lacking.length > 0)(`${one.id} ${one.title}${one.skipped}`, async () => {
      expect(await runCase(one)).toEqual([]);
    });
  }
});
