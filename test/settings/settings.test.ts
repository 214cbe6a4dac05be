import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConfigData, ConfigSettings, Override } from "../../src/contract/config.ts";
import { type PlaceInput, placesOf } from "../../src/settings/places.ts";
import { mergedSettings, NO_CONFIG } from "../../src/settings/settings.ts";

const NO_WISH = { timeoutMs: null, deadlineMs: null };
const withSettings = (settings: ConfigSettings): ConfigData => ({ ...NO_CONFIG, settings });
const withGuard = (guard: Override): ConfigData => ({ ...NO_CONFIG, overrides: { guard } });

test("without a word from anyone the defaults hold", () => {
  const scope = { isEnabled: true, timeoutMs: 30_000, eventTimeoutsMs: {}, overrides: {} };
  expect(mergedSettings(NO_WISH, NO_CONFIG, NO_CONFIG)).toEqual({
    ...{ forcedTimeoutMs: null, deadlineMs: null, postOrder: "forward", projectHooks: "ask", onUntrusted: "warn" },
    ...{
      record: "names",
      envAllow: [],
      pathAllow: [],
      project: scope,
      user: scope,
      maxHookDrivenTurns: 25,
      onLimit: "warn",
    },
  });
});

describe("flags go before the project, the project before the user, the user before the defaults", () => {
  test("for the limit of a project hook", () => {
    const [project, user] = [withSettings({ timeout: 2 }), withSettings({ timeout: 3, timeouts: { agent_stop: 4 } })];
    expect(mergedSettings({ ...NO_WISH, timeoutMs: 1 }, project, user).forcedTimeoutMs).toBe(1);
    expect(mergedSettings(NO_WISH, project, user).project).toMatchObject({
      timeoutMs: 2,
      eventTimeoutsMs: { agent_stop: 4 },
    });
    expect(mergedSettings(NO_WISH, NO_CONFIG, user).project.timeoutMs).toBe(3);
  });

  test("event by event, so that the project's word on one event leaves the others alone", () => {
    const project = withSettings({ timeouts: { before_tool_call: 1 } });
    const user = withSettings({ timeouts: { before_tool_call: 2, agent_stop: 3 } });
    const merged = mergedSettings(NO_WISH, project, user);
    expect(merged.project.eventTimeoutsMs).toEqual({ before_tool_call: 1, agent_stop: 3 });
    expect(merged.user.eventTimeoutsMs).toEqual({ before_tool_call: 2, agent_stop: 3 });
  });

  test("key by key for one hook", () => {
    const { project } = mergedSettings(NO_WISH, withGuard({ priority: 1 }), withGuard({ priority: 2, timeout: 3 }));
    expect(project.overrides.guard).toEqual({ priority: 1, timeout: 3 });
  });

  test("the deadline is the flag's, else the user's", () => {
    const user = withSettings({ deadline: 5 });
    expect(mergedSettings({ ...NO_WISH, deadlineMs: 1 }, NO_CONFIG, user).deadlineMs).toBe(1);
    expect(mergedSettings(NO_WISH, NO_CONFIG, user).deadlineMs).toBe(5);
  });
});

const override = fc.record(
  {
    enabled: fc.boolean(),
    priority: fc.integer(),
    fail_open: fc.boolean(),
    observe: fc.boolean(),
    timeout: fc.nat(),
    background: fc.boolean(),
  },
  { requiredKeys: [] },
);
const settings = fc.record(
  { enabled: fc.boolean(), timeout: fc.nat(), timeouts: fc.record({ agent_stop: fc.nat() }, { requiredKeys: [] }) },
  { requiredKeys: [] },
);
const file = fc.record({
  hooks: fc.constant([]),
  settings,
  overrides: fc.dictionary(fc.constantFrom("guard", "audit", "constructor"), override),
  mcp_servers: fc.constant({}),
});

describe("the project speaks of project hooks only", () => {
  test("whatever it says, the user's own hooks run as the user wants", () => {
    fc.assert(
      fc.property(file, file, (project, user) => {
        const [merged, alone] = [mergedSettings(NO_WISH, project, user), mergedSettings(NO_WISH, NO_CONFIG, user)];
        expect(merged.user).toEqual(alone.user);
      }),
    );
  });

  test("even a project file that was not checked cannot decide over trust, record or environment", () => {
    const bold = withSettings({
      project_hooks: "allow",
      on_untrusted: "warn",
      record: "off",
      env_allow: ["X"],
      deadline: 1,
    });
    const user = withSettings({ on_untrusted: "fail", record: "payloads" });
    expect(mergedSettings(NO_WISH, bold, user)).toMatchObject({
      ...{
        projectHooks: "ask",
        onUntrusted: "fail",
        record: "payloads",
        envAllow: [],
        pathAllow: [],
        deadlineMs: null,
      },
    });
  });
});

describe("closed stays closed", () => {
  test.each<Override>([{ fail_open: false }, { required: true }, { required: true, fail_open: true }])(
    "what the user closed by %j, no project opens or switches off",
    (closed) => {
      fc.assert(
        fc.property(override, (word) => {
          const { project } = mergedSettings(NO_WISH, withGuard(word), withGuard(closed));
          expect(project.overrides.guard).toMatchObject({ fail_open: false, enabled: true });
        }),
      );
    },
  );

  test("what the user left open, the project may close", () => {
    const { project } = mergedSettings(NO_WISH, withGuard({ fail_open: false }), withGuard({ fail_open: true }));
    expect(project.overrides.guard).toEqual({ fail_open: false });
  });

  test("a user who closes a hook and switches it off himself is obeyed for his own hooks", () => {
    const { user } = mergedSettings(NO_WISH, NO_CONFIG, withGuard({ fail_open: false, enabled: false }));
    expect(user.overrides.guard).toEqual({ fail_open: false, enabled: false });
  });
});

test("a sandbox that the user requires for a hook, the project cannot take away", () => {
  const { project } = mergedSettings(NO_WISH, withGuard({ sandbox: "off" }), withGuard({ sandbox: "require" }));
  expect(project.overrides.guard).toEqual({ sandbox: "require" });
});

describe("places of settings files", () => {
  const input: PlaceInput = {
    ...{ projectDir: "/p", hasProject: true, homeDir: "/home/a", configHome: "/home/a/.config", explicitFile: null },
  };
  const paths = (over: Partial<PlaceInput>, scope: string): readonly string[] =>
    placesOf({ ...input, ...over }).flatMap((place) => (place.scope === scope ? [place.path] : []));

  test("are data files only, the project's own first", () => {
    expect(paths({}, "project")).toEqual([
      ...[
        "/p/.kodelet/hooks.json",
        "/p/.kodelet/hooks.yaml",
        "/p/.hookctlrc",
        "/p/.hookctlrc.json",
        "/p/.hookctlrc.yaml",
      ],
      "/p/package.json",
    ]);
    const own = ["/home/a/.kodelet/hooks.json", "/home/a/.kodelet/hooks.yaml", "/home/a/.config/hookctl/config.json"];
    expect(paths({}, "user")).toEqual(own);
    expect(
      placesOf(input)
        .map((place) => place.path)
        .join(),
    ).not.toMatch(/\.[cm]?[jt]s\b/);
  });

  test("--config FILE stands for the user's own settings", () => {
    expect(paths({ explicitFile: "/x.json" }, "user")).toEqual(["/x.json"]);
    expect(paths({ explicitFile: "/x.json" }, "project").length).toBe(6);
  });

  test("HOME itself is user scope only", () =>
    expect(paths({ projectDir: "/home/a", hasProject: false }, "project")).toEqual([]));

  test("without a home there is no user scope", () =>
    expect(paths({ homeDir: null, configHome: null }, "user")).toEqual([]));
});
