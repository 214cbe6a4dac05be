import { isAbsolute } from "node:path";
import type { Agent } from "../agents/agent.ts";
import type { FoundRegistration } from "../agents/agent-install.ts";
import { isInside, realPathOrSame } from "../fs/paths.ts";
import type { Host } from "../host.ts";
import { agentShell, firstWord, lastLine, runInAgentShell } from "../install/agent-shell.ts";
import { HOOKCTL_FILE, type InstallTarget } from "../install/install-target.ts";
import { type ParsedRegistration, parseRegistration } from "../install/registration-command.ts";
import { reinstallCommand } from "../install/reinstall-command.ts";
import { broken, type Checkup, doubtful, fine } from "../protocol/checkup.ts";
import { probeRegistration } from "./probe-registration.ts";

/** Is the program of the lines there, as the agent's shell sees it, and does the line of a shell call work? */
export async function programCheck(
  target: InstallTarget,
  lines: readonly FoundRegistration[],
  host: Host,
): Promise<readonly Checkup[]> {
  const { agent } = target;
  const name = `${agent.name} program`;
  const again = `Reinstall: ${reinstallCommand(target)}`;
  const callLine = lines.find(({ event }) => event === agent.sampleShellCall.event);
  const line = callLine ?? lines[0];
  if (line === undefined) return [];
  const read = parseRegistration(line, agent);
  // The settings of a project are anybody's words: only a line that we would write ourselves is handed to a shell.
  if (read === null)
    return [doubtful(name, "the registered command was not written by hookctl install, so it was not tested", null)];
  const { program } = read;
  const { shell, found, chatter } = await lookUp(program, target, host);
  if (found === null) return [broken(name, `${shell} does not find ${program}: ${consequence(agent, read)}`, again)];
  if (chatter !== "") {
    const detail = `${shell} prints text before the response, which makes it unreadable: ${chatter}`;
    return [broken(name, detail, "Print in your shell profile only if the shell is interactive.")];
  }
  if (!mayBeTried(program, found, target)) {
    return [doubtful(name, `${program} leads to ${found}, which is another installation, so it was not tested`, again)];
  }
  const trial =
    callLine === undefined
      ? doubtful(
          `${agent.name} bridge`,
          `not tested: ${agent.sampleShellCall.event} is not registered in ${target.shown}`,
          null,
        )
      : await probeRegistration(callLine.command, target, host);
  return [fine(name, `${shell} finds ${program}`), trial];
}

function consequence({ title, withoutProgram }: Agent, { failClosed, isShared }: ParsedRegistration): string {
  if (failClosed) return "the registration then blocks every call";
  if (isShared === true) return "the registration then allows every call, and says what to install";
  if (withoutProgram === "allows") return `${title} then allows every call`;
  return withoutProgram === "blocks" ? `${title} then blocks every call` : `it is not known what ${title} does then`;
}

/** This very hookctl, or what the person's own PATH calls so; never a file that a project brings or names. */
function mayBeTried(program: string, found: string, { projectDir }: InstallTarget): boolean {
  const real = realPathOrSame(found);
  const script = / "(.*)"$/.exec(program)?.[1];
  if (script !== undefined) {
    return real === realPathOrSame(process.execPath) && realPathOrSame(script) === realPathOrSame(HOOKCTL_FILE);
  }
  if (real === realPathOrSame(HOOKCTL_FILE)) return true;
  return program === "hookctl" && isAbsolute(found) && !isInside(projectDir, found) && !isInside(projectDir, real);
}

interface LookUp {
  readonly shell: string;
  /** The path that the shell found; null: none. */
  readonly found: string | null;
  /** What the shell printed of itself. */
  readonly chatter: string;
}

/** Asks the shell that the agent uses. */
async function lookUp(program: string, target: InstallTarget, host: Host): Promise<LookUp> {
  const { termination, stdout } = await runInAgentShell(`command -v ${firstWord(program)}`, target, host);
  const isFound = termination.kind === "exited" && termination.exitCode === 0;
  const chatter = new TextDecoder().decode(stdout).trim().split("\n").slice(0, -1).join(" ");
  return { shell: agentShell(target, host).join(" "), found: isFound ? lastLine(stdout) : null, chatter };
}
