import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, normalize, resolve } from "node:path";
import type { CommandLine, CommonOptions } from "../../../src/cli/command-table.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { callerOf, findCallerScopes } from "../../../src/engine/user-paths.ts";
import { followLinks, realPathOrSame } from "../../../src/fs/paths.ts";
import type { WriteRoot } from "../../../src/fs/write-check.ts";
import { AGENT_NAMES, type AgentName, INSTALL_SCOPES, type InstallScope } from "../../../src/protocol/agent-names.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, ProblemError, type Result, unwrap } from "../../../src/protocol/result.ts";
import type { Agent } from "../../agents/agent.ts";
import { type AgentWords, readAgent } from "../../agents/agent-argument.ts";
import { AGENT_INSTALLS, AGENTS } from "../../agents/agents.ts";
import type { ProtectedFormat } from "../../agents/protection.ts";
import { HOOKCTL_FILE } from "../own-program.ts";
import { agentCommand, rootCommand } from "../report/agent-command.ts";
import { applyCommand } from "../report/install-text.ts";
import { agentSettingsFile, writeRootOf } from "./agent-files.ts";
import { formatOfPath, registrationsIn } from "./find-registrations.ts";
import { hasInlineHooks } from "./settings-file/edit-toml.ts";
import { checkWritable, presentText } from "./settings-file/write-settings-files.ts";

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
  readonly format: ProtectedFormat;
  readonly options: CommonOptions;
}

/** A command to type about this settings file. */
export const commandFor = (
  command: "init" | "uninstall" | "adopt",
  { agent, scope, options }: Pick<InstallTarget, "agent" | "scope" | "options">,
  words: readonly string[] = [],
): string => agentCommand(command, { agent: agent.name, scope, directory: options.directory }, words);

/** The settings file that a command line names. */
export function targetOf(
  line: Pick<CommandLine<"install" | "uninstall" | "adopt">, "args" | "options"> & AgentWords,
  host: Host,
  agents: readonly AgentName[] = AGENT_NAMES,
): InstallTarget {
  const { options } = line;
  return unwrap(
    installTarget({ agent: unwrap(readAgent(line, agents)), scope: options.scope ?? "project", options }, host),
  );
}

/** Fails if the command may not write the file. A dry run needs the right as well: it shows the content of the file. */
export function checkMayWrite({ scope, file, root, shown }: InstallTarget, host: Host): void {
  if (scope === "machine" && host.userId !== 0) {
    const detail = `Only root may write ${shown}.`;
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: rootCommand(applyCommand(host.argv)) });
  }
  checkWritable(root, file, shown);
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
  const toml = tomlBeside(agent, found);
  const tomlText = toml === null ? ok(null) : presentText(toml, shownAs(toml));
  if (!tomlText.ok) return tomlText;
  const written = toml !== null && hasInlineHooks(tomlText.value ?? "") ? toml : found;
  const shown = shownAs(written);
  const text = presentText(written, shown);
  if (!text.ok) return text;
  const isModule = AGENT_INSTALLS[agent].format.kind === "module";
  return ok({
    agent: AGENTS[agent],
    scope,
    projectDir,
    rootDir,
    homeDir,
    file: followLinks(written),
    root: writeRootOf(scope, projectDir, host.userId),
    shown,
    text: text.value,
    format: isModule ? "module" : formatOfPath(written),
    options,
  });
}

/** The TOML file that is edited if it holds hooks already: the agent reads hooks in two files with a warning. */
function tomlBeside(agent: AgentName, file: string): string | null {
  const { tomlFile } = AGENTS[agent].settings;
  if (tomlFile === undefined || existsSync(file) || formatOfPath(file) === "toml") return null;
  return join(dirname(file), tomlFile);
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

const WIDEST_FIRST: readonly InstallScope[] = ["machine", "user", "project", "local"];

/** True if the settings apply wherever the others do, and elsewhere. */
export const isWider = (one: InstallTarget, other: InstallTarget): boolean =>
  WIDEST_FIRST.indexOf(one.scope) < WIDEST_FIRST.indexOf(other.scope);

/** True if a wider registration is enough: with a second one each hook would run twice. */
export const isCovered = (target: InstallTarget, host: Host): boolean =>
  !isRegistered(target) && otherRegistrations(target, host).some((other) => isWider(other, target));

/** The other files of a registration, each with its content. */
export function companionFiles({ agent, file, shown }: InstallTarget) {
  return Object.entries(AGENT_INSTALLS[agent.name].companionFiles ?? {}).map(([path, value]) => ({
    file: normalize(join(dirname(file), path)),
    shown: normalize(join(dirname(shown), path)),
    value,
  }));
}

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
