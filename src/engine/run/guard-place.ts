import { dirname } from "node:path";
import type { GuardPlace } from "../../invoke/invoke-guard.ts";
import type { RunContext } from "../run-context.ts";

/** Variables that commands often use for folders, as the agent's shell most likely has them. */
const SHELL_VARIABLES = ["TMPDIR", "USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

/** What the built-in guards of this call know beside its payload. */
export function guardPlace({
  scopes,
  env,
  settings,
  trustFile,
  auditFile,
  sessionsDir,
  backupsDir,
}: RunContext): GuardPlace {
  const home = scopes.homeDir ?? "/nonexistent";
  const known = SHELL_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const stores = [
    { path: trustFile === null ? null : dirname(trustFile), what: "the approvals" },
    { path: sessionsDir, what: "the sessions" },
    { path: backupsDir, what: "the backups" },
  ].flatMap(({ path, what }) => (path === null ? [] : [{ path, isFolder: true, what }]));
  const audit = auditFile === null ? [] : [{ path: auditFile, isFolder: false, what: "the audit log" }];
  const settingsFiles = settings.guards.map(({ file }) => ({
    path: file,
    isFolder: false,
    what: "settings of hookctl",
  }));
  return {
    guards: settings.guards,
    home,
    project: scopes.rootDir,
    variables: Object.fromEntries(known),
    ownFiles: [...stores, ...audit, ...settingsFiles],
  };
}
