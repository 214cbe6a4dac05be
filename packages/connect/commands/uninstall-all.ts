import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { openPersonTerminal, requirePerson, requireYes } from "../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callerOf, findCallerScopes } from "../../../src/engine/user-paths.ts";
import { isAlive } from "../../../src/fs/lock.ts";
import { pathExists } from "../../../src/fs/paths.ts";
import { removeTree } from "../../../src/fs/remove-tree.ts";
import { signalProcess } from "../../../src/process/kill-descendants.ts";
import { unwrap } from "../../../src/protocol/result.ts";
import { removalCommand, removeEmptyFolders } from "../install/own-files.ts";
import { planRemoval, type Removal } from "../install/plan-removal.ts";
import { onDisk } from "../install/settings-file/write-settings-files.ts";
import { undoAll } from "../install/undo-agent.ts";
import { rootCommand } from "../report/agent-command.ts";
import { applyCommand } from "../report/install-text.ts";
import { removalJson, removalText } from "../report/uninstall-all-text.ts";
import { machinePlace, settingsPlace } from "./guards/switches-file.ts";
import { wrongWords } from "./wrong-words.ts";

/** Removes all that hookctl wrote for the user and in this project. What people wrote themselves stays, and is named. */
export async function uninstallAll(line: CommandLine<"uninstall">, host: Host): Promise<CommandResult> {
  const { args, options } = line;
  const [typed] = [...args, ...(options.scope === null ? [] : [`--scope ${options.scope}`])];
  if (typed !== undefined)
    throw wrongWords(`--all is for every agent and scope, not for ${typed}.`, "hookctl uninstall --all");
  const scopes = unwrap(findCallerScopes(callerOf(host, options.directory)));
  const settings = (scopes.hasProject ? (["user", "project"] as const) : (["user"] as const)).flatMap((scope) => {
    const place = settingsPlace(scope === "project", { scopes }, host);
    return place.ok ? [{ scope, file: place.value.file }] : [];
  });
  const shared = machinePlace(host).file;
  const all =
    host.userId === 0 && pathExists(shared) ? [...settings, { scope: "machine" as const, file: shared }] : settings;
  const settingsIn = (other: Scopes): string | null => {
    const place = settingsPlace(true, { scopes: other }, host);
    return place.ok ? place.value.file : null;
  };
  const plan = (): Removal => planRemoval({ options, settings: all, settingsIn, host });
  const removal = plan();
  const style = await stdoutStyle(options, host);
  const isDry = options.dryRun;
  const program = removalCommand();
  const report = {
    ...removal,
    isDry,
    apply: isDry ? applyLine(host) : null,
    program: program !== null && isSudo(host) ? `sudo ${program}` : program,
    // Under sudo `~` would be read as the home of its caller.
    paths: { cwd: host.cwd, homeDir: isSudo(host) ? null : scopes.homeDir },
  };
  const isClean = [removal.files, removal.folders, removal.servers].every(({ length }) => length === 0);
  if (!isDry && !isClean) {
    if (!options.yes) await confirm(removalText({ ...report, isDry: true, program: null }, style), host);
    await requirePerson(host);
    // Again: to find out who calls has filled the cache.
    await carryOut(plan(), host);
  }
  return print(options.json ? `${removalJson(report)}\n` : removalText(report, style), host);
}

/** Who calls with sudo may do no part of it without. */
const isSudo = ({ env }: Host): boolean => env.SUDO_UID !== undefined;
const applyLine = (host: Host): string =>
  isSudo(host) ? rootCommand(applyCommand(host.argv)) : applyCommand(host.argv);

async function confirm(intro: string, host: Host): Promise<void> {
  const terminal = host.isStdinTerminal() ? await openPersonTerminal(host) : null;
  const detail = "Nothing was removed: uninstall --all asks first, but there is no terminal.";
  const tryThis = "hookctl uninstall --all --dry-run, then on a terminal: hookctl uninstall --all";
  const choices = { yes: "remove all of this", no: "change nothing" };
  await requireYes(terminal, { intro, question: "Remove it?", choices }, wrongWords(detail, tryThis).problem);
}

/**
 * The agents' settings first: from then on no agent starts hookctl. The servers end before their sockets are removed, and the
 * copies of files are removed last, so that a command that failed can be repeated.
 */
async function carryOut({ files, folders, madeFolders, servers }: Removal, host: Host): Promise<void> {
  for (const { processId } of servers) signalProcess(processId, "SIGTERM");
  await undoAll(files, host);
  await Promise.all(servers.map(({ processId }) => ended(processId)));
  for (const { path } of folders) onDisk(path, () => removeTree(path));
  removeEmptyFolders([
    ...files.flatMap(({ after, backup }) => (after === null ? (backup?.folders ?? []) : [])),
    ...folders.flatMap(({ parents }) => parents),
    ...madeFolders,
  ]);
}

const WAIT_MS = 20;
const MOST_WAITS = 250;

/** Waits for the end of a process. A server that hangs is killed: its socket is removed. */
async function ended(processId: number): Promise<void> {
  for (let waits = 0; waits < MOST_WAITS && isAlive(processId); waits++)
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  if (isAlive(processId)) signalProcess(processId, "SIGKILL");
}
