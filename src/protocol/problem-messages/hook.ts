import type { JsonKind } from "../json/scan.ts";
import { crashText, findCrash } from "../text/crash.ts";
import { didYouMean } from "../text/nearest.ts";
import { quoteHookName, shellQuote } from "../text/shell-quote.ts";
import { truncate } from "../text/text.ts";
import { formatDuration, formatSize } from "../text/units.ts";
import { describeUnsafePaths, fixCommand, NO_USABLE_HOME, placeHint, type UnsafePaths } from "../unsafe-path.ts";
import type { ProblemRows, Texts, UnionOf } from "./row.ts";

/** The hook of a problem: its name, its file, how it was sandboxed, and `asked` if it was asked for its events alone. */
export interface ProblemHook {
  readonly hook: string;
  readonly path: string;
  readonly sandbox?: string;
  readonly asked?: "hook";
}
type WithTexts<Names extends string> = ProblemHook & Texts<Names>;

interface TimedOut extends ProblemHook {
  readonly afterMs: number;
  readonly byDeadline: boolean;
  /** The number of child processes that were killed. */
  readonly ended: number;
}

interface Exited extends ProblemHook {
  readonly exitCode: number;
  readonly stderr: string;
}

/** A hook without a response. */
export const HOOK_ROWS = {
  HOOK_TIMED_OUT: (problem: TimedOut) => [
    `${problem.hook} ${timedOut(problem)}${childrenKilled(problem.ended)}`,
    timeHint(problem),
  ],
  HOOK_DEADLINE_PASSED: ({ hook }: ProblemHook) => [
    `${hook} was not started: the deadline had passed`,
    "Raise --deadline, or make the hooks before it faster.",
  ],
  /** The hook reads its call from variables, which cannot hold this call. */
  HOOK_CALL_NOT_PASSED: ({ hook, cause }: WithTexts<"cause">) => [
    `${hook} was not started: ${cause}`,
    "Let the hook read the payload on stdin, or limit it to other calls with `match`.",
  ],
  HOOK_INTERRUPTED: ({ hook, signal }: WithTexts<"signal">) => [
    `${hook} was interrupted by ${signal}`,
    "Run it again.",
  ],
  HOOK_TOO_MUCH_OUTPUT: ({ hook, path, asked, limitBytes }: ProblemHook & { limitBytes: number }) => [
    `${hook} printed more than ${formatSize(limitBytes)} on stdout`,
    asked === undefined
      ? "Keep stdout for the response, log to stderr, or raise its output_limit."
      : `Only its declaration belongs on stdout: ${shellQuote(path)} ${asked}`,
  ],
  HOOK_EXITED: (problem: Exited) => [
    `${problem.hook} failed: exit ${problem.exitCode}${causeOf(problem)}`,
    exitHint(problem),
  ],
  HOOK_SIGNALLED: ({ hook, path, asked, signal }: WithTexts<"signal">) => [
    `${hook} was killed by ${signal}`,
    `Run it by hand: ${shellQuote(path)} ${asked ?? "run"}`,
  ],
  HOOK_THREW: ({ hook, cause }: WithTexts<"cause">) => [
    `${hook} threw: ${truncate(cause, 160)}`,
    "A function decides by its return value; an exception is a failure.",
  ],
  /** A built-in guard could not judge a call, because of a fault of hookctl. */
  HOOK_GUARD_THREW: ({ hook, cause }: WithTexts<"cause">) => [
    `the built-in guard ${hook} could not judge the call: ${truncate(cause, 160)}`,
    "This is a fault in hookctl: report it with the command that the guard was given.",
  ],
  HOOK_TOOL_FAILED: ({ hook, cause }: WithTexts<"cause">) => [
    `${hook} failed: ${truncate(cause, 160)}`,
    "A tool decides by its result. Use -vv to see the stderr of its server.",
  ],
  HOOK_NO_SUCH_TOOL: ({ hook, tool, server, nearest }: WithTexts<"tool" | "server"> & { nearest: string | null }) => [
    `${hook}: the MCP server ${truncate(server, 60)} has no tool "${truncate(tool, 60)}"${didYouMean(nearest)}`,
    "Correct `tool` in the settings file: server.tool",
  ],
  HOOK_NOT_STARTED: ({ hook, path, cause }: WithTexts<"cause">) => [
    `${hook} could not be started: ${cause}`,
    `Check ${path}`,
  ],
  /** A settings entry starts a program that does not exist; the command runs in `folder`. */
  HOOK_COMMAND_MISSING: ({ hook, cause, fix, file, folder }: WithTexts<"cause" | "file" | "folder"> & Fix) => [
    `${hook} cannot start: ${truncate(cause, 400)}`,
    fix ??
      `Its command runs in ${truncate(folder, 200)}. Create the missing file there, or correct the command in ${truncate(file, 200)}`,
  ],
  HOOK_BAD_FORMAT: ({ hook, cause, fix }: WithTexts<"cause" | "fix">) => [`${hook} cannot be executed: ${cause}`, fix],
  HOOK_UNKNOWN_TYPE: ({ hook, path, answer, nearest }: WithTexts<"answer"> & { nearest: string | null }) => [
    `${hook} declared the unknown event "${truncate(answer, 60)}"${didYouMean(nearest)}`,
    `"${shellQuote(path)} hook" must print one event name, such as before_tool_call, or {"event": ["before_tool_call", "agent_stop"]}`,
  ],
  HOOK_BAD_ANSWER: ({ hook, path, detail }: WithTexts<"detail">) => [
    `${hook} printed an invalid declaration: ${detail}`,
    `See what it prints: ${shellQuote(path)} hook`,
  ],
  HOOK_MISSING: ({ hook }: ProblemHook) => [
    `${hook} is required by your settings, but does not exist`,
    "Restore it, or remove `required` from your settings.",
  ],
  HOOK_REFUSED_UNTRUSTED: ({ hook }: ProblemHook) => [
    `${hook} is not approved, so it was not started`,
    `Read it, then: hookctl trust ${quoteHookName(hook)}`,
  ],
  HOOK_REFUSED_UNSAFE: ({ hook, ...unsafe }: ProblemHook & UnsafePaths) => [
    `${hook} was not started: ${describeUnsafePaths(unsafe)}`,
    `Other users could change it. Fix: ${fixCommand(unsafe)}`,
  ],
  HOOK_REFUSED_UNREADABLE: ({ place, cause }: WithTexts<"place" | "cause">) => [
    `${place} cannot be read (${cause}), and it may contain a fail-closed guard`,
    `Make it readable for your user: ls -ld ${shellQuote(place)}`,
  ],
  /** Only the user's `settingsFile` may allow the hook to run without a sandbox; null if its grants are at fault. */
  HOOK_REFUSED_SANDBOX: ({ hook, cause, settingsFile }: WithTexts<"cause"> & { settingsFile: string | null }) => [
    `${hook} was not started: ${truncate(cause, 400)}`,
    settingsFile === null
      ? "Correct `write_paths` in its settings."
      : `${cause.includes("bwrap is not installed") ? "Install bubblewrap, for example: sudo apt-get install bubblewrap. " : ""}To run it without a sandbox, write in ${settingsFile}: "overrides": {${JSON.stringify(hook)}: {"sandbox": "off"}}`,
  ],
  HOOK_REFUSED_SETTINGS: ({ hook, place, cause }: WithTexts<"place" | "cause">) => [
    `your settings file is broken: ${place}: ${cause}`,
    `Repair the file: it declared the guard ${hook} when it was last read.`,
  ],
  /** The machine folder, or its settings file, may not be what the administrator wrote. */
  HOOK_REFUSED_MACHINE: ({ place, cause }: WithTexts<"place" | "cause">) => [
    `the hooks of this machine cannot be relied on: ${truncate(cause, 1000)}`,
    `Only an administrator can repair ${place}: sudo hookctl doctor`,
  ],
  HOOK_REFUSED_CHANGED: ({ hook, changes }: ProblemHook & { changes: readonly string[] }) => [
    `${hook} changed since you approved it, so it was not started`,
    `Changed: ${changes.join(", ")}.${ownWriting(changes)} Review it: hookctl trust --show ${quoteHookName(hook)}`,
  ],
  HOOK_REFUSED_DENIED: ({ hook }: ProblemHook) => [
    `${hook} is denied, so it was not started`,
    `Remove the denial: hookctl untrust ${quoteHookName(hook)}`,
  ],
  HOOK_REFUSED_STORE: ({ hook, cause }: WithTexts<"cause">) => [
    `${hook} was not started: your approvals cannot be read (${cause})`,
    cause === NO_USABLE_HOME || cause.startsWith("/")
      ? placeHint(cause)
      : "Repair the file, or start a new one: hookctl trust moves the broken file aside.",
  ],
  HOOK_REFUSED_LINK: ({ hook, leadsTo }: WithTexts<"leadsTo">) => [
    `${hook} was not started: it links to a file outside the project (${leadsTo})`,
    "Copy the file into the project.",
  ],
} as const satisfies ProblemRows;
export type HookProblem = UnionOf<typeof HOOK_ROWS>;

interface Fix {
  /** Null if the missing file has to be created, or the command corrected. */
  readonly fix: string | null;
}

function timedOut({ byDeadline, afterMs }: TimedOut): string {
  const after = formatDuration(afterMs);
  return byDeadline ? `was killed after ${after}: the deadline passed` : `exceeded its ${after} timeout`;
}

function timeHint({ byDeadline, asked }: TimedOut): string {
  if (byDeadline) return "Raise --deadline, or make the hook faster.";
  return asked === undefined
    ? "Raise the timeout, or make the hook faster."
    : "Let it print its event and exit before it does anything else.";
}

const childrenKilled = (count: number): string =>
  count === 0 ? "" : count === 1 ? "; its child process was killed" : `; its ${count} child processes were killed`;

function causeOf({ exitCode, stderr, asked }: Exited): string {
  const crash = findCrash(stderr);
  if (crash !== null) return `, ${crashText({ ...crash, message: truncate(crash.message, 160) })}`;
  const asElsewhere =
    exitCode === 2 && asked === undefined ? " (other agents read exit 2 as a block; here it is a failure)" : "";
  return asElsewhere + lastLine(stderr);
}

/** Lines that follow an error's message: its stack, its fields and the version of Node. */
const BELOW_ERROR = /^(\s|$|[}\]]|Node\.js v)/;

function lastLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const line = lines.findLast((one) => !BELOW_ERROR.test(one)) ?? lines.at(-1) ?? "";
  return line === "" ? "" : `, ${truncate(line, 160)}`;
}

/** A hook that writes to one of its approved files would be a changed hook after every run. */
const ownWriting = (changes: readonly string[]): string =>
  changes.some((change) => /^the (?:helper|file) /.test(change))
    ? " A hook should write its own files to .kodelet/state."
    : "";

/** Shells and `env` exit with this code if a command was not found. */
const COMMAND_NOT_FOUND = 127;
/** `$'\r': command not found`, `env: 'bash\r'`, or the character itself before a quote or a colon. */
const NAMES_A_CARRIAGE_RETURN = /\\r['’]|\r['’"]?:/;

function exitHint({ exitCode, stderr, asked, path }: Exited): string {
  if (NAMES_A_CARRIAGE_RETURN.test(stderr))
    return "A script of it has CRLF line ends (Windows). Write Unix line ends: perl -pi -e 's/\\r$//' FILE";
  if (exitCode === COMMAND_NOT_FOUND)
    return "A program was not found. For hooks, PATH has no relative entries and no project folders; `path_allow` in your user settings allows one.";
  return asked === undefined
    ? "To decide, print JSON on stdout and exit 0; any other exit code is a failure."
    : `It must print one event name, such as before_tool_call, and exit 0: ${shellQuote(path)} ${asked}`;
}

type Replied<Names extends string = never> = Texts<"hook" | "path" | Names>;

/** A response that cannot be used. */
export const REPLY_ROWS = {
  REPLY_NOT_UTF8: ({ hook }: Replied) => [`${hook} printed bytes that are not UTF-8`, "Print the response as UTF-8."],
  REPLY_NOT_JSON: ({ hook, line, detail, text }: Replied<"detail" | "text"> & { line: number }) => [
    `${hook} did not print valid JSON: line ${line}, ${detail} (${JSON.stringify(truncate(text, 60))})`,
    'Keep stdout for JSON; log to stderr: echo "…" >&2',
  ],
  REPLY_NOT_OBJECT: ({ hook, found }: Replied & { found: JsonKind }) => [
    `${hook} printed a JSON ${found}, not an object`,
    'Print an object: {"blocked":false}',
  ],
  REPLY_TOO_DEEP: ({ hook, detail }: Replied<"detail">) => [`${hook} printed JSON ${detail}`, "Flatten the response."],
  REPLY_WRONG_TYPE: ({ hook, key, expected, found }: Replied<"key" | "expected" | "found">) => [
    `${hook} printed "${truncate(key, 60)}" as ${found}; it must be ${expected}`,
    `Print ${expected}.`,
  ],
  REPLY_MISSPELT_KEY: ({ hook, key, nearest }: Replied<"key" | "nearest">) => [
    `${hook} printed the unknown key "${truncate(key, 60)}". Did you mean "${nearest}"?`,
    `Possibly a misspelt "${nearest}": no other key of the response decides.`,
  ],
} as const satisfies ProblemRows;
export type ReplyProblem = UnionOf<typeof REPLY_ROWS>;
