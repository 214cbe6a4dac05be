import { bridgeLines, styleOf } from "../install/bridge-line.ts";
import { eventsFor, type HookNeeds, limitsFor } from "../install/hook-needs.ts";
import { settingsIn } from "../install/our-lines.ts";
import { type RegisteredLine, registeredLines } from "../install/registered.ts";
import type { Line } from "../install/registration.ts";
import { type AgentSite, formerSite } from "./agent-site.ts";

/** What is wanted of a registration, by a person and by the hooks. */
export interface Wanted {
  /** Null: those of the hooks. */
  readonly events: readonly string[] | null;
  /** What a person chose; null: as it was registered before, or as the hooks need it. */
  readonly mode: "fail-closed" | "fail-open" | null;
  readonly needs: HookNeeds;
  readonly program: string;
}

/** Our lines in an agent's settings, and in those where hookctl wrote before. */
function presentLines(site: AgentSite): readonly RegisteredLine[] {
  const places = [site, ...[formerSite(site)].flatMap((one) => one ?? [])];
  return places.flatMap(({ text, format, agent }) => registeredLines(settingsIn(text ?? "", format), agent.name));
}

/** The lines as they should be. Nothing that is registered already is dropped, nor opened without a person's word. */
export function plannedLines(site: AgentSite, { events, mode, needs, program }: Wanted): readonly Line[] {
  const { agent, scope } = site;
  const present = presentLines(site);
  const styles = present.map(({ command, event }) => styleOf(command, event));
  const isOpenByChoice =
    mode === "fail-open" || (mode === null && styles.some((style) => style.isOpenByChoice === true));
  const isClosed = mode === "fail-closed" || needs.hasFailClosed || styles.some((style) => style.failClosed);
  const limits = [limitsFor(agent, needs), ...styles.map((style) => style.limits ?? {})];
  // Without hooks a registration that was made for other events is enough.
  const needed = present.length > 0 && needs.events.length === 0 ? [] : eventsFor(agent, needs);
  const known = present.map(({ event }) => event).filter((event) => Object.hasOwn(agent.events, event));
  return bridgeLines(agent, program, {
    events: [...(events ?? needed), ...known],
    failClosed: isClosed && !isOpenByChoice,
    isOpenByChoice,
    // The user's own settings and the local ones stay on this machine.
    isShared: scope === "project",
    limits: longest(limits),
  });
}

function longest(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const [event, ms] of all.flatMap((one) => Object.entries(one))) limits[event] = Math.max(limits[event] ?? 0, ms);
  return limits;
}
