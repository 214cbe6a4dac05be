import { expect, test } from "vitest";
import type { GuardScope } from "../../src/config/merge-rules.ts";
import { personScopes, RULE_LEVELS } from "../../src/config/merge-rules.ts";
import { mergeGuards } from "../../src/config/merge-settings.ts";
import { checkWholeConfig } from "../../src/config/schema/check-config.ts";
import type { EffectiveGuard } from "../../src/protocol/guard-settings.ts";
import { isExpired, type RulesSettings } from "../../src/protocol/rule-settings.ts";

const check = (found: unknown, scope: "user" | "project" | "machine" = "user") =>
  checkWholeConfig(found, "hooks.json", scope);

test("a rule may be a text alone", () => {
  const rule = {
    match: "terraform apply *",
    reason: "ask Kim",
    unless: ["terraform apply -help *"],
    until: "2030-01-01",
  };
  const read = check({ commands: { block: ["npm publish *"], ask: [rule] }, files: { ask: ["infra/**"] } });
  expect(read).toMatchObject({
    ok: true,
    value: {
      rules: {
        commands: { block: [{ match: "npm publish *" }], ask: [rule] },
        files: { ask: [{ match: "infra/**" }] },
      },
    },
  });
});

const faults: readonly (readonly [settings: object, code: string, entry: string, detail: string])[] = [
  [{ commands: { block: ["a; b"] } }, "CONFIG_BAD_VALUE", "commands.block.0", "not one simple command"],
  [{ commands: { ask: ["a", "a | b"] } }, "CONFIG_BAD_VALUE", "commands.ask.1", "not one simple command"],
  [{ commands: { ask: ["a &"] } }, "CONFIG_BAD_VALUE", "commands.ask.0", "not one simple command"],
  [{ commands: { block: ["a 'b"] } }, "CONFIG_BAD_VALUE", "commands.block.0", "unterminated"],
  [{ commands: { block: ["a $(b)"] } }, "CONFIG_BAD_VALUE", "commands.block.0", "part without a value"],
  [{ commands: { block: ['a "$X"'] } }, "CONFIG_BAD_VALUE", "commands.block.0", "part without a value"],
  [{ commands: { block: ["A=1"] } }, "CONFIG_BAD_VALUE", "commands.block.0", "names no program"],
  [{ commands: { block: ["A=1 b > c"] } }, "CONFIG_BAD_VALUE", "commands.block.0", "covers every variable"],
  [{ commands: { allow: ["* x"] } }, "CONFIG_BAD_VALUE", "commands.allow.0", "every program"],
  [{ commands: { block: [" "] } }, "CONFIG_BAD_VALUE", "commands.block.0", "blank"],
  [{ commands: { block: [{ match: "a", unless: ["b; c"] }] } }, "CONFIG_BAD_VALUE", "commands.block.0", "b; c"],
  [
    { commands: { block: [{ match: "a", until: "soon" }] } },
    "CONFIG_BAD_VALUE",
    "commands.block.0",
    "until must be like",
  ],
  [{ commands: { block: [{ match: "a", once: "x" }] } }, "CONFIG_BAD_VALUE", "commands.block.0", "once"],
  [{ commands: { block: [{ reason: "a" }] } }, "CONFIG_BAD_VALUE", "commands.block.0.match", "string"],
  [{ commands: { block: [3] } }, "CONFIG_BAD_VALUE", "commands.block.0", "a rule must be a text"],
  [{ commands: { blok: [] } }, "CONFIG_UNKNOWN_KEY", "commands", "block"],
  [{ commands: { ask: [{ match: "a", reson: "b" }] } }, "CONFIG_UNKNOWN_KEY", "commands.ask.0", "reason"],
  [{ hosts: { block: ["https://example.org"] } }, "CONFIG_BAD_VALUE", "hosts.block.0", "is not a host"],
  [{ projects: { shop: {} } }, "CONFIG_BAD_VALUE", "projects.shop", "absolute"],
  [{ projects: { "/p": { comands: {} } } }, "CONFIG_UNKNOWN_KEY", "projects./p", "commands"],
  [{ projects: { "/p": { files: { block: [""] } } } }, "CONFIG_BAD_VALUE", "projects./p.files.block.0", "empty"],
];

test.each(faults)("%j is a fault", (settings, code, entry, detail) => {
  const read = check(settings);
  expect(read).toMatchObject({ ok: false, error: { problem: { code, entry } } });
  expect(JSON.stringify(read)).toContain(detail);
});

test.each(["commands", "$HOME/bin/x *", "ls '*' ~", "git push --force origin my-*"])("%s is a pattern", (text) =>
  expect(check({ commands: { block: [text] } }).ok).toBe(true),
);

test.each(["project", "machine"] as const)("%s settings have no projects", (scope) =>
  expect(check({ projects: { "/p": {} } }, scope)).toMatchObject({
    ok: false,
    error: { problem: { code: "CONFIG_USER_ONLY", entry: "projects" } },
  }),
);

const scope = (rules: RulesSettings, over: Partial<GuardScope> = {}): GuardScope => ({
  ...{ guards: {}, rules, file: "/u", source: "config", folder: null, isFinal: false },
  ...over,
});
const block = (match: string): RulesSettings => ({ commands: { block: [{ match }] } });
const allow = (match: string): RulesSettings => ({ commands: { allow: [{ match }] } });
const MACHINE = { file: "/etc/x", source: "machine", isFinal: true, level: RULE_LEVELS.machine } as const;
const PROJECT = { file: "/p/x", folder: "/p", level: RULE_LEVELS.project };
const named = (name: string, guards: readonly EffectiveGuard[]) => guards.find((guard) => guard.name === name);

test("rules that stop something turn their guard on, and self-protection with it", () => {
  const names = (rules: RulesSettings) => mergeGuards([scope(rules)]).map(({ name }) => name);
  expect(names(block("a"))).toEqual(["self-protection", "rules"]);
  expect(names({ hosts: { ask: [{ match: "a.example" }] } })).toContain("rules");
  expect(names(allow("a"))).toEqual([]);
  expect(mergeGuards([scope(block("a"), { guards: { rules: { enabled: false } } })])).toEqual([]);
});

test("the rules of all scopes count, each with its origin", () => {
  const guards = mergeGuards([scope(block("m"), MACHINE), scope(block("u")), scope(block("p"), PROJECT)]);
  expect(named("rules", guards)?.rules?.map(({ match, level, file }) => [match, level, file])).toEqual([
    ["m", 0, "/etc/x"],
    ["u", 2, "/u"],
    ["p", 3, "/p/x"],
  ]);
});

test("an allow of the person counts for each guard but the machine's, an allow of a project for its rules alone", () => {
  const guards = mergeGuards([
    scope({}, { ...MACHINE, guards: { git: {} } }),
    scope(allow("u"), { guards: { cloud: {} } }),
    scope({ ...allow("p"), files: { block: [{ match: "x" }] } }, PROJECT),
  ]);
  const texts = (name: string) => named(name, guards)?.allow.map(({ text }) => text);
  expect([texts("git"), texts("cloud"), texts("rules")]).toEqual([[], ["u"], ["u", "p"]]);
});

test("what a person says for a project goes before what they say for all", () => {
  const user = scope(block("u"), { guards: { git: { observe: true, unknown: "allow" }, cloud: {} } });
  const said = { ...allow("a"), guards: { git: { observe: false, allow: ["x"] }, cloud: { enabled: false } } };
  const guards = mergeGuards(personScopes(user, [{ folder: "/p", said }]));
  expect(named("git", guards)).toMatchObject({
    ...{ observe: false, unknown: "allow" },
    allow: [
      { text: "x", folder: "/p" },
      { text: "a", folder: "/p", rule: { level: RULE_LEVELS["person here"] } },
    ],
  });
  expect(named("cloud", guards)).toBeUndefined();
});

test("a rule ends at its time", () => {
  const at = Date.parse("2026-12-01T00:00:00Z");
  expect([at - 1, at].map((nowMs) => isExpired({ until: "2026-12-01T00:00:00Z" }, nowMs))).toEqual([false, true]);
  expect(isExpired({}, at)).toBe(false);
});
