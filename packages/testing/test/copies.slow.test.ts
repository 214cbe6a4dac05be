import { mkdir, readdir, readFile, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../../../test/support/in-process.ts";
import { type CommandResult, type Workspace, workspace } from "../../../test/support/workspace.ts";
import { copyTree } from "../scratch/worker.ts";

/** Every file below a folder with its text. */
async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(path, "utf8")] as const)),
  );
}

const declare = (place: Workspace, scope: "home" | "project", command: unknown): Promise<string> =>
  place.write(
    `${scope}/.kodelet/hooks.json`,
    JSON.stringify({ hooks: { before_tool_call: [{ name: "one", command }] } }),
  );

/** All checks pass, and the project is as it was. */
async function expectPass(place: Workspace): Promise<CommandResult> {
  await runMain(place, ["trust", "--yes"]);
  const before = await filesIn(place.project);
  const result = await runMain(place, ["test", "-v"]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(await filesIn(place.project)).toEqual(before);
  return result;
}

const BLOCK = `echo '{"blocked":true,"reason":"no"}'`;

describe("a declared command is tested in a copy of its project", () => {
  test.each([
    ["from the folder of its settings file", "./hooks/guard.sh"],
    ["as a list of words", ["sh", "hooks/guard.sh"]],
    ["from the project's folder", '"$HOOKCTL_PROJECT_DIR"/.kodelet/hooks/guard.sh'],
    ["with what it reads elsewhere in the project", "cat ../rules/list.txt >&2; sh ./hooks/guard.sh"],
  ])("its script is found %s", async (_title, command) => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks/guard.sh.sample", "");
    await place.write("project/.kodelet/hooks/guard.sh", `#!/bin/sh\n${BLOCK}\n`, 0o755);
    await place.write("project/rules/list.txt", "rm -rf\n");
    await declare(place, "project", command);
    await runMain(place, ["trust", "--yes"]);
    const result = await runMain(place, ["test", "one", "-v"]);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('stdout | {"blocked":true') });
  });

  test("what it writes, also through links, changes nothing of the project", async () => {
    await using place = await workspace();
    await place.write("project/lib/data.txt", "before\n");
    await symlink("lib", join(place.project, "near"));
    await symlink(join(place.project, "lib"), join(place.project, "far"));
    const write = ["near", "far", "lib"].map((folder) => `echo after > "$HOOKCTL_PROJECT_DIR/${folder}/data.txt"`);
    await declare(place, "project", [...write, 'echo after > "$HOOKCTL_PROJECT_DIR/new"', "touch here"].join("; "));
    await expectPass(place);
  });

  test("hooks of Claude Code that were adopted pass as they lie there", async () => {
    await using place = await workspace();
    const commands = [
      '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh',
      "./.claude/hooks/guard.sh",
      "sh .claude/hooks/guard.sh",
    ];
    const hooks = commands.map((command) => ({ type: "command", command }));
    await place.write(
      "project/.claude/settings.json",
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } }),
    );
    const guard = `#!/bin/sh\ngrep -q -f "$CLAUDE_PROJECT_DIR/.claude/hooks/words.txt" && echo no >&2 && exit 2\nexit 0\n`;
    await place.write("project/.claude/hooks/guard.sh", guard, 0o755);
    await place.write("project/.claude/hooks/words.txt", "rm -rf\n");
    await mkdir(join(place.project, ".git"));
    expect(await runMain(place, ["adopt", "claude"])).toMatchObject({ code: 0 });
    const { stdout } = await expectPass(place);
    expect(stdout).toContain(", 3 hooks, ");
  });

  test("a command of the user's finds the files that it names in the home folder", async () => {
    await using place = await workspace();
    await place.write("home/.agent/hooks/guard.sh", `#!/bin/sh\n. "$HOME/.agent/hooks/lib.sh"\n`, 0o755);
    await place.write("home/.agent/hooks/lib.sh", `touch "$HOME/.agent/hooks/ran"; ${BLOCK}\n`);
    await declare(place, "home", "~/.agent/hooks/guard.sh");
    const { stdout, stderr, code } = await place.run(["test", "-v"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toContain('stdout | {"blocked":true');
    expect(await place.read("home/.agent/hooks/ran")).toBeNull();
  });
});

describe("the copy of a folder", () => {
  const LIMITS = { entries: 100, bytes: 1000 };

  test("has its files and modes, links into itself, and no history", async () => {
    await using place = await workspace();
    await place.write("from/a/run.sh", "text", 0o755);
    await place.write("from/.git/config", "text");
    await symlink("../a", join(place.dir, "from/a/near"));
    await symlink(join(place.dir, "from/a"), join(place.dir, "from/far"));
    await symlink("../elsewhere", join(place.dir, "from/out"));
    await symlink("..", join(place.dir, "from/up"));
    await mkdir(join(place.dir, "elsewhere"));
    await symlink("../from/a", join(place.dir, "elsewhere/back"));
    await symlink("out/back", join(place.dir, "from/round"));
    const to = join(place.dir, "to");
    expect(copyTree({ from: join(place.dir, "from"), to, without: "/nowhere" }, LIMITS)).toBe(true);
    expect((await readdir(to)).sort()).toEqual(["a", "far", "out", "round"]);
    const links = ["a/near", "far", "out", "round"].map((link) => readlink(join(to, link)));
    expect(await Promise.all(links)).toEqual(["../a", join(to, "a"), join(place.dir, "elsewhere"), join(to, "a")]);
  });

  test("ends at its limits, files near the top and outside of node_modules first", async () => {
    await using place = await workspace();
    for (const path of ["node_modules/m.js", "deep/er/x", "top"]) await place.write(`from/${path}`, "x".repeat(100));
    const from = join(place.dir, "from");
    const copied = async (limits: typeof LIMITS) => {
      const to = join(place.dir, `to-${limits.entries}-${limits.bytes}`);
      const isWhole = copyTree({ from, to, without: to }, limits);
      return {
        isWhole,
        files: Object.keys(await filesIn(to))
          .map((path) => path.slice(to.length + 1))
          .sort(),
      };
    };
    expect(await copied(LIMITS)).toEqual({ isWhole: true, files: ["deep/er/x", "node_modules/m.js", "top"] });
    expect(await copied({ entries: 100, bytes: 250 })).toEqual({ isWhole: false, files: ["deep/er/x", "top"] });
    expect(await copied({ entries: 3, bytes: 1000 })).toEqual({ isWhole: false, files: ["top"] });
  });

  test("leaves itself out where it lies inside of what is copied", async () => {
    await using place = await workspace();
    await place.write("from/tmp/scratch/x", "x");
    const from = join(place.dir, "from");
    const to = join(from, "tmp/scratch/copy");
    expect(copyTree({ from, to, without: join(from, "tmp/scratch") }, LIMITS)).toBe(true);
    expect(Object.keys(await filesIn(to))).toEqual([]);
  });
});
