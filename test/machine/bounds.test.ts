import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeSettings, type Settings } from "../../src/config/merge-settings.ts";
import { boundedOverride, overrideAboveProjects } from "../../src/config/overrides.ts";
import type { GeneralSettings, Override } from "../../src/protocol/setting-rows.ts";
import { SETTING_ROWS } from "../../src/protocol/setting-rows.ts";
import { NO_SETTINGS, type ScopeSettings } from "../../src/protocol/settings-file.ts";

const NO_WISH = { timeoutMs: null, deadlineMs: null, agentDeadlineMs: null };
const saying = (settings: GeneralSettings): ScopeSettings => ({ ...NO_SETTINGS, settings });
const merged = (machine: ScopeSettings, user: ScopeSettings, project: ScopeSettings = NO_SETTINGS) =>
  mergeSettings(NO_WISH, { machine, user, projects: [{ folder: "/p", data: project }] });

const settings: fc.Arbitrary<GeneralSettings> = fc.record(
  {
    enabled: fc.boolean(),
    timeout: fc.integer({ min: 1, max: 9 }),
    timeouts: fc.record({ agent_stop: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: [] }),
    deadline: fc.integer({ min: 1, max: 9 }),
    post_order: fc.constantFrom("dialect", "forward", "reverse"),
    max_hook_driven_turns: fc.nat(3),
    on_limit: fc.constantFrom("warn", "ask_user", "abort"),
    project_hooks: fc.constantFrom("ask", "allow"),
    on_untrusted: fc.constantFrom("warn", "ask", "fail"),
    own_commands: fc.constantFrom("allow", "ask"),
    resident: fc.boolean(),
    person: fc.constantFrom("none", "terminal", "sudo", "polkit"),
    record: fc.constantFrom("names", "payloads", "off"),
    record_size: fc.integer({ min: 100_000, max: 900_000 }),
    record_days: fc.nat(3),
    restore: fc.constantFrom("by_person", "at_once"),
    export: fc.constantFrom("http://a", "http://b"),
    env_allow: fc.subarray(["A", "B"]),
    path_allow: fc.subarray(["a", "b"]),
  } satisfies Record<keyof typeof SETTING_ROWS, unknown>,
  { requiredKeys: [] },
);
const scope = settings.map(saying);

/** How loose a call is in each respect: what the machine says is the most that it may be. */
const LOOSENESS: readonly (readonly [keyof GeneralSettings, (all: Omit<Settings, "declared" | "guards">) => number])[] =
  [
    ["enabled", ({ user }) => Number(!user.isEnabled) * -1],
    ["timeout", ({ user }) => user.timeoutMs],
    ["timeouts", ({ user }) => user.eventTimeoutsMs.agent_stop ?? Number.POSITIVE_INFINITY],
    ["deadline", ({ deadlineMs }) => deadlineMs ?? Number.POSITIVE_INFINITY],
    ["max_hook_driven_turns", ({ maxHookDrivenTurns }) => maxHookDrivenTurns || Number.POSITIVE_INFINITY],
    ["on_limit", ({ onLimit }) => ["abort", "ask_user", "warn"].indexOf(onLimit)],
    ["project_hooks", ({ projectHooks }) => ["ask", "allow"].indexOf(projectHooks)],
    ["on_untrusted", ({ onUntrusted }) => ["fail", "ask", "warn"].indexOf(onUntrusted)],
    ["resident", ({ isResident }) => Number(isResident !== false)],
    ["own_commands", ({ ownCommands }) => ["ask", "allow"].indexOf(ownCommands)],
    // sudo and polkit prove the same: an authority that an agent lacks.
    ["person", ({ person }) => ["polkit", "sudo", "terminal", "none"].indexOf(person)],
    ["record", ({ record }) => ["payloads", "names", "off"].indexOf(record)],
    ["record_size", ({ recordLimits }) => -recordLimits.sizeBytes],
    ["record_days", ({ recordLimits }) => -(recordLimits.days ?? Number.POSITIVE_INFINITY)],
    ["env_allow", ({ envAllow }) => envAllow.length],
    ["path_allow", ({ pathAllow }) => pathAllow.length],
  ];

describe("what the machine says is a bound", () => {
  test("of each setting but the order and the collector, which it decides", () => {
    const bounded = LOOSENESS.map(([key]) => key);
    expect([...bounded, "post_order", "export", "restore"].sort()).toEqual(Object.keys(SETTING_ROWS).sort());
  });

  test.each(LOOSENESS)("no user and no project loosens its %s", (key, looseness) => {
    fc.assert(
      fc.property(scope, scope, scope, (machine, user, project) => {
        fc.pre(machine.settings[key] !== undefined);
        const alone = looseness(merged(machine, NO_SETTINGS));
        expect(looseness(merged(machine, user, project))).toBeLessThanOrEqual(alone);
      }),
    );
  });

  test("whatever others say, the settings of its own hooks are the same", () => {
    fc.assert(
      fc.property(scope, scope, scope, (machine, user, project) => {
        expect(merged(machine, user, project).machine).toEqual(merged(machine, NO_SETTINGS).machine);
      }),
    );
  });

  test("where it is silent, the user's settings count as they are", () => {
    fc.assert(
      fc.property(scope, (user) => {
        const { machine, ...all } = merged(NO_SETTINGS, user);
        expect(all).toMatchObject({ onUntrusted: user.settings.on_untrusted ?? "warn" });
        expect(all.envAllow).toEqual(user.settings.env_allow ?? []);
        expect(all.user.isEnabled).toBe(user.settings.enabled ?? true);
      }),
    );
  });
});

describe("overrides", () => {
  const named = (override: Override): ScopeSettings => ({ ...NO_SETTINGS, overrides: { guard: override } });

  test("a hook of the machine has none but the machine's", () => {
    const all = merged(named({ timeout: 7 }), named({ enabled: false, timeout: 1, fail_open: true }));
    expect(overrideAboveProjects({ name: "guard", source: "machine" }, all)).toEqual({ timeout: 7 });
  });

  test("a user's hook that the machine makes fail-closed can be neither disabled nor muted", () => {
    const loose: Override = { enabled: false, observe: true, fail_open: true, match: { tool_name: "x" } };
    const all = merged(named({ fail_open: false }), named(loose));
    expect(overrideAboveProjects({ name: "guard", source: "user" }, all)).toEqual({ enabled: true, fail_open: false });
  });

  test("of three scopes the first that says something wins, key by key", () => {
    const scopes = [{ priority: 1 }, { priority: 2, timeout: 2 }, { priority: 3, timeout: 3, background: true }];
    const overrides = scopes.map((guard) => ({ overrides: { guard } }));
    expect(boundedOverride({ name: "guard" }, overrides)).toEqual({ priority: 1, timeout: 2, background: true });
  });
});
