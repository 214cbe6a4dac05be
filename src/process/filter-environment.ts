import { dirname, isAbsolute, join, normalize, resolve } from "node:path";
import { disk } from "../fs/disk.ts";
import { rootOnlyTest } from "../fs/machine-folder.ts";
import { isInside, realPathOrSame, resolvesInside } from "../fs/paths.ts";

type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that make a loader or interpreter run other code before the hook; a user hook does not get them. Lists, because compiling one pattern of
 * them takes 0.3 ms of each call.
 */
const LOADER_PREFIXES = ["LD_", "DYLD_", "BASH_FUNC_", "LUA_", "PYTHON", "GEM_", "BUNDLE_"];
const LOADER: ReadonlySet<string> = new Set([
  "NODE_OPTIONS",
  "NODE_PATH",
  "BUN_OPTIONS",
  "BASH_ENV",
  "ENV",
  "PS4",
  "SHELLOPTS",
  "BASHOPTS",
  "ZDOTDIR",
  "PERL5OPT",
  "PERL5LIB",
  "PERL5DB",
  "PERLLIB",
  "RUBYOPT",
  "RUBYLIB",
  "PHPRC",
  "PHP_INI_SCAN_DIR",
  "TCLLIBPATH",
  "JAVA_TOOL_OPTIONS",
  "_JAVA_OPTIONS",
  "JDK_JAVA_OPTIONS",
  "CLASSPATH",
  "GCONV_PATH",
  "GLIBC_TUNABLES",
  "OPENSSL_CONF",
  "OPENSSL_ENGINES",
  "OPENSSL_MODULES",
]);
/** New versions of Python add variables that load code, so only these harmless variables pass. */
const HARMLESS: ReadonlySet<string> = new Set([
  "PYTHONUNBUFFERED",
  "PYTHONIOENCODING",
  "PYTHONUTF8",
  "PYTHONHASHSEED",
  "PYTHONDONTWRITEBYTECODE",
]);
/** The variables of the caller that a project hook gets. */
const ALLOWED = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TERM|TZ|TMPDIR|XDG_[A-Z_]+|CI|KODELET_[A-Z_]+)$/;

/**
 * True for hookctl's own variables: hooks get those of this call, and none that an agent or a project has set. The exception
 * is `HOOKCTL_DRY_RUN`, so that a test remains a test if a hook calls hookctl.
 */
const isOwn = (name: string): boolean => name.startsWith("HOOKCTL_") && name !== "HOOKCTL_DRY_RUN";

/** A user hook inherits the caller's environment without the loader variables. `withSearchPath` sets its PATH. */
export function userEnvironment(caller: ProcessEnvironment): Record<string, string> {
  return filtered(caller, (name) => !isLoader(name) && !isOwn(name));
}

/**
 * Removes folders of the project from PATH. Otherwise a user hook that begins with `#!/usr/bin/env node` would start
 * the `node` of a cloned repository.
 */
export function withSearchPath(variables: Readonly<Record<string, string>>, context: SearchContext) {
  const { PATH = "", ...others } = variables;
  const path = searchPath(PATH, context);
  // An empty PATH would mean the working directory; without PATH a shell uses its default.
  return path === "" ? others : { ...others, PATH: path };
}

/** True if it makes a loader or an interpreter run other code before the hook. */
export function isLoader(name: string): boolean {
  for (const prefix of LOADER_PREFIXES) if (name.startsWith(prefix)) return !HARMLESS.has(name);
  return LOADER.has(name);
}

/** True if a project hook gets this variable. */
export const isAllowedVariable = (name: string, envAllow: readonly string[]): boolean =>
  !isOwn(name) && (ALLOWED.test(name) || name === "HOOKCTL_DRY_RUN" || envAllow.includes(name));

/** A project hook gets the allow-list, `env_allow` of the user, and a PATH without folders of the project. */
export function projectEnvironment(
  caller: ProcessEnvironment,
  context: SearchContext,
  envAllow: readonly string[],
): Record<string, string> {
  return withSearchPath(
    filtered(caller, (name) => isAllowedVariable(name, envAllow)),
    context,
  );
}

/** The variables of an MCP server's entry: no PATH into the project, and no loader variables from a project entry. */
export function serverEnvironment(
  own: ProcessEnvironment,
  context: SearchContext,
  isFromProject: boolean,
): Record<string, string> {
  const kept = filtered(own, (name) => !name.startsWith("HOOKCTL_") && !(isFromProject && isLoader(name)));
  return withSearchPath(kept, context);
}

function filtered(caller: ProcessEnvironment, isKept: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    if (value !== undefined && isKept(name)) kept[name] = value;
  }
  return kept;
}

/** Decides which folders of PATH hooks may use. */
export interface SearchContext {
  readonly projectDir: string;
  readonly homeDir: string | null;
  /** `path_allow` of the user: folders that hooks may use although they lie in the project; absolute, or relative to it. */
  readonly pathAllow: readonly string[];
}

/**
 * The entries of PATH in which a cloned repository cannot place a program: absolute and, with links
 * resolved, outside the project. Allowed entries become absolute, because the hook may run in another folder.
 */
export function searchPath(path: string, { projectDir, homeDir, pathAllow }: SearchContext): string {
  const allowed = pathAllow.map((entry) => resolve(projectDir, entry));
  const project = outermostProject(projectDir, homeDir);
  const entries = path.split(":").flatMap((entry) => {
    const absolute = allowed.length === 0 ? entry : resolve(projectDir, entry);
    if (entry !== "" && allowed.includes(absolute)) return [absolute];
    return isAbsolute(entry) && !PER_PROCESS.test(normalize(entry)) ? [entry] : [];
  });
  if (project === null) return entries.join(":");
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  // A project above HOME does not own the user's files in HOME.
  const mayHoldHome = home !== null && isInside(project, home);
  return entries
    .filter(
      (entry) =>
        allowed.includes(entry) ||
        !resolvesInside(project, entry) ||
        (mayHoldHome && isInside(home, realPathOrSame(entry))),
    )
    .join(":");
}

/** `/proc/self/cwd` is another folder for the hook than for hookctl. */
const PER_PROCESS = /^\/+(proc|dev)(\/|$)/;

/**
 * The outermost folder with a repository or `.kodelet` around the project. Null if that is the root of the file system,
 * which holds all programs.
 */
function outermostProject(projectDir: string, homeDir: string | null): string | null {
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  let outermost = projectDir;
  for (let at = projectDir; at !== home && at !== dirname(at); at = dirname(at)) {
    if (disk.existsSync(join(at, ".git")) || disk.existsSync(join(at, ".kodelet"))) outermost = at;
  }
  return outermost === dirname(outermost) ? null : outermost;
}

const PROGRAM_FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/**
 * The environment of the machine's hooks. Nothing in it is the user's choice: a program in their PATH, a module below
 * their HOME or a language in which `I` is no capital `i` could decide for the hook.
 */
export function machineEnvironment(
  caller: ProcessEnvironment,
  folder: string,
  envAllow: readonly string[],
): Record<string, string> {
  const isRootOnly = rootOnlyTest();
  const folders = [...new Set([...PROGRAM_FOLDERS, dirname(process.execPath)])].filter(isRootOnly);
  const allowed = envAllow.flatMap((name): [string, string][] => {
    const value = isOwn(name) ? undefined : caller[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(allowed),
    PATH: folders.join(":"),
    HOME: folder,
    LANG: "C.UTF-8",
    PYTHONNOUSERSITE: "1",
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that make the runtime of hookctl load other code. The launcher hands them over under another name: the
 * runtime does not see them, and hooks get them back under the rules for all variables. NODE_REPL_EXTERNAL_MODULE is not one of them,
 * because Node reads it without a script only, and macOS removes DYLD_* before /bin/sh.
 */
export const RUNTIME_LOADERS: readonly string[] = [
  "NODE_OPTIONS",
  "NODE_PATH",
  "NODE_COMPILE_CACHE",
  "BUN_OPTIONS",
  "BUN_INSPECT_PRELOAD",
  "BUN_BE_BUN",
  "LD_PRELOAD",
  "LD_AUDIT",
  "LD_LIBRARY_PATH",
  "GCONV_PATH",
  "OPENSSL_CONF",
  "OPENSSL_MODULES",
];

/** Precedes the name of a variable that the launcher has handed over. Hooks never get `HOOKCTL_` variables. */
export const HANDED_OVER = "HOOKCTL_KEPT_";

/** The environment of the launcher's caller. */
export function callerVariables(env: Environment): Environment {
  const names = RUNTIME_LOADERS.filter((name) => env[HANDED_OVER + name] !== undefined);
  if (names.length === 0) return env;
  const others = Object.entries(env).filter(([name]) => !name.startsWith(HANDED_OVER));
  return Object.fromEntries([...others, ...names.map((name) => [name, env[HANDED_OVER + name]] as const)]);
}
