import type { Agent, NativeEvent } from "../agents/agent.ts";
import type { Registration } from "../agents/agent-install.ts";
import { agentTimeoutFor, agentTimeoutOf, deadlineOf } from "../agents/deadline.ts";
import { blockFormat } from "../agents/native-answer.ts";
import { printableJson } from "../protocol/json/write.ts";
import { parseDuration } from "../protocol/units.ts";
import { noticeEvent } from "./hook-needs.ts";

/** By this a line is known as ours, whichever way hookctl is called. */
const OURS = /\bhookctl(?:\.js)?"? bridge ([a-z]+) --event /;

export const isHookctlCommand = (command: string, agent: string): boolean => OURS.exec(command)?.[1] === agent;

/** The ways in which `install` names the program; nothing else is ever handed to a shell. */
const QUOTED = String.raw`"(?:[^"\\$\`\n]|\\["\\$\`])+"`;
const PROGRAM = new RegExp(
  String.raw`(?:^|\|\| exit 0; )(hookctl|"\$[A-Z_]+"/node_modules/\.bin/hookctl|${QUOTED}(?: ${QUOTED})?) bridge `,
);

/** How a registration is written, beside its events. */
export interface RegistrationOptions {
  /** Lines that block when hookctl itself fails. */
  readonly failClosed: boolean;
  /** A person chose `--fail-open`, and the line remembers it. */
  readonly isOpenByChoice?: boolean;
  /** The file is meant to be committed: others read the line who may not have hookctl. */
  readonly isShared?: boolean;
  /** Limits that go above those of the events, in milliseconds. */
  readonly timeoutsMs?: Readonly<Record<string, number>>;
}

/** One of our lines, understood. */
export interface ParsedRegistration extends RegistrationOptions {
  readonly event: string;
  readonly program: string;
}

/** A line that `install` would write just so. Null: somebody else's words, which nobody may try. */
export function parseRegistration(
  { event, command }: Pick<Registration, "event" | "command">,
  agent: Agent,
): ParsedRegistration | null {
  const program = PROGRAM.exec(command)?.[1];
  if (program === undefined) return null;
  const style: RegistrationOptions = {
    ...registrationOptions(command, event),
    isShared: command.startsWith("command -v "),
  };
  // A line that fails closed reads the same in a file that is committed and in one that is not.
  const [line] = createRegistrations(agent, program, { events: [event], ...style });
  return line?.command === command ? { event, program, ...style } : null;
}

/** How a line is written, as far as somebody else's words tell it. */
export function registrationOptions(command: string, event: string): RegistrationOptions {
  const deadline = parseDuration(/ --deadline (\w+)/.exec(command)?.[1] ?? "");
  return {
    failClosed: / --fail-closed(?: |$)/.test(command),
    isOpenByChoice: / --fail-open(?: |$)/.test(command),
    timeoutsMs: deadline.ok ? { [event]: agentTimeoutFor(deadline.value) } : {},
  };
}

export const durationText = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

/**
 * The lines of an agent, one for each event. Their text is the same in every version: an agent that trusts a line by
 * its text would ask again.
 */
export function createRegistrations(
  agent: Agent,
  program: string,
  { events, ...style }: RegistrationOptions & { readonly events: readonly string[] | null },
): readonly Registration[] {
  return Object.entries(agent.events)
    .filter(([event, { timeoutMs }]) => (events === null ? timeoutMs !== null : events.includes(event)))
    .map(([event, row]) => {
      const timeoutMs = longerLimit(row, style.timeoutsMs?.[event]);
      const words = `${program} bridge ${agent.name} --event ${event} --deadline ${durationText(deadlineOf({ timeoutMs: timeoutMs }))}`;
      const stop = style.failClosed ? blockFormat(row.answers) : undefined;
      const command =
        stop === undefined
          ? `${style.isShared === true ? ifMissing(agent, event, program) : ""}${words}${style.isOpenByChoice === true ? " --fail-open" : ""}`
          : `${words} --fail-closed || printf '%s\\n' '${printableJson(stop(cannotAsk(agent, program)))}'`;
      return { event, command, timeoutMs, failClosed: stop !== undefined };
    });
}

/** An agent that cuts longer limits down would end hookctl before its deadline. */
const longerLimit = (row: NativeEvent, wanted = 0): number =>
  row.isTimeoutFixed === true ? agentTimeoutOf(row) : Math.max(agentTimeoutOf(row), wanted);

const howToInstall = (program: string): string =>
  program.includes("/node_modules/") ? "npm install" : "npm install --global hookctl";

const cannotAsk = ({ title }: Agent, program: string): string =>
  `hookctl could not be asked, and ${title} fails closed. If it is not installed: ${howToInstall(program)}`;

/**
 * Goes before a line that others read too: without hookctl some agents would deny everything and others say nothing. No
 * braces: a login shell may be fish.
 */
function ifMissing(agent: Agent, event: string, program: string): string {
  const test = `command -v ${program.split(/ (?=")/).at(-1)} >/dev/null 2>&1 ||`;
  if (event !== noticeEvent(agent)) return `${test} exit 0; `;
  const text = `hookctl is not installed, so no hook of this project runs. To install it: ${howToInstall(program)}`;
  const tell = agent.events[event]?.answers.notify;
  const words = tell === undefined ? `echo '${text}' >&2` : `printf '%s\\n' '${printableJson(tell(text))}'`;
  return `${test} ${words}; ${test} exit 0; `;
}
