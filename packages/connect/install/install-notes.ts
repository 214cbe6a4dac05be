import type { Registration } from "../../agents/agent-install.ts";
import { hookctlCommand } from "../report/agent-command.ts";
import type { RegistrationRequest } from "./create-registrations.ts";
import { commandFor, type InstallTarget, isWider } from "./install-target.ts";

/** Notes to print after a registration was written. */
export function installNotes(
  target: InstallTarget,
  request: RegistrationRequest,
  lines: readonly Registration[],
): readonly string[] {
  return [testedNote(target), failNote(request, lines), ...sharedNotes(target, request, lines), ...folderNotes(target)];
}

/** The agent reads both files and calls hookctl for each. The wider one protects other projects as well, so it stays. */
export function doubleNote(target: InstallTarget, other: InstallTarget): string {
  const { agent, scope, options } = isWider(other, target) ? target : other;
  return `▲ ${other.shown} calls hookctl too: each hook runs twice. Undo that: ${hookctlCommand(["uninstall", agent.name, "--scope", scope], options)}`;
}

export const testedNote = ({ agent, scope }: InstallTarget): string =>
  agent.testedWith === null || scope === "machine"
    ? `Not yet tried with a real ${agent.title}: the registration follows its documentation.`
    : `Tested with ${agent.title} ${agent.testedWith}.`;

function failNote({ mode, needs }: RegistrationRequest, lines: readonly Registration[]): string {
  const isClosed = lines.some(({ failClosed }) => failClosed);
  if (isClosed && mode === null && needs.hasFailClosed) {
    return "The registration is fail-closed, because a hook is: if hookctl cannot run, every call is blocked (to change it: --fail-open).";
  }
  if (isClosed) return "The registration is fail-closed: if hookctl cannot run, every call is blocked.";
  return needs.hasFailClosed
    ? "A hook is fail-closed, but the registration is fail-open (--fail-open): if hookctl cannot run, every call is allowed."
    : "The registration is fail-open: if hookctl cannot run, every call is allowed (to block: --fail-closed).";
}

/** A committed file reaches people without hookctl. */
function sharedNotes(
  { scope, shown }: InstallTarget,
  { program }: RegistrationRequest,
  lines: readonly Registration[],
): readonly string[] {
  if (scope !== "project") return [];
  const fate = lines.some(({ failClosed }) => failClosed) ? "every call is blocked" : "no hook runs";
  const commitNote = `If you commit ${shown}: for colleagues without hookctl ${fate}, with a message that says how to install it.`;
  const isHere = program.startsWith('"/');
  return isHere ? [commitNote, `It uses the path of hookctl on this machine: ${program}`] : [commitNote];
}

/** Some agents read a project's settings only if they are started in its root folder. */
function folderNotes(target: InstallTarget): readonly string[] {
  const { agent, scope, shown } = target;
  if (scope === "user" || scope === "machine" || agent.settings.isStartFolderOnly !== true) return [];
  const line = commandFor("init", { ...target, scope: "user" });
  return [`Started in a sub-folder, ${agent.title} does not read ${shown}. For that: ${line}`];
}
