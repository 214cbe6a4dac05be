import { ownFiles } from "../../guards/own-files.ts";
import type { GuardPlace } from "../../invoke/invoke-guard.ts";
import type { RunContext } from "../run-context.ts";

/** Variables that commands often use for folders, as the agent's shell most likely has them. */
const SHELL_VARIABLES = ["TMPDIR", "USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

/** What the built-in guards of this call know beside its payload. */
export function guardPlace(context: RunContext): GuardPlace {
  const { scopes, env, settings, trustFile, auditFile, sessionsDir, backupsDir } = context;
  const home = scopes.homeDir ?? env.HOME ?? "/nonexistent";
  const project = scopes.rootDir;
  const settingsFiles = settings.guards.map(({ file }) => file);
  return {
    guards: settings.guards,
    home,
    project,
    variables: Object.fromEntries(SHELL_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    ownFiles: ownFiles({
      ...{ home, project, trustFile, auditFile, sessionsDir, backupsDir, settingsFiles },
      approvedFiles: approvedFiles(context),
    }),
  };
}

/** The files of this project's approved hooks, under both names of a link. An entry of a settings file is not one. */
function approvedFiles({ trustStore, scopes }: RunContext): readonly string[] {
  const stored = trustStore.approvals();
  if (!stored.ok) return [];
  const approved = Object.values(stored.value.approved).filter(({ project }) => scopes.projectDirs.includes(project));
  const files = approved.filter(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256 ?? ""));
  return files.flatMap(({ path, realPath }) => (path === realPath ? [path] : [path, realPath]));
}
