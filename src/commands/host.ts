import { join } from "node:path";
import type { JsonObject } from "../contract/json.ts";
import type { Agent, AgentName } from "../dialects/agents/agent.ts";
import { AGENTS } from "../dialects/agents/agents.ts";
import { textAt } from "../dialects/agents/places.ts";
import { presentBytes } from "../process/read-regular.ts";
import type { World } from "../world.ts";

/** Who asks, and about which of its events. */
export interface Hearing {
  readonly agent: Agent;
  readonly nativeEvent: string;
  readonly native: JsonObject;
}

/**
 * Copilot and Cursor also run the hooks in Claude Code's settings. When one of them has a line of its own for the event
 * there is nothing to do here, or every hook would act twice; otherwise it is answered in its own words. Null: nothing
 * to do.
 */
export async function hostOf(hearing: Hearing, world: World): Promise<Hearing | null> {
  const host = hearing.agent.name === "claude" ? guestOf(hearing.native) : null;
  if (host === null) return hearing;
  const agent = AGENTS[host];
  // It names the event in its own words, whatever the line in Claude Code's settings says.
  const named = textAt(hearing.native, "hook_event_name");
  const nativeEvent = Object.hasOwn(agent.events, named) ? named : hearing.nativeEvent;
  return (await hasOwnLine(agent, nativeEvent, world)) ? null : { ...hearing, agent, nativeEvent };
}

/** Claude Code itself never sends these. No variable counts: a project's settings could set one. */
function guestOf(native: JsonObject): AgentName | null {
  if (native.has("cursor_version")) return "cursor";
  return native.has("timestamp") || native.has("sessionId") ? "copilot" : null;
}

const FILES: Partial<Readonly<Record<AgentName, { readonly project: string; readonly user: string }>>> = {
  copilot: { project: ".github/hooks/hookctl.json", user: ".copilot/hooks/hookctl.json" },
  cursor: { project: ".cursor/hooks.json", user: ".cursor/hooks.json" },
};

async function hasOwnLine({ name, events }: Agent, nativeEvent: string, world: World): Promise<boolean> {
  const files = FILES[name];
  const meaning = events[nativeEvent]?.raises[0]?.event;
  if (files === undefined || meaning === undefined) return false;
  const same = Object.entries(events).filter(([, { raises }]) => raises[0]?.event === meaning);
  const asks = (text: string): boolean => same.some(([event]) => text.includes(`bridge ${name} --event ${event} `));
  const { env, cwd } = world;
  if (env.HOME !== undefined && asks(textOf(join(env.HOME, files.user)))) return true;
  for (const folder of [env.CLAUDE_PROJECT_DIR, env.CURSOR_PROJECT_DIR, cwd]) {
    const file = join(folder ?? cwd, files.project);
    // A project could bring a file that only looks like a registration: ours counts when this user has written it.
    if (asks(textOf(file)) && (await import("./kept.ts")).isAsWritten(file, world)) return true;
  }
  return false;
}

/** What cannot be read asks for nothing. */
function textOf(file: string): string {
  const read = presentBytes(file);
  return read.ok ? (read.value?.toString("utf8") ?? "") : "";
}
