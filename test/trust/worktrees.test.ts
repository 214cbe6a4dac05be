import { spawnSync } from "node:child_process";
import { link, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hookInRun } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, touch } from "../support/shell.ts";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

const hasGit = spawnSync("git", ["--version"]).status === 0;
const HOOK = "project/.kodelet/hooks/guard";
const UNTRUSTED = "refused HOOK_REFUSED_UNTRUSTED";

async function git(place: Workspace, cwd: string, ...args: readonly string[]): Promise<void> {
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
  const result = await runProgram(["git", ...who, ...args], { cwd, env: { ...place.env, GIT_CONFIG_NOSYSTEM: "1" } });
  expect(result).toMatchObject({ code: 0 });
}

const plainHook = (place: Workspace): Promise<unknown> =>
  place.hook("guard", `${printResponse({})} # ./lib.sh`, { scope: "project" });

/** An approved repository with a true worktree of it. */
async function setUp(approval = "trust --yes", bring = plainHook): Promise<Workspace & { readonly tree: string }> {
  const place = await workspace();
  const tree = join(place.dir, "tree");
  await bring(place);
  await git(place, place.project, "init", "-q");
  await git(place, place.project, "add", ".");
  await git(place, place.project, "commit", "-qm", "hooks");
  await git(place, place.project, "worktree", "add", "-q", tree, "-b", "side");
  expect(await runInProcess(place, approval)).toMatchObject({ code: 0 });
  return { ...place, tree };
}

/** The same with two approved links to one program, a link that nobody approved, and a copy of the program. */
const withLinks = (): ReturnType<typeof setUp> =>
  setUp("trust guard other", async (place) => {
    const text = `#!/bin/sh\ncase "$0" in */guard) echo before_tool_call ;; *) echo agent_stop ;; esac\n`;
    for (const name of ["multi", "copy"]) await place.write(`project/tools/${name}`, text, 0o755);
    for (const name of ["guard", "other", "third"]) {
      await symlink("../../tools/multi", join(place.project, ".kodelet/hooks", name));
    }
  });

const declared = (entry: object): object => ({ hooks: { before_tool_call: [{ name: "guard", ...entry }] } });

/** Name -> how it stands and what it said. */
async function statusesIn(place: Workspace, folder: string): Promise<Readonly<Record<string, string>>> {
  const { hooks } = parseListJson(await runInProcess(place, `list --json -C ${folder}`));
  return Object.fromEntries(hooks.map(({ name, trust, events }) => [name, `${trust} ${events}`]));
}

async function statusIn(place: Workspace, folder: string): Promise<string> {
  const result = await runInProcess(place, `run before_tool_call --json -q -C ${folder}`, { stdin: toolCall() });
  const { outcome, failure } = hookInRun(parseRunJson(result), "guard");
  return failure === undefined ? outcome : `${outcome} ${failure.code}`;
}

/** A clone of the same bytes that is no worktree, with this instead of its `.git`. */
async function impostor(place: Workspace): Promise<string> {
  const folder = join(place.dir, "impostor");
  await place.write("impostor/.kodelet/hooks/guard", await readFile(join(place.dir, HOOK)), 0o755);
  return folder;
}

describe.skipIf(!hasGit)("linked worktrees (needs git)", () => {
  test("a worktree of an approved repository is approved while its bytes are the same", async () => {
    await using place = await setUp();
    expect(await statusIn(place, place.tree)).toBe("continue");
    await place.write("tree/.kodelet/hooks/lib.sh", touch("canary"));
    expect(await statusIn(place, place.tree)).toBe(UNTRUSTED);
    await rm(join(place.tree, ".kodelet/hooks/lib.sh"));
    expect(await statusIn(place, place.tree)).toBe("continue");
    await place.write("tree/.kodelet/hooks/guard", "#!/bin/sh\necho before_tool_call\n", 0o755);
    expect(await statusIn(place, place.tree)).toBe(UNTRUSTED);
  });

  test("a link in it is approved by its own name, and only where it leads to the same file", async () => {
    await using place = await withLinks();
    const status = await statusesIn(place, place.tree);
    expect(status).toEqual({ guard: "trusted before_tool_call", other: "trusted agent_stop", third: "untrusted " });
    for (const name of ["guard", "other"]) await rm(join(place.tree, ".kodelet/hooks", name));
    await symlink("../../tools/copy", join(place.tree, ".kodelet/hooks/guard"));
    expect(await statusesIn(place, place.tree)).toMatchObject({ guard: "untrusted " });
  });

  const entries: { title: string; entry: object }[] = [
    { title: "a word of its command", entry: { command: ["/bin/sh", "../tools/g.sh"] } },
    { title: "what it names in files", entry: { command: "echo '{}'", files: ["tools/g.sh"] } },
  ];
  test.each(entries)(
    "a declared entry is approved in it until a byte of $title differs there",
    { tags: "slow" },
    async ({ entry }) => {
      await using place = await setUp("trust --yes", async (made) => {
        await made.write("project/tools/g.sh", "echo '{}'\n");
        await made.write("project/.kodelet/hooks.json", JSON.stringify(declared(entry)));
      });
      const seen = await runInProcess(place, "trust --list --json");
      expect(await statusIn(place, place.tree)).toBe("continue");
      await place.write("project/tools/g.sh", "echo '{\"blocked\":true}'\n");
      expect(await statusIn(place, place.project)).toBe("refused HOOK_REFUSED_CHANGED");
      expect(await statusIn(place, place.tree)).toBe("continue");
      await place.write("tree/tools/g.sh", "echo '{\"blocked\":true}'\n");
      expect(await statusIn(place, place.tree)).toBe(UNTRUSTED);
      await place.write("tree/tools/g.sh", "echo '{}'\n");
      await place.write("tree/.kodelet/hooks.json", JSON.stringify(declared({ ...entry, priority: 1 })));
      expect(await statusIn(place, place.tree)).toBe(UNTRUSTED);
      expect(await runInProcess(place, "trust --list --json")).toEqual(seen);
    },
  );

  test("a whole path in an entry means the repository's file in its worktree too", async () => {
    await using place = await setUp("trust --yes", async (made) => {
      const file = await made.write("project/tools/g.sh", "echo '{}'\n");
      await made.write("project/.kodelet/hooks.json", JSON.stringify(declared({ command: ["/bin/sh", file] })));
    });
    expect(await statusIn(place, place.tree)).toBe("continue");
    await place.write("tree/tools/g.sh", "exit 1\n");
    expect(await statusIn(place, place.tree)).toBe("continue");
    await place.write("project/tools/g.sh", touch("canary"));
    expect(await statusIn(place, place.tree)).toBe(UNTRUSTED);
  });

  test("what is denied or forgotten in the repository is not approved in its worktree", async () => {
    await using place = await setUp();
    expect(await runInProcess(place, "untrust --deny guard")).toMatchObject({ code: 0 });
    expect(await statusIn(place, place.tree)).toBe(UNTRUSTED);
  });

  const forgeries: {
    title: string;
    forge: (place: Workspace & { tree: string }, folder: string) => Promise<unknown>;
  }[] = [
    {
      title: "it names a worktree's folder of the repository that belongs to another worktree",
      forge: async (place, folder) =>
        place.write(join(folder, ".git"), `gitdir: ${join(place.project, ".git/worktrees/tree")}\n`),
    },
    {
      title: "its .git is a link to the file of a true worktree",
      forge: (place, folder) => symlink(join(place.tree, ".git"), join(folder, ".git")),
    },
    {
      title: "its .git is the very file of a true worktree, under another name",
      forge: (place, folder) => link(join(place.tree, ".git"), join(folder, ".git")),
    },
    {
      title: "it names the repository itself",
      forge: (place, folder) => place.write(join(folder, ".git"), `gitdir: ${join(place.project, ".git")}\n`),
    },
    {
      title: "it brings a worktree's folder of its own that names the repository as common",
      forge: async (place, folder) => {
        await place.write(join(folder, "own/commondir"), `${join(place.project, ".git")}\n`);
        await place.write(join(folder, "own/gitdir"), `${join(folder, ".git")}\n`);
        await place.write(join(folder, ".git"), "gitdir: own\n");
      },
    },
    {
      title: "it brings a repository of its own with a worktree in it",
      forge: async (_place, folder) => {
        const own = join(folder, "fake/.git/worktrees/tree");
        await _place.write(join(own, "commondir"), "../..\n");
        await _place.write(join(own, "gitdir"), `${join(folder, ".git")}\n`);
        await _place.write(join(folder, ".git"), `gitdir: ${own}\n`);
      },
    },
    {
      title: "its .git leads through a link into the repository",
      forge: async (place, folder) => {
        await symlink(join(place.project, ".git/worktrees/tree"), join(folder, "way"));
        await place.write(join(folder, ".git"), "gitdir: way\n");
      },
    },
  ];
  test.each(forgeries)("a forged link approves nothing: $title", { tags: "slow" }, async ({ forge }) => {
    await using place = await setUp();
    const folder = await impostor(place);
    await forge(place, folder);
    expect(await statusIn(place, folder)).toBe(UNTRUSTED);
  });
});
