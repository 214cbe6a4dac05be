import { dirname, join, resolve } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { realPathOrSame } from "../../../src/fs/paths.ts";
import { broken, type Checkup, doubtful, fine, unchecked } from "../../../src/protocol/doctor-check.ts";
import { isObject, type UncheckedObject } from "../../../src/protocol/json/read.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import type { Agent } from "../../agents/agent.ts";
import { type FoundRegistration, type HooksSwitch, isYes, type SwitchFile } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { isHookctlModule } from "../../agents/hookctl-module.ts";
import { agentUserFile } from "../install/agent-files.ts";
import { askAgentTrust } from "../install/agent-trust.ts";
import { formatOfPath, parseSettingsText } from "../install/find-registrations.ts";
import { eventsToRegister, type HookRequirements, nativeEventsFor } from "../install/hook-requirements.ts";
import { commandFor, formerTarget, type InstallTarget } from "../install/install-target.ts";
import type { TrustAnswer } from "../install/last-answers.ts";
import { presentText } from "../install/settings-file/write-settings-files.ts";
import { agentCommand } from "../report/agent-command.ts";
import { skippedText } from "../report/install-text.ts";

/** A settings file that hookctl is installed in. */
export interface InstalledSettings {
  readonly target: InstallTarget;
  readonly text: string;
  readonly lines: readonly FoundRegistration[];
}

/** Checks that the agent runs the hooks in this file: switches, trust, and files that take precedence. */
export async function settingsChecks(registered: InstalledSettings, host: Host): Promise<readonly Checkup[]> {
  return [
    ...switchChecks(registered, host),
    ...variableChecks(registered.target, host),
    ...namesakeChecks(registered.target),
    ...(await trustChecks(registered, host)),
    ...formerFileChecks(registered.target),
  ];
}

/** Settings of the agent that stop it from running hooks. */
export function switchChecks({ target, lines }: InstalledSettings, host: Host): readonly Checkup[] {
  const { agent } = target;
  const pathOf = (file: SwitchFile): string | null => switchPath(file, target, host);
  const all = AGENT_INSTALLS[agent.name].switches ?? [];
  const ofMachine = all.map((one) => ({ ...one, files: one.machineFiles ?? one.files }));
  const switches = target.scope === "machine" ? ofMachine : all;
  return disablingSwitches(switches, lines, (file) => contentOf(pathOf(file))).map(({ key, file, effect }) =>
    effect === undefined
      ? broken(
          `${agent.name} switch`,
          `${key.join(".")} in ${pathOf(file)} stops ${agent.title} from running hooks`,
          "Remove it from that file.",
        )
      : broken(
          `${agent.name} switch`,
          `the settings in ${pathOf(file)} ${effect}`,
          `Add the hooks to those settings: hookctl install ${agent.name} --scope machine --print`,
        ),
  );
}

/** Variables of this shell that stop the agent from running hooks, if it is started here. */
function variableChecks({ agent, scope }: InstallTarget, { env }: Host): readonly Checkup[] {
  const all = Object.entries(AGENT_INSTALLS[agent.name].disablingVariables ?? {});
  const disabling = all
    .filter(([name, only]) => isYes(env[name] ?? "") && (only === "all" || only === scope))
    .map(([name]) => [name, "runs no hooks"] as const);
  const replacing = (AGENT_INSTALLS[agent.name].prefixVariables ?? [])
    .filter((name) => (env[name] ?? "") !== "")
    .map((name) => [name, "runs that program in the place of hooks"] as const);
  return [...disabling, ...replacing].map(([name, effect]) =>
    broken(`${agent.name} switch`, `${name} is set: started here, ${agent.title} ${effect}`, `Unset it: unset ${name}`),
  );
}

/** A plugin of the project with the name of the user's. */
function namesakeChecks({ agent, scope, projectDir, file }: InstallTarget): readonly Checkup[] {
  if (scope !== "user") return [];
  const paths = (AGENT_INSTALLS[agent.name].namesakes ?? []).map((path) => join(projectDir, path));
  return paths
    .filter((path) => path !== file && isNotOurs(path))
    .map((path) =>
      broken(
        `${agent.name} plugin`,
        `${path} has the name of hookctl's plugin, and ${agent.title} may load it in its place`,
        "Rename that file.",
      ),
    );
}

function isNotOurs(path: string): boolean {
  const text = presentText(path, path);
  return !text.ok || (text.value !== null && !isHookctlModule(text.value));
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

/** What the agent itself says decides: its files may hold a record that an edit has made worthless. */
async function trustChecks({ target, lines }: InstalledSettings, host: Host): Promise<readonly Checkup[]> {
  const { agent, homeDir } = target;
  const { trust } = AGENT_INSTALLS[agent.name];
  // Registrations in the machine's settings need no trust.
  if (trust === undefined || homeDir === null || target.scope === "machine") return [];
  const files = trust.files.map((path) => agentUserFile(agent.name, path, homeDir, host.env));
  const [unreadable] = files.flatMap((file) => {
    const text = presentText(file, file);
    return text.ok ? [] : [text.error];
  });
  if (unreadable !== undefined) return [doubtful(`${agent.name} trust`, explain(unreadable).summary, null)];
  const answer = await askAgentTrust(target, lines, host);
  if (answer !== null) return [answerCheck(answer, target, lines.length)];
  return [trust.check({ ...target, env: host.env, registrations: lines, contents: files.map(contentOf) })];
}

function answerCheck({ skipped }: TrustAnswer, { agent, scope }: InstallTarget, count: number): Checkup {
  const name = `${agent.name} trust`;
  if (skipped.length === 0) return fine(name, `${agent.title} says that it trusts all registered hooks`);
  const project = scope === "user" ? "" : ", and the project";
  return broken(
    name,
    `${skippedText(agent.title, skipped)} (${skipped.length} of ${pluralize(count, "registered hook")})`,
    `Open /hooks in ${agent.name} and trust them${project}.`,
  );
}

/** According to the agent's documentation this file takes precedence over the one that it was observed to read. */
function formerFileChecks(target: InstallTarget): readonly Checkup[] {
  const path = target.agent.settings.formerFiles?.[target.scope];
  const file = path === undefined ? null : join(dirname(target.file), path.slice(path.lastIndexOf("/") + 1));
  if (file === null || Object.keys(contentOf(file)).length === 0) return [];
  const { agent, shown } = target;
  const detail = `${file} exists, too; if ${agent.title} reads it, it may ignore ${shown} out`;
  const fix = formerTarget(target) === null ? null : `Reinstall: ${commandFor("install", target)}`;
  return [doubtful(`${agent.name} file`, detail, fix)];
}

/** Some agents read a project's settings only if they are started in its root folder. */
export function folderChecks(agent: Agent, own: readonly InstalledSettings[], host: Host): readonly Checkup[] {
  const [first] = own;
  const isEverywhere = own.some(({ target: { scope } }) => scope === "user" || scope === "machine");
  if (first === undefined || isEverywhere || agent.settings.isStartFolderOnly !== true) return [];
  const { projectDir, options, shown } = first.target;
  const startDir = realPathOrSame(resolve(host.cwd, options.directory ?? "."));
  if (startDir === realPathOrSame(projectDir)) return [];
  const user = commandFor("install", { ...first.target, scope: "user" });
  const detail = `${agent.title} started in ${startDir} does not read ${shown} of ${projectDir}`;
  return [broken(`${agent.name} folder`, detail, `Start it in ${projectDir}, or: ${user}`)];
}

/** Reports hooks that never run because their events are not registered. */
export function coverageChecks(
  agent: Agent,
  own: readonly InstalledSettings[],
  needs: HookRequirements,
): readonly Checkup[] {
  const registered = own.flatMap(({ lines }) => lines.map(({ event }) => event));
  const missing =
    needs.events.length === 0 ? [] : eventsToRegister(agent, needs).filter((name) => !registered.includes(name));
  const never = needs.events.filter((event) => nativeEventsFor(agent, event).length === 0);
  const name = `${agent.name} events`;
  const [first] = own;
  const fix =
    first === undefined
      ? agentCommand("install", { agent: agent.name, scope: "project", directory: null })
      : commandFor("install", first.target);
  return [
    missing.length === 0
      ? fine(name, "the events of your hooks are registered")
      : broken(name, `hooks exist for ${missing.join(", ")}, which is not registered`, fix),
    ...(never.length === 0 ? [] : [doubtful(name, `${agent.title} never raises ${never.join(", ")}`, null)]),
    ...(agent.unsupportedEvents.length === 0
      ? []
      : [unchecked(name, `no hook can handle ${agent.unsupportedEvents.join(", ")}`)]),
  ];
}

/** The agent versions that hookctl was tested with. The machine's file was never tried. */
export function testedCheck({ name, title, testedWith }: Agent, own: readonly InstalledSettings[]): Checkup {
  const isTested = testedWith !== null && own.some(({ target }) => target.scope !== "machine");
  return isTested
    ? unchecked(`${name} tested`, `run with ${title} ${testedWith}; the version here is not checked`)
    : doubtful(`${name} tested`, `untested: the registration is written from ${title}'s documentation`, null);
}

/** A switch in one of the files that can hold it. */
export interface SwitchInFile extends HooksSwitch {
  readonly file: SwitchFile;
}

/** The switches that stop the agent from running our registrations, in the files that `read` returns. */
function disablingSwitches(
  switches: readonly HooksSwitch[],
  registrations: readonly FoundRegistration[],
  read: (file: SwitchFile) => UncheckedObject,
): readonly SwitchInFile[] {
  return switches.flatMap((one): readonly SwitchInFile[] => {
    let isDecided = false;
    return one.files.flatMap((file) => {
      const value = valueAt(read(file), one.key);
      if (value === undefined || isDecided) return [];
      isDecided = typeof value !== "object";
      return one.disablesHooks(value, registrations) ? [{ ...one, file }] : [];
    });
  });
}

const valueAt = (settings: UncheckedObject, key: readonly string[]): unknown =>
  key.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), settings);
