import { PROOF } from "../../../src/protocol/exit-code.ts";
import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { type Agent, agentTimeoutOf, blockFormat } from "../../agents/agent.ts";
import type { FoundRegistration, Registration } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { registrationsIn } from "./find-registrations.ts";
import { eventsToRegister, type HookRequirements, noticeEvent } from "./hook-requirements.ts";
import { formerTarget, type InstallTarget } from "./install-target.ts";

/** A path as `install` writes it. The file can have any name. */
const QUOTED = String.raw`"(?:[^"\\$\`\n]|\\["\\$\`])+"`;
/** The programs that `install` writes. `doctor` runs no others. */
const PROGRAM = new RegExp(
  String.raw`(?:^|answer=\$\()(hookctl|"\$[A-Z_]+"/node_modules/\.bin/hookctl|${QUOTED}) bridge `,
);

/** Options of a registration. */
interface RegistrationOptions {
  /** Blocks when hookctl itself fails. */
  readonly failClosed: boolean;
  /** A person chose `--fail-open`, which the command remembers. */
  readonly isOpenByChoice?: boolean;
}

/** A registered command, parsed. */
export interface ParsedRegistration extends RegistrationOptions {
  readonly event: string;
  readonly program: string;
}

/** The settings file of a registration. */
type RegistrationFile = Pick<InstallTarget, "agent" | "scope" | "shown">;

/** Null if `install` would not write exactly this command: it must not be run. */
export function parseRegistration(
  { event, command }: Pick<Registration, "event" | "command">,
  file: RegistrationFile,
): ParsedRegistration | null {
  const program = PROGRAM.exec(withoutShell(command))?.[1];
  if (program === undefined) return null;
  const style = registrationOptions(command);
  const [line] = createRegistrations(file, program, { events: [event], ...style });
  return line?.command === command ? { event, program, ...style } : null;
}

/** The options of all registrations in a file. */
export function optionsOfAll(lines: readonly FoundRegistration[]): RegistrationOptions {
  const each = lines.map(({ command }) => registrationOptions(command));
  return {
    failClosed: each.some(({ failClosed }) => failClosed),
    isOpenByChoice: each.some(({ isOpenByChoice }) => isOpenByChoice === true),
  };
}

/** Reads the options of a command, which a user may have edited. */
const registrationOptions = (command: string): RegistrationOptions => ({
  failClosed: / --fail-closed(?: |$)/.test(command),
  isOpenByChoice: / --fail-open(?:[ ;]|$)/.test(command),
});

/**
 * The registrations of an agent, one for each event. Nothing in them depends on the hooks, the version of hookctl or the
 * time: an agent that trusts a command by its text, such as Codex, would no longer run it after a change.
 */
export function createRegistrations(
  file: RegistrationFile,
  program: string,
  { events, ...style }: RegistrationOptions & { readonly events: readonly string[] },
): readonly Registration[] {
  const { agent } = file;
  return Object.entries(agent.events)
    .filter(([event]) => events.includes(event))
    .map(([event, row]) => {
      const timeoutMs = agentTimeoutOf(row);
      const words = `${program} bridge ${agent.name} --event ${event}`;
      const stop = style.failClosed ? blockFormat(row.answers) : undefined;
      const command =
        stop === undefined
          ? openLine(`${words}${style.isOpenByChoice === true ? " --fail-open" : ""}`, file, event, program)
          : closedLine(`${words} --fail-closed --proof`, printed(stop(cannotAsk(file, program))), agent);
      return { event, command, timeoutMs, failClosed: stop !== undefined };
    });
}

/** Without an apostrophe and a double backslash, which fish reads in another way inside the apostrophes of a line. */
const printed = (answer: JsonRecord): string => {
  const text = printableJson(answer).replaceAll("\\\\", "\\u005c").replaceAll("'", "\\u0027");
  return `printf '%s\\n' ${shellQuote(text)}`;
};

/**
 * A shell line that passes the answer of hookctl on only if it is complete, and blocks the call otherwise: if another
 * program runs instead of hookctl, if hookctl crashes, or if the answer is cut. Its parts:
 *
 *     POSIXLY_CORRECT=1      special builtins come before exported functions in bash
 *     trap : HUP INT TERM    agents signal the whole group: hookctl ends, and this line still prints the block
 *     unset -f printf        no exported function of bash runs instead of the builtin
 *     answer=$(…)            runs hookctl; a failure empties the answer
 *     case $answer in …      prints the answer if it ends with the proof, else the block
 *
 * A JavaScript module checks the proof itself, so that the call is not allowed either if the shell ends.
 */
function closedLine(call: string, block: string, { name }: Agent): string {
  const { format, usesLoginShell } = AGENT_INSTALLS[name];
  const passed = format.kind === "module" ? "$answer" : `\${answer%${PROOF}}`;
  const line = `POSIXLY_CORRECT=1; trap : HUP INT TERM; unset -f printf 2>/dev/null || :; answer=$(${call}) || answer=; case $answer in *${PROOF}) printf %s "${passed}" ;; *) ${block} ;; esac`;
  // A login shell can be one with another syntax, such as fish.
  return usesLoginShell === true ? `${SHELL}${shellQuote(line)}` : line;
}

const SHELL = "exec /bin/sh -c ";

/** The line itself, if it is written for a login shell. */
const withoutShell = (command: string): string =>
  command.startsWith(SHELL) ? command.slice(SHELL.length + 1, -1).replaceAll("'\\''", "'") : command;

function cannotAsk(file: RegistrationFile, program: string): string {
  return `hookctl could not be asked, and ${file.agent.title} fails closed: ${howToGoOn(file, program)}.`;
}

/** The same on every machine, so that the entry keeps its text. */
function howToGoOn({ agent, scope, shown }: RegistrationFile, program: string): string {
  const install = program.includes("/node_modules/.bin/") ? "run npm install" : "install hookctl";
  const init = `${scope === "machine" ? "sudo " : ""}hookctl init ${agent.name} --scope ${scope}`;
  return `${install} and run ${init}, or remove the entries of hookctl from ${shown}`;
}

/**
 * A shell line that lets the call pass if hookctl was removed, and says how to go on. The launcher outlives the package, so
 * that only the shell's exit code tells that no hookctl was started.
 */
function openLine(call: string, file: RegistrationFile, event: string, program: string): string {
  const { usesLoginShell } = AGENT_INSTALLS[file.agent.name];
  const line = `${call}; code=$?; case $code in 126|127) ${withoutHookctl(file, event, program)} ;; esac; exit $code`;
  return usesLoginShell === true ? `${SHELL}${shellQuote(line)}` : line;
}

function withoutHookctl(file: RegistrationFile, event: string, program: string): string {
  const { agent, scope } = file;
  // A committed file reaches people without hookctl, who are told once in a session.
  if (scope === "project" && event !== noticeEvent(agent)) return "exit 0";
  const text = `hookctl is not installed, so no hook runs: ${howToGoOn(file, program)}.`;
  const tell = agent.events[event]?.answers.notify;
  if (tell !== undefined) return `${printed(tell(text))}; exit 0`;
  // An agent that goes on shows the message of a failed hook; another would deny the call.
  return `echo ${shellQuote(text)} >&2${agent.withoutProgram === "allows" && scope !== "project" ? "" : "; exit 0"}`;
}

/** The events and options that the user and the hooks require. */
export interface RegistrationRequest {
  /** The events that a person named; null to register the events of the hooks. */
  readonly events: readonly string[] | null;
  /** The choice of a person; null to keep what is registered, or to do what the hooks require. */
  readonly mode: "fail-closed" | "fail-open" | null;
  readonly needs: HookRequirements;
  readonly program: string;
}

/** The registrations in the settings file and in the file that earlier versions wrote. */
function presentRegistrations(target: InstallTarget): readonly FoundRegistration[] {
  const former = formerTarget(target);
  return (former === null ? [target] : [target, former]).flatMap(registrationsIn);
}

/** The registrations to write. None is dropped, and none becomes fail-open unless a person chose that. */
export function neededRegistrations(
  target: InstallTarget,
  { events, mode, needs, program }: RegistrationRequest,
): readonly Registration[] {
  const { agent, scope } = target;
  const present = presentRegistrations(target);
  const former = optionsOfAll(present);
  const isOpenByChoice = mode === "fail-open" || (mode === null && former.isOpenByChoice === true);
  // A committed file reaches people without hookctl, whom a fail-closed registration blocks: only where a hook needs it.
  const isClosed = mode === "fail-closed" || scope !== "project" || needs.hasFailClosed || former.failClosed;
  // Without hooks the existing registrations are enough.
  const needed = present.length > 0 && needs.events.length === 0 ? [] : eventsToRegister(agent, needs);
  const known = present.map(({ event }) => event).filter((event) => Object.hasOwn(agent.events, event));
  return createRegistrations(target, program, {
    events: [...(events ?? [...needed, ...standingEvents(agent)]), ...known],
    failClosed: isClosed && !isOpenByChoice,
    isOpenByChoice,
  });
}

/** How the present registrations start hookctl. */
export const presentPrograms = (target: InstallTarget): readonly string[] =>
  presentRegistrations(target).flatMap((line) => parseRegistration(line, target)?.program ?? []);

/**
 * The events that are registered whatever the hooks handle: those that hookctl itself answers, and all that can block if
 * the agent asks the person about each new entry.
 */
function standingEvents({ name, events }: Agent): readonly string[] {
  const { trustsEachEntry } = AGENT_INSTALLS[name];
  return Object.entries(events).flatMap(([event, { isSettingsChange, isOnRequest, answers }]) => {
    const isBlockable = isOnRequest !== true && blockFormat(answers) !== undefined;
    return isSettingsChange === true || (trustsEachEntry === true && isBlockable) ? [event] : [];
  });
}
