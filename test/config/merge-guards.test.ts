import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GuardScope } from "../../src/config/merge-rules.ts";
import { mergeGuards } from "../../src/config/merge-settings.ts";
import { GUARD_NAMES, type GuardSettings, type GuardsSettings } from "../../src/protocol/guard-settings.ts";
import { RULE_CHOICES } from "../../src/protocol/setting-rows.ts";

const scope = (guards: GuardsSettings, over: Partial<GuardScope> = {}): GuardScope => ({
  guards,
  file: "/home/u/.kodelet/hooks.json",
  source: "config",
  folder: null,
  isFinal: false,
  ...over,
});
const project = (guards: GuardsSettings): GuardScope => scope(guards, { folder: "/p", file: "/p/.kodelet/hooks.json" });
const machine = (guards: GuardsSettings): GuardScope => scope(guards, { file: "/etc/x", isFinal: true });
const named = (name: string, scopes: readonly GuardScope[]) => mergeGuards(scopes).find((one) => one.name === name);

describe("which guards are on", () => {
  const rows: readonly (readonly [title: string, scopes: readonly GuardScope[], on: readonly string[]])[] = [
    ["none without settings", [scope({})], []],
    ["one brings self-protection", [scope({ git: {} })], ["git", "self-protection"]],
    ["unless its scope says no", [scope({ git: {}, "self-protection": { enabled: false } })], ["git"]],
    [
      "a project's no does not count for the user's guards",
      [scope({ git: {} }), project({ git: { enabled: false }, "self-protection": { enabled: false } })],
      ["git", "self-protection"],
    ],
    ["the user's no counts for the project's", [scope({ git: { enabled: false } }), project({ git: {} })], []],
    ["a project adds one", [scope({}), project({ cloud: {} })], ["cloud", "self-protection"]],
    [
      "nobody switches off what the machine has",
      [machine({ git: {} }), scope({ git: { enabled: false }, "self-protection": { enabled: false } })],
      ["git", "self-protection"],
    ],
  ];
  test.each(rows)("%s", (_, scopes, on) => {
    expect(mergeGuards(scopes).map(({ name }) => name)).toEqual(on);
  });
});

describe("how strict a guard is", () => {
  const text = "git push --force";
  test("an allow rule of a project counts inside it, beside the user's", () => {
    const scopes = [scope({ git: { allow: ["a"] } }), project({ git: { allow: [text] } })];
    expect(named("git", scopes)?.allow).toEqual([
      { text: "a", folder: null },
      { text, folder: "/p" },
    ]);
  });
  test("nobody adds allow rules to a guard of the machine", () => {
    expect(named("git", [machine({ git: {} }), scope({ git: { allow: [text] } })])?.allow).toEqual([]);
  });

  const settings: fc.Arbitrary<GuardSettings> = fc.record(
    {
      enabled: fc.boolean(),
      decision: fc.constantFrom("ask", "block"),
      unknown: fc.constantFrom("ask", "block", "allow"),
      observe: fc.boolean(),
      paths: fc.array(fc.constantFrom("a/**", "b"), { maxLength: 2 }),
      rules: fc.dictionary(fc.constantFrom("one", "two"), fc.constantFrom(...RULE_CHOICES), { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  );
  const guards: fc.Arbitrary<GuardsSettings> = fc.dictionary(fc.constantFrom(...GUARD_NAMES), settings);
  const rank = { allow: 0, ask: 1, block: 2 };
  test("a weaker scope never loosens a guard", () => {
    fc.assert(
      fc.property(guards, guards, (strong, weak) => {
        for (const alone of mergeGuards([scope(strong)])) {
          const merged = named(alone.name, [scope(strong), project(weak)]);
          expect(merged).toBeDefined();
          if (merged === undefined) return;
          expect(rank[merged.unknown]).toBeGreaterThanOrEqual(rank[alone.unknown]);
          expect(alone.observe || !merged.observe).toBe(true);
          expect(alone.decision === "block" ? merged.decision : "block").toBe("block");
          for (const [rule, { own, atLeast }] of Object.entries(alone.ruleSettings)) {
            expect(merged.ruleSettings[rule]?.own).toBe(own);
            expect(RULE_CHOICES.indexOf(merged.ruleSettings[rule]?.atLeast ?? "off")).toBeGreaterThanOrEqual(
              RULE_CHOICES.indexOf(atLeast),
            );
          }
          expect(merged.paths).toEqual(expect.arrayContaining([...alone.paths]));
        }
      }),
    );
  });
});
