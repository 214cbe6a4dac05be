import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canSwitchUser, giveToUser, runAsUser, WHY_SKIPPED } from "../../../../test/support/as-user.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { workspace } from "../../../../test/support/workspace.ts";

const PATH = ".claude/settings.json";
const SETTINGS = '{ "permissions": { "deny": ["Bash(rm:*)"] } }\n';
const refused = (path: string, cause: string) => ({
  stdout: "",
  stderr:
    `✖ ${path} cannot be read: ${cause}. (AGENT_SETTINGS_NOT_PARSED)\n` +
    "  Nothing was written. Correct the file, then run the same command again.\n",
  code: 78,
});

async function closedScene(path: string, text: string) {
  const place = await workspace();
  const file = await place.write(`project/${path}`, text);
  await giveToUser(place);
  await chmod(file, 0);
  return { place, file };
}

describe.skipIf(!canSwitchUser)(`settings that the user may not read${WHY_SKIPPED}`, () => {
  test.each(["install claude", "install claude --dry-run", "adopt claude", "uninstall claude"])(
    "%s is refused, and they stay as they are",
    async (line) => {
      const { place, file } = await closedScene(PATH, SETTINGS);
      await using _ = place;
      expect(await runAsUser(place, line.split(" "))).toEqual({ ...refused(PATH, "EACCES"), signal: null });
      await chmod(file, 0o600);
      expect(await place.read(file)).toBe(SETTINGS);
      expect(await place.read("project/.kodelet/hooks.json")).toBeNull();
    },
  );

  test("Codex's other file, which tells where its hooks stand, has to be read too", async () => {
    const { place } = await closedScene(".codex/config.toml", "[[hooks.Stop]]\n");
    await using _ = place;
    const result = await runAsUser(place, ["install", "codex"]);
    expect(result).toEqual({ ...refused(".codex/config.toml", "EACCES"), signal: null });
    expect(await place.read("project/.codex/hooks.json")).toBeNull();
  });

  test("a file that belongs to a registration has to be read before the first one is written", async () => {
    const { place } = await closedScene(".agents/plugins/hookctl/plugin.json", "{}");
    await using _ = place;
    const result = await runAsUser(place, ["install", "goose"]);
    expect(result).toEqual({ ...refused(".agents/plugins/hookctl/plugin.json", "EACCES"), signal: null });
    expect(await place.read("project/.agents/plugins/hookctl/hooks/hooks.json")).toBeNull();
  });

  test("adopt is refused when the settings of hookctl itself cannot be read", async () => {
    const { place, file } = await closedScene(".kodelet/hooks.json", "{}\n");
    await using _ = place;
    const hooks = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}';
    await place.write(`project/${PATH}`, hooks);
    const result = await runAsUser(place, ["adopt", "claude"]);
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("EACCES"), code: 78 });
    expect(await place.read(`project/${PATH}`)).toBe(hooks);
    await chmod(file, 0o600);
    expect(await place.read(file)).toBe("{}\n");
  });

  test("doctor names the file and the cause", async () => {
    const { place } = await closedScene(PATH, SETTINGS);
    await using _ = place;
    const result = await runAsUser(place, ["doctor", "claude"]);
    expect(result).toMatchObject({
      stdout: expect.stringContaining(`✖ claude entry: ${PATH} cannot be read: EACCES\n`),
      stderr: "",
      code: 1,
    });
  });

  test("doctor says it also of the file in which an agent keeps what it trusts", async () => {
    await using place = await workspace();
    await runInProcess(place, "install gemini");
    const file = await place.write("home/.gemini/trustedFolders.json", "{}");
    await giveToUser(place);
    await chmod(file, 0);
    const result = await runAsUser(place, ["doctor", "gemini"]);
    expect(result.stdout).toContain(`▲ gemini trust: ${file} cannot be read: EACCES.\n`);
  });
});

test("a folder in the place of the settings is told, and nothing is written", async () => {
  await using place = await workspace();
  await mkdir(join(place.project, PATH), { recursive: true });
  for (const verb of ["install", "uninstall", "adopt"]) {
    expect(await runInProcess(place, `${verb} claude`)).toEqual(refused(PATH, "it is not a regular file"));
  }
});
