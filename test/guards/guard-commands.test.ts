import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

const SETTINGS = "home/.kodelet/hooks.json";

describe("hookctl enable and disable", () => {
  test("a first guard makes the settings file; a second call changes nothing", async () => {
    await using place = await workspace();
    const first = await runMain(place, ["enable", "git", "secrets"]);
    expect(first).toMatchObject({
      stdout: `✔ git, secrets: on (${place.home}/.kodelet/hooks.json)\nAll guards: hookctl guards\n`,
      stderr: "",
      code: 0,
    });
    const text = await place.read(SETTINGS);
    expect(JSON.parse(text ?? "")).toEqual({ guards: { git: true, secrets: true } });
    const second = await runMain(place, ["enable", "git-safety"]);
    expect(second).toMatchObject({ stdout: expect.stringMatching(/^git: already on\n/), stderr: "", code: 0 });
    expect(await place.read(SETTINGS)).toBe(text);
  });

  test("settings, order and formatting beside it stay", async () => {
    await using place = await workspace();
    const before =
      '{\n    "settings": {"timeout": "5s"},\n    "guards": {"git": {"allow": ["git reset --hard"], "enabled": false}}\n}\n';
    await place.write(SETTINGS, before);
    await runMain(place, ["enable", "git"]);
    const on = JSON.parse((await place.read(SETTINGS)) ?? "");
    expect(on).toEqual({ settings: { timeout: "5s" }, guards: { git: { allow: ["git reset --hard"] } } });
    await runMain(place, ["disable", "git"]);
    const off = JSON.parse((await place.read(SETTINGS)) ?? "");
    expect(off.guards).toEqual({ git: { allow: ["git reset --hard"], enabled: false } });
    expect(await place.read(SETTINGS)).toContain('    "settings": {"timeout": "5s"},');
  });

  test("in a project they say what to type next", async () => {
    await using place = await workspace();
    const { stdout, code } = await runMain(place, ["enable", "cloud", "--scope", "project"]);
    expect({ stdout, code }).toEqual({ stdout: expect.stringContaining("Approve them: hookctl trust\n"), code: 0 });
    expect(JSON.parse((await place.read("project/.kodelet/hooks.json")) ?? "")).toEqual({ guards: { cloud: true } });
  });

  const refused: readonly (readonly [
    title: string,
    args: readonly string[],
    files: object,
    stderr: RegExp,
    code: number,
  ])[] = [
    ["an unknown guard", ["enable", "gti"], {}, /^✖ Unknown guard "gti"\. Did you mean git\? .*\n.*hookctl guards/, 64],
    ["no guard", ["enable"], {}, /missing argument/, 64],
    [
      "YAML",
      ["enable", "git"],
      { "home/.kodelet/hooks.yaml": "version: 1\n" },
      /is YAML.*\n.*guards: \{ git: true \}/,
      64,
    ],
    ["settings that are broken", ["enable", "git"], { [SETTINGS]: "{" }, /^✖ .*hooks\.json/, 78],
  ];
  test.each(refused)("%s is refused, and nothing is written", async (_, args, files, stderr, code) => {
    await using place = await workspace();
    for (const [path, text] of Object.entries(files)) await place.write(path, text);
    const before = await place.read(SETTINGS);
    const result = await runMain(place, args);
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringMatching(stderr), code });
    expect(await place.read(SETTINGS)).toBe(before);
  });

  test("an agent may turn a guard on and not off", async () => {
    await using place = await workspace();
    const env = { CLAUDECODE: "1" };
    expect((await runMain(place, ["enable", "git"], { env })).code).toBe(0);
    const { stdout, stderr, code } = await runMain(place, ["disable", "git"], { env });
    expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: expect.stringMatching(/person/), code: 77 });
    expect(JSON.parse((await place.read(SETTINGS)) ?? "")).toEqual({ guards: { git: true } });
  });

  test("as JSON", async () => {
    await using place = await workspace();
    const { stdout } = await runMain(place, ["enable", "git", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      schema: "hookctl.guards-changed/1",
      file: `${place.home}/.kodelet/hooks.json`,
      guards: ["git"],
      enabled: true,
      changed: true,
    });
  });
});

test("protected-paths without paths says that it guards nothing", async () => {
  await using place = await workspace();
  const { stdout } = await runMain(place, ["enable", "protected-paths"]);
  expect(stdout).toContain("protected-paths guards nothing yet.");
  expect((await runMain(place, ["guards"])).stdout).toContain("guards nothing: it has no `paths`");
  await place.write(
    SETTINGS,
    JSON.stringify({ guards: { "protected-paths": { paths: ["infra/**"], enabled: false } } }),
  );
  expect((await runMain(place, ["enable", "protected-paths"])).stdout).not.toContain("guards nothing");
  expect((await runMain(place, ["guards"])).stdout).not.toContain("guards nothing");
});

test.each([
  [{ git: { unknown: "maybe" } }, /guards\.git\.unknown .*"ask"\|"block"\|"allow"/],
  [{ git: { allow: "x" } }, /guards\.git\.allow .*array/],
  [{ git: "on" }, /guards\.git is not valid: it is true, false or an object/],
  [{ git: { paths: ["a"] } }, /unknown key "paths" in guards\.git(?!.*Did you mean paths)/],
])("a fault in the settings of a guard is named: %j", async (guards, fault) => {
  await using place = await workspace();
  await place.write(SETTINGS, JSON.stringify({ guards }));
  const { stdout, stderr, code } = await runMain(place, ["guards"]);
  expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: expect.stringMatching(fault), code: 78 });
});

describe("hookctl guards", () => {
  test("lists each guard with its state, and what settings make of it", async () => {
    await using place = await workspace();
    await place.write(SETTINGS, JSON.stringify({ guards: { git: { allow: ["git reset --hard"], unknown: "block" } } }));
    const { stdout, stderr, code } = await runMain(place, ["guards"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toMatch(/^off {6}filesystem +\S/m);
    expect(stdout).toMatch(/^on {7}git +\S.*\n +unknown: block, 1 allow rule, .*hooks\.json$/m);
    const { guards } = JSON.parse((await runMain(place, ["guards", "--json"])).stdout);
    expect(guards.find((one: { name: string }) => one.name === "git")).toMatchObject({
      enabled: true,
      rules: expect.arrayContaining([{ rule: "discard-changes", about: expect.any(String) }]),
      settings: { unknown: "block", allow: [{ text: "git reset --hard", folder: null }] },
    });
  });
});

describe("hookctl explain", () => {
  const COMMAND = 'cd /tmp && sudo bash -c "rm -rf $HOME" && git commit -m "rm -rf /"';

  test("shows what is started, what words became, and which rule decides", async () => {
    await using place = await workspace();
    await runMain(place, ["enable", "filesystem"]);
    const { stdout, stderr, code } = await runMain(place, ["explain", COMMAND]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 2 });
    expect(stdout).toContain(`rm -rf ${place.home}`);
    expect(stdout).toMatch(/✖ filesystem\/delete-folder: deletes the home directory/);
    expect(stdout).toMatch(/^git commit -m 'rm -rf \/' {2}in \/tmp$/m);
    expect(stdout).toMatch(/^block {2}by filesystem: `rm -rf .*` deletes/m);
  });

  test("says what a guard that is off would say", async () => {
    await using place = await workspace();
    const { stdout, code } = await runMain(place, ["explain", "--", "git", "reset", "--hard"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/○ git\/discard-changes: .* \(git is off; it would block\)/);
    expect(stdout).toMatch(/^allow {2}no guard is on\n {2}Turn it on: hookctl enable git$/m);
  });

  test("names the allow rule, and parts that were not followed", async () => {
    await using place = await workspace();
    await place.write(SETTINGS, JSON.stringify({ guards: { git: { allow: ["git reset --hard"] } } }));
    const { stdout, code } = await runMain(place, ["explain", "git reset --hard"]);
    expect(stdout).toMatch(/allowed by your rule `git reset --hard`/);
    expect(code).toBe(0);
    const unread = await runMain(place, ["explain", "git status; echo $("]);
    expect(unread.stdout).toMatch(/▲ not followed: /);
    expect(unread.stdout).toMatch(/^ask {2}by git: .* names git and was not understood: /m);
    expect(unread.code).toBe(2);
  });

  test("as JSON", async () => {
    await using place = await workspace();
    await runMain(place, ["enable", "filesystem"]);
    const { stdout, code } = await runMain(place, ["explain", "--json", COMMAND]);
    expect(code).toBe(2);
    const { calls, guards, ...rest } = JSON.parse(stdout);
    expect(rest).toMatchObject({ schema: "hookctl.explain/1", decision: "block", decided_by: "filesystem", gaps: [] });
    const rm = calls.findIndex((call: { program: string }) => call.program === "rm");
    expect(calls[rm]).toMatchObject({
      folder: "/tmp",
      relation: "shell text",
      args: [{ text: "-rf" }, { text: place.home }],
    });
    expect(guards[0]).toMatchObject({ guard: "filesystem", enabled: true, findings: [{ call: rm, allowed_by: null }] });
  });

  test("hostile text cannot write to the terminal", async () => {
    await using place = await workspace();
    const { stdout } = await runMain(place, ["explain", "rm -rf $'\\e]0;x\\a' \u001b[2J"]);
    expect(stdout).not.toContain("\u001b");
  });
});

test("why names the rule, and how to see it step by step", async () => {
  await using place = await workspace();
  await runMain(place, ["enable", "git"]);
  const stdin = JSON.stringify({ tool_name: "bash", tool_input: { command: "git reset --hard" } });
  await runMain(place, ["run", "before_tool_call"], { stdin });
  const { stdout, code } = await runMain(place, ["why"]);
  expect(code).toBe(0);
  expect(stdout).toContain("rule git/discard-changes; step by step: hookctl explain 'git reset --hard'\n");
});

test("the other commands know a guard: list, dry run, try and test", async () => {
  await using place = await workspace();
  await runMain(place, ["enable", "git"]);
  const list = await runMain(place, ["list"]);
  expect(list.stdout).toMatch(/^ +1 {2}git .* config +✔ built in +prio 1000 +on error: block +no process$/m);
  const plan = await runMain(place, ["run", "before_tool_call", "--dry-run"]);
  expect(JSON.parse(plan.stdout).plan[0]).toMatchObject({ name: "git", kind: "guard", command: [], would_start: true });
  const tried = await runMain(place, ["try", "git", "tool_input.command=git reset --hard"]);
  expect(tried).toMatchObject({ stdout: expect.stringContaining('"blocked":true'), code: 2 });
  const tested = await runMain(place, ["test"]);
  expect(tested).toMatchObject({ stdout: "", stderr: expect.stringContaining("NOTHING_TO_TEST") });
});

test("explain says that a guard on trial only observes", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, JSON.stringify({ guards: { git: { observe: true }, "self-protection": false } }));
  const { stdout, code } = await runMain(place, ["explain", "git reset --hard"]);
  expect(stdout).toMatch(
    /○ git\/discard-changes: .* \(git only observes; it would block\)\n\nallow {2}no guard objects\n/,
  );
  expect(code).toBe(0);
  const { guards } = JSON.parse((await runMain(place, ["explain", "--json", "ls"])).stdout);
  expect(guards[1]).toMatchObject({ guard: "git", enabled: true, observe: true });
});
