import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { compileTemplate, renderTemplate, type Value } from "../index.ts";
import { Dict } from "../values/dict.ts";

const NAMES = ["constructor", "__proto__", "prototype", "__class__", "toString", "valueOf", "text", "items", "members"];
const HOLDERS = ["d", "s", "n", "l", "range", "d.items()", "l|map('upper')", "s|e", "loop", "self", "cycler(1)", "m"];

const values = (): [string, Value][] => [
  ["d", new Dict([["a", 1n]])],
  ["s", "text"],
  ["n", 1n],
  ["l", ["a"]],
];
const rendered = (template: string, isStrict = true) =>
  renderTemplate(template, { values: values(), isStrict, random: () => 0 });

describe("no lookup reaches what JavaScript gives every object", () => {
  const lookups = ["X.NAME", "X['NAME']", "X|attr('NAME')", "[X]|map(attribute='NAME')|first", "'{0.NAME}'.format(X)"];
  const reached = lookups.flatMap((lookup) =>
    HOLDERS.map((holder) => ({ lookup, holder: holder.includes("|") ? `(${holder})` : holder })),
  );
  test.each(reached)("$lookup of $holder", ({ lookup, holder }) => {
    for (const name of NAMES) {
      const expression = lookup.replace("X", holder).replace("NAME", name);
      const template = `{% macro m() %}{% endmacro %}{% for x in [1] %}{{ ${expression} }}{% endfor %}`;
      const found = rendered(template);
      // Python has these, too: the items of a dict and of a cycler.
      if (found.ok && name !== "items") expect(found).toEqual({ ok: false });
      expect(JSON.stringify(found)).not.toMatch(/\[native code\]|function |\[object/);
    }
  });
});

test("any text is a template or is refused with a line, and a rendering ends in a value", () => {
  const part = fc.constantFrom(
    ...[
      "{{",
      "}}",
      "{%",
      "%}",
      "{#",
      "#}",
      "-",
      "|",
      "(",
      ")",
      "[",
      "]",
      "{",
      "}",
      ".",
      ",",
      ":",
      "~",
      "=",
      "==",
      "**",
      "//",
    ],
    ...[
      "if",
      "else",
      "endif",
      "for",
      "in",
      "endfor",
      "is",
      "not",
      "set",
      "raw",
      "endraw",
      "macro",
      "endmacro",
      "block",
      "d",
    ],
    ...[
      "s",
      "l",
      "n",
      "upper",
      "join",
      "map",
      "'a'",
      "1",
      "2.5",
      "none",
      "\n",
      " ",
      "x",
      "loop",
      "namespace",
      "range",
      "format",
    ],
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 25 }).map((parts) => parts.join(" ")),
    fc.array(part, { maxLength: 12 }).map((parts) => `{{ ${parts.join(" ")} }}`),
  );
  fc.assert(
    fc.property(texts, fc.boolean(), (template, isStrict) => {
      const compiled = compileTemplate(template);
      if (!compiled.ok) expect(compiled.error).toMatch(/^line \d+: ./);
      const found = rendered(template, isStrict);
      expect(typeof (found.ok ? found.value : found.error)).toBe("string");
    }),
    propertyRuns(3_000),
  );
});

test.each([
  ["brackets", `{{ ${"[".repeat(50_000)} }}`],
  ["nots", `{{ ${"not ".repeat(50_000)} 1 }}`],
  ["minus signs", `{{ ${"- ".repeat(50_000)} 1 }}`],
  ["ifs", "{% if 1 %}".repeat(50_000)],
  ["inline ifs", `{{ ${"1 if 1 else ".repeat(50_000)} 1 }}`],
  ["filters", `{{ 1${"|string".repeat(50_000)} }}`],
  ["operators in a macro", `{% macro m() %}{{ 1${" + 1".repeat(50_000)} }}{% endmacro %}{{ nobody }}`],
  ["digits", `{{ ${"9".repeat(50_000)} }}`],
  ["dots", `{{ d${".a".repeat(50_000)} }}`],
])("50,000 %s in a row are compiled or refused, never a crash", { tags: "slow" }, (_, template) => {
  const compiled = compileTemplate(template);
  expect(typeof compiled.ok).toBe("boolean");
  expect(rendered(template).ok).toBe(false);
});
