import { describe, expect, test } from "vitest";
import { toRow } from "../../bench/figure.mjs";
import { readOptions } from "../../bench/options.mjs";
import { interleaveGroups } from "../../bench/rounds.mjs";

const used = (cpuMs: number) => ({ cpuMs, wallMs: cpuMs * 2, peakMb: 1 });
const rounds = [10, 20, 60].map((ms) => ({ ours: used(ms), theirs: used(20) }));

describe("a figure", () => {
  const ratio = { id: "P1", what: "x", ours: { ours: 1 }, against: "y", theirs: { theirs: 1 } };

  test("is the median of the ratios of each round", () => {
    const slowMinute = [...rounds, { ours: used(100), theirs: used(100) }, { ours: used(100), theirs: used(100) }];
    expect(toRow(ratio, slowMinute).value).toBe(1);
  });

  test.each([
    [1, "met"],
    [0.9, "missed"],
  ])("with the target %s is %s", (target, verdict) => {
    const row = toRow({ ...ratio, target, whyMissed: "a reason" }, rounds);
    expect(row).toMatchObject({ verdict, whyMissed: verdict === "missed" ? "a reason" : null });
  });

  test("without another side is an amount, of CPU or of time", () => {
    const amount = { id: "P1", what: "x", ours: { ours: 0.5, theirs: -0.5 }, target: 0 };
    expect(toRow(amount, rounds)).toMatchObject({ value: 0, theirs: null, verdict: "met" });
    expect(toRow({ ...amount, ours: { ours: 1 }, measure: "wallMs" }, rounds).value).toBe(40);
  });
});

describe("the rounds", () => {
  test("take every command once each, and leave out what fails", async () => {
    const taken: string[] = [];
    const measure = async (name: string) => {
      taken.push(name);
      if (name === "broken" && taken.length > 8) throw new Error("broke while it was timed");
      return used(1);
    };
    const groups = [
      { subjects: { a: "a", b: "b" }, count: 5 },
      { subjects: { c: "broken" }, count: 5 },
      { subjects: { d: "d" }, count: 1 },
    ];
    const [pair, broken, single] = await interleaveGroups(groups, measure);
    expect(pair).toHaveLength(5);
    expect(broken).toEqual(new Error("broke while it was timed"));
    expect(single).toHaveLength(1);
    expect(taken.filter((name) => name === "a")).toHaveLength(7);
    expect(taken.slice(0, 4).toSorted()).toEqual(["a", "b", "broken", "d"]);
  });
});

test.each([
  [["-n", "0"], '-n wants a whole number above 0, not "0"'],
  [["--only", "P99"], 'unknown group "P99"; there are P1'],
  [["--bin", "/nowhere/hookctl.js"], "/nowhere/hookctl.js does not exist"],
  [["--scale", "--only", "P1"], 'unknown group "P1"; there are S1'],
  [["--save", "--only", "P1"], "--save wants all groups, so it does not go with --only"],
])("the options %j are refused", (words, fault) => {
  expect(readOptions(words, { ids: ["P1"], scaleIds: ["S1"], bin: process.execPath })).toBe(fault);
});
