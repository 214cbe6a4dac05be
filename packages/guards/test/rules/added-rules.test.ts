import { expect, test } from "vitest";
import { checkConfig } from "../../../../src/config/schema/check-config.ts";
import type { AddedRules } from "../../../../src/protocol/guard-settings.ts";
import { withAddedRules } from "../../rules/added-rules.ts";
import cloudTable from "../../rules/cloud/rules.json" with { type: "json" };
import { cloud } from "../../rules/cloud.ts";
import { decisionOf, findingOf } from "./examples-of.ts";

const DEPLOY = {
  about: "a release goes to production: acme deploy",
  decision: "block",
  effect: "changes production",
  instead: "Ask in the channel of the team.",
  forms: { acme: ["deploy --to=production"] },
  examples: { stopped: ["acme deploy --to=production"], allowed: ["acme deploy --to=staging"] },
};
const TABLE = {
  name: "cloud",
  grammars: { acme: { values: "--to" } },
  harmless: { acme: ["--plan"] },
  rules: { "acme-deploy": DEPLOY },
};

const read = (table: object) => checkConfig({ guard_rules: [table] }, "hooks.json", "user");
function guardWith(table: object) {
  const found = read(table);
  if (!found.ok) throw new Error(JSON.stringify(found.error));
  return withAddedRules(cloud, found.value.guard_rules as readonly AddedRules[]);
}

const DECISIONS = [
  ["acme deploy --to production", "block"],
  ["sudo sh -c 'acme --to=production deploy'", "block"],
  ["acme deploy --to production --plan", "allow"],
  ["acme deploy --to staging", "allow"],
  ["terraform destroy", "ask"],
] as const;

test.each(DECISIONS)("a guard with more rules: %s", (command, decision) => {
  expect(decisionOf(guardWith(TABLE), command)).toBe(decision);
});

test("the guard has the rule beside its own", () => {
  const guard = guardWith(TABLE);
  expect(findingOf(guard, { command: "acme deploy --to production" })).toMatchObject({ rule: "acme-deploy" });
  expect(guard.rules).toMatchObject({ "acme-deploy": DEPLOY.about, publish: expect.any(String) });
  expect(guard.programs).toContain("acme");
});

test("no rule of hookctl is weakened, neither by forms nor by a rule of the same name", () => {
  const publish = { ...DEPLOY, decision: "ask", forms: { acme: ["publish"] } };
  const guard = guardWith({
    name: "cloud",
    grammars: { npm: { values: "publish" } },
    harmless: { "npm terraform": ["**"] },
    rules: { publish },
  });
  expect(decisionOf(guard, "npm publish")).toBe("ask");
  expect(decisionOf(guard, "terraform destroy")).toBe("ask");
  expect(guard.rules.publish).toBe(cloud.rules.publish);
});

test("a rule of hookctl's own tables has the format of an added one", () => {
  const { grammars, harmless, rules } = cloudTable;
  const table = { name: "cloud", grammars, harmless, rules: { "reset-database": rules["reset-database"] } };
  expect(read(table)).toMatchObject({ ok: true });
});

const { forms: _forms, ...WITHOUT_FORMS } = DEPLOY;
const { examples: _examples, ...WITHOUT_EXAMPLES } = DEPLOY;
const rule = (value: unknown) => ({ ...TABLE, rules: { "acme-deploy": value } });
const AT = "guard_rules.0";
const FAULTS: readonly (readonly [entry: string, fault: object, table: object])[] = [
  [`${AT}.name`, {}, { ...TABLE, name: "clouds" }],
  [`${AT}.rules`, {}, { name: "cloud" }],
  [AT, { key: "rule" }, { ...TABLE, rule: {} }],
  [`${AT}.harmless.acme`, {}, { ...TABLE, harmless: { acme: "--plan" } }],
  [`${AT}.grammars.acme`, {}, { ...TABLE, grammars: { acme: "--to" } }],
  [`${AT}.rules.Acme deploy`, {}, { ...TABLE, rules: { "Acme deploy": DEPLOY } }],
  [`${AT}.rules.acme-deploy.decision`, {}, rule({ ...DEPLOY, decision: "allow" })],
  [`${AT}.rules.acme-deploy.instead`, {}, rule({ ...DEPLOY, instead: 5 })],
  [`${AT}.rules.acme-deploy.forms`, {}, rule(WITHOUT_FORMS)],
  [`${AT}.rules.acme-deploy.forms.acme`, {}, rule({ ...DEPLOY, forms: { acme: [] } })],
  [
    `${AT}.rules.acme-deploy.forms`,
    { detail: "b is in two rows" },
    rule({ ...DEPLOY, forms: { "a b": ["x"], b: ["y"] } }),
  ],
  [`${AT}.rules.acme-deploy.examples`, {}, rule(WITHOUT_EXAMPLES)],
  [`${AT}.rules.acme-deploy`, { key: "unless" }, rule({ ...DEPLOY, unless: [] })],
];

test.each(FAULTS)("a fault at %s", (entry, fault, table) => {
  expect(read(table)).toMatchObject({ ok: false, error: { entry, ...fault } });
});
