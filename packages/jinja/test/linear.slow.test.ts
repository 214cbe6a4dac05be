import { test } from "vitest";
import { cpuMs, expectGrowth } from "../../../test/support/cpu-time.ts";
import { parse } from "../syntax/parse.ts";

const FACTOR = 8;
const SMALL = 16_384;

const filled = (before: string, part: string, after: string) => (size: number) =>
  before + part.repeat(size / part.length) + after;
const numbered = (before: string, part: (index: number) => string, after: string) => (size: number) =>
  before + Array.from({ length: size }, (_, index) => part(index)).join("") + after;
/** Almost as many levels as a template may have. */
const LEVELS = 95;
const nested = (open: string, close: string, part: string) => (levels: number) =>
  filled(open.repeat(levels), part, close.repeat(levels))(SMALL * FACTOR);

const rules: readonly (readonly [string, (size: number) => string])[] = [
  ["spaces before a tag that strips", filled("", " ", "a{%- if 1 %}x{% endif %}")],
  ["runs of spaces before a tag that strips", filled("", "  \n a", "{{- 1 }}")],
  ["spaces before the end of raw text", filled("{% raw %}", " ", "x{%- endraw %}")],
  ["spaces in an expression", filled("{{ a", " ", "}}")],
  ["spaces in a tag of raw text without an end", filled("{% raw %}{% endraw", " ", "x")],
  ["beginnings of tags in raw text", filled("{% raw %}", "{% ", "{% endraw %}")],
  ["comments", filled("", " {#- a -#} ", "")],
  ["braces", filled("", "{", "")],
  ["a string without an end", filled("{{ '", "\\x41", " }}")],
  ["escapes in a string", filled("{{ '", "é\\n", "' }}")],
  ["strings in a row", filled("{{ ", "'a'", " }}")],
  ["digits", filled("{{ 0", "1", " }}")],
  ["digits with underscores", filled("{{ 0", "_1", " }}")],
  ["digits after a dot", filled("{{ a.", "1", " }}")],
  ["floats", filled("{{ [", "1.1e1,", "] }}")],
  ["arguments by name", numbered("{{ x(", (at) => `a${at}=1,`, ") }}")],
  ["arguments of a filter by name", numbered("{{ 1|upper(", (at) => `a${at}=1,`, ") }}")],
  ["arguments of a macro", numbered("{% macro m(", (at) => `a${at},`, ") %}{% endmacro %}")],
  ["arguments of a call block", numbered("{% call(", (at) => `a${at},`, ") m() %}{% endcall %}")],
  ["targets", numbered("{% for ", (at) => `a${at},`, " in b %}{% endfor %}")],
  ["names of filters that do not exist", numbered("", (at) => `{{ 1|u${at} }}`, "")],
  ["dotted names", filled("{{ 1|a", ".a", " }}")],
  ["blocks", numbered("", (at) => `{% block b${at} %}{% endblock %}`, "")],
  ["macros", numbered("", (at) => `{% macro a${at}() %}{{ caller }}{% endmacro %}`, "")],
  ["pairs of a with", numbered("{% with a=1", (at) => `,a${at}=1`, " %}{% endwith %}")],
  ["items of a list", filled("{{ [", "a,", "] }}")],
  ["operators", filled("{{ 1", " + 1", " }}")],
  ["comparisons", filled("{{ 1", " < 1", " }}")],
  ["branches", filled("{% if 1 %}", "{% elif 1 %}", "{% endif %}")],
];

function cost(template: string): number {
  return cpuMs(() => {
    try {
      parse(template);
    } catch {
      // A template that is refused has a cost, too.
    }
  });
}

// 8 times the text may cost 8 times as much. It costs 64 times as much where the cost grows with the square.
test.each(rules)("the cost of %s grows with their number, not with its square", (_, templateOf) => {
  const templates = { small: templateOf(SMALL), large: templateOf(SMALL * FACTOR) };
  expectGrowth(FACTOR * 4, (size) => cost(templates[size]));
});

test.each([
  ["loops", nested("{% for a in b %}", "{% endfor %}", "{% set a = 1 %}")],
  ["macros", nested("{% macro a() %}", "{% endmacro %}", "{% set a = 1 %}")],
  ["call blocks", nested("{% call a() %}", "{% endcall %}", "{% set a = 1 %}")],
])("the cost of statements in nested %s does not grow with their depth", (_, templateOf) => {
  const templates = { small: templateOf(1), large: templateOf(LEVELS) };
  expectGrowth(6, (size) => cost(templates[size]));
});
