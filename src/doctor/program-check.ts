import { dirname, isAbsolute } from "node:path";
import type { Agent } from "../agents/agent.ts";
import type { FoundRegistration } from "../agents/agent-install.ts";
import { rootOnlyFault } from "../fs/machine-folder.ts";
import { isInside, realPathOrSame } from "../fs/paths.ts";
import type { Host } from "../host.ts";
import { agentShell, firstWord, lastLine, runInAgentShell } from "../install/agent-shell.ts";
import { type ParsedRegistration, parseRegistration } from "../install/create-registrations.ts";
import { HOOKCTL_FILE, type InstallTarget } from "../install/install-target.ts";
import { broken, type Checkup, doubtful, fine } from "../protocol/doctor-check.ts";
import { agentCommand } from "../report/agent-command.ts";
import { probeRegistration } from "./probe-registration.ts";

/** Checks that the agent's shell finds the registered program, and that the registration for shell calls works. */
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
  // Anybody can write a project's settings: only a command that `install` would write is run.
  if (read === null)
    return [doubtful(name, "the registered command was not written by hookctl install, so it was not tested", null)];
  const { program } = read;
  const replaceable = target.scope === "machine" ? replaceablePart(program) : null;
  if (replaceable !== null) return [broken(name, `not only root can change what it starts: ${replaceable}`, again)];
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

/** What of a registered program somebody beside root could replace: Node, or a file of hookctl. Null: nothing. */
function replaceablePart(program: string): string | null {
  const [node, script] = [...program.matchAll(/"([^"]+)"/g)].map(([, path]) => path);
  if (node === undefined || script === undefined) return "it does not name both Node and hookctl by their paths";
  return rootOnlyFault(node) ?? rootOnlyFault(dirname(dirname(script)));
}

function consequence({ title, withoutProgram }: Agent, { failClosed, isShared }: ParsedRegistration): string {
  if (failClosed) return "the registration then blocks every call";
  if (isShared === true) return "the registration then allows every call, and says what to install";
  if (withoutProgram === "allows") return `${title} then allows every call`;
  return withoutProgram === "blocks" ? `${title} then blocks every call` : `it is not known what ${title} does then`;
}

/** True for this hookctl or the one on the user's PATH; never for a file of the project. */
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
  /** Output of the shell itself, for example from a profile. */
  readonly chatter: string;
}

/** Resolves the program in the shell that the agent uses. */
async function lookUp(program: string, target: InstallTarget, host: Host): Promise<LookUp> {
  const { termination, stdout } = await runInAgentShell(`command -v ${firstWord(program)}`, target, host);
  const isFound = termination.kind === "exited" && termination.exitCode === 0;
  const chatter = new TextDecoder().decode(stdout).trim().split("\n").slice(0, -1).join(" ");
  return { shell: agentShell(target, host).join(" "), found: isFound ? lastLine(stdout) : null, chatter };
}

/** The command that repairs a registration. It keeps the registered events, and fail-open or fail-closed. */
export const reinstallCommand = ({ agent, scope, options }: InstallTarget): string =>
  agentCommand("install", { agent: agent.name, scope, directory: options.directory });
