import type { Registration } from "../agents/agent-install.ts";
import { agentCommand } from "../report/agent-command.ts";
import type { InstallTarget } from "./install-target.ts";
import type { RegistrationRequest } from "./needed-registrations.ts";

/** What a person should know about a registration that was just written. */
export function installNotes(
  site: InstallTarget,
  wanted: RegistrationRequest,
  lines: readonly Registration[],
): readonly string[] {
  return [testedNote(site), failNote(wanted, lines), ...sharedNotes(site, wanted, lines), ...folderNotes(site)];
}

const testedNote = ({ agent }: InstallTarget): string =>
  agent.testedWith === null
    ? `untested: this registration is written from ${agent.title}'s documentation.`
    : `Tested with ${agent.title} ${agent.testedWith}.`;

function failNote({ mode, needs }: RegistrationRequest, lines: readonly Registration[]): string {
  const isClosed = lines.some(({ failClosed }) => failClosed);
  if (isClosed && mode === null && needs.hasFailClosed) {
    return "The lines are fail-closed, because a hook is: without hookctl every call is blocked (your choice: --fail-open).";
  }
  if (isClosed) return "The lines are fail-closed: without hookctl every call is blocked.";
  return needs.hasFailClosed
    ? "A hook is fail-closed, and these lines are not (--fail-open): without hookctl every call is allowed."
    : "The lines are fail-open: without hookctl every call is allowed (--fail-closed blocks them).";
}

/** A file that is committed reaches people who do not have hookctl. */
function sharedNotes(
  { scope, shown }: InstallTarget,
  { program }: RegistrationRequest,
  lines: readonly Registration[],
): readonly string[] {
  if (scope !== "project") return [];
  const fate = lines.some(({ failClosed }) => failClosed) ? "every call is blocked" : "no hook runs";
  const told = `If you commit ${shown}: for colleagues without hookctl ${fate}, and they are told how to install it.`;
  const isHere = program.startsWith('"/');
  return isHere ? [told, `It names hookctl by its place on this machine: ${program}`] : [told];
}

/** Some agents read a project's settings only in the folder in which they were started. */
function folderNotes({ agent, scope, shown, options }: InstallTarget): readonly string[] {
  if (scope === "user" || agent.settings.isStartFolderOnly !== true) return [];
  const line = agentCommand("install", { agent: agent.name, scope: "user", directory: options.directory });
  return [`Started in a sub-folder, ${agent.title} does not read ${shown}. For that: ${line}`];
}
