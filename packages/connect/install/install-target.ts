import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, normalize, resolve } from "node:path";
import type { CommandLine, CommonOptions } from "../../../src/cli/command-table.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callerOf, findCallerScopes } from "../../../src/engine/user-paths.ts";
import { followLinks, realPathOrSame } from "../../../src/fs/paths.ts";
import { type WriteRoot, whyNotWritable } from "../../../src/fs/write-check.ts";
import { AGENT_NAMES, type AgentName, INSTALL_SCOPES, type InstallScope } from "../../../src/protocol/agent-names.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { Agent } from "../../agents/agent.ts";
import { readAgent } from "../../agents/agent-argument.ts";
import { AGENT_INSTALLS, AGENTS } from "../../agents/agents.ts";
import { agentCommand } from "../report/agent-command.ts";
import { applyCommand } from "../report/install-text.ts";
import { registrationsIn, type SettingsFileFormat } from "./find-registrations.ts";
import { nodeScript } from "./native-program.ts";
import { hasInlineHooks } from "./settings-file/edit-toml.ts";
import { agentSettingsFile } from "./settings-file/user-file.ts";
import { presentText } from "./settings-file/write-settings-files.ts";

/** The settings file of an agent in one scope. */
export interface InstallTarget {
  readonly agent: Agent;
  readonly scope: InstallScope;
  readonly projectDir: string;
  /** The outermost folder of the project. */
  readonly rootDir: string;
  readonly homeDir: string | null;
  /** The path with links followed, so that a link is never replaced by a file. */
  readonly file: string;
  /** Files of this scope must be inside this root. */
  readonly root: WriteRoot;
  /** The path for messages. */
  readonly shown: string;
  /** Null if the file does not exist. */
  readonly text: string | null;
  readonly format: SettingsFileFormat;
  readonly options: CommonOptions;
}

/** A command to type about this settings file. */
export const commandFor = (
  command: "install" | "uninstall" | "adopt",
  {
    agent,
    scope,
    options,
  }: Pick<InstallTarget, "agent" | "scope"> & { readonly options: Pick<CommonOptions, "directory"> },
  flags: readonly string[] = [],
): string => agentCommand(command, { agent: agent.name, scope, directory: options.directory }, flags);

/** The target, if the command may write it. `contradiction` judges options that make no sense whoever calls. */
export function readInstallTarget(
  line: CommandLine<"install" | "uninstall" | "adopt">,
  host: Host,
  agents: readonly AgentName[] = AGENT_NAMES,
  contradiction: (target: InstallTarget) => Problem | null = () => null,
): Result<InstallTarget, Problem> {
  const { options } = line;
  const name = readAgent(line, agents);
  if (!name.ok) return name;
  const target = installTarget({ agent: name.value, scope: options.scope ?? "project", options }, host);
  if (!target.ok) return target;
  // First: otherwise a user is sent to sudo, which refuses the same line.
  const refused = contradiction(target.value);
  if (refused !== null) return fail(refused);
  if ("isPrinted" in options && options.isPrinted) return target;
  if (target.value.scope === "machine" && host.userId !== 0) {
    const detail = `Only root may write ${target.value.shown}.`;
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `sudo ${applyCommand(host.argv)}` });
  }
  // Checked first: a dry run would show the content of a file outside the project.
  const { file, root, shown } = target.value;
  const cause = whyNotWritable(root, file);
  return cause === null ? target : fail({ code: "FILE_NOT_WRITTEN", path: shown, cause });
}

export interface TargetSelection {
  readonly agent: AgentName;
  readonly scope: InstallScope;
  readonly options: CommonOptions;
}

export function installTarget(selection: TargetSelection, host: Host): Result<InstallTarget, Problem> {
  const scopes = findCallerScopes(callerOf(host, selection.options.directory));
  return scopes.ok ? installTargetIn(scopes.value, selection, host) : scopes;
}

/** The same, in scopes that were found already: checking many agents finds them once. */
export function installTargetIn(
  { projectDir, rootDir, homeDir, hasProject }: Scopes,
  { agent, scope, options }: TargetSelection,
  host: Host,
): Result<InstallTarget, Problem> {
  if (AGENTS[agent].settings.files[scope] === undefined) {
    const known = Object.keys(AGENTS[agent].settings.files).join(", ");
    const detail = `${AGENTS[agent].title} has no such scope: ${known}`;
    return fail({ code: "USAGE_BAD_VALUE", flag: "--scope", value: scope, detail });
  }
  const isOfProject = scope === "project" || scope === "local";
  if (isOfProject && !hasProject) return fail({ code: "PROJECT_IS_HOME", path: projectDir });
  const found = agentSettingsFile({ agent, scope }, { projectDir, homeDir }, host.env);
  if (found === null) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--scope", value: scope, detail: "there is no usable HOME" });
  }
  const shownAs = (file: string): string =>
    isOfProject ? file.slice(projectDir.length + 1) : file.replace(homeDir ?? "\0", "~");
  const written = fileToEdit(agent, found, shownAs);
  if (!written.ok) return written;
  const { file, format } = written.value;
  const shown = shownAs(file);
  const text = presentText(file, shown);
  if (!text.ok) return text;
  return ok({
    agent: AGENTS[agent],
    scope,
    projectDir,
    rootDir,
    homeDir,
    file: followLinks(file),
    root: rootOf(scope, projectDir, host),
    shown,
    text: text.value,
    format,
    options,
  });
}

function rootOf(scope: InstallScope, folder: string, { userId }: Host): WriteRoot {
  if (scope === "machine") return { kind: "machine" };
  return scope === "user" ? { kind: "user", userId } : { kind: "project", folder };
}

/** The TOML file where the agent has one and it holds hooks already: hooks in two files are read with a warning. */
function fileToEdit(
  agent: AgentName,
  found: string,
  shownAs: (file: string) => string,
): Result<{ readonly file: string; readonly format: SettingsFileFormat }, Problem> {
  const isModule = AGENT_INSTALLS[agent].format.kind === "module";
  const format = isModule ? "module" : found.endsWith(".toml") ? "toml" : "json";
  if (existsSync(found) || format === "toml") return ok({ file: found, format });
  const { tomlFile } = AGENTS[agent].settings;
  if (tomlFile === undefined) return ok({ file: found, format });
  const toml = join(dirname(found), tomlFile);
  const text = presentText(toml, shownAs(toml));
  if (!text.ok) return text;
  return ok(hasInlineHooks(text.value ?? "") ? { file: toml, format: "toml" } : { file: found, format });
}

/** The file that earlier versions of hookctl wrote; null if there is none, or it has no registration. */
export function formerTarget(target: InstallTarget): InstallTarget | null {
  const { agent, scope, projectDir, homeDir } = target;
  const path = agent.settings.formerFiles?.[scope];
  if (path === undefined) return null;
  const file = followLinks(isAbsolute(path) ? path : join(scope === "user" ? (homeDir ?? "") : projectDir, path));
  const shown = scope === "user" ? `~/${path}` : path;
  const text = presentText(file, shown);
  if (!text.ok || text.value === null) return null;
  const former: InstallTarget = { ...target, file, shown, text: text.value, format: "json" };
  return registrationsIn(former).length === 0 ? null : former;
}

export const isRegistered = (target: InstallTarget): boolean => registrationsIn(target).length > 0;

/** The settings of the agent in other scopes that call hookctl as well: the agent reads all of them. */
export const otherRegistrations = (
  { agent, scope, file, options }: InstallTarget,
  host: Host,
): readonly InstallTarget[] =>
  INSTALL_SCOPES.filter((other) => other !== scope).flatMap((other) => {
    const found = installTarget({ agent: agent.name, scope: other, options }, host);
    return found.ok && found.value.file !== file && isRegistered(found.value) ? [found.value] : [];
  });

/** The other files of a registration, each with its content. */
export function companionFiles({ agent, file, shown }: InstallTarget) {
  return Object.entries(AGENT_INSTALLS[agent.name].companionFiles ?? {}).map(([path, value]) => ({
    file: normalize(join(dirname(file), path)),
    shown: normalize(join(dirname(shown), path)),
    value,
  }));
}

/** This hookctl: the file that a registration starts, or that Node starts for it. */
export const HOOKCTL_FILE = nodeScript() ?? process.execPath;

/** How a file that a team commits finds hookctl: in the project, or by its name on PATH; null if neither is this hookctl. */
export function sharedProgram({ agent, projectDir }: InstallTarget, { env }: Host): string | null {
  const own = realPathOrSame(HOOKCTL_FILE);
  const inProject = join(projectDir, "node_modules", ".bin", "hookctl");
  const variable = agent.projectVariable;
  if (variable !== null && realPathOrSame(inProject) === own) return `"$${variable}"/node_modules/.bin/hookctl`;
  const folders = (env.PATH ?? "").split(delimiter).filter(isAbsolute);
  // A project's folder is on PATH only for the moment, for example under `npm run`.
  const byName = folders.map((folder) => join(folder, "hookctl")).find(existsSync);
  return byName !== undefined && realPathOrSame(byName) === own && !byName.includes("node_modules") ? "hookctl" : null;
}

export const inQuotes = (path: string): string => `"${resolve(path).replace(/(["\\$`])/g, "\\$1")}"`;
export const fromQuotes = (program: string): string => program.replace(/^"|"$/g, "").replace(/\\(["\\$`])/g, "$1");
