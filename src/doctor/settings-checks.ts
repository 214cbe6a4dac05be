import { dirname, join, resolve } from "node:path";
import type { Agent } from "../agents/agent.ts";
import { realPathOrSame } from "../fs/paths.ts";
import type { Host } from "../host.ts";
import { disablingSwitches, type HooksSwitch } from "../install/agent-switches.ts";
import { AGENT_TRUST } from "../install/agent-trust.ts";
import type { FoundRegistration } from "../install/find-registrations.ts";
import { eventsToRegister, type HookRequirements, nativeEventsFor } from "../install/hook-needs.ts";
import { formerTarget, type InstallTarget } from "../install/install-target.ts";
import { presentText } from "../install/read-settings-text.ts";
import { INSTALL_FORMATS } from "../install/registration.ts";
import { parseSettingsText } from "../install/settings-text.ts";
import type { UncheckedObject } from "../install/unchecked.ts";
import { agentUserFile } from "../install/user-file.ts";
import { broken, type Checkup, doubtful, fine } from "../protocol/checkup.ts";
import { explain } from "../protocol/explain.ts";
import { agentCommand } from "../report/agent-command.ts";

/** A settings file that asks hookctl. */
export interface InstalledSettings {
  readonly site: InstallTarget;
  readonly text: string;
  readonly lines: readonly FoundRegistration[];
}

/** Would the agent run the lines of this file at all? Switches, trust, and settings that it does not read. */
export function settingsChecks(registered: InstalledSettings, host: Host): readonly Checkup[] {
  return [...switchChecks(registered, host), ...trustChecks(registered, host), ...formerFileChecks(registered.site)];
}

function switchChecks({ site, lines }: InstalledSettings, host: Host): readonly Checkup[] {
  const { agent } = site;
  const placeOf = (row: HooksSwitch): string | null => switchPlace(row, site, host);
  const thrown = disablingSwitches(agent.name, lines, (row) => foundIn(placeOf(row), row.format));
  return thrown.map((row) =>
    broken(
      `${agent.name} switch`,
      `${row.key.join(".")} in ${placeOf(row)} stops ${agent.title} from running hooks`,
      "Take it out of that file.",
    ),
  );
}

function switchPlace(
  { at, file }: HooksSwitch,
  { agent, projectDir, homeDir }: InstallTarget,
  host: Host,
): string | null {
  if (at === "machine") return file;
  if (at === "project") return join(projectDir, file);
  return homeDir === null ? null : agentUserFile(agent.name, file, homeDir, host.env);
}

/** What cannot be read says nothing: where that matters it is told. */
function foundIn(place: string | null, format: "json" | "toml"): UncheckedObject {
  const text = place === null ? null : presentText(place, place);
  return text?.ok ? parseSettingsText(text.value ?? "", format) : {};
}

function trustChecks({ site, lines }: InstalledSettings, host: Host): readonly Checkup[] {
  const row = AGENT_TRUST[site.agent.name];
  const { homeDir } = site;
  if (row === undefined || homeDir === null) return [];
  const files = row.files.map((path) => agentUserFile(site.agent.name, path, homeDir, host.env));
  const [unreadable] = files.flatMap((file) => {
    const text = presentText(file, file);
    return text.ok ? [] : [text.error];
  });
  if (unreadable !== undefined) return [doubtful(`${site.agent.name} trust`, explain(unreadable).summary, null)];
  const found = files.map((file) => foundIn(file, file.endsWith(".toml") ? "toml" : "json"));
  return [row.check({ ...site, lines, found })];
}

/** Another file that may hold hooks: the documentation says that it goes before the one that was seen to be read. */
function formerFileChecks(site: InstallTarget): readonly Checkup[] {
  const path = INSTALL_FORMATS[site.agent.name].formerFiles?.[site.scope];
  const file = path === undefined ? null : join(dirname(site.file), path.slice(path.lastIndexOf("/") + 1));
  if (file === null || Object.keys(foundIn(file, "json")).length === 0) return [];
  const { agent, scope, options } = site;
  const detail = `${file} is there too; where ${agent.title} reads that one, it may leave ${site.shown} out`;
  const install = agentCommand("install", { agent: agent.name, scope, directory: options.directory });
  return [doubtful(`${agent.name} file`, detail, formerTarget(site) === null ? null : `Reinstall: ${install}`)];
}

/** Some agents read a project's settings only where they were started. */
export function folderChecks(agent: Agent, own: readonly InstalledSettings[], host: Host): readonly Checkup[] {
  const [first] = own;
  const isEverywhere = own.some(({ site }) => site.scope === "user");
  if (first === undefined || isEverywhere || INSTALL_FORMATS[agent.name].isStartFolderOnly !== true) return [];
  const { projectDir, options, shown } = first.site;
  const startDir = realPathOrSame(resolve(host.cwd, options.directory ?? "."));
  if (startDir === realPathOrSame(projectDir)) return [];
  const user = agentCommand("install", { agent: agent.name, scope: "user", directory: options.directory });
  const detail = `${agent.title} started in ${startDir} does not read ${shown} of ${projectDir}`;
  return [broken(`${agent.name} folder`, detail, `Start it in ${projectDir}, or: ${user}`)];
}

/** Hooks of events that are not registered are never started. */
export function coverageChecks(
  agent: Agent,
  own: readonly InstalledSettings[],
  needs: HookRequirements,
): readonly Checkup[] {
  const registered = own.flatMap(({ lines }) => lines.map(({ event }) => event));
  const missing =
    needs.events.length === 0 ? [] : eventsToRegister(agent, needs).filter((name) => !registered.includes(name));
  const never = needs.events.filter((event) => nativeEventsFor(agent, event).length === 0);
  const first = own[0]?.site;
  const line = agentCommand("install", { agent: agent.name, scope: "project", directory: null, ...placeOf(first) });
  const lacking = broken(
    `${agent.name} events`,
    `hooks exist for ${missing.join(", ")}, which is not registered`,
    line,
  );
  const unraised = doubtful(`${agent.name} events`, `${agent.title} never raises ${never.join(", ")}`, null);
  const count = `${Object.keys(agent.events).length} events covered`;
  const uncovered =
    agent.unsupportedEvents.length === 0 ? count : `${count}; not covered: ${agent.unsupportedEvents.join(", ")}`;
  return [
    ...(missing.length === 0 ? [fine(`${agent.name} events`, uncovered)] : [lacking]),
    ...(never.length === 0 ? [] : [unraised]),
  ];
}

const placeOf = (site: InstallTarget | undefined) =>
  site === undefined ? {} : { scope: site.scope, directory: site.options.directory };

/** With which versions the table was run: what is not known is said. */
export const testedCheck = ({ name, title, testedWith }: Agent): Checkup =>
  testedWith === null
    ? doubtful(`${name} tested`, `untested: hookctl knows ${title} from its documentation only`, null)
    : fine(`${name} tested`, `run with ${title} ${testedWith}; the version here is not looked at`);
