import { dirname, join } from "node:path";
import type { CommonOptions } from "../../../src/cli/command-table.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callerOf, findCallerScopes, findUserPaths } from "../../../src/engine/user-paths.ts";
import { isInside, pathExists } from "../../../src/fs/paths.ts";
import type { WriteRoot } from "../../../src/fs/write-check.ts";
import { AGENT_NAMES, INSTALL_SCOPES } from "../../../src/protocol/agent-names.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { attemptSync, unwrap } from "../../../src/protocol/result.ts";
import { problemRecord } from "../../../src/report/problem-text.ts";
import { openTrustStore, type TrustStorePaths } from "../../../src/trust/store/trust-store.ts";
import { hookctlCommand, rootCommand } from "../report/agent-command.ts";
import type { LeftFile } from "../report/uninstall-all-text.ts";
import { type RunningServer, serversOf } from "../resident/resident-notes.ts";
import { writeRootOf } from "./agent-files.ts";
import { type InstallTarget, installTargetIn, isRegistered } from "./install-target.ts";
import { launcherFile } from "./launcher.ts";
import { foldersOfCage, machineFolders, type OwnFolder, ownFolders } from "./own-files.ts";
import { readSeal } from "./seal/seal-store.ts";
import { presentText, readBackup, type SettingsUndo } from "./settings-file/write-settings-files.ts";
import { agentUndos, settingsUndo } from "./undo-agent.ts";

/** Everything that `uninstall --all` will do. */
export interface Removal {
  /** The files that change or go. */
  readonly files: readonly SettingsUndo[];
  readonly folders: readonly OwnFolder[];
  /** Folders of the home directory that the cage has made for calls; those with files stay. */
  readonly madeFolders: readonly string[];
  readonly servers: readonly RunningServer[];
  /** The user's own files, which stay. */
  readonly kept: readonly string[];
  /** Files of hookctl that this command does not remove. */
  readonly left: readonly LeftFile[];
}

interface RemovalInput {
  readonly options: CommonOptions;
  /** The settings files of hookctl for the user and for the project. */
  readonly settings: readonly { readonly scope: "user" | "project" | "machine"; readonly file: string }[];
  readonly host: Host;
}

/** Decides on every change before the first one is made. */
export function planRemoval({ options, settings, host }: RemovalInput): Removal {
  const caller = callerOf(host, options.directory);
  const scopes = unwrap(findCallerScopes(caller));
  const paths = findUserPaths(scopes, caller);
  const folders = [...ownFolders(scopes, paths), ...(host.userId === 0 ? machineFolders() : [])];
  const { targets, left } = allTargets(scopes, options, host);
  const steps = targets.map((target) => ({ path: target.shown, undos: () => agentUndos(target, host) }));
  for (const { scope, file } of settings) {
    const target = targets.find((one) => one.scope === scope);
    if (target === undefined || !file.endsWith(".json")) continue;
    steps.push({ path: file, undos: () => [settingsUndo({ file, shown: file }, target, host)] });
  }
  for (const scope of host.userId === 0 ? (["user", "machine"] as const) : (["user"] as const)) {
    const launcher = launcherFile({ scope, homeDir: scopes.homeDir });
    const root = writeRootOf(scope, scopes.projectDir, host.userId);
    if (launcher !== null) steps.push({ path: launcher, undos: () => [launcherUndo(launcher, root, host)] });
  }
  const found = steps.map(({ path, undos }) => ({ path, done: attemptSync(undos) }));
  const undos = found.flatMap(({ done }) => (done.ok ? done.value : []));
  const failed = found.flatMap(({ path, done }) => (done.ok ? [] : [notUndone(path, done.error)]));
  const all = [...new Map(undos.map((undo) => [undo.file, undo])).values()];
  const files = all.filter(({ before, after }) => before !== after);
  const known = all.map(({ file }) => file);
  const sealed = Object.keys(readSeal({ trustFile: paths.trustFile, userId: host.userId })?.files ?? {});
  const elsewhere = sealed.filter((path) => !known.includes(path) && pathExists(path));
  const { trustFile } = paths;
  const store = folders.some(({ path }) => trustFile !== null && isInside(path, trustFile)) ? null : trustFile;
  const own = [
    ...settings.map(({ file }) => file),
    ...ownPaths(scopes),
    ...projectPaths(scopes, { ...paths, userId: host.userId }),
    ...(store === null ? [] : [store]),
  ];
  return {
    files,
    folders,
    madeFolders: foldersOfCage(paths),
    servers: serversOf(scopes.homeDir),
    kept: own.filter((path) => pathExists(path) && !files.some(({ file }) => file === path)),
    left: [...left, ...failed, ...elsewhere.map(ofOtherProject)],
  };
}

/** The settings files of all agents; those of the machine for root alone, who may write them. */
function allTargets(scopes: Scopes, options: CommonOptions, host: Host) {
  const targets: InstallTarget[] = [];
  const left: LeftFile[] = [];
  for (const scope of INSTALL_SCOPES) {
    for (const agent of AGENT_NAMES) {
      const target = installTargetIn(scopes, { agent, scope, options }, host);
      if (!target.ok) {
        // The agent does not have the scope, or there is no project.
        if (target.error.code !== "USAGE_BAD_VALUE" && target.error.code !== "PROJECT_IS_HOME")
          left.push(notUndone(`${agent}, ${scope}`, target.error));
      } else if (scope !== "machine" || host.userId === 0) targets.push(target.value);
      else if (isRegistered(target.value)) {
        const fix = rootCommand(`hookctl uninstall ${agent} --scope machine`);
        left.push({ path: target.value.file, why: "it is for every user of this machine", fix });
      }
    }
  }
  return { targets, left };
}

const notUndone = (path: string, problem: Problem): LeftFile => {
  const { message, hint } = problemRecord(problem);
  return { path, why: String(message), fix: typeof hint === "string" ? hint : null };
};

const ofOtherProject = (path: string): LeftFile => ({
  path,
  why: "it is of another project",
  fix: hookctlCommand(["uninstall", "--all"], { directory: dirname(dirname(path)) }),
});

/** What people put into the user's folder: hooks with their tests, and packs. */
const ownPaths = ({ homeDir }: Scopes): readonly string[] =>
  homeDir === null ? [] : ["hooks", "plugins", "hooks.lock"].map((name) => join(homeDir, ".kodelet", name));

/** The hooks, tests and packs of the projects in which hooks were approved, and of this one. */
function projectPaths({ hasProject, projectDir }: Scopes, store: TrustStorePaths): readonly string[] {
  const approvals = openTrustStore(store).approvals();
  const known = approvals.ok ? Object.values(approvals.value.approved).map(({ project }) => project) : [];
  return [...new Set([...(hasProject ? [projectDir] : []), ...known])].map((folder) => join(folder, ".kodelet"));
}

function launcherUndo(file: string, root: WriteRoot, host: Host): SettingsUndo {
  const backup = readBackup(file, host, "all");
  return { file, shown: file, root, before: unwrap(presentText(file, file)), after: null, backup };
}
