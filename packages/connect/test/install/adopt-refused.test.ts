import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const SETTINGS = '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] } }\n';
const OURS = "project/.kodelet/hooks.json";

async function setUp(): Promise<Workspace> {
  const place = await workspace();
  await place.write("project/.claude/settings.json", SETTINGS);
  return place;
}

/** Nothing of the agent's and nothing of ours has changed, and nothing lies around. */
async function expectUntouched(place: Workspace, own: string | null): Promise<void> {
  expect(await place.read("project/.claude/settings.json")).toBe(SETTINGS);
  expect(await place.read(OURS)).toBe(own);
  expect(await readdir(join(place.project, ".claude"))).toEqual(["settings.json"]);
  const kept = await readdir(join(place.home, ".local/state/hookctl/installs")).catch(() => []);
  // The launcher may be there, and what would remove it.
  expect(kept.filter((name) => !name.startsWith("all-"))).toEqual([]);
}

describe("adopt takes nothing out of the agent before it knows that the hooks will run", () => {
  test.each([
    ["hooks that are null", '{"hooks": null}', 78],
    ["a text", '"x"', 78],
    ["a list", "[]", 78],
    ["a cut file", '{"hooks": {', 78],
    ["a lone comment", "// mine\n", 78],
    ["a key that nobody knows", '{"nonsense": 1}', 78],
  ])("settings of ours that are %s", async (_, text, code) => {
    await using place = await setUp();
    await place.write(OURS, text);
    for (const line of ["adopt claude", "adopt claude --dry-run"]) {
      const result = await runInProcess(place, line);
      expect(result).toEqual({ stdout: "", stderr: expect.stringContaining(".kodelet/hooks.json"), code });
    }
    await expectUntouched(place, text);
  });

  test.each([
    ["a folder that others may write", async ({ project }: Workspace) => chmod(join(project, ".kodelet"), 0o777), null],
    ["a file that others may write", async (place: Workspace) => void (await place.write(OURS, "{}\n", 0o666)), "{}\n"],
  ])("%s", async (_, prepare, own) => {
    await using place = await setUp();
    await prepare(place);
    const result = await runInProcess(place, "adopt claude");
    expect(result).toEqual({
      stdout: "",
      stderr: expect.stringMatching(/is writable by group or others.*\(TRUST_UNSAFE_PLACE\)\n.*chmod go-w/s),
      code: 77,
    });
    await expectUntouched(place, own);
  });

  test("no place for approvals outside the project: both files are as before", async () => {
    await using place = await setUp();
    const result = await runInProcess(place, "adopt claude", {
      env: { HOOKCTL_TRUST_STORE: "DIR/project/trust.json" },
    });
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("(TRUST_STORE_MISSING)"), code: 77 });
    await expectUntouched(place, null);
  });

  test("the second adoption is taken back to the first, with what undoes it", async () => {
    await using place = await setUp();
    await runInProcess(place, "adopt claude");
    const first = [await place.read("project/.claude/settings.json"), await place.read(OURS)];
    const text = (first[0] ?? "").replace(
      '"Stop": [',
      '"Stop": [ { "hooks": [ { "type": "command", "command": "x" } ] },',
    );
    await place.write("project/.claude/settings.json", text);
    const result = await runInProcess(place, "adopt claude", {
      env: { HOOKCTL_TRUST_STORE: "DIR/project/trust.json" },
    });
    expect(result).toMatchObject({ stdout: "", code: 77 });
    expect(await place.read("project/.claude/settings.json")).toBe(text);
    expect(await place.read(OURS)).toBe(first[1]);
    await place.write("project/.claude/settings.json", first[0] ?? "");
    expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
    expect(await place.read("project/.claude/settings.json")).toBe(SETTINGS);
  });
});

test("what adopt makes is safe to run, whatever the umask", async () => {
  await using place = await workspace();
  await place.write("other/.claude/settings.json", SETTINGS);
  const before = process.umask(0o002);
  try {
    const result = await runInProcess(place, "adopt claude", { host: { cwd: join(place.dir, "other") } });
    expect(result).toMatchObject({ stderr: "", code: 0 });
  } finally {
    process.umask(before);
  }
  expect((await stat(join(place.dir, "other/.kodelet"))).mode & 0o777).toBe(0o755);
  expect((await stat(join(place.dir, "other/.kodelet/hooks.json"))).mode & 0o777).toBe(0o644);
});

test.each([
  [".kodelet/hooks.yaml", "hooks:\n  turn_end:\n    - inject: x\n", ""],
  [".hookctlrc", "hooks:\n  turn_end:\n    - inject: x\n", ""],
  [".config/hookctl/config.json", '{"hooks":{"turn_end":[{"inject":"x"}]}}', "--scope user"],
])("settings in %s go on counting: adopt writes none before them", async (path, text, scope) => {
  await using place = await workspace();
  const base = scope === "" ? "project" : "home";
  await place.write(`${base}/${path}`, text);
  await place.write(`${base}/.claude/settings.json`, SETTINGS);
  const result = await runInProcess(place, `adopt claude ${scope}`);
  expect(result).toEqual({
    stdout: "",
    stderr: expect.stringContaining(`DIR/${base}/${path} has the settings`),
    code: 64,
  });
  expect(await place.read(`${base}/.claude/settings.json`)).toBe(SETTINGS);
  expect(await place.read(`${base}/.kodelet/hooks.json`)).toBeNull();
});

test("a byte order mark before our settings stays", async () => {
  await using place = await setUp();
  await place.write(OURS, '\ufeff{"version":1}\n');
  expect(await runInProcess(place, "adopt claude")).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read(OURS)).toMatch(/^\ufeff\{"version":1, "hooks": \{/);
  expect((await runInProcess(place, "list")).stdout).toContain("claude-Stop-1");
});

test("adopt names the agents that it can take hooks from, and no other", async () => {
  await using place = await workspace();
  const four = "claude, codex, copilot, qwen, droid";
  expect(await runInProcess(place, "adopt")).toMatchObject({
    stderr: expect.stringContaining(`missing argument AGENT: ${four}.`),
    code: 64,
  });
  expect((await runInProcess(place, "adopt --help")).stdout).toContain(`\nAgents: ${four}\n`);
  const foreign = await runInProcess(place, "adopt gemini");
  expect(foreign).toMatchObject({ stdout: "", stderr: expect.stringContaining(`payload from ${four}`), code: 64 });
});
