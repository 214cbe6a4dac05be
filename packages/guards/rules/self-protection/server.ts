import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, CommandAnalysis, Word } from "../../command/call.ts";
import { BY_NAME, isRepeated, signalsOwnProcess, signalsRepeatedly } from "./signal-patterns.ts";

/** Programs that end the processes of given numbers, or that use a file. */
const BY_NUMBER = /^(?:kill|fuser|tkill|prlimit|renice|gdb)$/;
/** Programs that stop services, with the words for it. */
const SERVICES = /^(?:systemctl|service|launchctl|pm2|supervisorctl|initctl|rc-service|sv|s6-svc)$/;
const STOPS = /^(?:stop|kill|disable|mask|restart|try-restart|bootout|unload|remove|delete|down|exit|-k|-d|-x)$/;

/** True for a signal by pattern that is repeated, and so ends the answers to later calls. */
export const endsLaterAnswers = (call: Call): boolean => signalsRepeatedly(call, sourcesOf(call));

/** True for a loop without an end that looks through the processes itself: `for d in /proc/[0-9]*; do … kill ${d#/proc/}`. */
export const endsFoundProcesses = ({ text, calls }: CommandAnalysis): boolean =>
  text.includes("/proc") &&
  calls.some((call) => !call.isRemote && call.program === "kill" && isRepeated(call) && call.args.some(isFound));

/** The number of a job that the command itself started is no number that it found. */
const isFound = ({ text, source }: Word): boolean =>
  (text.includes(UNKNOWN) || /[*?[]/.test(text)) && !/^["']?\$!/.test(source);

const sourcesOf = (call: Call): readonly Call[] => [
  ...call.args.flatMap(({ printedBy }) => printedBy),
  ...inputsOf(call),
];

/** True if it ends a running `hookctl serve`: found by its name, however the name is searched. */
export function endsServer(call: Call): boolean {
  const { program, args } = call;
  if (BY_NAME.test(program)) return args.some(isServersName) || signalsOwnProcess(call, []);
  if (SERVICES.test(program)) return args.some(({ text }) => STOPS.test(text)) && args.some(isServersName);
  if (!BY_NUMBER.test(program)) return false;
  const sources = sourcesOf(call);
  return (
    args.some(isServersName) ||
    sources.some((source) => source.args.some(isServersName)) ||
    signalsOwnProcess(call, sources)
  );
}

/**
 * What a call and the calls around it read from a pipe: `pgrep hookctl | xargs kill`. Each is visited once, because the
 * ways lead back: in `$(pgrep x | xargs kill)` the first program's parent is the one that the last one prints for.
 */
function inputsOf(call: Call, seen = new Set<Call>()): ReadonlySet<Call> {
  if (seen.has(call)) return seen;
  seen.add(call);
  const { input, parent } = call;
  if (input.kind === "pipe") for (const from of input.from) inputsOf(from, seen);
  if (parent !== null) inputsOf(parent.call, seen);
  return seen;
}

const NAME = "hookctl";
const LEAST_PIECE = 4;

/** A pattern finds it by a piece of the name, too: `pkill -f '[h]ookctl'`, `pgrep h.okctl`. */
const isServersName = ({ text }: Word): boolean =>
  text
    .replace(/\[(.)\]/g, "$1")
    .split(/[\s.*+?()|{}[\]^$\\]+/)
    .some((piece) => piece.includes(NAME) || (piece.length >= LEAST_PIECE && NAME.includes(piece)));

const TOKEN_VARIABLE = "HOOKCTL_SERVE_TOKEN";
const EXPANDED = /\$(?:\{[!#]?)?HOOKCTL_SERVE_TOKEN\b/g;

/** True if a command uses the variable with the token of the server, and not only names it. */
export function usesToken({ text, calls }: CommandAnalysis): boolean {
  if (!text.includes(TOKEN_VARIABLE)) return false;
  const words = calls.flatMap(({ args }) => args);
  const isUsed = words.some((word) => word.text.includes(UNKNOWN) && count(word.source) > 0);
  // In single quotes it stays text; an assignment, a loop or a here-document are no words of a call.
  const literal = words.reduce((sum, word) => sum + count(word.text), 0);
  return isUsed || count(text) > literal || calls.some(printsVariable);
}

const count = (text: string): number => text.match(EXPANDED)?.length ?? 0;

/** `printenv HOOKCTL_SERVE_TOKEN`, or code that reads it. */
const printsVariable = ({ program, args }: Call): boolean =>
  PRINTERS.test(program) && args.some(({ text }) => text.includes(TOKEN_VARIABLE) && !text.includes("="));

const PRINTERS =
  /^(?:printenv|declare|typeset|export|readonly|launchctl|systemctl|g?awk|mawk|jq|node|bun|deno|python[\d.]*|perl|ruby|php|lua)$/;

const TOKEN_FILE = /(?:^|\/)hookctl-token$/;
/** The file from which agents get the token of `hookctl serve --http`. */
export const isTokenFile = (path: string): boolean => TOKEN_FILE.test(path);
