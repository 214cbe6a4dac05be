import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConfigFolders, configFiles } from "../../src/config/config-files.ts";
import { mergeSettings, type RequestedLimits } from "../../src/config/merge-settings.ts";
import { boundedOverride } from "../../src/config/overrides.ts";
import type { GeneralSettings, Override } from "../../src/protocol/setting-rows.ts";
import { NO_SETTINGS, type ScopeSettings } from "../../src/protocol/settings-file.ts";

const NO_WISH = { timeoutMs: null, deadlineMs: null, agentDeadlineMs: null };
const withSettings = (settings: GeneralSettings): ScopeSettings => ({ ...NO_SETTINGS, settings });
const withGuard = (guard: Override): ScopeSettings => ({ ...NO_SETTINGS, overrides: { guard } });

/** Settings of one project at /p beside those of the user. */
function merged(project: ScopeSettings, user: ScopeSettings, wishes: RequestedLimits = NO_WISH) {
  const { projects, ...all } = mergeSettings(wishes, {
    machine: NO_SETTINGS,
    user,
    projects: [{ folder: "/p", data: project }],
  });
  const [own] = projects;
  if (own === undefined) throw new Error("the project has no settings");
  const { folder, ...settings } = own;
  return { ...all, folder, project: settings };
}

/** What both say about a hook called guard in that project. */
const guardOf = (project: Override, user: Override): Override => {
  const all = merged(withGuard(project), withGuard(user));
  return boundedOverride({ name: "guard" }, [all.machine, all.user, all.project]);
};

test("without settings the defaults hold", () => {
  const scope = { isEnabled: true, timeoutMs: 30_000, eventTimeoutsMs: {}, overrides: {} };
  expect(merged(NO_SETTINGS, NO_SETTINGS)).toEqual({
    ...{ forcedTimeoutMs: null, deadlineMs: null, postOrder: "dialect", projectHooks: "ask", onUntrusted: "warn" },
    ...{
      record: "names",
      recordLimits: { sizeBytes: 256 * 1024 * 1024, days: 30 },
      exportTo: null,
      isResident: null,
      envAllow: [],
      pathAllow: [],
      project: scope,
      user: scope,
      maxHookDrivenTurns: 25,
      onLimit: "warn",
    },
    ownCommands: "allow",
    person: "terminal",
    restore: "by_person",
    machine: { ...scope, postOrder: "dialect", deadlineMs: null, envAllow: [] },
    folder: "/p",
  });
});

describe("where the user's settings are silent, a project's count for its hooks; what the user says, no project loosens", () => {
  const cases: { title: string; project: GeneralSettings; user: GeneralSettings; expected: object }[] = [
    { title: "timeout", project: { timeout: 9 }, user: {}, expected: { project: { timeoutMs: 9 } } },
    {
      title: "a longer timeout",
      project: { timeout: 9 },
      user: { timeout: 3 },
      expected: { project: { timeoutMs: 3 } },
    },
    {
      title: "a shorter timeout",
      project: { timeout: 2 },
      user: { timeout: 3 },
      expected: { project: { timeoutMs: 2 } },
    },
    {
      title: "timeouts of events, each by itself",
      project: { timeouts: { before_tool_call: 9, turn_end: 4 } },
      user: { timeouts: { before_tool_call: 2, agent_stop: 3 } },
      expected: {
        project: { eventTimeoutsMs: { before_tool_call: 2, turn_end: 4, agent_stop: 3 } },
        user: { eventTimeoutsMs: { before_tool_call: 2, agent_stop: 3 } },
      },
    },
    { title: "no turn limit", project: { max_hook_driven_turns: 0 }, user: {}, expected: { maxHookDrivenTurns: 0 } },
    {
      title: "no turn limit against the user's",
      project: { max_hook_driven_turns: 0, on_limit: "warn" },
      user: { max_hook_driven_turns: 2, on_limit: "abort" },
      expected: { maxHookDrivenTurns: 2, onLimit: "abort" },
    },
    {
      title: "a lower turn limit",
      project: { max_hook_driven_turns: 1, on_limit: "abort" },
      user: { max_hook_driven_turns: 2, on_limit: "warn" },
      expected: { maxHookDrivenTurns: 1, onLimit: "abort" },
    },
    { title: "post_order", project: { post_order: "reverse" }, user: {}, expected: { postOrder: "reverse" } },
    {
      title: "post_order against the user's",
      project: { post_order: "reverse" },
      user: { post_order: "forward" },
      expected: { postOrder: "forward" },
    },
    {
      title: "enabled against the user's",
      project: { enabled: true },
      user: { enabled: false },
      expected: { project: { isEnabled: false }, user: { isEnabled: false } },
    },
  ];
  test.each(cases)("$title", ({ project, user, expected }) => {
    expect(merged(withSettings(project), withSettings(user))).toMatchObject(expected);
  });

  test("for one hook key by key, the user's first", () => {
    expect(guardOf({ priority: 1, timeout: 5 }, { priority: 2 })).toEqual({ priority: 2, timeout: 5 });
  });

  test("--timeout and --deadline go before both", () => {
    const user = withSettings({ timeout: 7, deadline: 5 });
    expect(merged(NO_SETTINGS, user, { ...NO_WISH, timeoutMs: 1, deadlineMs: 2 })).toMatchObject({
      forcedTimeoutMs: 1,
      deadlineMs: 2,
    });
    expect(merged(NO_SETTINGS, user)).toMatchObject({ forcedTimeoutMs: null, deadlineMs: 5 });
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
  entries: fc.constant([]),
  guards: fc.constant({}),
  settings,
  overrides: fc.dictionary(fc.constantFrom("guard", "audit", "constructor"), override),
});

describe("the project speaks of project hooks only", () => {
  test("whatever it says, the user's own hooks run as the user wants", () => {
    fc.assert(
      fc.property(file, file, (project, user) => {
        expect(merged(project, user).user).toEqual(merged(NO_SETTINGS, user).user);
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
    expect(merged(bold, user)).toMatchObject({
      ...{ projectHooks: "ask", onUntrusted: "fail", record: "payloads", envAllow: [], deadlineMs: null },
    });
  });
});

describe("closed stays closed", () => {
  test.each<Override>([{ fail_open: false }, { required: true }, { required: true, fail_open: true }])(
    "what the user closed by %j, no project opens or switches off",
    (closed) => {
      fc.assert(
        fc.property(override, (word) => {
          expect(guardOf(word, closed)).toMatchObject({ fail_open: false, enabled: true });
        }),
      );
    },
  );

  test("what the user left open, the project may close", () => {
    expect(guardOf({ fail_open: false }, { fail_open: true })).toEqual({ fail_open: false });
  });

  test("a user who closes a hook and switches it off himself is obeyed for his own hooks", () => {
    const { user } = merged(NO_SETTINGS, withGuard({ fail_open: false, enabled: false }));
    expect(user.overrides.guard).toEqual({ fail_open: false, enabled: false });
  });
});

test("a sandbox that the user requires for a hook, the project cannot take away", () => {
  expect(guardOf({ sandbox: "off" }, { sandbox: "require" })).toEqual({ sandbox: "require" });
});

describe("places of settings files", () => {
  const input: ConfigFolders = {
    ...{ projectDirs: ["/p"], homeDir: "/home/a", configHome: "/home/a/.config", explicitFile: null },
  };
  const paths = (over: Partial<ConfigFolders>, scope: string): readonly string[] =>
    configFiles({ ...input, ...over }).flatMap((place) => (place.scope === scope ? [place.path] : []));

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
      ...[
        "/p/.kodelet/mcp.json",
        "/p/mcp.json",
        "/p/.mcp.json",
        "/p/hooks.json",
        "/p/reyn.yaml",
        "/p/.reyn/hooks.yaml",
      ],
    ]);
    const own = ["/home/a/.kodelet/hooks.json", "/home/a/.kodelet/hooks.yaml", "/home/a/.config/hookctl/config.json"];
    expect(paths({}, "user")).toEqual([...own, "/home/a/.kodelet/mcp.json"]);
    expect(
      configFiles(input)
        .map((place) => place.path)
        .join(),
    ).not.toMatch(/\.[cm]?[jt]s\b/);
  });

  test("--config FILE stands for the user's own settings", () => {
    expect(paths({ explicitFile: "/x.json" }, "user")).toEqual(["/x.json"]);
    expect(paths({ explicitFile: "/x.json" }, "project").length).toBe(12);
  });

  test("HOME itself is user scope only", () => expect(paths({ projectDirs: [] }, "project")).toEqual([]));

  test("without a home there is no user scope", () =>
    expect(paths({ homeDir: null, configHome: null }, "user")).toEqual([]));
});
