import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, CommandAnalysis, Word } from "../../command/call.ts";

/** Programs that signal every process of a name or pattern. */
const BY_NAME = /^(?:pkill|killall|skill|taskkill|slay)$/;
/** Programs that end the processes of given numbers, or that use a file. */
const BY_NUMBER = /^(?:kill|fuser|tkill|prlimit|renice|gdb)$/;
/** Programs that find numbers of processes for `kill`. */
const FINDERS = /^(?:pgrep|pidof|ps|[ef]?grep|rg|g?awk|mawk|sed)$/;
/** Programs that stop services, with the words for it. */
const SERVICES = /^(?:systemctl|service|launchctl|pm2|supervisorctl|initctl|rc-service|sv|s6-svc)$/;
const STOPS = /^(?:stop|kill|disable|mask|restart|try-restart|bootout|unload|remove|delete|down|exit|-k|-d|-x)$/;

/** True if it ends a running `hookctl serve`: found by its name, however the name is searched. */
export function endsServer(call: Call): boolean {
  const { program, args } = call;
  if (BY_NAME.test(program)) return args.some(isServersName) || signalsOwnProcess(call, []);
  if (SERVICES.test(program)) return args.some(({ text }) => STOPS.test(text)) && args.some(isServersName);
  if (!BY_NUMBER.test(program)) return false;
  const sources = sourcesOf(call);
  return [call, ...sources].some((one) => one.args.some(isServersName)) || signalsOwnProcess(call, sources);
}

/** True for a signal by name or pattern that is sent again and again, and so ends the answers to later calls. */
export const endsLaterAnswers = (call: Call): boolean =>
  isRepeated(call) &&
  !call.args.some(({ text }) => text === "-0" || text === "0") &&
  ((BY_NAME.test(call.program) && !namesOthers(call)) ||
    (call.program === "kill" && sourcesOf(call).some(({ program }) => /^(?:pgrep|pidof|ps)$/.test(program))));

/** True for names that no process with hookctl's answers has: `killall -USR1 dd`. */
const namesOthers = (call: Call): boolean =>
  !call.args.some(({ text }) => /^-(?:[a-z]?[gtur]|[UGP])$|^--(?:regexp|user|group|uid|gid)/.test(text)) &&
  patternsOf(call).every(
    (text) => /^[\w-]+$/.test(text) && !OWN_NAMES.some((own) => own.includes(text)) && !findsOwn(text),
  );

const OWN_NAMES = [
  "sh",
  "bash",
  "dash",
  "zsh",
  "node",
  "MainThread",
  "hookctl",
  "claude",
  "codex",
  "bun",
  "deno",
  "python3",
];

/** The signal of a loop without an end that looks through the processes itself: `for d in /proc/[0-9]*; do … kill ${d#/proc/}`. */
export const endsFoundProcesses = ({ text, calls }: CommandAnalysis): Call | undefined =>
  text.includes("/proc")
    ? calls.find((call) => !call.isRemote && call.program === "kill" && isRepeated(call) && call.args.some(isFound))
    : undefined;

/** The number of a job that the command itself started is no number that it found. */
const isFound = ({ text, source }: Word): boolean =>
  (text.includes(UNKNOWN) || /[*?[]/.test(text)) && !/^["']?\$!/.test(source);

/** True in a loop without an end, also around the call. */
const isRepeated = (call: Call): boolean =>
  call.isRepeated || call.program === "watch" || (call.parent !== null && isRepeated(call.parent.call));

const sourcesOf = (call: Call): readonly Call[] => [
  ...call.args.flatMap(({ printedBy }) => printedBy),
  ...inputsOf(call),
];

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

/** True if a pattern among the arguments finds the processes that answer calls, and not programs of every kind. */
function signalsOwnProcess(call: Call, sources: readonly Call[]): boolean {
  const { program, args } = call;
  if (program === "killall" && !args.some(({ text }) => /^(?:-[a-zA-Z]*r|--regexp)$/.test(text))) return false;
  if (BY_NAME.test(program)) return patternsOf(call).some(findsOwn);
  return sources.some((one) => FINDERS.test(one.program) && !isInverted(one) && patternsOf(one).some(findsOwn));
}

function patternsOf({ args }: Call): readonly string[] {
  const end = args.findIndex(({ text }) => text === "--");
  return args.flatMap(({ text }, at) => (text.startsWith("-") && (end < 0 || at <= end) ? [] : [text]));
}

const isInverted = ({ program, args }: Call): boolean =>
  /grep$|^rg$/.test(program) && args.some(({ text }) => /^-[a-zA-Z]*v|^--invert/.test(text));

/** The processes that answer an agent's call. The part between the marks is found in no other program. */
const OWN_TEXTS = ["/bin/sh -c ", "/usr/bin/node /home/dev/.npm-global/bin/", "node /usr/lib/node_modules/hookctl/bin/"]
  .flatMap((start) => ["hookctl", "hookctl.js"].map((program) => ({ start, program })))
  .flatMap(({ start, program }) =>
    [
      "bridge claude --event PreToolUse --fail-closed --proof) || answer=; case $answer in *hookctl-answered) printf",
      "serve --socket /run/user/1000/hookctl",
    ].map((rest) => ({
      text: `${start}${program} ${rest}`,
      own: [start.length, start.length + `${program} bridge`.length] as const,
    })),
  );
const OWN_WORDS = /\bbridge\b|--event|PreToolUse|fail-closed|answer(?:=|ed)/i;

/** A pattern for these is about other programs as well, and ends them more often than hookctl. */
const OTHER_TEXTS = [
  "/bin/sh -c npm run dev",
  "/usr/bin/node /home/dev/shop/server.js --port 3000",
  "node /home/dev/shop/node_modules/.bin/vite serve",
  "python3 -m http.server",
  "claude --continue",
];

/** Each alternative is judged by itself: in `vite|bridge` the second finds hookctl. */
function findsOwn(argument: string): boolean {
  if (argument.includes(UNKNOWN)) return false;
  const pattern = /^\s*\/(.+)\//s.exec(argument)?.[1] ?? argument;
  const whole = compiled(pattern);
  if (whole === null) return /hookctl|bridge/i.test(pattern.replace(/[^a-z]/gi, ""));
  const parts = /[()]/.test(pattern) ? [] : pattern.split("|").flatMap((part) => compiled(part) ?? []);
  return [whole, ...parts].some(isAboutOwn);
}

function isAboutOwn(pattern: RegExp): boolean {
  if (OTHER_TEXTS.some((text) => pattern.test(text))) return false;
  return OWN_TEXTS.some(({ text, own: [from, to] }) => {
    const found = pattern.exec(text);
    if (found === null) return false;
    const isInside = found.index < to && found.index + found[0].length > from && found[0] !== "";
    return text.includes(" bridge ") ? isInside || OWN_WORDS.test(found[0]) : isInside && /hook|ctl/i.test(found[0]);
  });
}

const MOST_CHARACTERS = 200;
/** More repetitions, groups or alternatives could take long to try. */
const MOST_REPEATS = 2;
const MOST_CHOICES = 4;

/** The compiled pattern; null if it is not valid here, or may take long to try. */
function compiled(pattern: string): RegExp | null {
  const repeats = pattern.match(/[*+{]/g)?.length ?? 0;
  const choices = pattern.match(/[?(|]/g)?.length ?? 0;
  const isLong = pattern.length > MOST_CHARACTERS || repeats > MOST_REPEATS || choices > MOST_CHOICES;
  if (pattern === "" || isLong || /\)[*+?{]|\\\d/.test(pattern)) return null;
  try {
    return new RegExp(pattern.replace(/\[:(?:alpha|alnum):\]/g, "\\w").replace(/\[:space:\]/g, "\\s"), "i");
  } catch {
    return null;
  }
}
