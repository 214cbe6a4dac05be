import { spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runProgram, type Workspace } from "./workspace.ts";

export const hasGit = spawnSync("git", ["--version"]).status === 0;

/** A git repository with hooks, somewhere beside the project. */
export interface PackRepository {
  readonly url: string;
  readonly dir: string;
  /** Writes these files (those in `hooks/` executable unless their name has an ending) and commits all. Returns the commit. */
  readonly commit: (files: Readonly<Record<string, string>>) => Promise<string>;
  readonly git: (...args: readonly string[]) => Promise<string>;
}

export async function packRepository(place: Workspace, path = "git/acme/guards"): Promise<PackRepository> {
  const dir = join(place.dir, path);
  await mkdir(dir, { recursive: true });
  const git = async (...args: readonly string[]): Promise<string> => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "protocol.ext.allow=never"];
    const env = { PATH: place.env.PATH, HOME: place.dir, GIT_CONFIG_NOSYSTEM: "1" };
    const result = await runProgram(["git", ...who, ...args], { cwd: dir, env });
    if (result.code !== 0) throw new Error(result.stderr);
    return result.stdout.trim();
  };
  await git("init", "--quiet", "--initial-branch=main");
  const commit = async (files: Readonly<Record<string, string>>): Promise<string> => {
    for (const [name, text] of Object.entries(files)) {
      await place.write(join(dir, name), text, /(?:^|\/)hooks\/[^/.]+$/.test(name) ? 0o755 : 0o644);
    }
    await git("add", "--all");
    await git("commit", "--quiet", "--message=x");
    return git("rev-parse", "HEAD");
  };
  return { dir, url: `file://${dir}`, commit, git };
}

/** A guard that blocks every tool call with a reason. */
export const guardText = (reason: string): string =>
  `#!/bin/sh\nif [ "$1" = hook ]; then echo before_tool_call; exit; fi\necho '{"blocked": true, "reason": "${reason}"}'\n`;
