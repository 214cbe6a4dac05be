import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { membersOf, readJson } from "../../../src/protocol/json/read.ts";
import { FILTERS, TESTS } from "../filters/filters.ts";

import { compileTemplate, fromJson, renderTemplate } from "../index.ts";

/** What Jinja2 gave for each template: make-cases.py wrote it. */
type Expected = { out: string } | { fails: true } | { refused: true } | { skip: string };

const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));

function casesOf(name: string) {
  const text = readFileSync(join(fixtures, `${name}.json`), "utf8");
  const { templates } = JSON.parse(text) as { templates: [template: string, isLax: boolean][] };
  const expected = readFileSync(join(fixtures, `${name}.expected.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  expect(expected).toHaveLength(templates.length);
  return templates.map(([template, isLax], at) => ({
    template,
    isLax,
    expected: JSON.parse(expected[at] ?? "") as Expected,
  }));
}

function valuesOf(name: string) {
  const file = readJson(readFileSync(join(fixtures, `${name}.json`), "utf8"), Number.POSITIVE_INFINITY);
  const values = file.ok ? membersOf(file.value).get("values") : undefined;
  return values === undefined ? [] : [...membersOf(values)];
}

/** Each rendering has values of its own: a template can change lists and dicts. */
function rendered(template: string, isLax: boolean, fields: ReturnType<typeof valuesOf>): Expected {
  if (!compileTemplate(template).ok) return { refused: true };
  const values = fields.map(([key, span]) => [key, fromJson(span)] as const);
  const result = renderTemplate(template, { values, isStrict: !isLax, random: () => 0 });
  return result.ok ? { out: result.value } : { fails: true };
}

const names = readdirSync(fixtures).flatMap((file) => (file.endsWith(".json") ? file.slice(0, -".json".length) : []));

describe.each(names)("Jinja2's own results: %s", (name) => {
  const fields = valuesOf(name);
  const cases = casesOf(name).filter(({ expected }) => !("skip" in expected));

  test(`${cases.length} templates give what Jinja2 gives, fail where it fails and are refused where it refuses them`, {
    tags: "slow",
  }, () => {
    const different = cases.flatMap(({ template, isLax, expected }) => {
      const found = rendered(template, isLax, fields);
      return JSON.stringify(found) === JSON.stringify(expected) ? [] : [{ template, isLax, expected, found }];
    });
    expect(different).toEqual([]);
  });
});

test.each([
  ["filter", [...FILTERS.keys()], (name: string) => new RegExp(`\\|\\s*${name}\\b`)],
  [
    "test",
    [...TESTS.keys()].filter((name) => /^\w/.test(name)),
    (name: string) => new RegExp(`is (?:not )?${name}\\b`),
  ],
] as const)("every %s is in at least three templates that can be rendered", (_, all, pattern) => {
  const shown = names.flatMap(casesOf).flatMap(({ template, expected }) => ("out" in expected ? [template] : []));
  const rare = all.filter((name) => name !== "random" && shown.filter((one) => pattern(name).test(one)).length < 3);
  expect(rare).toEqual([]);
});
