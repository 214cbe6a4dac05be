import { spawnSync } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { SYSTEM_PATH } from "./compilers.ts";
import { runMain } from "./in-process.ts";
import { type CallOptions, type CommandResult, runProgram, type Workspace, workspace } from "./workspace.ts";

const SETS = fileURLToPath(new URL("../fixtures/file-sets", import.meta.url));

/** Programs that the sets and their clones need. */
export const hasPrograms = ["git", "python3"].every(
  (name) => spawnSync("/usr/bin/env", [name, "--version"], { env: { PATH: SYSTEM_PATH } }).status === 0,
);

/** A fresh clone of a repository that holds a file set, with a home in which there is nothing. */
export interface Clone extends AsyncDisposable {
  readonly place: Workspace;
  /** The clone, which is where hookctl is called. */
  readonly dir: string;
  readonly run: (args: readonly string[], options?: CallOptions) => Promise<CommandResult>;
  /** Raises an event with this payload. */
  readonly raise: (event: string, payload: object, ...flags: readonly string[]) => Promise<CommandResult>;
}

/** Commits a set, with what `more` adds to it, and clones it. */
export async function cloneFileSet(
  set: string,
  more: (folder: string) => Promise<unknown> = async () => undefined,
): Promise<Clone> {
  const place = await workspace();
  const [origin, dir] = [join(place.dir, "origin"), join(place.dir, "clone")];
  await cp(join(SETS, set), origin, { recursive: true });
  await more(origin);
  await git(place, origin, "init", "-q");
  await git(place, origin, "add", ".");
  await git(place, origin, "commit", "-qm", "hooks");
  await git(place, place.dir, "clone", "-q", origin, dir);
  const run: Clone["run"] = (args, { env, ...options } = {}) =>
    runMain(place, args, { cwd: dir, ...options, env: { PATH: SYSTEM_PATH, ...env } });
  return {
    place,
    dir,
    run,
    raise: (event, payload, ...flags) => run(["run", event, "-q", ...flags], { stdin: JSON.stringify(payload) }),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

async function git(place: Workspace, cwd: string, ...args: readonly string[]): Promise<void> {
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
  const result = await runProgram(["git", ...who, ...args], { cwd, env: { ...place.env, GIT_CONFIG_NOSYSTEM: "1" } });
  expect(result).toMatchObject({ code: 0 });
}

/** Nothing ran before, `trust` approves everything, and after it everything that is there would start. */
export async function approveClone(clone: Clone): Promise<CommandResult> {
  expect(await clone.run(["list", "--strict"])).toMatchObject({ code: 1 });
  const trusted = await clone.run(["trust", "--yes"]);
  expect(trusted).toMatchObject({ code: 0 });
  expect(trusted.stdout).not.toContain("▲");
  return trusted;
}

/** Everything that is there would start, and passes the checks. */
export async function expectReady(clone: Clone): Promise<void> {
  expect(await clone.run(["list", "--strict"])).toMatchObject({ stderr: "", code: 0 });
  expect(await clone.run(["test"])).toMatchObject({ stderr: "", code: 0 });
}

/** An answer on stdout and nothing else. */
export const prints = (answer: unknown, code = 0): object => ({
  stdout: `${JSON.stringify(answer)}\n`,
  stderr: "",
  code,
  signal: null,
});
