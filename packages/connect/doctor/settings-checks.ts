import { dirname, join, resolve } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { realPathOrSame } from "../../../src/fs/paths.ts";
import { isObject, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import type { Agent } from "../../agents/agent.ts";
import { type FoundRegistration, isYes, type SwitchFile } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { isHookctlModule } from "../../agents/hookctl-module.ts";
import { agentUserFile } from "../install/agent-files.ts";
import { askAgentTrust } from "../install/agent-trust.ts";
import { formatOfPath, parseSettingsText } from "../install/find-registrations.ts";
import { eventsToRegister, type HookRequirements, nativeEventsFor } from "../install/hook-requirements.ts";
import { commandFor, formerTarget, type InstallTarget } from "../install/install-target.ts";
import { presentText } from "../install/settings-file/write-settings-files.ts";
import { skippedText } from "../report/install-text.ts";
import { broken, doubtful, type Finding, type Findings, fine, unchecked } from "./check.ts";

/** A settings file that hookctl is installed in. */
export interface InstalledSettings {
  readonly target: InstallTarget;
  readonly text: string;
  readonly lines: readonly FoundRegistration[];
  readonly host: Host;
}

/** An agent with all its settings files. */
export interface AgentFacts {
  readonly agent: Agent;
  readonly files: readonly InstalledSettings[];
  /** The settings files of every agent. */
  readonly all: readonly InstalledSettings[];
  readonly needs: HookRequirements;
  /** Also what no person can change. */
  readonly isVerbose: boolean;
  readonly host: Host;
}

/** Settings of the agent that stop it from running the registered hooks. */
export function switchFindings({ target, lines, host }: InstalledSettings): readonly Finding[] {
  const { agent, scope } = target;
  return AGENT_INSTALLS[agent.name].switches.flatMap(({ key, effect, disablesHooks, files, machineFiles }) => {
    let isDecided = false;
    return ((scope === "machine" ? machineFiles : undefined) ?? files).flatMap((file) => {
      const path = switchPath(file, target, host);
      const value = valueAt(contentOf(path), key);
      if (value === undefined || isDecided) return [];
      isDecided = typeof value !== "object";
      if (!disablesHooks(value, lines)) return [];
      const stops = `${key.join(".")} in ${path} stops ${agent.title} from running hooks`;
      if (effect === undefined) return [broken(stops, "Remove it from that file.")];
      const fix = `Add the hooks to those settings: hookctl init ${agent.name} --scope machine --print`;
      return [broken(`the settings in ${path} ${effect}`, fix)];
    });
  });
}

function switchPath([location, path]: SwitchFile, target: InstallTarget, host: Host): string | null {
  const { agent, projectDir, homeDir } = target;
  if (location === "machine") return path;
  if (location === "project") return join(projectDir, path);
  return homeDir === null ? null : agentUserFile(agent.name, path, homeDir, host.env);
}

/** Empty if the file cannot be read: the checks for which that matters report it themselves. */
function contentOf(path: string | null): UncheckedObject {
  const text = path === null ? null : presentText(path, path);
  if (path === null || text?.ok !== true) return {};
  return parseSettingsText(text.value ?? "", formatOfPath(path));
}

const valueAt = (settings: UncheckedObject, key: readonly string[]): unknown =>
  key.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), settings);

/** Variables of this shell that stop the agent from running hooks, if it is started here. */
export function variableFindings({ target: { agent, scope }, host: { env } }: InstalledSettings): readonly Finding[] {
  const { disablingVariables = {}, prefixVariables = [] } = AGENT_INSTALLS[agent.name];
  const disabling = Object.entries(disablingVariables)
    .filter(([name, only]) => isYes(env[name] ?? "") && (only === "all" || only === scope))
    .map(([name]) => [name, "runs no hooks"] as const);
  const replacing = prefixVariables
    .filter((name) => (env[name] ?? "") !== "")
    .map((name) => [name, "runs that program instead of hooks"] as const);
  return [...disabling, ...replacing].map(([name, effect]) =>
    broken(`${name} is set: started here, ${agent.title} ${effect}`, `Unset it: unset ${name}`),
  );
}

/** A plugin of the project with the name of the user's. */
export function namesakeFindings({ target }: InstalledSettings): readonly Finding[] {
  const { agent, scope, projectDir, file } = target;
  const paths = scope === "user" ? (AGENT_INSTALLS[agent.name].namesakes ?? []) : [];
  return paths.flatMap((name) => {
    const path = join(projectDir, name);
    const text = presentText(path, path);
    const isOurs = text.ok && (text.value === null || isHookctlModule(text.value));
    if (path === file || isOurs) return [];
    const detail = `${path} has the name of hookctl's plugin, and ${agent.title} may load it instead`;
    return [broken(detail, "Rename that file.")];
  });
}

/** What the agent itself says decides: its files may hold a record that an edit has made worthless. */
export async function trustFindings({ target, lines, host }: InstalledSettings): Promise<Findings> {
  const { agent, homeDir, scope } = target;
  const { trust } = AGENT_INSTALLS[agent.name];
  // Registrations in the machine's settings need no trust.
  if (trust === undefined || homeDir === null || scope === "machine") return [];
  const files = trust.files.map((path) => agentUserFile(agent.name, path, homeDir, host.env));
  const [unreadable] = files.flatMap((file) => {
    const text = presentText(file, file);
    return text.ok ? [] : [text.error];
  });
  if (unreadable !== undefined) return doubtful(explain(unreadable).summary);
  const answer = await askAgentTrust(target, lines, host);
  if (answer === null) {
    const { status, detail, hint } = trust.check({
      ...target,
      env: host.env,
      registrations: lines,
      contents: files.map(contentOf),
    });
    return { status, detail, hint };
  }
  const { skipped } = answer;
  if (skipped.length === 0) return fine(`${agent.title} reports that it trusts all registered hooks`);
  const count = `${skipped.length} of ${pluralize(lines.length, "registered hook")}`;
  const project = scope === "user" ? "" : ", and the project";
  const fix = `Open /hooks in ${agent.name} and trust them${project}.`;
  return broken(`${skippedText(agent.title, skipped)} (${count})`, fix);
}

/** According to the agent's documentation this file takes precedence over the file that it was observed to read. */
export function formerFileFindings({ target }: InstalledSettings): Findings {
  const { agent, scope, shown } = target;
  const path = agent.settings.formerFiles?.[scope];
  const file = path === undefined ? null : join(dirname(target.file), path.slice(path.lastIndexOf("/") + 1));
  if (file === null || Object.keys(contentOf(file)).length === 0) return [];
  const detail = `${file} exists, too; if ${agent.title} reads it, it may ignore ${shown} out`;
  return doubtful(detail, formerTarget(target) === null ? null : `Reinstall: ${commandFor("init", target)}`);
}

/** Some agents read a project's settings only if they are started in its root folder. */
export function folderFindings({ agent, files, host }: AgentFacts): Findings {
  const [first] = files;
  const isEverywhere = files.some(({ target: { scope } }) => scope === "user" || scope === "machine");
  if (first === undefined || isEverywhere || agent.settings.isStartFolderOnly !== true) return [];
  const { projectDir, options, shown } = first.target;
  const startDir = realPathOrSame(resolve(host.cwd, options.directory ?? "."));
  if (startDir === realPathOrSame(projectDir)) return [];
  const user = commandFor("init", { ...first.target, scope: "user" });
  const detail = `${agent.title} started in ${startDir} does not read ${shown} of ${projectDir}`;
  return broken(detail, `Start it in ${projectDir}, or: ${user}`);
}

/** Hooks that never run because their events are not registered. */
export function eventFindings({
  agent,
  files,
  needs,
  isVerbose,
}: Pick<AgentFacts, "agent" | "files" | "needs" | "isVerbose">): readonly Finding[] {
  const registered = files.flatMap(({ lines }) => lines.map(({ event }) => event));
  const needed = needs.events.length === 0 ? [] : eventsToRegister(agent, needs);
  const missing = needed.filter((name) => !registered.includes(name));
  const never = needs.events.filter((event) => nativeEventsFor(agent, event).length === 0);
  const [first] = files;
  const fix = first === undefined ? null : commandFor("init", first.target);
  const unsupported = agent.unsupportedEvents;
  return [
    missing.length === 0
      ? fine("the events of your hooks are registered")
      : broken(`hooks exist for ${missing.join(", ")}, which is not registered`, fix),
    ...(never.length === 0 ? [] : [doubtful(`${agent.title} never raises ${never.join(", ")}`)]),
    ...(unsupported.length === 0 || !isVerbose ? [] : [unchecked(`no hook can handle ${unsupported.join(", ")}`)]),
  ];
}

/** The agent versions that hookctl was tested with. The machine's file was never tried. */
export function testedFinding({ agent: { title, testedWith }, files }: AgentFacts): Finding {
  const isTested = testedWith !== null && files.some(({ target }) => target.scope !== "machine");
  return isTested
    ? unchecked(`hookctl was tested with ${title} ${testedWith}; which version you have was not checked`)
    : doubtful(`hookctl was never tested with a real ${title}: the registration follows its documentation`);
}
