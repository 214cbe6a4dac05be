import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approveAll, hookInRun, runToolCall } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseListJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const SETTINGS = "project/.kodelet/hooks.json";
const block = printResponse({ blocked: true, reason: "the guard says no" });
const CLOSED = '{"event":"before_tool_call","fail_open":false}';

const run = (place: Workspace, args = "") => runInProcess(place, `run before_tool_call ${args}`, { stdin: toolCall() });
const write = (place: Workspace, settings: object, path = SETTINGS) => place.write(path, JSON.stringify(settings));

/** An approved guard that blocks, in a project whose settings are approved as well. */
async function guarded(settings: object = {}): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", block, { scope: "project", says: CLOSED });
  await write(place, settings);
  await approveAll(place);
  expect(await run(place)).toMatchObject({ code: 2 });
  return place;
}

const weakenings: { title: string; settings: object }[] = [
  { title: "settings.enabled", settings: { settings: { enabled: false } } },
  { title: "enabled", settings: { overrides: { guard: { enabled: false } } } },
  { title: "match", settings: { overrides: { guard: { match: { tool_name: "none" } } } } },
  { title: "fail_open", settings: { overrides: { guard: { fail_open: true } } } },
  { title: "timeout", settings: { overrides: { guard: { timeout: "1ms", fail_open: true } } } },
  { title: "observe", settings: { overrides: { guard: { observe: true, fail_open: true } } } },
  { title: "sandbox", settings: { overrides: { guard: { sandbox: "require", fail_open: true } } } },
  { title: "a broken file", settings: { overrides: { guard: { enabled: "no" } } } },
];

describe("what a project's settings say without approval has no effect on a guard, and is said", () => {
  test.each(weakenings)("$title", async ({ settings }) => {
    await using place = await guarded();
    await write(place, settings);
    const result = await run(place);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("▲ the project's settings") });
    expect(JSON.parse(result.stdout)).toMatchObject({
      reason: "the guard says no",
      warnings: [expect.stringContaining("the project's settings")],
    });
    const { stdout } = await runInProcess(place, "bridge claude --event PreToolUse", {
      stdin: JSON.stringify({ session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } }),
    });
    expect(stdout).toContain('"permissionDecision":"deny"');
    expect(stdout).toContain("the project's settings");
  });

  test("in a second file of the project either", async () => {
    await using place = await guarded({ settings: { timeout: "9s" } });
    await write(place, { overrides: { guard: { enabled: false } } }, "project/.hookctlrc.json");
    expect(await run(place)).toMatchObject({ code: 2, stderr: expect.stringContaining("two settings files") });
  });
});

describe("after a change the approved settings still apply, until the change is approved", () => {
  const RULE = { before_tool_call: [{ name: "rule", block: "the rule says no" }] };
  const changes: { title: string; change: (place: Workspace) => Promise<unknown>; says: string }[] = [
    { title: "edited", change: (place) => write(place, { settings: {} }), says: "changed since you approved them" },
    { title: "emptied", change: (place) => place.write(SETTINGS, ""), says: "changed since you approved them" },
    { title: "cut short", change: (place) => place.write(SETTINGS, '{"hooks":'), says: "are broken" },
    { title: "deleted", change: (place) => rm(join(place.dir, SETTINGS)), says: "were deleted" },
    {
      title: "its folder deleted",
      change: (place) => rm(join(place.dir, SETTINGS, ".."), { recursive: true }),
      says: "",
    },
    { title: "made unreadable", change: (place) => makeFolder(place), says: "are broken" },
  ];

  async function makeFolder(place: Workspace): Promise<void> {
    await rm(join(place.dir, SETTINGS));
    await mkdir(join(place.dir, SETTINGS));
  }

  test.each(changes)("$title", async ({ change, says }) => {
    await using place = await workspace();
    await write(place, { hooks: RULE, settings: { timeout: "9s" } });
    await approveAll(place);
    await change(place);
    const result = await run(place);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
    expect(JSON.parse(result.stdout)).toMatchObject({ reason: "the rule says no" });
  });

  test("a person who approves the change gets it", async () => {
    await using place = await workspace();
    await write(place, { hooks: RULE });
    await approveAll(place);
    await write(place, {});
    const shown = await runInProcess(place, "trust --show");
    expect(shown.stdout).toContain("the rule says no");
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 0 });
    expect(await run(place)).toEqual({ code: 0, stdout: '{"blocked":false}\n', stderr: "" });
    expect((await runInProcess(place, "trust --list")).stdout).toBe("No hooks are approved or denied.\n");
  });

  test("of an approved entry that was edited the approved text runs; the new one is approved by name or with the file", async () => {
    await using place = await workspace();
    await write(place, { hooks: RULE });
    await approveAll(place);
    await write(place, { hooks: { before_tool_call: [{ name: "rule", inject: "harmless" }] } });
    expect(await run(place)).toMatchObject({ code: 2, stderr: expect.stringContaining("changed since you approved") });
    expect(await runInProcess(place, "trust rule")).toMatchObject({ code: 0 });
    expect(await run(place)).toMatchObject({ code: 0, stdout: expect.stringContaining("harmless") });
  });

  test("an entry that was approved by its name stays, whatever becomes of the file", async () => {
    for (const text of [JSON.stringify({ hooks: {} }), "{", JSON.stringify({ overrides: {} })]) {
      await using place = await workspace();
      await write(place, { hooks: RULE, settings: { timeout: "9s" } });
      expect(await runInProcess(place, "trust rule")).toMatchObject({ code: 0 });
      await place.write(SETTINGS, text);
      const result = await run(place);
      expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("the project's settings") });
      expect(JSON.parse(result.stdout)).toMatchObject({ reason: "the rule says no" });
    }
  });

  test("a new entry waits, and the others go on", async () => {
    await using place = await workspace();
    await write(place, { hooks: RULE });
    await approveAll(place);
    await write(place, { hooks: { before_tool_call: [{ name: "new", inject: "x" }, ...RULE.before_tool_call] } });
    const result = await runToolCall(place);
    expect(hookInRun(result, "new")).toMatchObject({ failure: { code: "HOOK_REFUSED_UNTRUSTED" } });
    expect(result.decision).toBe("block");
  });

  test("a file that is spelt in another way says the same", async () => {
    await using place = await workspace();
    await place.write(SETTINGS, '{"settings":{"timeout":"9s","post_order":"reverse"}}');
    await approveAll(place);
    await place.write(SETTINGS, '{ "settings": { "post_order": "reverse",\n "timeout": "9000ms" } }');
    expect(await run(place)).toEqual({ code: 0, stdout: '{"blocked":false}\n', stderr: "" });
  });
});

describe("nothing that a project brings loosens what the user's settings demand, approved or not", () => {
  const clones: { title: string; make: (place: Workspace) => Promise<unknown> }[] = [
    { title: "nothing", make: async () => null },
    {
      title: "a file for another event",
      make: (place) => place.hook("guard", ":", { scope: "project", says: "session_end" }),
    },
    {
      title: "a text that names another event",
      make: (place) => place.write("project/.kodelet/hooks/guard", "#!/bin/sh\necho session_end\n", 0o755),
    },
    {
      title: "an entry for another event",
      make: (place) => write(place, { hooks: { session_end: [{ name: "guard", inject: "x" }] } }),
    },
    {
      title: "an entry that never matches",
      make: (place) =>
        write(place, { hooks: { before_tool_call: [{ name: "guard", inject: "x", match: { tool_name: "never" } }] } }),
    },
    {
      title: "an entry that is switched off",
      make: (place) => write(place, { hooks: { before_tool_call: [{ name: "guard", inject: "x", enabled: false }] } }),
    },
    { title: "settings that switch everything off", make: (place) => write(place, { settings: { enabled: false } }) },
  ];
  const demands = [{ required: true }, { required: true, fail_open: false }];

  test.each(clones.flatMap((clone) => demands.map((demand) => ({ ...clone, demand }))))(
    "a guard with $demand against a clone with $title",
    async ({ make, demand }) => {
      await using place = await workspace();
      await write(place, { overrides: { guard: demand } }, "home/.kodelet/hooks.json");
      await make(place);
      expect(await run(place)).toMatchObject({ code: 2 });
    },
  );

  test.each(["session_end", "notification"])(
    "an approved hook at %s does not stand for a required guard",
    async (event) => {
      await using place = await workspace();
      await write(place, { overrides: { guard: { required: true } } }, "home/.kodelet/hooks.json");
      await write(place, { hooks: { [event]: [{ name: "guard", inject: "x" }] } });
      await approveAll(place);
      expect(await run(place)).toMatchObject({ code: 2 });
    },
  );

  test.each(weakenings.slice(0, 3))(
    "a user's demand stands against approved settings: $title",
    async ({ settings }) => {
      await using place = await workspace();
      await place.hook("guard", block, { scope: "project", says: CLOSED });
      await write(place, { overrides: { guard: { fail_open: false, required: true } } }, "home/.kodelet/hooks.json");
      await write(place, settings);
      await approveAll(place);
      expect(await run(place)).toMatchObject({ code: 2 });
    },
  );
});

describe("when the user's settings cannot be loaded, the guards that they held block", () => {
  const USER = "home/.kodelet/hooks.json";
  const guards: { title: string; settings: object }[] = [
    {
      title: "a rule",
      settings: { hooks: { before_tool_call: [{ name: "no-rm", block: "no", match: { tool_name: "rm" } }] } },
    },
    { title: "a required hook", settings: { overrides: { absent: { required: true } } } },
    {
      title: "a fail-closed entry",
      settings: { hooks: { before_tool_call: [{ name: "g", command: "true", fail_open: false }] } },
    },
  ];
  const losses: { title: string; lose: (place: Workspace) => Promise<unknown>; says: string }[] = [
    { title: "cut short", lose: (place) => place.write(USER, '{\n"settings": {'), says: "hooks.json:2" },
    { title: "emptied", lose: (place) => place.write(USER, ""), says: "it is empty" },
    { title: "a key that is not known", lose: (place) => place.write(USER, '{"hoks":{}}'), says: "hooks.json" },
    {
      title: "a second file",
      lose: (place) => place.write("home/.kodelet/hooks.yaml", "version: 1"),
      says: "hooks.json",
    },
    { title: "replaced by a folder", lose: (place) => replaced(place, mkdir), says: "it is not a regular file" },
    {
      title: "a broken link",
      lose: (place) => replaced(place, (file) => symlink("/nowhere/hooks.json", file)),
      says: "it is a broken link",
    },
  ];

  async function replaced(place: Workspace, make: (file: string) => Promise<unknown>): Promise<void> {
    const file = join(place.dir, USER);
    await rm(file);
    await make(file);
  }

  test.each(guards.flatMap((guard) => losses.map((loss) => ({ ...guard, loss, how: loss.title }))))(
    "$title, the file $how",
    async ({ settings, loss }) => {
      await using place = await workspace();
      await write(place, settings, USER);
      await run(place);
      await loss.lose(place);
      const result = await run(place);
      expect(result.code).toBe(2);
      expect(JSON.parse(result.stdout).reason).toContain("your settings file is broken");
      expect(JSON.parse(result.stdout).reason).toContain(loss.says);
    },
  );

  test("without a guard in them it is a warning", async () => {
    await using place = await workspace();
    await write(place, { settings: { timeout: "9s" } }, USER);
    await run(place);
    await place.write(USER, "{");
    expect(await run(place)).toMatchObject({ code: 78, stdout: '{"blocked":false}\n' });
  });

  test("a file that was deleted is a warning that can be answered", async () => {
    await using place = await workspace();
    await write(place, guards[0]?.settings ?? {}, USER);
    await run(place);
    await rm(join(place.dir, USER));
    expect(await run(place)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("your settings file cannot be used"),
    });
    expect(await runInProcess(place, "trust --prune")).toMatchObject({ code: 0 });
    expect(await run(place)).toEqual({ code: 0, stdout: '{"blocked":false}\n', stderr: "" });
  });

  const OTHER = "home/.config/hookctl/config.json";
  const replacements: { title: string; other: object; isLost: boolean }[] = [
    { title: "settings without a guard", other: { settings: { timeout: "20s" } }, isLost: true },
    { title: "another guard", other: { overrides: { other: { required: false, fail_open: false } } }, isLost: true },
    { title: "the same guard", other: guards[2]?.settings ?? {}, isLost: false },
  ];
  test.each(replacements)(
    "a file in whose place another one brings $title",
    { tags: "slow" },
    async ({ other, isLost }) => {
      await using place = await workspace();
      await write(place, guards[2]?.settings ?? {}, USER);
      await run(place);
      await rm(join(place.dir, USER));
      await write(place, other, OTHER);
      for (let call = 0; call < 2; call++) {
        const { stderr } = await run(place);
        expect(stderr.includes("hooks.json: it does not exist. It declared the guards g.")).toBe(isLost);
      }
      await runInProcess(place, "trust --prune");
      expect((await run(place)).stderr).not.toContain("your settings file cannot be used");
      await place.write(OTHER, "{");
      const { code, stdout } = await run(place);
      const isGuarded = "overrides" in other || "hooks" in other;
      expect({ code, isBlocked: stdout.includes("your settings file is broken") }).toEqual({
        code: isGuarded ? 2 : 78,
        isBlocked: isGuarded,
      });
    },
  );

  test("a note of the first version counts", async () => {
    await using place = await workspace();
    const guarded = { version: 1, file: join(place.dir, USER), guards: ["g"] };
    const note = "home/.local/state/hookctl/user-settings.json";
    await place.write(note, JSON.stringify(guarded), 0o600);
    await place.write(USER, "{");
    expect(await run(place)).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("your settings file is broken"),
    });
  });

  test("without HOME, where the state folder is known", async () => {
    await using place = await workspace();
    const env = { XDG_STATE_HOME: join(place.home, ".local/state") };
    await write(place, guards[0]?.settings ?? {}, USER);
    await runInProcess(place, "run before_tool_call", { stdin: toolCall(), env });
    const result = await runInProcess(place, "run before_tool_call", {
      stdin: toolCall(),
      env: { ...env, HOME: undefined },
    });
    expect(result).toMatchObject({ code: 2, stdout: expect.stringContaining("HOME is not set") });
  });

  test("repaired settings apply again", async () => {
    await using place = await workspace();
    await write(place, guards[1]?.settings ?? {}, USER);
    await run(place);
    await place.write(USER, "{");
    expect(await run(place)).toMatchObject({ code: 2 });
    await place.write(USER, "{}");
    expect(await run(place)).toEqual({ code: 0, stdout: '{"blocked":false}\n', stderr: "" });
  });
});

test("settings are listed, denied and forgotten like a hook", async () => {
  await using place = await guarded({ settings: { timeout: "9s" } });
  const limit = async () => parseListJson(await runInProcess(place, "list --json")).hooks[0]?.timeout_ms;
  expect(await limit()).toBe(9_000);
  expect((await runInProcess(place, "trust --list")).stdout).toContain(".kodelet/hooks.json");
  expect(await runInProcess(place, "untrust .kodelet/hooks.json")).toMatchObject({ code: 0 });
  expect(await limit()).toBe(30_000);
  expect(await runInProcess(place, "untrust --deny .kodelet/hooks.json")).toMatchObject({ code: 0 });
  expect(await limit()).toBe(30_000);
});
