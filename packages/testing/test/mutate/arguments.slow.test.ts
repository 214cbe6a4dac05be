import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { ARGUMENT_KINDS } from "../../mutate/argument-kinds.ts";
import { respell } from "../../mutate/respell.ts";

const NAMES = new Set(ARGUMENT_KINDS.map(({ name }) => name));

/** What a command leaves of a small project, and prints. */
async function effectOf(command: string): Promise<unknown> {
  const dir = await mkdtemp(join(tmpdir(), "hookctl-respell-"));
  try {
    const work = join(dir, "work");
    await mkdir(join(work, "a", "b"), { recursive: true });
    for (const file of ["a/b/one.txt", "a/two.txt", "three.txt"]) await writeFile(join(work, file), `${file}\n`);
    await writeFile(join(dir, "home.txt"), "home\n");
    await chmod(join(work, "three.txt"), 0o640);
    const options = { cwd: work, env: { HOME: dir, PATH: "/usr/bin:/bin" }, extendEnv: false } as const;
    await execa("git", ["init", "-q"], options);
    await execa("git", ["add", "a"], options);
    const { stdout, exitCode } = await execa("bash", ["-c", command], { ...options, reject: false, stderr: "ignore" });
    const paths = (await readdir(work, { recursive: true })).filter((path) => !path.startsWith(".git/")).sort();
    const files = await Promise.all(paths.map(async (path) => [path, (await stat(join(work, path))).mode]));
    return {
      stdout,
      exitCode,
      files,
      index: await readFile(join(work, ".git", "index"), "latin1").then(({ length }) => length),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

describe("options and paths in another form have the same effect", () => {
  test.each([
    "rm -rf a/b",
    "rm -r -f ./a three.txt",
    "chmod -R 700 a/b",
    "mkdir -p x/y",
    "git clean -fdx",
    "git checkout -q -f",
    "cat a/b/one.txt",
    "cat ~/home.txt",
    "ls $HOME/work/a",
  ])("%s", async (command) => {
    const found = respell(command, { most: 300, isHarmless: false }).filter(
      ({ kinds: [kind, ...others] }) => others.length === 0 && NAMES.has(kind ?? ""),
    );
    expect(found).not.toEqual([]);
    const expected = await effectOf(command);
    for (const { command: other } of found)
      expect({ other, ...Object(await effectOf(other)) }).toEqual({ other, ...Object(expected) });
  });
});
