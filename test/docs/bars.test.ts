import { expect, test } from "vitest";
import { bars } from "../../tools/docs/bars.mjs";
import { peers } from "../../tools/docs/figures.mjs";

const row = (program: string, measure: string, ours: number, value: number) => ({
  ...{ id: "peers", what: "a call", program, measure, ours, value, theirs: 2 },
  ...{ against: measure === "serverMb" ? null : "sh", quartiles: [], target: null, verdict: null, whyMissed: null },
});
const saved = {
  ...{
    date: "2026-01-02 03:04",
    node: "v20.1.0",
    cpu: "2 x <chip>",
    load: [0, 0],
    clock: "wait4",
    rounds: 3,
    notes: [],
  },
  figures: [
    row("slow", "cpuMs", 8, 4),
    row("hookctl", "cpuMs", 4, 2),
    row("hookctl", "serverMb", 60, 60),
    row("sh", "cpuMs", 2, 1),
  ],
} as unknown as NonNullable<Parameters<typeof bars>[0]>;

test("the picture has a bar for each program, the cheapest first, as long as its cost", () => {
  const svg = bars(saved);
  const drawn = [...svg.matchAll(/<text class="name"[^>]*>([^<]*)<.*?<rect class="(\w+)"[^>]* width="(\d+)"/g)];
  const [sh, own, slow] = drawn.map(([, name, kind, width]) => ({ name, kind, width: Number(width) }));
  expect([sh?.name, own?.name, slow?.name]).toEqual(["sh", "hookctl", "slow"]);
  expect([sh?.kind, own?.kind, slow?.kind]).toEqual(["other", "ours", "other"]);
  expect(slow?.width).toBeGreaterThan(0);
  expect([own?.width, sh?.width]).toEqual([(slow?.width ?? 0) / 2, Math.round((slow?.width ?? 0) / 4)]);
  expect(svg).toContain("2 x &lt;chip>");
  expect(svg).toContain("prefers-color-scheme:dark");
});

test("the table names what each costs, and how many times the cost of the guard by itself that is", () => {
  const [, ...lines] = peers(saved)
    .split("\n")
    .filter((line) => line.startsWith("| "));
  expect(lines.slice(0, 3).map((line) => line.split(" | ").slice(0, 2))).toEqual([
    ["| sh", "2.00 ms"],
    ["| hookctl", "4.00 ms (2.00 x)"],
    ["| slow", "8.00 ms (4.00 x)"],
  ]);
});
