import { INSTALL_SCOPES } from "../agents/agent-files.ts";
import { TRUST_ROWS } from "../agents/agent-trust.ts";
import { bridgeLines } from "../agents/bridge-line.ts";
import type { TextFault } from "../agents/edit-json.ts";
import { settingsIn, textWith } from "../agents/our-lines.ts";
import { isSwitchedOffIn, type RegisteredLine, registeredLines } from "../agents/registered.ts";
import { broken, type Checkup, doubtful, fine } from "../contract/checkup.ts";
import { explain } from "../contract/explain.ts";
import type { Problem } from "../contract/problem.ts";
import type { Result } from "../contract/result.ts";
import { AGENT_NAMES, type AgentName } from "../dialects/agents/agent.ts";
import { AGENTS } from "../dialects/agents/agents.ts";
import { agentLine } from "../report/agent-line.ts";
import type { World } from "../world.ts";
import { type AgentSite, programText, siteOf } from "./agent-site.ts";
import type { Flags } from "./flags.ts";
import { installLine } from "./install-line.ts";
import { presentText } from "./present-text.ts";
import { programCheck } from "./program-check.ts";
import { userFile } from "./user-file.ts";

/** A settings file that asks hookctl. */
interface Registered {
  readonly site: AgentSite;
  readonly text: string;
  readonly lines: readonly RegisteredLine[];
}

/** Every agent that asks hookctl here, or the one that was named. */
export async function agentsChecks(named: AgentName | null, flags: Flags, world: World): Promise<readonly Checkup[]> {
  const all = AGENT_NAMES.flatMap((agent) => registeredFor(agent, flags, world));
  const wanted = named === null ? all : all.filter(({ site }) => site.agent.name === named);
  if (wanted.length === 0) return named === null ? [nobodyAsks(flags)] : notRegistered(named, flags, world);
  const checks: Checkup[] = [];
  for (const one of wanted) checks.push(...(await siteChecks(one, world)));
  const agents = [...new Set(wanted.map(({ site }) => site.agent.name))];
  return [...checks, ...agents.flatMap((agent) => [...twiceChecks(agent, all), uncoveredCheck(agent)])];
}

function nobodyAsks({ directory }: Flags): Checkup {
  const line = agentLine("install", { agent: "claude", scope: "project", directory }, ["--dry-run"]);
  return doubtful("agents", "no agent asks hookctl here", `For Claude Code: ${line}`);
}

/** `install` comes next, but where a settings file cannot be read it would be refused. */
function notRegistered(agent: AgentName, flags: Flags, world: World): readonly Checkup[] {
  const faults = INSTALL_SCOPES.flatMap((scope) => {
    const site = siteOf({ agent, scope, flags }, world);
    if (!site.ok) return site.error.code === "AGENT_SETTINGS_NOT_PARSED" ? [unreadable(agent, site.error)] : [];
    const read = textWith(site.value.text ?? "", { name: agent, format: site.value.format }, []);
    return read.ok ? [] : [unreadableCheck(site.value, read.error)];
  });
  if (faults.length > 0) return faults;
  const line = agentLine("install", { agent, scope: "project", directory: flags.directory });
  return [broken(`${agent} entry`, "it does not ask hookctl here", line)];
}

const unreadableCheck = ({ agent, shown }: AgentSite, fault: TextFault): Checkup =>
  unreadable(agent.name, { code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...fault });

const unreadable = (agent: AgentName, problem: Problem): Checkup =>
  broken(`${agent} entry`, explain(problem).summary.replace(/\.$/, ""), "Correct it; the agent may read none of it.");

function registeredFor(agent: AgentName, flags: Flags, world: World): readonly Registered[] {
  return INSTALL_SCOPES.flatMap((scope) => {
    const site = siteOf({ agent, scope, flags }, world);
    if (!site.ok) return [];
    const text = site.value.text ?? "";
    const lines = registeredLines(settingsIn(text, site.value.format), agent);
    const isNamed = lines.length > 0 || text.includes(`bridge ${agent} --event `);
    return isNamed ? [{ site: site.value, text, lines }] : [];
  });
}

async function siteChecks(registered: Registered, world: World): Promise<readonly Checkup[]> {
  if (registered.lines.length === 0) return [entryCheck(registered, world)];
  return [
    entryCheck(registered, world),
    ...(await programCheck(registered.site, registered.lines, world)),
    ...trustChecks(registered, world),
  ];
}

/** Are the lines there as `install` would write them, and does the agent read them at all? */
function entryCheck({ site, text, lines }: Registered, world: World): Checkup {
  const { agent, shown, format } = site;
  const name = `${agent.name} entry`;
  const settings = settingsIn(text, format);
  if (isSwitchedOffIn(settings)) return broken(name, `${shown} switches all hooks off`, "Take the switch out of it.");
  const stray = lines.filter(({ event }) => !Object.hasOwn(agent.events, event)).map(({ event }) => event);
  if (stray.length > 0) {
    return doubtful(name, `${shown} asks at ${stray.join(", ")}, which nothing here answers`, null);
  }
  const after = textAnew({ site, text, lines }, world);
  if (!after.ok) return unreadableCheck(site, after.error);
  if (after.value !== text) {
    return doubtful(
      name,
      `${shown} differs from what install would write on this machine`,
      `Write it anew: ${installLine(site, lines)}`,
    );
  }
  const narrowed = lines.filter(({ matcher }) => matcher !== "" && matcher !== "*").map(({ event }) => event);
  if (narrowed.length > 0) {
    return doubtful(name, `${shown} asks at ${narrowed.join(", ")} only where the matcher there fits`, null);
  }
  const count = `${lines.length} ${lines.length === 1 ? "event" : "events"}`;
  return fine(name, `${shown} asks at ${count}`);
}

/** What writing the same lines again would make of it. */
function textAnew({ site, text, lines }: Registered, world: World): Result<string, TextFault> {
  const wanted = bridgeLines(site.agent, programText(site, world), {
    events: lines.map(({ event }) => event),
    failClosed: lines.some(({ command }) => command.includes(" --fail-closed ")),
  });
  return textWith(text, { name: site.agent.name, format: site.format }, wanted);
}

function trustChecks({ site, lines }: Registered, world: World): readonly Checkup[] {
  const row = TRUST_ROWS[site.agent.name];
  if (row === undefined || site.homeDir === null) return [];
  const file = userFile(site.agent.name, row.file, site.homeDir, world.env);
  const text = presentText(file, file);
  if (!text.ok) return [doubtful(`${site.agent.name} trust`, explain(text.error).summary, null)];
  return [row.check({ ...site, lines, text: text.value ?? "" })];
}

/** Where one call of a tool would be announced twice. */
function twiceChecks(agent: AgentName, all: readonly Registered[]): readonly Checkup[] {
  const own = all.filter(({ site }) => site.agent.name === agent);
  const name = `${agent} twice`;
  const [first, second] = own;
  const isShared = first?.lines.some(({ event }) => second?.lines.some((other) => other.event === event)) ?? false;
  const several =
    isShared && first !== undefined && second !== undefined
      ? [doubtful(name, `${first.site.shown} and ${second.site.shown} both ask: hooks act twice`, undo(second.site))]
      : [];
  const isGuest = (agent === "copilot" || agent === "cursor") && all.some(({ site }) => site.agent.name === "claude");
  const guest = isGuest ? [fine(name, "it also runs Claude Code's settings; the lines there stand back")] : [];
  return [...several, ...guest];
}

const undo = ({ agent, scope, flags: { directory } }: AgentSite): string =>
  `Keep one: ${agentLine("uninstall", { agent: agent.name, scope, directory })}`;

function uncoveredCheck(agent: AgentName): Checkup {
  const { events, uncovered } = AGENTS[agent];
  const count = `${Object.keys(events).length} events covered`;
  return fine(`${agent} events`, uncovered.length === 0 ? count : `${count}; not covered: ${uncovered.join(", ")}`);
}
