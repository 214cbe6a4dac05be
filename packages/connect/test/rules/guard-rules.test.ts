import { describe, expect, test } from "vitest";
import { call, says } from "../../../../test/commands/off.ts";
import { runInProcess, runMain } from "../../../../test/support/in-process.ts";
import { toolCall } from "../../../../test/support/payloads.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const SETTINGS = "home/.kodelet/hooks.json";
const RELEASED =
  "Not stopped now, for example: `git reset --hard HEAD~2`, `git checkout -- src/index.ts`, `git checkout main src/index.ts`\n";
const RESET = toolCall("git reset --hard");

async function setUp(settings: object = { guards: { git: true } }): Promise<Workspace> {
  const place = await workspace();
  await place.write(SETTINGS, JSON.stringify(settings));
  return place;
}

const decision = async (place: Workspace, minutes = 0, stdin = RESET): Promise<string> => {
  const { stdout } = await call(place, "run before_tool_call --json -q", minutes, { stdin });
  return JSON.parse(stdout).decision;
};

describe("one rule of a guard", () => {
  test("is listed with its decision and state", async () => {
    await using place = await setUp({ guards: { git: { rules: { "force-push": "block", "drop-stash": "off" } } } });
    const result = await call(place, "guards git");
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(result.stdout).toMatch(/^on +git +.*\n(?: {9}.*\n)+ {2}block +discard-changes +uncommitted changes/);
    expect(result.stdout).toMatch(/\n {2}off +drop-stash .*\n {2}ask +delete-branch /);
    expect(result.stdout).toMatch(/\n {2}block +force-push /);
    expect(result.stdout).toContain("\nSwitch a rule off: hookctl off git/discard-changes\n\nExamples of git ");
    expect(result.stdout).toContain("\n  block   git reset --hard HEAD~2\n");
    expect(result.stdout).toContain("\n  missed  git undo  # Aliases of the repository's settings are not read.\n");
    expect(result.stdout.split("\n").length).toBeLessThan(26);
    expect(result.stdout).toMatch(/\nAll commands and examples: hookctl guards git -v\n$/);
    const full = await call(place, "guards git -v");
    expect(full.stdout).toContain("uncommitted changes are discarded: reset --hard");
    expect(full.stdout).toContain("\n  block   git stash clear\n");
    const json = JSON.parse((await call(place, "guards git --json")).stdout);
    expect(json.guards).toHaveLength(1);
    expect(json.guards[0].examples.asked).toContainEqual({ command: "git push -f origin feature/login" });
    expect(json.guards[0].rules.find(({ rule }: { rule: string }) => rule === "force-push")).toMatchObject({
      default: "ask",
      decision: "block",
    });
  });

  test("with a misspelt name in the settings decides as before, and each run names the nearest", async () => {
    await using place = await setUp({ guards: { git: { rules: { "discard-chages": "off", "not-read": "block" } } } });
    const warning = 'the settings name the rule "git/discard-chages", which no guard has, so it has no effect';
    const hint = 'Did you mean "git/discard-changes"?';
    for (const line of ["run before_tool_call", "guards git"]) {
      const { stderr } = await call(place, line, 0, { stdin: RESET });
      expect(stderr).toContain(warning);
      expect(stderr).toContain(hint);
      expect(stderr).not.toContain("not-read");
    }
    expect(await decision(place)).toBe("block");
  });

  test("is switched off and on in the settings, whose other members stay", async () => {
    await using place = await setUp({ settings: { timeout: "5s" }, guards: { git: true } });
    const off = await call(place, "off git/discard-changes --everywhere");
    expect(off).toEqual({
      stdout: `✔ git/discard-changes: off everywhere (${SETTINGS.replace("home", "~")})\n${RELEASED}On again: hookctl on git/discard-changes\n`,
      stderr: "",
      code: 0,
    });
    expect(JSON.parse((await place.read(SETTINGS)) ?? "")).toEqual({
      settings: { timeout: "5s" },
      guards: { git: { rules: { "discard-changes": "off" } } },
    });
    expect([await decision(place), await decision(place, 0, toolCall("git clean -fd"))]).toEqual(["continue", "block"]);
    const again = await call(place, "off git/discard-changes --everywhere --json");
    expect(JSON.parse(again.stdout)).toMatchObject({ rules: ["git/discard-changes"], choice: "off", changed: false });
    const explained = await call(place, "explain -- git reset --hard");
    expect(explained).toMatchObject({ stderr: "", code: 0 });
    expect(explained.stdout).toContain("○ git/discard-changes: discards uncommitted changes (the rule is off)");
    expect(await call(place, "on git/discard-changes")).toEqual({
      stdout: "✔ git/discard-changes: on\n",
      stderr: "",
      code: 0,
    });
    expect(await decision(place)).toBe("block");
  });

  test("is paused for a time, which a run that it lets pass tells", async () => {
    await using place = await setUp();
    const paused = await call(place, "off git/discard-changes --for 10m");
    expect(paused).toMatchObject({ stderr: "", code: 0 });
    expect(paused.stdout).toMatch(/^git\/discard-changes +off until 12:10 in DIR\/project/);
    const run = await call(place, "run before_tool_call --json", 1, { stdin: RESET });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      decision: "continue",
      warnings: ["git/discard-changes is off until 12:10 (hookctl off)"],
    });
    expect(await decision(place, 1, toolCall("git clean -fd"))).toBe("block");
    expect((await call(place, "guards git", 1)).stdout).toMatch(/\n {2}paused +discard-changes +off until 12:10/);
    expect(await decision(place, 11)).toBe("block");
  });

  test("an agent may switch it on, and not off", async () => {
    await using place = await setUp({ guards: { git: { rules: { "discard-changes": "off" } } } });
    const env = { CLAUDECODE: "1" };
    for (const line of ["off git/force-push", "off git/force-push --for 5m"]) {
      const refused = await call(place, line, 0, { env });
      expect(refused).toMatchObject({ stdout: "", code: 77 });
      expect(refused.stderr).toContain("TRUST_NEEDS_PERSON");
    }
    expect(await call(place, "on git/discard-changes", 0, { env, host: says(null) })).toMatchObject({ code: 0 });
    expect(await decision(place)).toBe("block");
  });

  test("misspelt names are answered with the nearest", async () => {
    await using place = await setUp();
    const rule = await call(place, "off git/discard-change");
    expect(rule).toEqual({
      stdout: "",
      stderr:
        '✖ Unknown rule "git/discard-change". Did you mean git/discard-changes? (USAGE_UNKNOWN_RULE)\n  All rules: hookctl guards git\n',
      code: 64,
    });
    expect(await call(place, "guards gti")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("Did you mean git?"),
    });
    expect((await call(place, "on git/discard-change")).code).toBe(64);
  });

  test("a guard of the machine keeps its rules, and one that is off has none", async () => {
    await using place = await setUp({});
    expect(await call(place, "off git/force-push")).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("git is off, so its rules are off, too."),
      code: 64,
    });
  });
});

test("a rule that is named without its guard is suggested with it", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{"guards":{"git":true}}');
  for (const line of ["off discard-changes", "off discard-changes --for 10m", "on discard-changes"])
    expect(await runInProcess(place, line)).toEqual({
      stdout: "",
      stderr:
        '✖ Unknown rule "discard-changes". Did you mean git/discard-changes? (USAGE_UNKNOWN_RULE)\n' +
        "  All rules: hookctl guards git\n",
      code: 64,
    });
});

test("on --here ends what off began here, and nothing else", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{"guards":{"git":true}}');
  expect((await runInProcess(place, "off git/discard-changes")).stdout).toBe(
    "✔ git/discard-changes: off in DIR/project (~/.kodelet/hooks.json)\n" +
      RELEASED +
      "In all projects: hookctl off git/discard-changes --everywhere\nOn again here: hookctl on git/discard-changes\n",
  );
  expect(await runInProcess(place, "on git/discard-changes --here")).toEqual({
    stdout: "✔ git/discard-changes: on\n",
    stderr: "",
    code: 0,
  });
  await runInProcess(place, "off git/discard-changes --everywhere");
  expect(await runInProcess(place, "on git/discard-changes --here")).toEqual({
    stdout: "",
    stderr:
      "✖ git/discard-changes is off in every project, so --here does not turn it on. (USAGE_WRONG_WORDS)\n" +
      "  Try: hookctl on git/discard-changes\n",
    code: 64,
  });
});

test("off names what is off for good in this project; switched on again, the guard stays on", async () => {
  await using place = await workspace();
  await place.hook("guard", "printf '{}'");
  await place.write(SETTINGS, '{"guards":{"git":true}}');
  for (const line of ["off git/discard-changes --here", "off git/force-push --everywhere", "off guard --for good"])
    expect(await runInProcess(place, line)).toMatchObject({ code: 0 });
  const { stdout } = await runInProcess(place, "off");
  expect(stdout.replaceAll(/ +/g, " ").split("\n").toSorted()).toEqual([
    "",
    `git/discard-changes off for good in this project (~/.kodelet/hooks.json)`,
    `git/force-push off for good (~/.kodelet/hooks.json)`,
    `guard off for good (~/.kodelet/hooks.json)`,
  ]);
  for (const line of ["on git/discard-changes", "on git/force-push", "on guard"]) await runInProcess(place, line);
  expect(await runInProcess(place, "off")).toMatchObject({ stdout: "Nothing is off.\n", code: 0 });
  expect(JSON.parse((await place.read(SETTINGS)) ?? "")).toEqual({
    guards: { git: {} },
    projects: { [place.project]: { guards: { git: {} } } },
  });
});

test("on names what stays off: a rule of a guard that is off is switched on, and a guard's rules are named", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{"guards":{"git":true}}');
  const on = (line: string) => runInProcess(place, line);
  for (const line of ["off git/discard-changes --here", "off git --for good --here"])
    expect(await on(line)).toMatchObject({ code: 0 });
  const STOPS_NOTHING = "✖ git/discard-changes stops nothing while its guard is off: hookctl on git\n";
  expect(await on("on git/discard-changes")).toEqual({
    ...{ stderr: "", code: 1 },
    stdout: `✔ git/discard-changes: on\n${STOPS_NOTHING}`,
  });
  expect(await on("on git/discard-changes")).toMatchObject({
    stdout: `git/discard-changes: already on\n${STOPS_NOTHING}`,
  });
  expect((await on("off")).stdout).not.toContain("git/discard-changes");
  expect((await on("on git")).stdout).not.toContain("Still off");
  expect(await decision(place)).toBe("block");
  const LEFT = "▲ Still off: git/discard-changes\n  To switch on: hookctl on git/discard-changes\n";
  for (const line of ["off git/discard-changes --here", "off git --for good --here"]) await on(line);
  expect(await on("on git")).toMatchObject({ stdout: expect.stringContaining(LEFT), code: 0 });
  expect(await on("on git")).toEqual({ stdout: `git: already on\n${LEFT}`, stderr: "", code: 0 });
  expect(await on("on git/discard-changes")).toMatchObject({ stdout: "✔ git/discard-changes: on\n", code: 0 });
  expect(await decision(place)).toBe("block");
});

test("on says so when other settings keep a rule off", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks.json", '{"guards":{"git":{"rules":{"force-push":"off"}}}}');
  const { stdout, code } = await runInProcess(place, "on git/force-push --trust");
  expect(stdout).toMatch(
    /^✖ git\/force-push stays off: the settings in \S+project\/\.kodelet\/hooks\.json turn it off\n$/,
  );
  expect(code).toBe(1);
});

test("on --everywhere ends the pauses of all projects", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{"guards":{"git":true}}');
  const other = { host: { cwd: place.home } };
  await runInProcess(place, "off git --for 1h --yes");
  expect((await runInProcess(place, "on git --everywhere", other)).stdout).toContain("git: on\n");
  expect(await runInProcess(place, "off")).toMatchObject({ stdout: "Nothing is off.\n", code: 0 });
});

test.each([
  ["off git --for 3d", "a duration must be between 1ms and 24h, or good"],
  ["off git --for 3", "a duration needs a unit: 500ms, 5s, 2m, 1h; it is at most 24h, or good"],
  ["run PreToolUse --timeout 3d", "a duration must be between 1ms and 24h\n"],
])("%s: %s", async (line, detail) => {
  await using place = await workspace();
  expect(await runInProcess(place, line)).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining(detail.replace("\n", " (")),
    code: 64,
  });
});

test("a rule that is removed is named once", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{"guards":{"git":true}}');
  await runMain(place, ["allow", "git stash drop"]);
  expect((await runMain(place, ["rules", "remove", "git stash drop"])).stdout).toBe(
    "✔ removed: allow git stash drop, for you in this project (~/.kodelet/hooks.json)\n",
  );
});
