import { expect, test } from "vitest";
import cloudTable from "../../rules/cloud/rules.json" with { type: "json" };
import { cloud } from "../../rules/cloud.ts";
import { type RuleFile, readRuleFile, withRuleFiles } from "../../rules/rule-files.ts";
import { decisionOf, findingOf } from "./examples-of.ts";

const DEPLOY = {
  about: "a release goes to production: acme deploy",
  decision: "block",
  effect: "changes production",
  instead: "Ask in the channel of the team.",
  forms: { acme: ["deploy --to=production"] },
  examples: { stopped: ["acme deploy --to=production"], allowed: ["acme deploy --to=staging"] },
};
const FILE = {
  name: "cloud",
  grammars: { acme: { values: "--to" } },
  harmless: { acme: ["--plan"] },
  rules: { "acme-deploy": DEPLOY },
};

const read = (file: object): RuleFile | string => readRuleFile(JSON.stringify(file));
const guardWith = (file: object) => {
  const found = read(file);
  if (typeof found === "string") throw new Error(found);
  return withRuleFiles(cloud, [found]);
};

const DECISIONS = [
  ["acme deploy --to production", "block"],
  ["sudo sh -c 'acme --to=production deploy'", "block"],
  ["acme deploy --to production --plan", "allow"],
  ["acme deploy --to staging", "allow"],
  ["terraform destroy", "ask"],
] as const;

test.each(DECISIONS)("a guard with one more file: %s", (command, decision) => {
  expect(decisionOf(guardWith(FILE), command)).toBe(decision);
});

test("the file brings its rule to the guard that it names, and to no other", () => {
  const guard = guardWith(FILE);
  expect(findingOf(guard, { command: "acme deploy --to production" })).toMatchObject({ rule: "acme-deploy" });
  expect(guard.rules).toMatchObject({ "acme-deploy": DEPLOY.about, publish: expect.any(String) });
  expect(guard.programs).toContain("acme");
  expect(guardWith({ ...FILE, name: "git" })).toBe(cloud);
});

test("a file cannot weaken a rule of hookctl, neither by its forms nor by a rule of the same name", () => {
  const publish = { ...DEPLOY, decision: "ask", forms: { acme: ["publish"] } };
  const guard = guardWith({
    name: "cloud",
    grammars: { npm: { values: "publish" } },
    harmless: { "npm terraform": ["**"] },
    rules: { publish },
  });
  expect(decisionOf(guard, "npm publish")).toBe("ask");
  expect(decisionOf(guard, "terraform destroy")).toBe("ask");
});

test("the table of a guard is a file that can be read", () => {
  const { "reset-database": databases } = cloudTable.rules;
  expect(read({ ...cloudTable, rules: { "reset-database": databases } })).toMatchObject({ name: "cloud" });
});

const { forms: _forms, ...WITHOUT_FORMS } = DEPLOY;
const { examples: _examples, ...WITHOUT_EXAMPLES } = DEPLOY;
const rule = (value: unknown) => ({ ...FILE, rules: { "acme-deploy": value } });
const FAULTS: readonly (readonly [fault: RegExp, file: object])[] = [
  [/"name" is not a guard/, { ...FILE, name: "clouds" }],
  [/"rules" is missing/, { name: "cloud" }],
  [/unknown key "rule"/, { ...FILE, rule: {} }],
  [/harmless has lists of forms/, { ...FILE, harmless: { acme: "--plan" } }],
  [/"grammars" has objects/, { ...FILE, grammars: { acme: "--to" } }],
  [/is not the name of a rule/, { ...FILE, rules: { "Acme deploy": DEPLOY } }],
  [/acme-deploy\.decision/, rule({ ...DEPLOY, decision: "allow" })],
  [/acme-deploy\.instead is not a text/, rule({ ...DEPLOY, instead: 5 })],
  [/acme-deploy\.effect is not a text/, rule({ ...DEPLOY, effect: "x".repeat(501) })],
  [/acme-deploy\.forms has lists/, rule(WITHOUT_FORMS)],
  [/acme-deploy\.forms has lists/, rule({ ...DEPLOY, forms: { acme: [] } })],
  [/acme-deploy\.examples has the lists/, rule(WITHOUT_EXAMPLES)],
  [/unknown key "unless"/, rule({ ...DEPLOY, unless: [] })],
];

test.each(FAULTS)("a fault: %s", (fault, file) => expect(read(file)).toMatch(fault));

test.each(["", "[]", "null", "{"])("text that is no object: %j", (text) => {
  expect(readRuleFile(text)).toBe("it is not a JSON object");
});
