import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { AGENT_INSTALLS } from "../agents/agents.ts";
import { newRunId } from "../audit/run-id.ts";
import { rootOnlyFault } from "../fs/machine-folder.ts";
import { realPathOrSame } from "../fs/paths.ts";
import type { Host } from "../host.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import { userEnvironment, withSearchPath } from "../process/filter-environment.ts";
import { type ProcessOutcome, processRequest, withNewToken } from "../process/process-request.ts";
import { runProcess } from "../process/run-process.ts";
import type { HostProblem } from "../protocol/problem.ts";
import { HOOKCTL_FILE, type InstallTarget, inQuotes, programCandidates } from "./install-target.ts";
import { findNative, type NativeProgram } from "./native-program.ts";

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
  const runId = newRunId(host.nowMs(), host.random);
  const variable = agent.projectVariable === null ? {} : { [agent.projectVariable]: projectDir };
  return runProcess(
    processRequest({
      file,
      args: [flag, script],
      cwd: "/",
      env: withNewToken({ ...callerEnvironment(target, host), ...variable }, runId),
      timeoutMs: 20_000,
      stdoutLimitBytes: 64 * 1024,
      interrupt: host.interrupt,
    }),
  );
}

/** The program to register: the first candidate that the agent's shell can start. */
export async function hookctlProgram(target: InstallTarget, host: Host): Promise<string> {
  const native = await findNative(host);
  if (target.scope === "machine") return machineProgram(native);
  const programs = programCandidates(target, host, native);
  const [first = "hookctl", ...others] = programs;
  if ("path" in native && first === inQuotes(native.path)) return first;
  if (AGENT_INSTALLS[target.agent.name].usesLoginShell !== true) {
    // Its shell has the caller's PATH, which must contain `node` for hookctl's `#!` line.
    return hasNode(callerEnvironment(target, host).PATH ?? "") ? first : (others.at(-1) ?? first);
  }
  closeInheritedOnFirstStart();
  for (const program of programs) if (await isFoundBy(program, target, host)) return program;
  return first;
}

const hasNode = (path: string): boolean =>
  path.split(delimiter).some((folder) => isAbsolute(folder) && existsSync(join(folder, "node")));

/** False if the user's profile sets a PATH with another hookctl on it. */
async function isFoundBy(program: string, target: InstallTarget, host: Host): Promise<boolean> {
  const script = `${program} --version >/dev/null && command -v ${firstWord(program)}`;
  const { termination, stdout } = await runInAgentShell(script, target, host);
  if (termination.kind !== "exited" || termination.exitCode !== 0) return false;
  return program !== "hookctl" || realPathOrSame(lastLine(stdout)) === realPathOrSame(HOOKCTL_FILE);
}

/** The first of a quoted Node and hookctl; otherwise the program. */
export const firstWord = (program: string): string => program.split(/ (?=")/)[0] ?? program;

export const lastLine = (stdout: Uint8Array): string =>
  new TextDecoder().decode(stdout).trim().split("\n").at(-1) ?? "";

/** Node and hookctl by their paths: the `#!` line of hookctl would search Node on the user's PATH. */
const machineProgram = (native: NativeProgram): string =>
  isOnlyRoots(native)
    ? inQuotes(realPathOrSame(native.path))
    : `${inQuotes(realPathOrSame(process.execPath))} ${inQuotes(realPathOrSame(HOOKCTL_FILE))}`;

const isOnlyRoots = (native: NativeProgram): native is { readonly path: string } =>
  "path" in native && rootOnlyFault(realPathOrSame(native.path)) === null;

/**
 * Why the machine's settings cannot start this hookctl: a user other than root could replace it. Null if nobody could.
 */
export async function machineProgramFault(host: Host): Promise<HostProblem | null> {
  if (isOnlyRoots(await findNative(host))) return null;
  const script = realPathOrSame(HOOKCTL_FILE);
  for (const path of [realPathOrSame(process.execPath), dirname(dirname(script))]) {
    const cause = rootOnlyFault(path);
    if (cause !== null) return { code: "AGENT_PROGRAM_UNSAFE", path, cause };
  }
  return null;
}
