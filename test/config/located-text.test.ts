import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLocated } from "../../src/config/located-text.ts";
import { propertyRuns } from "../support/property-runs.ts";

const read = (text: string, file = "a.yaml") => {
  const located = readLocated(text, file);
  return located.ok ? located.value.value.raw : located.error;
};

describe("YAML as JSON text", () => {
  const rows: [title: string, yaml: string, json: string][] = [
    [
      "numbers keep their digits",
      "[12345678901234567890, 1.10, -0.0, 1e400]",
      "[12345678901234567890,1.10,-0.0,1e400]",
    ],
    ["other forms of numbers", "[0x1F, -0x10, 0o17, 0b11, 007, .5, 1., +3, 1_000]", "[31,-16,15,3,7,0.5,1,3,1000]"],
    ["a text that looks like one stays a text", "['5', \"0x1\", !!str 7]", '["5","0x1","7"]'],
    ["what JSON does not have is a text", "[.inf, .nan, 2026-11-22, yes]", '[".inf",".nan","2026-11-22","yes"]'],
    [
      "words that were booleans in YAML 1.1",
      "[yes, no, on, off, True, FALSE, ~, Null]",
      '["yes","no","on","off",true,false,null,null]',
    ],
    [
      "a mapping takes precedence over what it merges, in either order",
      "a: &a {x: 1, y: 1}\nb: {y: 2, <<: *a}\nc: {<<: [*a, {z: 3}], x: 4}",
      '{"a":{"x":1,"y":1},"b":{"y":2,"x":1},"c":{"x":4,"y":1,"z":3}}',
    ],
    ["keys are texts", "{1: a, true: b, null: c, 1.10: d}", '{"1":"a","true":"b","null":"c","1.10":"d"}'],
    [
      "aliases and merged mappings",
      "a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}",
      '{"a":{"x":1},"b":{"x":1},"c":{"x":1,"y":2}}',
    ],
    ["a key that JavaScript knows", "{__proto__: {x: 1}, toString: 2}", '{"__proto__":{"x":1},"toString":2}'],
    ["texts of several lines", "a: |\n  x\n  y\nb: >\n  x\n  y\n", '{"a":"x\\ny\\n","b":"x y\\n"}'],
    ["nothing", "# only a comment\n", "null"],
    ["a byte order mark", "\ufeffa: 1", '{"a":1}'],
  ];
  test.each(rows)("%s", (_title, yaml, json) => expect(read(yaml)).toBe(json));

  const faults: [title: string, text: string, line: number | null, cause: RegExp][] = [
    ["a key that occurs twice", "a: 1\nb: 2\na: 3\n", 3, /^duplicated mapping key$/],
    ["a list that does not end", "a:\n  [1,\n", 3, /end with a ]$/],
    ["a tag of a type", "a: 1\nb: !!binary x\n", 2, /^unknown tag/],
    ["two documents", "a: 1\n---\nb: 2\n", 2, /single document/],
    ["an alias without its anchor", "a: 1\nb: *c\n", 2, /^unidentified alias "c"$/],
    ["a merged value that is no mapping", "a: 1\n<<: 2\n", 2, /^cannot merge/],
    ["a tab in the indentation", "a:\n  - b: 1\n\tc: 2\n", 3, /^Tabs/],
    ["a quote that is not closed", 'a: "secret\n', 2, /^(?!.*secret)/],
    ["a value that contains itself", "a: 1\nb: &a [*a]", 2, /contains itself/],
  ];
  test.each(faults)("%s is a fault with its line", (_title, text, line, cause) => {
    const fault = read(text);
    expect(fault).toMatchObject({ cause: expect.stringMatching(cause) });
    if (line !== null) expect(fault).toMatchObject({ line });
  });

  test("aliases of aliases do not fill the memory", { tags: "slow" }, () => {
    const levels = [..."bcdefghijkl"].map(
      (name, at) => `${name}: &${name} [${Array(10).fill(`*${"abcdefghijkl"[at]}`)}]`,
    );
    expect(read(["a: &a [x, x]", ...levels].join("\n"))).toEqual({
      line: null,
      cause: "its aliases expand to more than 16 MiB",
    });
  });
});

/** A document of both languages whose values are the lines on which they stand. */
const JSON_TEXT = `{
  "a": 2,
  "b": [
    4,
    { "c": 5, "d": [
      6 ] }
  ],

  "e": { "f": 9 }
}`;
const YAML_TEXT = `# 1
a: 2
b:
  - 4
  - c: 5
    d:
      - 7
      # 8
      -
        10
  - {x: 11, y,
     z: 12}
  - - 13
    - [14,
       15]
  - &n {k: 16}
  - *n
"quoted": 18
? complex
: 20
`;

function leaves(
  value: unknown,
  path: readonly (string | number)[] = [],
): readonly [readonly (string | number)[], number][] {
  if (typeof value === "number") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

describe("the line of a value", () => {
  test("in JSON", () => {
    const located = readLocated(JSON_TEXT, "a.json");
    if (!located.ok) throw new Error(located.error.cause);
    const found = leaves(JSON.parse(located.value.value.raw));
    expect(found).toHaveLength(5);
    for (const [path, line] of found) expect([path, located.value.lineOf(path)]).toEqual([path, line]);
  });

  test("in YAML; of a member it is the line of its key", () => {
    const located = readLocated(YAML_TEXT, "a.yaml");
    if (!located.ok) throw new Error(located.error.cause);
    const { lineOf, value } = located.value;
    const found = leaves(JSON.parse(value.raw));
    expect(found).toHaveLength(14);
    const differing = found.filter(([path, line]) => lineOf(path) !== line).map(([path]) => path.join("."));
    // An alias stands on a line of its own, and the key of the last member one above its value.
    expect(differing).toEqual(["b.5.k", "complex"]);
    expect(lineOf(["b", 5])).toBe(17);
    expect(lineOf(["complex"])).toBe(19);
  });

  test("of what is not there it is that of the nearest value around it", () => {
    const located = readLocated(YAML_TEXT, "a.yaml");
    if (!located.ok) throw new Error(located.error.cause);
    expect(located.value.lineOf(["b", 1, "nothing", "x"])).toBe(5);
    expect(located.value.lineOf(["nothing"])).toBe(2);
  });
});

test("any JSON text is read as YAML with the same value, and never throws as other text", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value);
      // YAML has no escape for a lone surrogate, and forbids some characters.
      fc.pre(!/[\u007f-\u009f\ufeff\ufffe\uffff]|\\u/.test(text));
      const found = read(text);
      expect(typeof found === "string" ? JSON.parse(found) : found).toEqual(JSON.parse(text));
    }),
    propertyRuns(300),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."a:-[]{}&*!|>'\"#\n ?,<1~".split("")) }), (text) => {
      const found = read(text);
      if (typeof found === "string") JSON.parse(found);
      else expect(found.cause).not.toBe("");
    }),
    propertyRuns(1000),
  );
});
