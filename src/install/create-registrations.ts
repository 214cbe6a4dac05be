import {
  type Agent,
  agentTimeoutFor,
  agentTimeoutOf,
  blockFormat,
  deadlineOf,
  type NativeEvent,
} from "../agents/agent.ts";
import type { FoundRegistration, Registration } from "../agents/agent-install.ts";
import { printableJson } from "../protocol/json/write.ts";
import { parseDuration } from "../protocol/text/units.ts";
import { agentTimeoutsFor, eventsToRegister, type HookRequirements, noticeEvent } from "./hook-requirements.ts";
import {
  addressOptions,
  type HttpChoice,
  httpAddress,
  httpChoiceOf,
  isHookctlAddress,
  isOverHttp,
} from "./http-registrations.ts";
import { formerTarget, type InstallTarget } from "./install-target.ts";
import { findRegistrations, parseSettingsText } from "./registrations-in-text.ts";

/** A program as `install` writes it, unless it is found by its name. The file can have any name. */
const QUOTED = String.raw`"(?:[^"\\$\`\n]|\\["\\$\`])+"`;
/** A registered command, also if somebody has edited it: the name of the program, or the words that only `install` writes. */
const OURS = new RegExp(
  String.raw`(?:\bhookctl(?:\.js)?"? bridge (?=[a-z]+ --event )|${QUOTED} bridge (?=[a-z]+ --event \S+ --deadline \w))([a-z]+)`,
);

export const isHookctlCommand = (command: string, agent: string): boolean =>
  OURS.exec(command)?.[1] === agent || isHookctlAddress(command, agent);

/** The programs that `install` writes. `doctor` runs no others. */
const PROGRAM = new RegExp(
  String.raw`(?:^|\|\| exit 0; )(hookctl|"\$[A-Z_]+"/node_modules/\.bin/hookctl|${QUOTED}(?: ${QUOTED})?) bridge `,
);

/** Options of a registration. */
interface RegistrationOptions {
  /** Blocks when hookctl itself fails. */
  readonly failClosed: boolean;
  /** A person chose `--fail-open`, which the command remembers. */
  readonly isOpenByChoice?: boolean;
  /** True if the file is meant to be committed, so that people without hookctl run the command, too. */
  readonly isShared?: boolean;
  /** Not set: the agent starts a command for every event. */
  readonly http?: HttpChoice | undefined;
  /** Timeouts by event that are longer than the default ones. */
  readonly timeoutsMs?: Readonly<Record<string, number>>;
}

/** A registered command, parsed. */
export interface ParsedRegistration extends RegistrationOptions {
  readonly event: string;
  readonly program: string;
}

/** Null if `install` would not write exactly this command: it must not be run. */
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
  // A fail-closed command is the same in a committed file and in others.
  const [line] = createRegistrations(agent, program, { events: [event], ...style });
  return line?.command === command ? { event, program, ...style } : null;
}

/** In a command or an address. */
export const DEADLINE = /(?: --|[?&])deadline[ =](\w+)/;

/** Reads the options of a command, which a user may have edited. */
export function registrationOptions(command: string, event: string): RegistrationOptions {
  const deadline = parseDuration(DEADLINE.exec(command)?.[1] ?? "");
  return {
    failClosed: / --fail-closed(?: |$)/.test(command) || addressOptions(command).has("fail-closed"),
    isOpenByChoice: / --fail-open(?: |$)/.test(command),
    timeoutsMs: deadline.ok ? { [event]: agentTimeoutFor(deadline.value) } : {},
  };
}

export const durationText = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

/**
 * The registrations of an agent, one for each event. The text must not change between versions: agents that trust a
 * command by its text would ask again.
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
      const deadline = durationText(deadlineOf({ timeoutMs }));
      if (isOverHttp(agent, event, style.http)) {
        return { event, command: httpAddress(agent, event, deadline, style.http), timeoutMs, failClosed: false };
      }
      const words = `${program} bridge ${agent.name} --event ${event} --deadline ${deadline}`;
      const stop = style.failClosed ? blockFormat(row.answers) : undefined;
      const command =
        stop === undefined
          ? `${style.isShared === true ? ifMissing(agent, event, program) : ""}${words}${style.isOpenByChoice === true ? " --fail-open" : ""}`
          : `${words} --fail-closed || printf '%s\\n' '${printableJson(stop(cannotAsk(agent, program)))}'`;
      return { event, command, timeoutMs, failClosed: stop !== undefined };
    });
}

/** An agent with a fixed timeout would end hookctl before a longer deadline. */
const longerLimit = (row: NativeEvent, requestedMs = 0): number =>
  row.isTimeoutFixed === true ? agentTimeoutOf(row) : Math.max(agentTimeoutOf(row), requestedMs);

const howToInstall = (program: string): string =>
  program.includes("/node_modules/.bin/") ? "npm install" : "npm install --global hookctl";

const cannotAsk = ({ title }: Agent, program: string): string =>
  `hookctl could not be asked, and ${title} fails closed. If it is not installed: ${howToInstall(program)}`;

/**
 * Precedes a command in a committed file: without hookctl some agents would block every call, and others fail silently.
 * No braces, because a login shell may be fish.
 */
function ifMissing(agent: Agent, event: string, program: string): string {
  const test = `command -v ${program.split(/ (?=")/).at(-1)} >/dev/null 2>&1 ||`;
  if (event !== noticeEvent(agent)) return `${test} exit 0; `;
  const text = `hookctl is not installed, so no hook of this project runs. To install it: ${howToInstall(program)}`;
  const tell = agent.events[event]?.answers.notify;
  const words = tell === undefined ? `echo '${text}' >&2` : `printf '%s\\n' '${printableJson(tell(text))}'`;
  return `${test} ${words}; ${test} exit 0; `;
}

/** The events and options that the user and the hooks require. */
export interface RegistrationRequest {
  /** Null: the events of the hooks. */
  readonly events: readonly string[] | null;
  /** Chosen by a person; null: as registered before, or as the hooks require. */
  readonly mode: "fail-closed" | "fail-open" | null;
  readonly needs: HookRequirements;
  readonly program: string;
  /** The port of `hookctl serve`; not given: as registered before. */
  readonly httpPort?: number | null;
}

/** The registrations in the settings file and in the one that earlier versions wrote. */
function presentRegistrations(target: InstallTarget): readonly FoundRegistration[] {
  const places = [target, ...[formerTarget(target)].flatMap((one) => one ?? [])];
  return places.flatMap(({ text, format, agent }) =>
    findRegistrations(parseSettingsText(text ?? "", format), agent.name),
  );
}

/** The registrations to write. None is dropped, and none becomes fail-open unless a person chose that. */
export function neededRegistrations(
  target: InstallTarget,
  { events, mode, needs, program, httpPort = null }: RegistrationRequest,
): readonly Registration[] {
  const { agent, scope } = target;
  const present = presentRegistrations(target);
  const styles = present.map(({ command, event }) => registrationOptions(command, event));
  const former = httpChoiceOf(present, agent);
  const wasOpen = former?.isAll === true || styles.some((style) => style.isOpenByChoice === true);
  const isOpenByChoice = mode === "fail-open" || (mode === null && wasOpen);
  const isClosed = mode === "fail-closed" || needs.hasFailClosed || styles.some((style) => style.failClosed);
  const limits = [agentTimeoutsFor(agent, needs), ...styles.map((style) => style.timeoutsMs ?? {})];
  // Without hooks the existing registrations are enough.
  const needed = present.length > 0 && needs.events.length === 0 ? [] : eventsToRegister(agent, needs);
  const known = present.map(({ event }) => event).filter((event) => Object.hasOwn(agent.events, event));
  return createRegistrations(agent, program, {
    events: [...(events ?? needed), ...known],
    failClosed: isClosed && !isOpenByChoice,
    isOpenByChoice,
    // User and local settings are not committed.
    isShared: scope === "project",
    http: httpStyle(target, { port: httpPort ?? former?.port ?? null, isAll: isOpenByChoice, isClosed }),
    timeoutsMs: longest(limits),
  });
}

/** In a project's local file it names the project, because the agent may work elsewhere. */
const httpStyle = (
  { scope, projectDir }: InstallTarget,
  { port, ...style }: { readonly port: number | null; readonly isAll: boolean; readonly isClosed: boolean },
): HttpChoice | undefined =>
  port === null ? undefined : { port, ...style, directory: scope === "local" ? projectDir : null };

function longest(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const [event, ms] of all.flatMap((one) => Object.entries(one))) limits[event] = Math.max(limits[event] ?? 0, ms);
  return limits;
}
