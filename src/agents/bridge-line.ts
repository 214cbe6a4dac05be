import { writeJson } from "../contract/json-text.ts";
import type { Agent } from "../dialects/agents/agent.ts";
import { deadlineOf, limitOf } from "../dialects/agents/deadline.ts";
import type { Line } from "./registration.ts";

/** By this a line is known as ours, whichever way hookctl is called. */
const OURS = /\bhookctl(?:\.js)?"? bridge ([a-z]+) --event /;

export const isOurLine = (command: string, agent: string): boolean => OURS.exec(command)?.[1] === agent;

/** The three ways in which `install` names the program; nothing else is ever handed to a shell. */
const PROGRAM = /^(hookctl|"\$[A-Z_]+"\/node_modules\/\.bin\/hookctl|"(?:[^"\\$`\n]|\\["\\$`])+") bridge /;

/** The program of a line that `install` would write just so. Null: somebody else's words, which nobody may try. */
export function programIn({ event, command }: Pick<Line, "event" | "command">, agent: Agent): string | null {
  const program = PROGRAM.exec(command)?.[1];
  if (program === undefined) return null;
  const failClosed = command.includes(" --fail-closed ");
  return bridgeLines(agent, program, { events: [event], failClosed })[0]?.command === command ? program : null;
}

export const durationOf = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

/**
 * The lines of an agent, one for each event. Their text is the same in every version: an agent that trusts a line by
 * its text would ask again.
 */
export function bridgeLines(
  agent: Agent,
  program: string,
  { events, failClosed }: { readonly events: readonly string[] | null; readonly failClosed: boolean },
): readonly Line[] {
  return Object.entries(agent.events)
    .filter(([event, { limitMs }]) => (events === null ? limitMs !== null : events.includes(event)))
    .map(([event, row]) => {
      const words = `${program} bridge ${agent.name} --event ${event} --deadline ${durationOf(deadlineOf(row))}`;
      const deny = failClosed
        ? row.answers.deny?.(`hookctl could not be asked, and ${agent.title} fails closed`)
        : undefined;
      const command = deny === undefined ? words : `${words} --fail-closed || printf '%s\\n' '${writeJson(deny)}'`;
      return { event, command, limitMs: limitOf(row), failClosed: deny !== undefined };
    });
}
