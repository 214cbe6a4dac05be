import { link, readlink, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const USER = "home/.claude/settings.json";
const LOCAL = "project/.claude/settings.local.json";
const base = { session_id: "s", transcript_path: "/t", cwd: "/", permission_mode: "bypassPermissions" };
const CALL = {
  ...base,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_use_id: "c",
};

const claude = (place: Workspace, event = "PreToolUse", payload: object = CALL) =>
  runInProcess(place, `bridge claude --event ${event} --fail-closed`, { stdin: JSON.stringify(payload) });

const settingsOf = async (place: Workspace, file = USER) => JSON.parse((await place.read(file)) ?? "{}");
const write = (place: Workspace, file: string, value: unknown) => place.write(file, JSON.stringify(value, null, 2));

/** Claude Code is connected for the user, and the project was seen once. */
async function sealed(settings: object = { model: "opus" }) {
  const place = await workspace();
  await write(place, USER, settings);
  expect(await runInProcess(place, "install claude --scope user")).toMatchObject({ stderr: "", code: 0 });
  expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  return place;
}

type Change = (settings: Record<string, unknown>) => Record<string, unknown>;
const hooksOf = (settings: Record<string, unknown>) => structuredClone(settings.hooks) as Record<string, object[]>;

const WEAKENINGS: readonly { readonly title: string; readonly change: Change; readonly says: string }[] = [
  { title: "all hooks are off", change: (all) => ({ ...all, disableAllHooks: true }), says: "disableAllHooks stops" },
  {
    title: "an entry is lost",
    change: (all) => ({ ...all, hooks: { SessionStart: hooksOf(all).SessionStart } }),
    says: "entry for PreToolUse",
  },
  { title: "all entries are lost", change: ({ hooks: _, ...all }) => all, says: "entry for PreToolUse" },
  {
    title: "an event is renamed",
    change: (all) => JSON.parse(JSON.stringify(all).replace('"PreToolUse":', '"PreToolUsX":')),
    says: "entry for PreToolUse",
  },
  {
    title: "a command is changed",
    change: (all) => JSON.parse(JSON.stringify(all).replaceAll("--fail-closed", "--help")),
    says: "entry for PreToolUse",
  },
  {
    title: "a matcher limits an entry",
    change: (all) => ({
      ...all,
      hooks: { ...hooksOf(all), PreToolUse: [{ ...hooksOf(all).PreToolUse?.[0], matcher: "Nothing" }] },
    }),
    says: "entry for PreToolUse",
  },
  {
    title: "a timeout is shortened",
    change: (all) => JSON.parse(JSON.stringify(all).replaceAll('"timeout":3600', '"timeout":1')),
    says: "entry for PreToolUse",
  },
  {
    title: "a variable replaces the shell's commands",
    change: (all) => ({ ...all, env: { CLAUDE_CODE_SHELL_PREFIX: "/tmp/x" } }),
    says: "variable CLAUDE_CODE_SHELL_PREFIX",
  },
  {
    title: "a variable loads code",
    change: (all) => ({ ...all, env: { NODE_OPTIONS: "--require /tmp/x.js" } }),
    says: "variable NODE_OPTIONS",
  },
  {
    title: "the agent runs without hooks",
    change: (all) => ({ ...all, env: { CLAUDE_CODE_SIMPLE: "1" } }),
    says: "CLAUDE_CODE_SIMPLE",
  },
];

test.each(["claude", "codex"])(
  "a session of %s that begins with a lost entry has its first prompt blocked",
  async (agent) => {
    await using place = await workspace();
    const file = agent === "claude" ? USER : "home/.codex/hooks.json";
    expect(await runInProcess(place, `install ${agent} --scope user`)).toMatchObject({ code: 0 });
    const prompt = () => {
      const stdin = JSON.stringify({ ...base, hook_event_name: "UserPromptSubmit", prompt: "go on" });
      return runInProcess(place, `bridge ${agent} --event UserPromptSubmit --fail-closed`, { stdin });
    };
    expect((await prompt()).stdout).not.toContain("block");
    const { PreToolUse: _, ...hooks } = (await settingsOf(place, file)).hooks;
    await write(place, file, { hooks });
    const blocked = JSON.parse((await prompt()).stdout);
    expect(blocked).toMatchObject({
      decision: "block",
      systemMessage: expect.stringContaining("entry for PreToolUse"),
    });
    expect(blocked.reason).toContain("hookctl restore");
    const next = (await prompt()).stdout;
    expect(next).not.toContain('"block"');
    expect(next).toContain("entry for PreToolUse");
  },
);

test.each(WEAKENINGS)("a call is blocked once, and restored by a person: $title", async ({ change, says }) => {
  await using place = await sealed();
  const before = await settingsOf(place);
  await write(place, USER, change(before));
  const blocked = await claude(place);
  expect(JSON.parse(blocked.stdout)).toMatchObject({
    systemMessage: expect.stringContaining("hookctl restore"),
    hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: expect.stringContaining(says) },
  });
  expect(blocked).toMatchObject({ stderr: expect.stringContaining("(PROTECTION_WEAKENED)"), code: 0 });
  const next = await claude(place);
  expect(next.stdout).not.toContain("deny");
  expect(next.stderr).toContain(says);
  expect(await runInProcess(place, "status")).toMatchObject({
    stdout: expect.stringContaining("lost: hookctl restore"),
  });
  const restored = await runInProcess(place, "restore");
  expect(restored).toMatchObject({ stderr: "", stdout: expect.stringContaining(says), code: 0 });
  const after = await settingsOf(place);
  expect({ ...after, hooks: undefined, env: undefined }).toEqual({ ...before, hooks: undefined });
  expect(after.hooks).toMatchObject(before.hooks);
  expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  expect(await runInProcess(place, "status")).toMatchObject({
    stdout: expect.stringContaining("settings unchanged (sealed just now)"),
  });
});

test("a person accepts a change by sealing again, an agent cannot", async () => {
  await using place = await sealed();
  await write(place, USER, { ...(await settingsOf(place)), env: { PATH: "/opt/x" } });
  expect((await claude(place)).stdout).toContain("deny");
  for (const command of ["seal", "restore"]) {
    const refused = await runInProcess(place, command, { env: { CLAUDECODE: "1" } });
    expect(refused).toMatchObject({ stdout: "", stderr: expect.stringContaining("(TRUST_NEEDS_PERSON)"), code: 77 });
  }
  const again = await runInProcess(place, "install claude --scope user", { env: { CLAUDECODE: "1" } });
  expect(again.code).toBe(0);
  expect((await claude(place)).stderr).toContain("variable PATH");
  const accepted = await runInProcess(place, "seal");
  expect(accepted).toMatchObject({ stderr: "", stdout: expect.stringContaining("accepted: "), code: 0 });
  expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
});

test("after a new seal the same weakening is blocked again", async () => {
  await using place = await sealed();
  const settings = await settingsOf(place);
  await write(place, USER, { ...settings, disableAllHooks: true });
  expect((await claude(place)).stdout).toContain("deny");
  await write(place, USER, settings);
  expect(await runInProcess(place, "seal")).toMatchObject({ code: 0 });
  await write(place, USER, { ...settings, disableAllHooks: true });
  expect((await claude(place)).stdout).toContain("deny");
});

test("a project's local settings that were never sealed are compared with those of the first call", async () => {
  await using place = await sealed();
  await write(place, LOCAL, { disableAllHooks: true, permissions: { allow: ["Bash(ls)"] } });
  const change = {
    ...base,
    hook_event_name: "ConfigChange",
    source: "local_settings",
    file_path: join(place.dir, LOCAL),
  };
  const kept = await runInProcess(place, "bridge claude --event ConfigChange", { stdin: JSON.stringify(change) });
  expect(kept).toMatchObject({ stdout: "", stderr: expect.stringContaining("disableAllHooks stops"), code: 2 });
  const { file_path: _, ...unnamed } = change;
  const also = await runInProcess(place, "bridge claude --event ConfigChange", { stdin: JSON.stringify(unnamed) });
  expect(also).toMatchObject({ stderr: expect.stringContaining("disableAllHooks stops"), code: 2 });
  const result = { ...CALL, hook_event_name: "PostToolUse", tool_response: { stdout: "", stderr: "" } };
  expect(JSON.parse((await claude(place, "PostToolUse", result)).stdout)).toMatchObject({ continue: false });
  expect((await claude(place)).stdout).toContain('"permissionDecision":"deny"');
  expect((await claude(place)).stdout).not.toContain("deny");
  expect(await runInProcess(place, "restore")).toMatchObject({ stderr: "", code: 0 });
  expect(await settingsOf(place, LOCAL)).toEqual({ permissions: { allow: ["Bash(ls)"] } });
  expect(
    await runInProcess(place, "bridge claude --event ConfigChange", { stdin: JSON.stringify(change) }),
  ).toMatchObject({ stdout: "", stderr: "", code: 0 });
});

test("without a seal a change that disables hooks is kept out of the session, and other calls look at nothing", async () => {
  await using place = await workspace();
  await write(place, LOCAL, { disableAllHooks: true });
  const change = {
    ...base,
    hook_event_name: "ConfigChange",
    source: "local_settings",
    file_path: join(place.dir, LOCAL),
  };
  const kept = await runInProcess(place, "bridge claude --event ConfigChange", { stdin: JSON.stringify(change) });
  expect(kept).toMatchObject({ stdout: "", stderr: expect.stringContaining("disableAllHooks"), code: 2 });
  expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  expect(await place.read("home/.local/state/hookctl/seal-checks.json")).toBeNull();
});

test("of calls at the same time one is blocked", async () => {
  await using place = await sealed();
  await write(place, USER, { ...(await settingsOf(place)), disableAllHooks: true });
  const calls = await Promise.all(
    Array.from({ length: 8 }, () =>
      place.run(["bridge", "claude", "--event", "PreToolUse", "--fail-closed"], { stdin: JSON.stringify(CALL) }),
    ),
  );
  expect(calls.filter(({ stdout }) => stdout.includes("deny"))).toHaveLength(1);
  expect(calls.every(({ stderr }) => stderr.includes("disableAllHooks"))).toBe(true);
});

test("a weakening that comes back after it was restored is blocked again", async () => {
  await using place = await sealed();
  const whole = await settingsOf(place);
  for (let round = 0; round < 2; round++) {
    await write(place, USER, { ...whole, disableAllHooks: true });
    expect((await claude(place)).stdout).toContain("deny");
    await write(place, USER, whole);
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  }
});

test("by setting it is restored at once, and only once for the same cause", async () => {
  await using place = await sealed();
  await write(place, "home/.kodelet/hooks.json", { settings: { restore: "at_once" } });
  const whole = await settingsOf(place);
  await write(place, USER, { ...whole, disableAllHooks: true });
  expect((await claude(place)).stdout).toContain("It was restored");
  expect(await settingsOf(place)).toEqual(whole);
  expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  await write(place, USER, { ...whole, disableAllHooks: true });
  expect((await claude(place)).stdout).toContain("hookctl restore");
  expect(await settingsOf(place)).toHaveProperty("disableAllHooks");
});

test("nothing is restored through a link or into a file with a second name", async () => {
  await using place = await sealed();
  const text = JSON.stringify({ ...(await settingsOf(place)), disableAllHooks: true });
  const managed = await place.write("dotfiles/claude.json", text);
  const file = join(place.dir, USER);
  await rename(file, `${file}.old`);
  await symlink(managed, file);
  expect((await claude(place)).stdout).toContain("deny");
  const refused = await runInProcess(place, "restore");
  expect(refused).toMatchObject({ stderr: "", stdout: expect.stringContaining("a link leads to"), code: 1 });
  expect(await readlink(file)).toBe(managed);
  expect(await place.read("dotfiles/claude.json")).toBe(text);
  await rename(file, `${file}.link`);
  await link(managed, file);
  expect(await runInProcess(place, "restore")).toMatchObject({ stdout: expect.stringContaining("hard link"), code: 1 });
  expect(await place.read("dotfiles/claude.json")).toBe(text);
});

test("comments, order and other entries of the file stay", async () => {
  await using place = await workspace();
  await place.write(
    "home/.gemini/settings.json",
    '{\n  // mine\n  "theme": "dark",\n  "hooksConfig": { "enabled": true }\n}\n',
  );
  expect(await runInProcess(place, "install gemini --scope user")).toMatchObject({ code: 0 });
  const before = await place.read("home/.gemini/settings.json");
  await place.write("home/.gemini/settings.json", (before ?? "").replace('"enabled": true', '"enabled": false'));
  expect(await runInProcess(place, "restore")).toMatchObject({ stderr: "", code: 0 });
  const after = await place.read("home/.gemini/settings.json");
  expect(after).toContain("// mine");
  expect(after).toContain('"theme": "dark"');
  expect(after).toBe(before);
});

test("a switch in the settings of Codex is removed from its TOML, and what Codex wrote stays", async () => {
  await using place = await workspace();
  await runInProcess(place, "install codex --scope user");
  const toml =
    '# mine\nmodel = "o"\n\n[projects."/x"]\ntrust_level = "trusted"\n\n[features]\nhooks = false\nother = true\n';
  await runInProcess(place, "seal");
  await place.write("home/.codex/config.toml", toml);
  expect(await runInProcess(place, "restore")).toMatchObject({
    stderr: "",
    stdout: expect.stringContaining("features.hooks"),
    code: 0,
  });
  expect(await place.read("home/.codex/config.toml")).toBe(toml.replace("hooks = false\n", ""));
});

test.each(["opencode", "cursor", "copilot", "qwen", "droid", "codex", "gemini", "pi", "goose"])(
  "a deleted registration of %s is written again",
  async (agent) => {
    await using place = await workspace();
    await runInProcess(place, `install ${agent} --scope user`);
    const [file = ""] = JSON.parse((await runInProcess(place, "seal --json")).stdout).sealed;
    const path = file.replace(/^DIR\//, "");
    const before = (await place.read(path)) ?? "";
    await place.write(path, "");
    const restored = await runInProcess(place, "restore");
    expect(restored).toMatchObject({ stderr: "", stdout: expect.stringContaining("✔ Restored"), code: 0 });
    const after = (await place.read(path)) ?? "";
    if (path.endsWith(".json")) expect(JSON.parse(after)).toEqual(JSON.parse(before));
    else expect(after).toBe(before);
  },
);

test("a seal that was removed is noticed", async () => {
  await using place = await sealed();
  const { unlink } = await import("node:fs/promises");
  await unlink(join(place.home, ".local/state/hookctl/seal.json"));
  expect((await claude(place)).stdout).toContain("hookctl's seal was removed");
  expect((await claude(place)).stdout).not.toContain("deny");
});

test("uninstall leaves no seal of the file", async () => {
  await using place = await sealed();
  expect(await runInProcess(place, "uninstall claude --scope user")).toMatchObject({ code: 0 });
  expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
});

/** A day of agents and managers of dotfiles: none of these takes protection away. */
const REWRITES: readonly ((settings: Record<string, unknown>, day: number) => string)[] = [
  (all, day) =>
    JSON.stringify({ ...all, permissions: { allow: Array.from({ length: day }, (_, n) => `Bash(task ${n})`) } }),
  (all) => JSON.stringify(Object.fromEntries(Object.entries(all).reverse())),
  (all, day) => JSON.stringify({ ...all, theme: `theme-${day}`, model: "sonnet" }, null, "\t"),
  (all, day) =>
    JSON.stringify(
      { ...all, env: { EDITOR: "vim", DAY: String(day), NODE_OPTIONS: "--max-old-space-size=4096" } },
      null,
      4,
    ),
  (all) => JSON.stringify(all, null, 2).replaceAll("\n", "\r\n"),
  (all, day) => {
    const hooks = hooksOf(all);
    const mine = { matcher: "Edit", hooks: [{ type: "command", command: `format ${day}` }] };
    return JSON.stringify({
      ...all,
      hooks: { ...hooks, PreToolUse: [mine, ...(hooks.PreToolUse ?? [])], Stop: [mine] },
    });
  },
  (all) => JSON.stringify({ ...all, hooks: Object.fromEntries(Object.entries(hooksOf(all)).reverse()) }),
  (all) => JSON.stringify({ ...all, enabledPlugins: { "a@b": true }, disableAllHooks: false }),
];

test("30 days of agents and managers of dotfiles rewriting the settings are no weakening", async () => {
  await using place = await sealed();
  const file = join(place.dir, USER);
  for (let day = 0; day < 30; day++) {
    const rewrite = REWRITES[day % REWRITES.length];
    const text = rewrite?.(await settingsOf(place), day) ?? "";
    if (day % 5 === 4) {
      await place.write(`dotfiles/${day}.json`, text);
      await symlink(join(place.dir, `dotfiles/${day}.json`), `${file}.new`);
      await rename(`${file}.new`, file);
    } else await place.write(USER, text);
    await write(place, LOCAL, { permissions: { allow: [`Bash(ls ${day})`] }, outputStyle: "x" });
    await place.write("home/.codex/config.toml", `[projects."/p${day}"]\ntrust_level = "trusted"\n`);
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  }
  await rename(place.project, join(place.dir, "moved"));
  const words = ["bridge", "claude", "--event", "PreToolUse", "--fail-closed"];
  const moved = await place.run(words, { stdin: JSON.stringify(CALL), cwd: join(place.dir, "moved") });
  expect(moved).toMatchObject({ stdout: "", stderr: "", code: 0 });
});

const OWN = "home/.kodelet/hooks.json";

describe("hookctl's own settings", () => {
  test("a guard that no command switched off is missed once, and switched on or accepted by a person", async () => {
    await using place = await sealed();
    expect(await runInProcess(place, "enable git secrets")).toMatchObject({ code: 0 });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
    await write(place, OWN, { guards: { secrets: true } });
    const blocked = await claude(place);
    expect(blocked.stdout).toContain('"permissionDecision":"deny"');
    expect(blocked.stderr).toContain("git is no longer on");
    const next = await claude(place);
    expect(next.stdout).not.toContain("deny");
    expect(next.stderr).toContain("git is no longer on");
    for (const command of ["status --json", "doctor claude"])
      expect((await runInProcess(place, command)).stdout).toContain("git is no longer on");
    const restored = await runInProcess(place, "restore");
    expect(restored).toMatchObject({ stderr: "", stdout: expect.stringContaining("hookctl on git"), code: 1 });
    expect(await runInProcess(place, "seal")).toMatchObject({
      ...{ stderr: "", code: 0 },
      stdout: expect.stringContaining("git is no longer on"),
    });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  });

  test("a guard that a person switches off is not missed, and one that is on again neither", async () => {
    await using place = await sealed();
    expect(await runInProcess(place, "enable git secrets")).toMatchObject({ code: 0 });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect(await runInProcess(place, "disable git")).toMatchObject({ stderr: "", code: 0 });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
    await write(place, OWN, { guards: {} });
    expect((await claude(place)).stderr).toContain("secrets is no longer on");
    expect(await runInProcess(place, "enable secrets")).toMatchObject({ code: 0 });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  });

  test.each([
    { title: "the last rule", does: ["block foo"], undoes: "rules remove foo" },
    { title: "the last rule of one project", does: ["block --here foo"], undoes: "rules remove foo" },
    { title: "a rule that now allows", does: ["block foo"], undoes: "allow --global foo" },
    { title: "the last guard, with self-protection", does: ["enable git"], undoes: "off git --for good" },
    { title: "all guards", does: ["enable git secrets"], undoes: "config unset guards" },
    { title: "a list of rules", does: ["ask foo"], undoes: "config unset commands" },
    { title: "a guard that now observes", does: ["enable git"], undoes: "config set guards.git.observe true" },
    { title: "a policy", does: ["config set on_untrusted fail"], undoes: "config unset on_untrusted" },
    {
      title: "a fail-closed override",
      does: ["config set overrides.x.fail_open false"],
      undoes: "config unset overrides.x",
    },
  ])("what a person removes with a command is not missed: $title", async ({ does, undoes }) => {
    await using place = await sealed();
    expect(await runInProcess(place, "seal")).toMatchObject({ code: 0 });
    for (const line of does) expect(await runInProcess(place, line)).toMatchObject({ stderr: "", code: 0 });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect((await place.read("home/.local/state/hookctl/user-settings.json")) ?? "").toContain('"guards":["');
    expect(await runInProcess(place, undoes)).toMatchObject({ stderr: "", code: 0 });
    expect((await runInProcess(place, "status --json")).stdout).not.toContain("no longer on");
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  });

  test("a person's command accepts only what it removes, not what was removed by hand before", async () => {
    await using place = await sealed();
    for (const line of ["enable git", "block foo"]) expect(await runInProcess(place, line)).toMatchObject({ code: 0 });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
    const { guards: _, ...rest } = await settingsOf(place, OWN);
    await write(place, OWN, rest);
    expect(await runInProcess(place, "rules remove foo")).toMatchObject({ code: 0 });
    const { stderr } = await claude(place);
    expect(stderr).toContain("git is no longer on");
    expect(stderr).not.toContain("rules is no longer on");
  });

  test.each([
    { title: "an override", settings: { guards: { git: true }, overrides: { git: { enabled: false } } }, lost: "git" },
    { title: "only observing", settings: { guards: { git: { observe: true } } }, lost: "git" },
    {
      title: "what comes with every guard",
      settings: { guards: { git: true, "self-protection": false } },
      lost: "self-protection",
    },
  ])("a guard is lost by $title", async ({ settings, lost }) => {
    await using place = await sealed();
    expect(await runInProcess(place, "enable git")).toMatchObject({ code: 0 });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
    await write(place, OWN, settings);
    const blocked = await claude(place);
    expect(blocked.stdout).toContain('"permissionDecision":"deny"');
    expect(blocked.stderr).toContain(`${lost} is no longer on`);
  });

  test("other keys of the file may change", async () => {
    await using place = await sealed();
    expect(await runInProcess(place, "enable git")).toMatchObject({ code: 0 });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
    await write(place, OWN, { settings: { timeout: "5s" }, guards: { git: { decision: "ask" } } });
    expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  });
});

test("an agent that weakens the settings of another one is blocked once", async () => {
  await using place = await sealed();
  await write(place, "home/.gemini/settings.json", { theme: "dark" });
  expect(await runInProcess(place, "install gemini --scope user")).toMatchObject({ stderr: "", code: 0 });
  expect(await claude(place)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  await write(place, "home/.gemini/settings.json", { theme: "dark" });
  const blocked = await claude(place, "PostToolUse", { ...CALL, hook_event_name: "PostToolUse", tool_response: {} });
  expect(blocked.stderr).toContain("home/.gemini/settings.json: hookctl's entry for BeforeTool is removed");
  expect(blocked.stdout).toContain('"decision":"block"');
  expect((await claude(place)).stdout).toContain('"permissionDecision":"deny"');
  expect((await claude(place)).stdout).not.toContain("deny");
});
