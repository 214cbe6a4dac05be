import { isAbsolute } from "node:path";
import { REGISTRATIONS } from "../agents/registration.ts";
import { realOrSame } from "../disk/paths.ts";
import { userEnvironment, withSearchPath } from "../process/environment.ts";
import { type ProcessOutcome, TOKEN_VARIABLE } from "../process/process-request.ts";
import { runProcess } from "../process/run-process.ts";
import { newRunId } from "../record/run-id.ts";
import type { World } from "../world.ts";
import { type AgentSite, OWN_PROGRAM, programTexts } from "./agent-site.ts";

/** The shell that an agent starts its lines with. */
export function shellOf({ agent }: AgentSite, { env }: World): readonly [file: string, flag: string] {
  const isLogin = REGISTRATIONS[agent.name].isLoginShell === true;
  const own = env.SHELL !== undefined && isAbsolute(env.SHELL) ? env.SHELL : "/bin/sh";
  return isLogin ? [own, "-lc"] : ["/bin/sh", "-c"];
}

/** The caller's own, with a PATH in which the project has no say. */
export const callerEnvironment = ({ projectDir }: AgentSite, { env }: World) =>
  withSearchPath(userEnvironment(env), { projectDir, homeDir: env.HOME ?? null, pathAllow: [] });

/** Runs words of ours in the agent's shell. It runs the person's profile and nothing of the project. */
export function inAgentShell(script: string, site: AgentSite, world: World): Promise<ProcessOutcome> {
  const { agent, projectDir } = site;
  const [file, flag] = shellOf(site, world);
  const token = newRunId(world.nowMs(), world.random);
  const variable = agent.projectVariable === null ? {} : { [agent.projectVariable]: projectDir };
  return runProcess({
    file,
    args: [flag, script],
    input: null,
    cwd: "/",
    env: { ...callerEnvironment(site, world), ...variable, [TOKEN_VARIABLE]: token },
    timeoutMs: 20_000,
    stdoutLimitBytes: 64 * 1024,
    mayLeaveProcesses: false,
    token,
    interrupt: world.interrupt,
  });
}

/** How the registered line calls this very hookctl: in the first way in which the agent's shell can start it. */
export async function programFor(site: AgentSite, world: World): Promise<string> {
  const programs = programTexts(site, world);
  for (const program of programs) {
    const { ending, stdout } = await inAgentShell(
      `${program} --version >/dev/null && command -v ${firstWord(program)}`,
      site,
      world,
    );
    const isStarted = ending.kind === "exited" && ending.exitCode === 0;
    // Another hookctl may go by the name in that shell.
    if (isStarted && (program !== "hookctl" || realOrSame(lastLine(stdout)) === realOrSame(OWN_PROGRAM)))
      return program;
  }
  return programs[0] ?? "hookctl";
}

/** Of a program that is named with its Node, the Node. */
export const firstWord = (program: string): string => program.split(/ (?=")/)[0] ?? program;

export const lastLine = (stdout: Uint8Array): string =>
  new TextDecoder().decode(stdout).trim().split("\n").at(-1) ?? "";
