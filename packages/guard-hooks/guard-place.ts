import { join, relative } from "node:path";
import { isKeptOn } from "../../src/engine/hooks/select-hooks.ts";
import { outputValues } from "../../src/engine/run/known-values.ts";
import { oncePerPreparation, type RunContext } from "../../src/engine/run-context.ts";
import { absoluteFolder } from "../../src/engine/user-paths.ts";
import { isInside } from "../../src/fs/paths.ts";
import type { EffectiveGuard } from "../../src/protocol/guard-settings.ts";
import { ownValue } from "../../src/protocol/own-value.ts";
import type { ReplaceValues } from "../../src/redact/redact-secrets.ts";
import type { OwnFile } from "../guards/guard.ts";
import { usedRulesFolder } from "./current-rules.ts";
import { HOME_VARIABLES, ownFiles } from "./own-files.ts";

/** What the built-in guards know of this call beside its payload. */
export interface GuardPlace {
  readonly guards: readonly EffectiveGuard[];
  readonly home: string;
  readonly project: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly ownFiles: readonly OwnFile[];
  /** The folder of rules that were used up. */
  readonly usedRules: string | null;
  /** Returns the function that replaces the values of secrets on this machine in the output of a tool. */
  readonly valuesOf: (session: string) => ReplaceValues | null;
}

/** Variables that commands often use for folders, as the agent's shell most likely has them. */
const SHELL_VARIABLES = "TMPDIR USER LOGNAME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR".split(" ");

const STORES = ["trustFile", "trustStore", "auditFile", "sessionsDir", "backupsDir", "cacheDir"] as const;
const PLACES = ["scopes", "settings", "env", "pauses", ...STORES] as const;
type Places = Pick<RunContext, (typeof PLACES)[number]>;

/** The facts of the call with this context. */
export const guardPlace = oncePerPreparation(PLACES, (context): GuardPlace => {
  const { scopes, env } = context;
  return {
    guards: withPausedRules(context),
    home: homeOf(context),
    project: scopes.rootDir,
    variables: Object.fromEntries(SHELL_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    ownFiles: ownFilesOf(context),
    usedRules: usedRulesFolder(context.sessionsDir),
    valuesOf: (session) => outputValues(context, session),
  };
});

/** The guards with the rules that a person paused by `hookctl off GUARD/RULE`; nobody pauses a rule of the machine. */
function withPausedRules({ settings: { guards, machine }, pauses }: Places): readonly EffectiveGuard[] {
  const paused = [...pauses].filter(([name]) => name.includes("/"));
  if (paused.length === 0) return guards;
  return guards.map((guard) => {
    const own = paused.filter(([name]) => name.startsWith(`${guard.name}/`) && !isKeptOn(guard, { machine }));
    const rules = own.map(([name, reason]) => {
      const rule = name.slice(guard.name.length + 1);
      return [
        rule,
        { ...(ownValue(guard.ruleSettings, rule) ?? { own: null, atLeast: "off" }), paused: reason },
      ] as const;
    });
    return rules.length === 0
      ? guard
      : { ...guard, ruleSettings: { ...guard.ruleSettings, ...Object.fromEntries(rules) } };
  });
}

const homeOf = ({ scopes, env }: Places): string => scopes.homeDir ?? env.HOME ?? "/nonexistent";

/** The files that keep hookctl working in this call. */
export function ownFilesOf(context: Places): readonly OwnFile[] {
  const { scopes, settings, env } = context;
  const moved = HOME_VARIABLES.flatMap(({ variable, instead }) => {
    const folder = absoluteFolder(env, variable);
    return folder === null ? [] : [{ instead, folder }];
  });
  return ownFiles({
    ...context,
    home: homeOf(context),
    project: scopes.rootDir,
    moved,
    runtimeDir: absoluteFolder(env, "XDG_RUNTIME_DIR"),
    settingsFiles: settings.guards.map(({ file }) => file),
    approvedFiles: approvedFiles(context),
  });
}

/**
 * The same for a call whose home and project are other folders than those of this context: hookctl's own files are
 * protected in them, too.
 */
export function movedGuardPlace(
  context: RunContext,
  { home, project }: Pick<GuardPlace, "home" | "project">,
): GuardPlace {
  const { scopes } = context;
  const real = guardPlace(context);
  const homes = scopes.homeDir === null ? [] : [{ from: scopes.homeDir, to: home }];
  const moves = [...[scopes.rootDir, scopes.projectDir].map((from) => ({ from, to: project })), ...homes];
  const ownFiles = real.ownFiles.flatMap((file) => [
    file,
    ...moves
      .filter(({ from }) => isInside(from, file.path))
      .map(({ from, to }) => ({ ...file, path: join(to, relative(from, file.path)) })),
  ]);
  // An `allow` rule of a project folder applies in the folder that has taken its place.
  const guards = real.guards.map((guard) => ({
    ...guard,
    allow: guard.allow.map((rule) => ({ ...rule, folder: rule.folder === null ? null : project })),
  }));
  return { ...real, home, project, ownFiles, guards };
}

/** The files of this project's approved hooks, under both names of a link. Entries of settings files have no file. */
function approvedFiles({ trustStore, scopes }: Places): readonly string[] {
  const stored = trustStore.approvals();
  if (!stored.ok) return [];
  const approved = Object.values(stored.value.approved).filter(({ project }) => scopes.projectDirs.includes(project));
  const files = approved.filter(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256 ?? ""));
  return files.flatMap(({ path, realPath }) => (path === realPath ? [path] : [path, realPath]));
}
