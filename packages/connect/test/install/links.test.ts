import { spawnSync } from "node:child_process";
import { chown, lstat, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { canSwitchUser, giveToUser, runAsUser, WHY_SKIPPED } from "../../../../test/support/as-user.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../../../../test/support/workspace.ts";

const SETTINGS = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}';

async function linked(place: Workspace, path: string, target: string): Promise<string> {
  const link = join(place.project, path);
  await mkdir(dirname(link), { recursive: true });
  await symlink(target, link);
  return link;
}

describe("a link is never replaced by a file", () => {
  test.each([
    ["to a file", "{}\n", "../dotfiles/settings.json"],
    ["to nothing yet", null, "../dotfiles/settings.json"],
    ["to a folder that is not there yet", null, "../dotfiles/deep/settings.json"],
  ])("install and uninstall go through one that leads %s", async (_, text, target) => {
    await using place = await workspace();
    const file = `project/.claude/${target}`;
    if (text !== null) await place.write(file, text);
    const link = await linked(place, ".claude/settings.json", target);
    expect(await runInProcess(place, "install claude")).toMatchObject({ stderr: "", code: 0 });
    expect(await readlink(link)).toBe(target);
    expect(await place.read(file)).toContain("bridge claude");
    expect(await runInProcess(place, "uninstall claude")).toMatchObject({ stderr: "", code: 0 });
    expect(await readlink(link)).toBe(target);
    expect(await place.read(file)).toBe(text);
  });

  test("also where the whole folder is one that leads to nothing yet", async () => {
    await using place = await workspace();
    const link = await linked(place, ".claude", "dotfiles/claude");
    expect(await runInProcess(place, "install claude")).toMatchObject({ stderr: "", code: 0 });
    expect(await readlink(link)).toBe("dotfiles/claude");
    expect(await place.read("project/dotfiles/claude/settings.json")).toContain("bridge claude");
  });

  test.each(["{}\n", "{ }"])("adopt and its undo go through one in the place of our settings (%j)", async (text) => {
    await using place = await workspace();
    await place.write("project/.claude/settings.json", SETTINGS);
    await place.write("project/dotfiles/hooks.json", text);
    const link = await linked(place, ".kodelet/hooks.json", "../dotfiles/hooks.json");
    expect(await runInProcess(place, "adopt claude")).toMatchObject({ stderr: "", code: 0 });
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await place.read("project/dotfiles/hooks.json")).toContain("claude-Stop-1");
    expect((await runInProcess(place, "list")).stdout).toContain("claude-Stop-1");
    expect(await runInProcess(place, "adopt claude --undo")).toMatchObject({ stderr: "", code: 0 });
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await place.read("project/dotfiles/hooks.json")).toBe(text);
  });

  test("links that lead to each other are refused", async () => {
    await using place = await workspace();
    await linked(place, ".claude/settings.json", "other.json");
    await linked(place, ".claude/other.json", "settings.json");
    expect(await runInProcess(place, "install claude")).toEqual({
      stdout: "",
      stderr: expect.stringContaining("✖ .claude/settings.json cannot be read: ELOOP. (AGENT_SETTINGS_NOT_PARSED)\n"),
      code: 78,
    });
  });
});

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot || !canSwitchUser)(
  `a draft that could not take its place is removed (needs root)${WHY_SKIPPED}`,
  async () => {
    await using place = await workspace();
    const file = await place.write("project/.claude/settings.json", "{}\n");
    await giveToUser(place);
    // In a sticky folder nobody may replace the file of another.
    await mkdir(dirname(file), { recursive: true });
    spawnSync("chmod", ["1777", dirname(file)]);
    for (const path of [file, dirname(file)]) await chown(path, 0, 0);
    const result = await runAsUser(place, ["install", "claude"]);
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("(FILE_NOT_WRITTEN)"), code: 74 });
    expect(await readdir(dirname(file))).toEqual(["settings.json"]);
    // The launcher is there, and what would remove it.
    expect(await readdir(join(place.home, ".local/state/hookctl/installs"))).toEqual([expect.stringMatching(/^all-/)]);
  },
);

const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

test.skipIf(!canMount)("a disk without room for one more file is told as that (needs to mount)", async () => {
  await using place = await workspace();
  // Room for the project and its two folders.
  const script = `mount -t tmpfs -o nr_inodes=3 none ${place.project} && cd ${place.project} && exec "$@"`;
  const words = [...HOOKCTL, "new", "guard", "--event", "before_tool_call"];
  const result = await runProgram(["unshare", "-m", "sh", "-c", script, "sh", ...words], { env: place.env });
  expect(result).toMatchObject({
    stderr: expect.stringContaining("could not be written: ENOSPC. (FILE_NOT_WRITTEN)\n  Free some space"),
    code: 74,
  });
});
