import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, resolve } from "node:path";
import { isInside, realPathOrSame, resolvesInside } from "../fs/paths.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables by which a loader or an interpreter runs foreign code before the hook's own first line. Lists, because
 * to compile them as one pattern would take 0.3 ms of each call.
 */
const LOADER_PREFIXES = ["LD_", "DYLD_", "BASH_FUNC_", "LUA_", "PYTHON", "GEM_", "BUNDLE_"];
const LOADER: ReadonlySet<string> = new Set([
  ...["NODE_OPTIONS", "NODE_PATH", "BUN_OPTIONS", "BASH_ENV", "ENV", "PS4", "SHELLOPTS", "BASHOPTS", "ZDOTDIR"],
  ...["PERL5OPT", "PERL5LIB", "PERL5DB", "PERLLIB", "RUBYOPT", "RUBYLIB", "PHPRC", "PHP_INI_SCAN_DIR", "TCLLIBPATH"],
  ...["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "GCONV_PATH", "GLIBC_TUNABLES"],
  ...["OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES"],
]);
/** Python has many ways in and gets new ones, so only what is known to load nothing goes through. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"],
]);
/** What a project's hook may see of the caller's environment (SPEC 5). */
const ALLOWED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TERM|TZ|TMPDIR|XDG_[A-Z_]+|CI|HOOKCTL_[A-Z_]+|KODELET_[A-Z_]+)$/;

/** A user's own hook inherits the caller's environment, without the loader variables. `withSearchPath` sets its PATH. */
export function userEnvironment(caller: Environment): Record<string, string> {
  return filtered(caller, (name) => !isLoader(name));
}

/**
 * The same variables with a PATH in which the project has no say. Nobody's hook finds a program that a clone brings: a
 * user's hook that begins with `#!/usr/bin/env node` would start the clone's `node`.
 */
export function withSearchPath(variables: Readonly<Record<string, string>>, context: SearchContext) {
  const { PATH = "", ...others } = variables;
  const path = searchPath(PATH, context);
  // An empty PATH would mean the folder that the hook runs in; without one a shell has its own default.
  return path === "" ? others : { ...others, PATH: path };
}

const isLoader = (name: string): boolean =>
  LOADER.has(name) || (LOADER_PREFIXES.some((prefix) => name.startsWith(prefix)) && !HARMLESS.has(name));

/** May a project's hook see this variable? */
export const isAllowedVariable = (name: string, envAllow: readonly string[]): boolean =>
  ALLOWED.test(name) || envAllow.includes(name);

/** A project's hook gets the allow-list, the user's `env_allow`, and a PATH that does not lead into the project. */
export function projectEnvironment(
  caller: Environment,
  context: SearchContext,
  envAllow: readonly string[],
): Record<string, string> {
  return withSearchPath(
    filtered(caller, (name) => isAllowedVariable(name, envAllow)),
    context,
  );
}

/**
 * What an MCP server's own entry adds: no PATH that leads into the project, and of a project's entry no variable by
 * which a loader would bring in code that nobody approved.
 */
export function serverEnvironment(
  own: Environment,
  context: SearchContext,
  isProjects: boolean,
): Record<string, string> {
  const kept = filtered(own, (name) => !name.startsWith("HOOKCTL_") && !(isProjects && isLoader(name)));
  return withSearchPath(kept, context);
}

function filtered(caller: Environment, isKept: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    if (value !== undefined && isKept(name)) kept[name] = value;
  }
  return kept;
}

/** Whose programs a hook may find by name. */
export interface SearchContext {
  readonly projectDir: string;
  readonly homeDir: string | null;
  /** The user's `path_allow`: folders in which programs are found all the same, from the project's folder or whole. */
  readonly pathAllow: readonly string[];
}

/**
 * The entries of a PATH in which no clone can plant a program: absolute, outside the project, links followed. What the
 * user allows stays as an absolute path, whatever folder the hook runs in.
 */
export function searchPath(path: string, { projectDir, homeDir, pathAllow }: SearchContext): string {
  const allowed = pathAllow.map((entry) => resolve(projectDir, entry));
  const project = outermostProject(projectDir, homeDir);
  const entries = path.split(":").flatMap((entry) => {
    const absolute = resolve(projectDir, entry);
    if (entry !== "" && allowed.includes(absolute)) return [absolute];
    return isAbsolute(entry) && !PER_PROCESS.test(normalize(entry)) ? [entry] : [];
  });
  if (project === null) return entries.join(":");
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  // A project above HOME does not own what the user keeps in HOME.
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
 * The outermost folder that belongs to the same work as the project's: a repository above it, or a `.kodelet` there.
 * Null: the project is the root of the file system, which holds everybody's programs.
 */
function outermostProject(projectDir: string, homeDir: string | null): string | null {
  const home = homeDir === null ? null : realPathOrSame(homeDir);
  let outermost = projectDir;
  for (let at = projectDir; at !== home && at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, ".git")) || existsSync(join(at, ".kodelet"))) outermost = at;
  }
  return outermost === dirname(outermost) ? null : outermost;
}
