import { bridgeLines } from "../agents/bridge-line.ts";
import { textWith } from "../agents/our-lines.ts";
import { REGISTRATIONS } from "../agents/registration.ts";
import { nearest } from "../contract/nearest.ts";
import type { Problem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { type Changed, changedText, installJson, installText } from "../report/install-text.ts";
import type { World } from "../world.ts";
import { type AgentSite, agentSite, placesBeside, programText } from "./agent-site.ts";
import { keepCompiledCode } from "./compiled-code.ts";
import type { RawLine } from "./flag-table.ts";
import { listFlag } from "./flags.ts";
import { leftWithout } from "./left-without.ts";
import { presentText } from "./present-text.ts";
import { type Replacement, replaceFiles } from "./replace-files.ts";
import { print, refuse } from "./start.ts";
import { styleFor } from "./style-for.ts";

/** Registers the bridge in an agent's settings: one line for each event, and nothing else is touched. */
export async function install(line: RawLine, world: World): Promise<number> {
  const site = agentSite(line, world);
  if (!site.ok) return refuse(site.error, world);
  const events = wantedEvents(line, site.value);
  if (!events.ok) return refuse(events.error, world);
  const failClosed = line.flags["--fail-closed"] === true;
  const lines = bridgeLines(site.value.agent, programText(site.value, world), { events: events.value, failClosed });
  const changes = changesFor(site.value, lines);
  if (!changes.ok) return refuse(changes.error, world);

  const isDry = line.flags["--dry-run"] === true;
  const written = isDry ? ok(null) : replaceFiles(replacementsFor(site.value, changes.value), "install", world);
  if (!written.ok) return refuse(written.error, world);
  if (!isDry) await keepCompiledCode(world);
  const { agent, scope, flags } = site.value;
  const report = { agent: agent.name, scope, directory: flags.directory, isDry, changes: changes.value };
  if (flags.json) return print(`${installJson("install", report)}\n`, world);
  const style = await styleFor(flags, world);
  const text = isDry
    ? changedText(report, world.argv, style)
    : installText(report, REGISTRATIONS[agent.name].stillToDo, style);
  return print(text, world);
}

function changesFor(site: AgentSite, lines: ReturnType<typeof bridgeLines>): Result<readonly Changed[], Problem> {
  const { agent, file, shown, format, text: before } = site;
  const after = textWith(before ?? "", { name: agent.name, format }, lines);
  if (!after.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...after.error });
  const changes: Changed[] = [{ file, shown, before, after: after.value }];
  for (const { value, ...place } of placesBeside(site)) {
    const text = presentText(place.file, place.shown);
    if (!text.ok) return text;
    changes.push({ ...place, before: text.value, after: text.value ?? `${JSON.stringify(value, null, 2)}\n` });
  }
  return ok(changes);
}

/** What was not kept, or was edited since, is given back without our lines. */
function replacementsFor(site: AgentSite, changes: readonly Changed[]): readonly Replacement[] {
  const undone: Replacement["undone"] = (text, kept) => {
    const left = leftWithout(text, site, kept);
    return left.ok ? left.value : text;
  };
  return changes.flatMap(({ file, before, after }) =>
    after === null || before === after ? [] : [{ file, before, after, undone }],
  );
}

/** Null: those that the agent is registered for by default. */
function wantedEvents(line: RawLine, { agent }: AgentSite): Result<readonly string[] | null, Problem> {
  const names = listFlag(line.flags, "--events").flatMap((text) => text.split(","));
  const known = Object.keys(agent.events);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return ok(names.length === 0 ? null : names);
  const near = nearest(unknown, known);
  const detail = `${agent.title} has ${known.join(", ")}${near === null ? "" : `; did you mean ${near}?`}`;
  return fail({ code: "USAGE_BAD_VALUE", flag: "--events", value: unknown, detail });
}
