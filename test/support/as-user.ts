import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import {
  type CallOptions,
  type CommandResult,
  HOOKCTL_PROGRAM,
  mainScript,
  programFor,
  runProgram,
  type Workspace,
} from "./workspace.ts";

const OTHER_USER_ID = 54_321;
const isRoot = process.getuid?.() === 0;

/** Words before a call that make it one of this user. */
export const wordsFor = (userId: number): readonly string[] =>
  isRoot ? ["setpriv", `--reuid=${userId}`, `--regid=${userId}`, "--clear-groups"] : [];

/** Words before a call that make it one of a user whom the modes of files bind. */
export const AS_USER = wordsFor(OTHER_USER_ID);

/** Why nobody else can start hookctl here; empty: somebody can. */
function whyNot(): string {
  if (!isRoot) return "";
  const [file = "", ...args] = AS_USER;
  if (spawnSync(file, ["--version"]).status !== 0) return ": skipped, root may read everything and there is no setpriv";
  const needed = [
    ["-x", HOOKCTL_PROGRAM],
    ["-r", mainScript],
    ["-x", tmpdir()],
  ] as const;
  const closed = needed.find(([flag, path]) => spawnSync(file, [...args, "test", flag, path]).status !== 0);
  return closed === undefined ? "" : `: skipped, only root may use ${closed[1]}`;
}

/** Root may read and write everything, so what a user may not do is tried as somebody else. */
export const WHY_SKIPPED = whyNot();
export const canSwitchUser = WHY_SKIPPED === "";

/** Gives the whole workspace to the user that `runAsUser` calls as; what is to be another's is made so afterwards. */
export async function giveToUser({ dir }: Workspace, userId = OTHER_USER_ID): Promise<void> {
  await chmod(dir, 0o755);
  if (isRoot) spawnSync("chown", ["-R", String(userId), dir]);
}

/**
 * A user of one test alone, for a limit that counts all processes of a user: with those of another test Node may get no
 * thread at its start, and then it waits for one forever.
 */
export const LIMITED_USER_ID = OTHER_USER_ID + 1;
export const AS_LIMITED_USER = wordsFor(LIMITED_USER_ID);

/** Starts hookctl as that user. */
export async function runAsUser(
  { env, project }: Workspace,
  args: readonly string[],
  options: CallOptions = {},
): Promise<CommandResult> {
  const words = [...AS_USER, ...programFor(args), ...args];
  return runProgram(words, { cwd: project, ...options, env: { ...env, ...options.env } });
}
