import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_PATCH, type StatePatch } from "../../src/protocol/hook-response.ts";
import { patchValues } from "../../src/session/state.ts";

type Raw = Readonly<Record<string, string>>;
interface Case {
  readonly title: string;
  readonly before?: Raw;
  readonly set?: Raw;
  readonly remove?: readonly string[];
  readonly increment?: Raw;
  readonly after: Raw;
  readonly notCounted?: readonly string[];
}

const cases: readonly Case[] = [
  { title: "a value is set beside the others", before: { a: "1" }, set: { b: '"x"' }, after: { a: "1", b: '"x"' } },
  { title: "a value that is set replaces the one before", before: { a: "1" }, set: { a: "[2]" }, after: { a: "[2]" } },
  { title: "null is a value", set: { a: "null" }, after: { a: "null" } },
  { title: "a deleted value is gone", before: { a: "1", b: "2" }, remove: ["a"], after: { b: "2" } },
  { title: "to delete what is not there changes nothing", before: { a: "1" }, remove: ["z"], after: { a: "1" } },
  { title: "a count begins at 0", increment: { n: "2" }, after: { n: "2" } },
  { title: "a count goes down as well", before: { n: "1" }, increment: { n: "-3" }, after: { n: "-2" } },
  {
    title: "whole numbers keep every digit",
    ...{ before: { n: "9007199254740993" }, increment: { n: "2" }, after: { n: "9007199254740995" } },
  },
  { title: "fractions add up", before: { cost: "0.25" }, increment: { cost: "1.5" }, after: { cost: "1.75" } },
  { title: "1e2 is a number too", before: { n: "1e2" }, increment: { n: "1" }, after: { n: "101" } },
  {
    title: "what is no number is left as it is, and the rest of the patch counts",
    ...{ before: { n: '"7"', m: "1" }, increment: { n: "1", m: "1" }, after: { n: '"7"', m: "2" }, notCounted: ["n"] },
  },
  {
    title: "a sum beyond all numbers is left as it is",
    ...{ before: { n: "1e308" }, increment: { n: "1e308" }, after: { n: "1e308" }, notCounted: ["n"] },
  },
  { title: "set comes before increment", set: { n: "5" }, increment: { n: "1" }, after: { n: "6" } },
  {
    title: "delete comes before increment: a count starts anew",
    ...{ before: { n: "9" }, remove: ["n"], increment: { n: "1" }, after: { n: "1" } },
  },
  { title: "delete comes after set", set: { n: "5" }, remove: ["n"], after: {} },
  {
    title: "a name that every object has is a name like others",
    set: { ["__proto__"]: "1" },
    after: { ["__proto__"]: "1" },
  },
];

const patchOf = ({ set = {}, remove = [], increment = {} }: Partial<Case>): StatePatch => ({
  set: new Map(Object.entries(set)),
  remove,
  increment: new Map(Object.entries(increment)),
});

test.each(cases)("$title", ({ before = {}, after, notCounted = [], ...patch }) => {
  const result = patchValues(new Map(Object.entries(before)), patchOf(patch));
  expect({ values: [...result.values], notCounted: result.notCounted }).toEqual({
    values: Object.entries(after),
    notCounted,
  });
});

test("increments of whole numbers give the same sum in any order", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), { maxLength: 20 }), (steps) => {
      const sum = steps.reduce((all, step) => all + step, 0n);
      const one = (values: ReadonlyMap<string, string>, step: bigint) =>
        patchValues(values, { ...NO_PATCH, increment: new Map([["n", String(step)]]) }).values;
      const end = steps.reduce(one, new Map([["n", "0"]]) as ReadonlyMap<string, string>);
      expect(end.get("n")).toBe(String(sum));
    }),
    { numRuns: 200 },
  );
});
