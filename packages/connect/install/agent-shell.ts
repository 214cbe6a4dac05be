import { isAbsolute, join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { placeClosedToUsers } from "../../../src/fs/machine-folder.ts";
import { isProgram, realPathOrSame } from "../../../src/fs/paths.ts";
import { userEnvironment, withSearchPath } from "../../../src/process/filter-environment.ts";
import type { ProcessOutcome } from "../../../src/process/process-request.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { HOOKCTL_FILE } from "../own-program.ts";
import { installedRootCommand } from "../report/agent-command.ts";
import { applyCommand } from "../report/install-text.ts";
import { presentPrograms } from "./create-registrations.ts";
import { fromQuotes, type InstallTarget, inQuotes, sharedProgram } from "./install-target.ts";
import { isLauncher, launcherFile, ownProgram, replaceablePart } from "./launcher.ts";
import { runForHookctl } from "./run-for-hookctl.ts";

/** The shell in which an agent runs registered commands. */
export function agentShell({ agent }: InstallTarget, { env }: Host): readonly [file: string, flag: string] {
  const isLogin = AGENT_INSTALLS[agent.name].usesLoginShell === true;
  const own = env.SHELL !== undefined && isAbsolute(env.SHELL) ? env.SHELL : "/bin/sh";
  return isLogin ? [own, "-lc"] : ["/bin/sh", "-c"];
}

/** The caller's environment, with the project's folders removed from PATH. */
export const callerEnvironment = ({ projectDir }: InstallTarget, { env }: Host) =>
  withSearchPath(userEnvironment(env), { projectDir, homeDir: env.HOME ?? null, pathAllow: [] });

/** Runs a script of hookctl in the agent's shell. A login shell runs the user's profile, but nothing of the project. */
export function runInAgentShell(script: string, target: InstallTarget, host: Host): Promise<ProcessOutcome> {
  const { agent, projectDir } = target;
  const [file, flag] = agentShell(target, host);
  const variable = agent.projectVariable === null ? {} : { [agent.projectVariable]: projectDir };
  const env = { ...callerEnvironment(target, host), ...variable };
  const request = { file, args: [flag, script], cwd: "/", env, stdoutLimitBytes: 64 * 1024 };
  return runForHookctl("looking for hookctl in your shell", request, host);
}

/**
 * The program that a registration starts: the launcher. A file that is committed finds hookctl by itself, if the agent's
 * shell does.
 */
export async function hookctlProgram(target: InstallTarget, host: Host): Promise<string> {
  const programs = presentPrograms(target);
  if (target.scope === "project") {
    const present = programs.find((program) => !program.startsWith('"/'));
    // A file of the project is read and not started.
    if (present !== undefined && present !== "hookctl" && hasOwnHookctl(target)) return present;
    const shared = present === "hookctl" ? present : sharedProgram(target, host);
    if (shared !== null && (await isFoundBy(shared, target, host))) return shared;
  }
  // HOME may be spelled otherwise than at the first install, and the entry keeps its text.
  return (
    programs.find((program) => isLauncher(fromQuotes(program), target)) ??
    inQuotes(launcherFile(target) ?? HOOKCTL_FILE)
  );
}

const hasOwnHookctl = ({ projectDir }: InstallTarget): boolean =>
  isProgram(join(projectDir, "node_modules", ".bin", "hookctl"));

/** False if the user's profile sets a PATH with another hookctl on it. */
async function isFoundBy(program: string, target: InstallTarget, host: Host): Promise<boolean> {
  closeInheritedOnFirstStart();
  const script = `${program} --version >/dev/null && command -v ${program}`;
  const { termination, stdout } = await runInAgentShell(script, target, host);
  if (termination.kind !== "exited" || termination.exitCode !== 0) return false;
  return program !== "hookctl" || realPathOrSame(lastLine(stdout)) === realPathOrSame(HOOKCTL_FILE);
}

export const lastLine = (stdout: Uint8Array): string =>
  new TextDecoder().decode(stdout).trim().split("\n").at(-1) ?? "";

/** Fails if a user other than root could replace the program that the machine's settings start, or cannot start it. */
export function checkMachineProgram({ argv }: Host): void {
  const program = ownProgram();
  const command = installedRootCommand(applyCommand(argv));
  const replaceable = replaceablePart(program);
  if (replaceable !== null) throw new ProblemError({ code: "AGENT_PROGRAM_UNSAFE", ...replaceable, command });
  for (const path of program) {
    const closed = placeClosedToUsers(path);
    if (closed === null) continue;
    throw new ProblemError({ code: "AGENT_PROGRAM_UNSAFE", path, cause: `not every user may read ${closed}`, command });
  }
}
