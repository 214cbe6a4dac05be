import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { type CallOptions, type CommandResult, HOOKCTL, runProgram, type Workspace } from "./workspace.ts";

const OTHER_USER_ID = 54_321;
const isRoot = process.getuid?.() === 0;

/** Root may read and write everything, so what a user may not do is tried as somebody else. */
export const canSwitchUser = !isRoot || spawnSync("setpriv", ["--version"]).status === 0;
export const WHY_SKIPPED = canSwitchUser ? "" : ": skipped, root may read everything and there is no setpriv";

/** Gives the whole workspace to the user that `runAsUser` calls as; what is to be another's is made so afterwards. */
export async function giveToUser({ dir }: Workspace): Promise<void> {
  await chmod(dir, 0o755);
  if (isRoot) spawnSync("chown", ["-R", String(OTHER_USER_ID), dir]);
}

/** Words before a call that make it one of a user whom the modes of files bind. */
export const AS_USER: readonly string[] = isRoot
  ? ["setpriv", `--reuid=${OTHER_USER_ID}`, `--regid=${OTHER_USER_ID}`, "--clear-groups"]
  : [];

/** Starts hookctl as that user. */
export async function runAsUser(
  { env, project }: Workspace,
  args: readonly string[],
  options: CallOptions = {},
): Promise<CommandResult> {
  const words = [...AS_USER, ...HOOKCTL, ...args];
  return runProgram(words, { cwd: project, ...options, env: { ...env, ...options.env } });
}
