import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkConfig } from "../../../src/config/schema/check-config.ts";
import { OVERRIDE_ROWS, SETTING_ROWS } from "../../../src/protocol/setting-rows.ts";

const FILE = "/p/.kodelet/hooks.json";
const asUser = (found: unknown) => checkConfig(found, FILE, "user");
const asProject = (found: unknown) => checkConfig(found, FILE, "project");

describe("what may stand in a settings file", () => {
  test("everything the catalogue of keys names, durations as milliseconds", () => {
    const file = {
      $schema: "https://example.invalid/schema.json",
      version: 1,
      settings: {
        ...{
          enabled: true,
          timeout: "5s",
          timeouts: { before_tool_call: "500ms" },
          deadline: "1m",
          post_order: "reverse",
        },
        ...{ max_hook_driven_turns: 0, on_limit: "abort", project_hooks: "allow", on_untrusted: "fail", record: "off" },
        env_allow: ["MY_VAR"],
        path_allow: ["node_modules/.bin"],
        own_commands: "ask",
        resident: false,
        person: "sudo",
        restore: "at_once",
        ...{ record_size: "64MiB", record_days: 7 },
        export: "http://localhost:4318",
      },
      overrides: {
        guard: {
          ...{ enabled: true, priority: -1.5, fail_open: false, observe: false, timeout: "2m", background: true },
          ...{
            match: { tool_name: ["bash", "mcp_*"], "tool_input.command": "*" },
            sandbox: "require",
            required: true,
            output_limit: "64MiB",
          },
        },
      },
    };
    const read = asUser(file);
    expect(read).toMatchObject({
      ok: true,
      value: { settings: { timeout: 5_000, timeouts: { before_tool_call: 500 }, deadline: 60_000 } },
    });
    expect(read.ok && Object.keys(read.value.settings).sort()).toEqual(Object.keys(SETTING_ROWS).sort());
    expect(read.ok && Object.keys(read.value.overrides.guard ?? {}).sort()).toEqual(Object.keys(OVERRIDE_ROWS).sort());
  });

  test.each([undefined, null, {}, { settings: {} }, { version: 1, overrides: {} }])("%j sets nothing", (found) => {
    expect(asProject(found)).toEqual({
      ok: true,
      value: { settings: {}, overrides: {}, guards: {}, hooks: [], mcp_servers: {}, entryProblems: [] },
    });
  });
});

describe("unknown keys are errors that name the entry and the nearest key", () => {
  test.each([
    [{ setings: {} }, "the file", "setings", "settings"],
    [{ settings: { timout: "5s" } }, "settings", "timout", "timeout"],
    [{ settings: { postOrder: "reverse" } }, "settings", "postOrder", "post_order"],
    [{ overrides: { guard: { failopen: false } } }, "overrides.guard", "failopen", "fail_open"],
    [{ overrides: { guard: { "": 1 } } }, "overrides.guard", "", null],
    [{ settings: { zebra: 1 } }, "settings", "zebra", null],
    [{ settings: { constructor: 1 } }, "settings", "constructor", null],
    [JSON.parse('{"settings":{"__proto__":{"record":"off"}}}'), "settings", "__proto__", null],
  ])("%j", (found, entry, key, nearest) => {
    expect(asUser(found)).toEqual({
      ok: false,
      error: { code: "CONFIG_UNKNOWN_KEY", file: FILE, entry, key, nearest },
    });
  });
});

describe("a value of the wrong kind names its entry", () => {
  test.each([
    [[], "the file"],
    ["text", "the file"],
    [{ version: 2 }, "version"],
    [{ settings: [] }, "settings"],
    [{ settings: { timeout: 30 } }, "settings.timeout"],
    [{ settings: { timeout: "30" } }, "settings.timeout"],
    [{ settings: { timeout: "0s" } }, "settings.timeout"],
    [{ settings: { enabled: "yes" } }, "settings.enabled"],
    [{ settings: { post_order: "backward" } }, "settings.post_order"],
    [{ settings: { max_hook_driven_turns: -1 } }, "settings.max_hook_driven_turns"],
    [{ settings: { max_hook_driven_turns: 1.5 } }, "settings.max_hook_driven_turns"],
    [{ settings: { timeouts: { before_tool_call: "soon" } } }, "settings.timeouts.before_tool_call"],
    [{ settings: { env_allow: "A" } }, "settings.env_allow"],
    [{ overrides: { guard: { priority: "high" } } }, "overrides.guard.priority"],
    [{ overrides: { guard: { fail_open: "false" } } }, "overrides.guard.fail_open"],
    [{ overrides: { guard: { match: { tool_name: 5 } } } }, "overrides.guard.match.tool_name"],
    [{ overrides: { guard: { match: "bash" } } }, "overrides.guard.match"],
    [{ overrides: { guard: null } }, "overrides.guard"],
  ])("%j", (found, entry) => {
    expect(asUser(found)).toMatchObject({ ok: false, error: { code: "CONFIG_BAD_VALUE", file: FILE, entry } });
  });

  test("an event that does not exist is named", () => {
    const read = asUser({ settings: { timeouts: { before_tool: "5s" } } });
    expect(read).toMatchObject({ ok: false, error: { file: FILE } });
    expect(JSON.stringify(read)).toContain("before_tool");
  });
});

describe("nothing in the project votes", () => {
  const samples: Readonly<Record<string, unknown>> = {
    ...{ deadline: "5s", project_hooks: "allow", on_untrusted: "warn", record: "off", env_allow: ["A"] },
  };
  const settingKeys = Object.entries(SETTING_ROWS).flatMap(([key, row]) => (row.isUserOnly ? [key] : []));

  test.each(settingKeys)("settings.%s is only allowed in your user settings", (key) => {
    const file = { settings: { [key]: samples[key] } };
    expect(asProject(file)).toMatchObject({
      error: { code: "CONFIG_USER_ONLY", file: FILE, entry: `settings.${key}` },
    });
    expect(asUser(file)).toMatchObject({ ok: true });
  });

  test("overrides.*.required is only allowed in your user settings", () => {
    const file = { overrides: { audit: {}, guard: { required: false } } };
    expect(asProject(file)).toMatchObject({ error: { code: "CONFIG_USER_ONLY", entry: "overrides.guard.required" } });
    expect(asUser(file)).toMatchObject({ ok: true });
  });

  test("the keys that decide over trust are user-only", () => {
    expect(settingKeys).toEqual(expect.arrayContaining(["project_hooks", "on_untrusted", "record", "env_allow"]));
  });
});

test("observe and closed contradict each other", () => {
  const guard = { observe: true, fail_open: false };
  expect(asProject({ overrides: { guard } })).toMatchObject({
    error: { code: "CONFIG_CONTRADICTION", entry: "overrides.guard" },
  });
  expect(asProject({ overrides: { guard: { ...guard, observe: false } } })).toMatchObject({ ok: true });
  expect(asProject({ overrides: { guard: { ...guard, fail_open: true } } })).toMatchObject({ ok: true });
});

test("observe and required contradict each other: an observer cannot block", () => {
  expect(asUser({ overrides: { guard: { observe: true, required: true } } })).toMatchObject({
    error: { code: "CONFIG_CONTRADICTION", entry: "overrides.guard" },
  });
});

describe("an MCP server", () => {
  const server = { command: "npx", args: ["-y", "memory"], env: { TOKEN: "a secret" }, cwd: "tools" };
  test("has a command, and may have arguments, variables and a folder", () => {
    expect(asProject({ mcp_servers: { memory: server } })).toMatchObject({
      value: { mcp_servers: { memory: server } },
    });
    expect(asUser({ mcp_servers: { memory: { command: "npx" } } })).toMatchObject({ ok: true });
  });
  const faults: readonly (readonly [found: object, problem: object])[] = [
    [{ memory: {} }, { code: "CONFIG_BAD_VALUE", entry: "mcp_servers.memory.command" }],
    [{ memory: { ...server, args: "-y" } }, { code: "CONFIG_BAD_VALUE", entry: "mcp_servers.memory.args" }],
    [{ memory: { ...server, env: { TOKEN: 1 } } }, { code: "CONFIG_BAD_VALUE", entry: "mcp_servers.memory.env.TOKEN" }],
    [{ memory: { ...server, args: ["a\0"] } }, { code: "CONFIG_BAD_VALUE", entry: "mcp_servers.memory.args.0" }],
    [{ memory: { ...server, env: { "A\0": "1" } } }, { code: "CONFIG_BAD_VALUE" }],
    [{ memory: { ...server, comand: "x" } }, { code: "CONFIG_UNKNOWN_KEY", key: "comand", nearest: "command" }],
    [{ "a.b": server }, { code: "CONFIG_BAD_VALUE", entry: "mcp_servers.a.b" }],
  ];
  test.each(faults)("%j is named with its place and without a value", (found, problem) => {
    const checked = asProject({ mcp_servers: found });
    expect(checked).toMatchObject({ ok: false, error: problem });
    expect(JSON.stringify(checked)).not.toContain("a secret");
  });
});

test("no parsed value makes the check throw", { tags: "slow" }, () => {
  const keys = fc.constantFrom("settings", "overrides", "version", "timeout", "guard", "__proto__", "match", "x");
  const tree = fc.dictionary(keys, fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue()))));
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), tree),
      fc.constantFrom("project" as const, "user" as const),
      (found, scope) => {
        const read = checkConfig(found, FILE, scope);
        if (!read.ok) expect(read.error.code).toMatch(/^CONFIG_/);
      },
    ),
  );
});

describe("a key that a check would drop in silence", () => {
  const rows: { title: string; text: string; entry: string }[] = [
    {
      title: "in a match",
      text: '{"hooks":[{"on":"Stop","block":"x","match":{"__proto__":"y"}}]}',
      entry: "hooks.0.match",
    },
    {
      title: "in a match",
      text: '{"overrides":{"guard":{"match":{"__proto__":"x"}}}}',
      entry: "overrides.guard.match",
    },
    { title: "for an event", text: '{"settings":{"timeouts":{"__proto__":"5s"}}}', entry: "settings.timeouts" },
    { title: "for a hook", text: '{"overrides":{"__proto__":{"enabled":false}}}', entry: "overrides" },
    { title: "at the top", text: '{"__proto__":{"settings":{}}}', entry: "the file" },
  ];
  test.each(rows)("is refused $title", ({ text, entry }) => {
    expect(asUser(JSON.parse(text))).toEqual({
      ok: false,
      error: { code: "CONFIG_UNKNOWN_KEY", file: FILE, entry, key: "__proto__", nearest: null },
    });
  });

  test("is looked for once in what aliases repeat", () => {
    const bomb = Array.from({ length: 60 }).reduce((inner: unknown) => [inner, inner], "x");
    expect(asUser({ overrides: { guard: { match: bomb } } })).toMatchObject({ error: { code: "CONFIG_BAD_VALUE" } });
  });
});
