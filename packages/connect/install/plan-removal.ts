import { join } from "node:path";
import type { CommonOptions } from "../../../src/cli/command-table.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callerOf, findCallerScopes, findUserPaths, type UserPaths } from "../../../src/engine/user-paths.ts";
import { followLinks, isInside, pathExists } from "../../../src/fs/paths.ts";
import { type WriteRoot, whyNotWritable } from "../../../src/fs/write-check.ts";
import { AGENT_NAMES, INSTALL_SCOPES, type InstallScope } from "../../../src/protocol/agent-names.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { attemptSync, ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { problemRecord } from "../../../src/report/problem-text.ts";
import { openTrustStore, type TrustStorePaths } from "../../../src/trust/store/trust-store.ts";
import { rootCommand } from "../report/agent-command.ts";
import type { LeftFile } from "../report/uninstall-all-text.ts";
import { type RunningServer, serversOf } from "../resident/resident-notes.ts";
import { writeRootOf } from "./agent-files.ts";
import { type InstallTarget, installTargetIn, isRegistered } from "./install-target.ts";
import { launcherFile } from "./launcher.ts";
import { findElsewhere, projectOf, whyNotChangeable } from "./other-projects.ts";
import { foldersOfCage, machineFolders, type OwnFolder, ownFolders } from "./own-files.ts";
import { readSeal } from "./seal/seal-store.ts";
import { notedFiles, presentText, readBackup, type SettingsUndo } from "./settings-file/write-settings-files.ts";
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
  /** The settings file of hookctl in another project. */
  readonly settingsIn: (scopes: Scopes) => string | null;
  readonly host: Host;
}

/** Decides on every change before the first one is made. */
export function planRemoval({ options, settings, settingsIn, host }: RemovalInput): Removal {
  const caller = callerOf(host, options.directory);
  const scopes = unwrap(findCallerScopes(caller));
  const paths = findUserPaths(scopes, caller);
  const ownTargets = allTargets(scopes, options, host);
  const others = elsewhere(ownTargets, { scopes, paths, options, settingsIn }, host);
  const { targets } = ownTargets;
  const steps: Step[] = targets.map((target) => ({ path: target.shown, undos: () => agentUndos(target, host) }));
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
  const [ofOthers, ofOwn] = [attemptAll(others.steps), attemptAll(steps)];
  // Of two undos of a file the last one counts: that of this call's folders.
  const all = [...new Map([...ofOthers.undos, ...ofOwn.undos].map((undo) => [undo.file, undo])).values()];
  const files = all.filter(({ before, after }) => before !== after);
  const { trustFile } = paths;
  const own = [...ownFolders(scopes, paths), ...(host.userId === 0 ? machineFolders() : [])];
  const { backupsDir } = paths;
  const isNeeded = others.isNeeded || ofOthers.failed.length + ofOwn.failed.length > 0;
  const isKept = ({ path }: OwnFolder): boolean => isNeeded && backupsDir !== null && isInside(path, backupsDir);
  const store = own.some(({ path }) => trustFile !== null && isInside(path, trustFile)) ? null : trustFile;
  const people = [
    ...settings.map(({ file }) => file),
    ...ownPaths(scopes),
    ...projectPaths(scopes, { ...paths, userId: host.userId }),
    ...(store === null ? [] : [store]),
  ];
  return {
    files,
    folders: own.filter((folder) => !isKept(folder)),
    madeFolders: foldersOfCage(paths),
    servers: serversOf(scopes.homeDir),
    kept: people.filter((path) => pathExists(path) && !files.some(({ file }) => file === path)),
    left: [
      ...[...ownTargets.left, ...ofOwn.failed, ...others.left, ...ofOthers.failed],
      ...own.filter(isKept).map(({ path }) => ({ path, why: STATE_IS_NEEDED, fix: null })),
    ],
  };
}

const STATE_IS_NEEDED = "it has what these files were before. If they can be changed later, run this again";

/** A part of the removal that can fail for itself. */
interface Step {
  readonly path: string;
  readonly undos: () => readonly SettingsUndo[];
}

function attemptAll(steps: readonly Step[]) {
  const found = steps.map(({ path, undos }) => ({ path, done: attemptSync(undos) }));
  return {
    undos: found.flatMap(({ done }) => (done.ok ? done.value : [])),
    failed: found.flatMap(({ path, done }) => (done.ok ? [] : [notUndone(path, done.error)])),
  };
}

interface Site extends Pick<RemovalInput, "options" | "settingsIn"> {
  readonly scopes: Scopes;
  readonly paths: UserPaths;
}

/** The settings files of all projects that the seal and the notes of writes know, without those of this call. */
function elsewhere({ targets, left }: Targets, { scopes, paths, options, settingsIn }: Site, host: Host) {
  const seal = readSeal({ trustFile: paths.trustFile, userId: host.userId })?.files ?? {};
  const sealed = Object.keys(seal).filter((path) => (seal[path]?.protection.entries.length ?? 0) > 0);
  const here = [...targets.map(({ file }) => file), ...left.map(({ path }) => path)];
  // The launcher, for example, is in no project.
  const noted = notedFiles(host).filter((path) => projectOf(path) !== null);
  const files = [...new Set([...sealed, ...noted])].filter((path) => !here.includes(followLinks(path)));
  const found = findElsewhere(files, scopes, host.userId);
  const ofProjects = found.projects.map((one) => {
    const inProject = allTargets(one, options, host, ["project", "local"]);
    // A path inside the project would be shown as one of this project.
    const there = inProject.targets.map((target) => ({ ...target, shown: target.file }));
    const steps = there.map((target): Step => ({ path: target.file, undos: () => agentUndos(target, host) }));
    const [file, first] = [settingsIn(one), there[0]];
    if (file?.endsWith(".json") === true && first !== undefined)
      steps.push({ path: file, undos: () => [settingsUndo({ file, shown: file }, first, host)] });
    const left = inProject.left.map(({ path, ...why }) => ({ path: `${one.projectDir}: ${path}`, ...why }));
    return { steps, left };
  });
  return {
    steps: ofProjects.flatMap(({ steps }) => steps).map((step) => checked(step, host.userId)),
    left: [...found.left, ...ofProjects.flatMap((one) => one.left)],
    isNeeded: found.isNeeded || ofProjects.some((one) => one.left.length > 0),
  };
}

/** Fails before the first change if a file cannot be changed: it must not end the removal of all others. */
const checked = ({ path, undos }: Step, userId: number): Step => ({
  path,
  undos: () => {
    const found = undos();
    for (const { file, root, before, after } of found) {
      const cause = before === after ? null : (whyNotWritable(root, file) ?? whyNotChangeable(file, userId));
      if (cause !== null) throw new ProblemError({ code: "FILE_NOT_WRITTEN", path: file, cause });
    }
    return found;
  },
});

interface Targets {
  readonly targets: readonly InstallTarget[];
  readonly left: readonly LeftFile[];
}

/** The settings files of all agents; those of the machine for root alone, who may write them. */
function allTargets(
  scopes: Scopes,
  options: CommonOptions,
  host: Host,
  wanted: readonly InstallScope[] = INSTALL_SCOPES,
): Targets {
  const targets: InstallTarget[] = [];
  const left: LeftFile[] = [];
  for (const scope of wanted) {
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
