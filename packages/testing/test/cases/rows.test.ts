// biome-ignore-all lint/suspicious/noTemplateCurlyInString: columns of a table are written so.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonSpan, spanOfRaw } from "../../../../src/protocol/json/read.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { fillRows } from "../../cases/case-rows.ts";

const span = (value: unknown): JsonSpan => spanOfRaw(typeof value === "string" ? value : JSON.stringify(value));
const filled = (value: unknown): readonly unknown[] =>
  fillRows(span(value)).map((one) => (one.ok ? JSON.parse(one.value.span.raw) : one.error));

describe("the rows of a table", () => {
  const rows: [title: string, written: object, cases: readonly object[]][] = [
    ["a case without one stays as it is", { name: "${a}", x: 1 }, [{ name: "${a}", x: 1 }]],
    [
      "a column in a text, and one that is the whole text",
      { name: "of ${a}", x: "${a}", y: ["${a}${a}", { z: "${a}" }], each: [{ a: 7 }, { a: [1] }] },
      [
        { name: "of 7", x: 7, y: ["77", { z: 7 }] },
        { name: "of [1]", x: [1], y: ["[1][1]", { z: [1] }] },
      ],
    ],
    [
      "null, true and objects keep their types",
      { x: "${a}", each: [{ a: null }, { a: true }, { a: { b: 1 } }] },
      [{ x: null }, { x: true }, { x: { b: 1 } }],
    ],
    ["keys are no texts", { "${a}": 1, each: [{ a: 2 }] }, [{ "${a}": 1 }]],
    ["the text itself", { x: "$${a} ${a}", each: [{ a: 1 }] }, [{ x: "${a} 1" }]],
    [
      "a value is not filled in again",
      { x: "${a}!", y: "${a}", each: [{ a: "${b}$${a}", b: "no" }] },
      [{ x: "${b}$${a}!", y: "${b}$${a}" }],
    ],
    [
      "names that would be the same get a number",
      { name: "n", each: [{ a: 1 }, { a: 2 }] },
      [{ name: "n (row 1)" }, { name: "n (row 2)" }],
    ],
  ];
  test.each(rows)("%s", (_title, written, cases) => expect(filled(written)).toEqual(cases));

  test("digits of a number stay", () => {
    const [one] = fillRows(spanOfRaw('{"x":"${n}","y":"is ${n}","each":[{"n":12345678901234567890}]}'));
    expect(one?.ok && one.value.span.raw).toBe('{"x":12345678901234567890,"y":"is 12345678901234567890"}');
  });

  const faults: [title: string, written: object, places: readonly object[]][] = [
    ["no list", { each: {} }, [{ path: ["each"], detail: "it must be a list of rows: [{column: value}, …]" }]],
    ["no rows", { each: [] }, [{ path: ["each"] }]],
    [
      "a row that is no object",
      { each: [{}, 1] },
      [{ path: ["each", 1], detail: "a row must be an object: {column: value}" }],
    ],
    [
      "a row without a column that another has",
      { x: "${b}", each: [{ a: 1 }, { b: 2 }] },
      [{ path: ["each", 0], detail: "this row has no b" }, { x: 2 }],
    ],
    [
      "a column that there is not",
      { x: "${comand} and $HOME", each: [{ command: 1 }] },
      [{ path: ["each", 0], detail: "there is no column comand (command); the text itself is written $${comand}" }],
    ],
  ];
  test.each(faults)("%s is a fault", (_title, written, places) => expect(filled(written)).toMatchObject(places));
});

test("a value stands in the case as it was, wherever it is filled in, and nothing else changes", () => {
  const anyName = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.jsonValue(), anyName, fc.jsonValue(), (value, column, other) => {
      // Texts that look like columns are only in the values, which are never looked at again.
      fc.pre(!JSON.stringify(other).includes("${"));
      const whole = {
        own: `\${${column}}`,
        kept: other,
        deep: [{ own: `\${${column}}` }],
        each: [{ [column]: value }],
      };
      expect(filled(whole)).toEqual([JSON.parse(JSON.stringify({ own: value, kept: other, deep: [{ own: value }] }))]);
    }),
    propertyRuns(500),
  );
});

test("a text value inside a text breaks out of no quotes", { tags: "slow" }, () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (value, around) => {
      fc.pre(!around.includes("$"));
      const [one] = filled({ x: `${around}\${v}${around}`, each: [{ v: value }] });
      expect(one).toEqual({ x: JSON.parse(JSON.stringify(`${around}${value}${around}`)) });
    }),
    propertyRuns(500),
  );
});
