type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that make the runtime of hookctl load other code. The launcher hands them over under another name: the
 * runtime does not see them, and hooks get them back under the usual rules. NODE_REPL_EXTERNAL_MODULE is not one of them,
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
