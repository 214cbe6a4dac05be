import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Row, runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, SHELL: "/bin/sh" };

/** What it says of settings alone: without a PATH the registered line ends at once. */
const doctorOfSettings = (place: Workspace, agent: string, host: Row["host"] = {}) =>
  runInProcess(place, `doctor ${agent}`, { env: { ...env, PATH: "/nowhere" }, host });

describe("a switch that stops an agent from running hooks is red, whichever file it stands in", () => {
  const off = '{"disableAllHooks":true}';
  const cases = [
    [
      "claude",
      "user",
      { "project/.claude/settings.local.json": off },
      "disableAllHooks in DIR/project/.claude/settings.local.json",
    ],
    [
      "claude",
      "user",
      { "project/.claude/settings.json": off },
      "disableAllHooks in DIR/project/.claude/settings.json",
    ],
    ["claude", "project", { "home/.claude/settings.json": off }, "disableAllHooks in DIR/home/.claude/settings.json"],
    ["qwen", "project", { "home/.qwen/settings.json": off }, "disableAllHooks in DIR/home/.qwen/settings.json"],
    ["qwen", "user", { "project/.qwen/settings.json": off }, "disableAllHooks in DIR/project/.qwen/settings.json"],
    [
      "gemini",
      "project",
      { "home/.gemini/settings.json": '{"hooksConfig":{"enabled":false}}' },
      "hooksConfig.enabled in DIR/home/.gemini/settings.json",
    ],
    [
      "gemini",
      "project",
      { "home/.gemini/settings.json": '{"hooksConfig":{"disabled":["hookctl-BeforeTool"]}}' },
      "hooksConfig.disabled in DIR/home/.gemini/settings.json",
    ],
    [
      "codex",
      "user",
      { "project/.codex/config.toml": "[features]\nhooks = false\n" },
      "features.hooks in DIR/project/.codex/config.toml",
    ],
    [
      "copilot",
      "user",
      { "project/.github/copilot/settings.json": off },
      "disableAllHooks in DIR/project/.github/copilot/settings.json",
    ],
  ] as const;

  test.each(cases)("%s, registered for %s, %j", async (agent, scope, files, words) => {
    await using place = await workspace();
    for (const [file, text] of Object.entries(files)) await place.write(file, text);
    await runInProcess(place, `install ${agent} --scope ${scope}`, { env });
    const result = await doctorOfSettings(place, agent);
    expect(result.stderr).toBe("");
    expect(result.stdout).toContain(`✖ ${agent} switch: ${words} stops `);
  });

  test.each([
    ["claude", "project/.claude/settings.local.json", '{"disableAllHooks":false}', "home/.claude/settings.json", off],
    [
      "gemini",
      "project/.gemini/settings.json",
      '{"hooksConfig":{"disabled":["other"]}}',
      "home/.gemini/settings.json",
      "{}",
    ],
  ])(
    "%s: a nearer file that says otherwise decides, and other hooks' switches are theirs",
    async (agent, near, yes, far, no) => {
      await using place = await workspace();
      await place.write(near, yes);
      await place.write(far, no);
      await runInProcess(place, `install ${agent}`, { env });
      expect((await doctorOfSettings(place, agent)).stdout).not.toContain(" switch: ");
    },
  );
});

describe("an agent that was started in a sub-folder", () => {
  const below = async (place: Workspace): Promise<string> => {
    const folder = join(place.project, "packages/web");
    await mkdir(folder, { recursive: true });
    return folder;
  };

  test.each(["claude", "gemini", "qwen", "pi"])("%s does not read the project's registration", async (agent) => {
    await using place = await workspace();
    const cwd = await below(place);
    const installed = await runInProcess(place, `install ${agent}`, { env, host: { cwd } });
    expect(installed.stdout).toMatch(/Started in a sub-folder, .* does not read .*hookctl init \w+ --scope user/);
    const result = await doctorOfSettings(place, agent, { cwd });
    expect(result.stdout).toMatch(
      new RegExp(`✖ ${agent} folder: .* started in DIR/project/packages/web does not read`),
    );
    expect(result.stdout).toContain(`Start it in DIR/project, or: hookctl init ${agent} --scope user\n`);
    await runInProcess(place, `install ${agent} --scope user`, { env, host: { cwd } });
    expect((await doctorOfSettings(place, agent, { cwd })).stdout).not.toContain(`${agent} folder: `);
  });

  test.each(["codex", "copilot", "opencode"])("%s finds it, so nothing is said", async (agent) => {
    await using place = await workspace();
    const cwd = await below(place);
    const installed = await runInProcess(place, `install ${agent}`, { env, host: { cwd } });
    expect(installed.stdout).not.toContain("sub-folder");
    expect((await doctorOfSettings(place, agent, { cwd })).stdout).not.toContain(`${agent} folder: `);
  });
});

test("hooks of an event that is not registered are red, and the remedy registers it", async () => {
  await using place = await workspace();
  await place.hook("guard", "true");
  await runInProcess(place, "install claude", { env });
  await place.hook("stop", "true", { says: "agent_stop" });
  const result = await runInProcess(place, "doctor claude", { env });
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain(
    "✖ claude events: hooks exist for Stop, which is not registered\n  hookctl init claude --scope project\n",
  );
  await runInProcess(place, "install claude", { env });
  expect(await runInProcess(place, "doctor claude", { env })).toMatchObject({ stderr: "", code: 0 });
});

test("a registration without tool calls has nothing to try, and its program is looked for all the same", async () => {
  await using place = await workspace();
  await place.hook("stop", "true", { says: "agent_stop" });
  await runInProcess(place, "install claude", { env });
  const result = await runInProcess(place, "doctor claude", { env });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain("✔ claude program: /bin/sh -c finds ");
  expect(result.stdout).toContain(
    "▲ claude bridge: not tested: no command is registered for PreToolUse in .claude/settings.json\n",
  );
});

test("hooks of an event that the agent never raises are told", async () => {
  await using place = await workspace();
  await place.hook("stop", "true", { says: "agent_stop" });
  await runInProcess(place, "install opencode", { env });
  const result = await runInProcess(place, "doctor opencode", { env });
  expect(result.stdout).toContain("▲ opencode events: opencode never raises agent_stop\n");
});

describe("doctor has no ✔ for hooks of which none answers", () => {
  test.each([
    ["is not executable", { mode: 0o644 }, "no execute bit"],
    ["does not identify itself", { says: "nonsense" }, "declared the unknown event"],
    ["is not approved", { scope: "project" }, "is not approved"],
  ] as const)("a hook that %s", async (_, options, words) => {
    await using place = await workspace();
    await place.hook("guard", "true", options);
    const { stdout } = await runInProcess(place, "doctor", { env });
    expect(stdout).not.toMatch(/✔ [^\n▲✖]*hooks? answers?/);
    expect(stdout).toContain("▲ hooks: 0 hooks found\n");
    expect(stdout).toMatch(new RegExp(`[▲✖] hook: guard [^\n]*${words}`));
  });

  test("one that answers does not hide one that is skipped", async () => {
    await using place = await workspace();
    await place.hook("mine", "true");
    const file = await place.hook("guard", "true", { mode: 0o644 });
    const { stdout } = await runInProcess(place, "doctor", { env });
    expect(stdout).toContain("✔ 1 hook found");
    expect(stdout).toContain(
      `✖ hook: guard could not be started: no execute bit\n  To enable it: chmod +x ${file.replace(place.dir, "DIR")}. If`,
    );
  });
});
