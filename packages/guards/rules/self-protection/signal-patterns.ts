import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call } from "../../command/call.ts";

/** Programs that signal every process of a name or pattern. */
export const BY_NAME = /^(?:pkill|killall|skill|taskkill|slay)$/;
/** Programs that find numbers of processes for `kill`. */
const FINDERS = /^(?:pgrep|pidof|ps|[ef]?grep|rg|g?awk|mawk|sed)$/;

/** The processes that answer an agent's call. The part between the marks is found in no other program. */
const OWN_TEXTS = ["/bin/sh -c ", "/usr/bin/node /home/dev/.npm-global/bin/", "node /usr/lib/node_modules/hookctl/bin/"]
  .flatMap((start) => ["hookctl", "hookctl.js"].map((program) => ({ start, program })))
  .flatMap(({ start, program }) =>
    [
      "bridge claude --event PreToolUse --fail-closed --proof) || answer=; case $answer in *hookctl-answered) printf",
      "serve --http 4665",
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

/** True if a pattern among the arguments finds the processes that answer calls, and not programs of every kind. */
export function signalsOwnProcess(call: Call, sources: readonly Call[]): boolean {
  const { program, args } = call;
  const texts = ({ args: words }: Call): readonly string[] => {
    const end = words.findIndex(({ text }) => text === "--");
    return words.flatMap(({ text }, at) => (text.startsWith("-") && (end < 0 || at <= end) ? [] : [text]));
  };
  if (program === "killall" && !args.some(({ text }) => /^(?:-[a-zA-Z]*r|--regexp)$/.test(text))) return false;
  if (BY_NAME.test(program)) return texts(call).some(findsOwn);
  return sources.some((one) => FINDERS.test(one.program) && !isInverted(one) && texts(one).some(findsOwn));
}

/** True for a signal by name or pattern that is sent again and again, so that later calls are hit. */
export const signalsRepeatedly = (call: Call, sources: readonly Call[]): boolean =>
  isRepeated(call) &&
  !call.args.some(({ text }) => text === "-0" || text === "0") &&
  (BY_NAME.test(call.program) ||
    (call.program === "kill" && sources.some(({ program }) => /^(?:pgrep|pidof|ps)$/.test(program))));

/** True in a loop without an end, also around the call. */
export const isRepeated = (call: Call): boolean =>
  call.isRepeated || call.program === "watch" || (call.parent !== null && isRepeated(call.parent.call));

const isInverted = ({ program, args }: Call): boolean =>
  /grep$|^rg$/.test(program) && args.some(({ text }) => /^-[a-zA-Z]*v|^--invert/.test(text));

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
