import { basename, delimiter, dirname, isAbsolute, resolve } from "node:path";
import { configFiles } from "../../src/config/config-files.ts";
import { userFileIn } from "../../src/config/load-settings.ts";
import { packageFolder } from "../../src/discover/node-loader.ts";
import {
  type SandboxedHook,
  type Sandboxes,
  type SandboxStatus,
  type StartPlace,
  type WantedSandbox,
  wantedSandbox,
} from "../../src/engine/hooks/sandboxes.ts";
import type { Guards, RunContext } from "../../src/engine/run-context.ts";
import { entryFolder, isInside, isRealFolder, pathExists, realPathOrSame } from "../../src/fs/paths.ts";
import type { ProcessSandbox, ProgramStart } from "../../src/process/process-request.ts";
import { entryProgram } from "../../src/protocol/entry.ts";
import { type Candidate, isFromProject, isMachine } from "../../src/protocol/hook.ts";
import type { HookProblem } from "../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { USER_SETTINGS_FILE } from "../../src/protocol/settings-file.ts";
import { loadShellParser } from "../../src/shell/load-parser.ts";
import { approvalFolder, declaredCommand, entryEvidence, withoutApproval } from "../../src/trust/evidence/evidence.ts";
import { redirectedFiles, redirectingCommand } from "../../src/trust/hook-files/command-files.ts";
import { isFileList } from "../../src/trust/hook-files/file-patterns.ts";
import { backendSearch, findBackend } from "./find-backend.ts";
import type { Access, Backend, Place } from "./policy.ts";
import { resolveWriteGrants } from "./write-grants.ts";

/** The backend of each call: found at most once. */
const found = new WeakMap<RunContext, Promise<Result<Backend, string>>>();

function backendOf(context: RunContext): Promise<Result<Backend, string>> {
  const backend =
    found.get(context) ??
    findBackend(backendSearch(context.options.useCache ? context.cacheDir : null, context.interrupt));
  found.set(context, backend);
  return backend;
}

/** The sandboxes of hooks that want a sandbox. */
export async function sandboxesOf(hooks: readonly Candidate[], context: RunContext): Promise<Sandboxes> {
  const backend = await backendOf(context);
  if (hooks.some((hook) => redirectingCommand(hook) !== null)) await loadShellParser();
  const statusOf = (hook: SandboxedHook): SandboxStatus => {
    const { mode, network, subprocess, write_paths: writePaths } = wantedSandbox(hook, context.settings);
    const name = backend.ok ? backend.value.name : null;
    const sandbox = { backend: name, network, subprocess, writePaths, redirected: redirectedFiles(hook) };
    const refusal = backend.ok || mode !== "require" ? null : missingSandbox(hook, backend.error, context);
    return { sandbox, refusal };
  };
  return new Map(hooks.map((hook) => [hook.path, statusOf(hook)]));
}

function missingSandbox(hook: SandboxedHook, error: string, { plan }: RunContext): HookProblem {
  const { name, path, entry } = hook;
  const cause = `it requires a sandbox, but there is none on this machine: ${error}`;
  // Two settings files in one folder are an error, so the hint names the existing file.
  const settingsFile = isMachine(hook) ? (entry?.file ?? "") : (userFileIn(plan)?.file ?? USER_SETTINGS_FILE);
  return { code: "HOOK_REFUSED_SANDBOX", hook: name, path, cause, settingsFile };
}

/**
 * What locks a hook in that wants a sandbox. It is decided right before the start, when its files are as they will be. Without
 * `mayWrite` nothing is writable, also not what its command redirects to.
 */
export async function processSandbox(
  {
    hook,
    wanted,
    place,
    mayWrite,
  }: { hook: SandboxedHook; wanted: WantedSandbox; place: StartPlace; mayWrite: boolean },
  context: RunContext,
): Promise<Result<ProcessSandbox | null, HookProblem>> {
  const backend = await backendOf(context);
  if (!backend.ok) return wanted.mode === "auto" ? ok(null) : fail(missingSandbox(hook, backend.error, context));
  if (redirectingCommand(hook) !== null) await loadShellParser();
  const { network, subprocess, write_paths: paths, isProjects } = wanted;
  const redirected = mayWrite ? redirectedFiles(hook) : [];
  const guards = await context.loadGuards();
  const mounts = resolveWriteGrants({
    paths,
    redirected,
    project: place.project,
    home: context.scopes.homeDir,
    folder: hook.entry === null ? place.cwd : entryFolder(hook.entry),
    isOfProject: { paths: isProjects, command: isFromProject(hook) },
    protectedNames: protectedNames(guards),
    protectedPaths: paths.length + redirected.length === 0 ? [] : protectedPaths(hook, place, context, guards),
  });
  if (!mounts.ok) {
    const { name, path } = hook;
    return fail({ code: "HOOK_REFUSED_SANDBOX", hook: name, path, settingsFile: null, cause: mounts.error });
  }
  const { name, wrap } = backend.value;
  const { writable, readOnly } = mounts.value;
  const isGranted = (path: string): boolean => writable.some((folder) => isInside(folder, path));
  // sandbox-exec cannot show other folders in the place of these.
  const emptied = name === "bubblewrap" ? PRIVATE_FOLDERS.filter((path) => isRealFolder(path) && !isGranted(path)) : [];
  const temp = name === "sandbox-exec" ? null : isGranted("/tmp") ? "/tmp" : TEMP_FOLDER;
  // Programs look for the folder in these variables; zsh names the start of a file.
  const variables = temp === null ? {} : { TMPDIR: temp, TMP: temp, TEMP: temp, TMPPREFIX: `${temp}/zsh` };
  return ok((start) => {
    const places = [
      ...placesAt(emptied, "hidden"),
      ...placesAt(
        visiblePaths(hook, start, context).filter((path) => !isGranted(path)),
        "read",
      ),
      ...placesAt(writable, "write"),
      ...placesAt(readOnly, "read"),
      ...placesAt(temp === TEMP_FOLDER ? [TEMP_FOLDER] : [], "own"),
    ];
    const env = { ...start.env, ...variables };
    return wrap({ ...start, env }, { network, subprocess, unixSockets: false, places });
  });
}

/**
 * Folders that are private and empty in each sandbox, because they contain sockets and locks of other programs. On many systems
 * one of them is a link to another.
 */
const PRIVATE_FOLDERS = ["/tmp", "/var/tmp", "/run", "/var/run"];
/** The folder for temporary files, which ends with the sandbox. */
const TEMP_FOLDER = "/tmp/.hookctl";

const placesAt = (paths: readonly string[], access: Access): readonly Place[] =>
  paths.map((path) => ({ path, access }));

/** The npm package, from which a TypeScript hook loads its modules. */
const ownFolder = (): string => decodeURIComponent(new URL(packageFolder()).pathname);

/** Paths in the private folders of the sandbox that the hook needs. */
function visiblePaths(
  hook: SandboxedHook,
  { file, cwd, env }: ProgramStart,
  { scopes }: RunContext,
): readonly string[] {
  const programs = [hook.path, file, process.execPath].filter(isAbsolute);
  const folders = [
    ownFolder(),
    ...programs.flatMap((path) => [dirname(path), dirname(realPathOrSame(path))]),
    ...[cwd, scopes.rootDir, ...scopes.projectDirs, scopes.homeDir ?? cwd],
    ...(hook.projectDir === null ? [] : [hook.projectDir]),
    ...(env.PATH ?? "").split(delimiter).filter(isAbsolute),
    "/etc/resolv.conf",
  ];
  const all = new Set(folders.flatMap((path) => [path, realPathOrSame(path)]));
  const inPrivate = [...all].filter(
    (path) => PRIVATE_FOLDERS.some((one) => one !== path && isInside(one, path)) && pathExists(path),
  );
  return inPrivate.filter((path) => !inPrivate.some((one) => one !== path && isInside(one, path)));
}

/** What hookctl reads in a `.kodelet` beside settings; a log that a hook keeps there is none of it. */
const IN_KODELET = ["hooks", "plugins", "tests", "hooks.lock"];

/** Settings and hooks in any folder of a project; of a folder that other programs use, too, only what agents read. */
const protectedNames = ({ agentFiles }: Guards): readonly string[] => [
  ...new Set(agentFiles.map((path) => dirname(path).split("/").slice(0, 2).join("/"))),
  ".kodelet",
  ".git",
  ".reyn",
];

/** What no hook may write, whatever it was granted. */
function protectedPaths(
  hook: SandboxedHook,
  { project }: StartPlace,
  context: RunContext,
  guards: Guards,
): readonly string[] {
  const { scopes, cacheDir, machine, plan } = context;
  const { homeDir } = scopes;
  const projects = [...new Set([project, scopes.rootDir, ...scopes.projectDirs])];
  const kodelet = [...projects, ...(homeDir === null ? [] : [homeDir])].map((folder) => resolve(folder, ".kodelet"));
  const settings = configFiles({ projectDirs: projects, homeDir, configHome: null, explicitFile: null });
  return [
    ...guards.ownPaths(context).filter((path) => !kodelet.includes(path)),
    ...kodelet.flatMap((folder) => IN_KODELET.map((name) => resolve(folder, name))),
    // A package.json has many writers, and what it says to hookctl needs approval.
    ...settings.flatMap(({ path }) => (basename(path) === "package.json" ? [] : [path])),
    ...projects.flatMap((folder) => [resolve(folder, ".git"), resolve(folder, ".reyn")]),
    ...[cacheDir, machine?.path, userFileIn(plan)?.file].flatMap((path) => path ?? []),
    ownFolder(),
    ...approvedHelpers(context),
    ...filesOfHook(hook),
  ];
}

/** What the approved hooks of this project load. */
function approvedHelpers({ trustStore, scopes }: RunContext): readonly string[] {
  const stored = trustStore.approvals();
  const all = stored.ok ? Object.values(stored.value.approved) : [];
  const own = all.filter(({ project }) => scopes.projectDirs.includes(project));
  return own.flatMap(({ path, helpers }) =>
    Object.entries(helpers).flatMap(([name, hash]) => (isFileList(hash) ? [] : [resolve(dirname(path), name)])),
  );
}

/** The hook itself and what belongs to it: its folder, or the files of its command. */
function filesOfHook(hook: SandboxedHook): readonly string[] {
  const { path, entry } = hook;
  if (entry === null) return [dirname(path), dirname(realPathOrSame(path)), path];
  const folder = approvalFolder(hook);
  const { files } = entryEvidence(entry, path, folder, withoutApproval());
  const command = declaredCommand(entry, folder, files);
  const [program = ""] = entryProgram(entry);
  return [entry.file, resolve(entryFolder(entry), program), ...(command?.files ?? [])];
}
