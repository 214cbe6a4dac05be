import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { commandsFor } from "../../bench/command.mjs";
import { exponentOf, isFaulty, measureScale } from "../../bench/scale/scale.mjs";
import { openWorkspace } from "../../bench/workspace.mjs";

const workspace = openWorkspace();
beforeAll(() => void vi.spyOn(process.stdout, "write").mockReturnValue(true));
afterAll(() => {
  vi.restoreAllMocks();
  workspace.remove();
});

test.each([
  [[10, 20, 40], 1],
  [[10, 40, 160], 2],
  [[100, 101, 102], null],
  [[50, 60, 120], null],
])("costs of %j grow with the power %j", (costs, exponent) => {
  expect(exponentOf(costs)).toBe(exponent);
});

test("a case that fails is reported, and the others are measured", async () => {
  const program = [process.execPath, "-e", "0"];
  const commands = commandsFor(program, workspace.file("payload", "{}"));
  const measure = async ({ stdin }: { stdin: string }) => {
    const { length } = await import("node:fs").then(({ readFileSync }) => readFileSync(stdin, "utf8"));
    if (length > 200) throw new Error("exit 2 while it was timed");
    return { cpuMs: 10, wallMs: 10, peakMb: 1 };
  };
  const bench = { workspace, measure, commands };
  const growths = await measureScale(bench, { only: ["S15"], rounds: 1 });
  expect(growths).toMatchObject([
    { cpuMs: [10, 10, 10], exponent: null, fault: null },
    { cpuMs: [], fault: "exit 2 while it was timed" },
  ]);
  expect(growths.map(isFaulty)).toEqual([false, true]);
});
