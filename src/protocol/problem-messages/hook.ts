import type { Explanation, HookProblem, ReplyProblem } from "../problem.ts";
import { crashText, findCrash } from "../text/crash.ts";
import { didYouMean } from "../text/nearest.ts";
import { quoteHookName, shellQuote } from "../text/shell-quote.ts";
import { truncate } from "../text/text.ts";
import { formatDuration, formatSize } from "../text/units.ts";
import { describeUnsafePaths, fixCommand, NO_USABLE_HOME, placeHint } from "../unsafe-path.ts";

/** Shells and `env` exit with this code if a command was not found. */
const COMMAND_NOT_FOUND = 127;

export function explainHook(problem: HookProblem): Explanation {
  const { path, asked } = problem;
  const hook = asked === undefined ? problem.hook : `\`${problem.hook} ${asked}\``;
  switch (problem.code) {
    case "HOOK_TIMED_OUT":
      return {
        summary: `${hook} ${problem.byDeadline ? `was killed after ${formatDuration(problem.afterMs)}: the deadline passed` : `exceeded its ${formatDuration(problem.afterMs)} timeout`}${childrenKilled(problem.ended)}`,
        hint: timeHint(problem),
      };
    case "HOOK_DEADLINE_PASSED":
      return {
        summary: `${hook} was not started: the deadline had passed`,
        hint: "Raise --deadline, or make the hooks before it faster.",
      };
    case "HOOK_CALL_NOT_PASSED":
      return {
        summary: `${hook} was not started: ${problem.cause}`,
        hint: "Let the hook read the payload on stdin, or limit it to other calls with `match`.",
      };
    case "HOOK_INTERRUPTED":
      return { summary: `${hook} was interrupted by ${problem.signal}`, hint: "Run it again." };
    case "HOOK_TOO_MUCH_OUTPUT":
      return {
        summary: `${hook} printed more than ${formatSize(problem.limitBytes)} on stdout`,
        hint:
          asked === undefined
            ? "Keep stdout for the response, log to stderr, or raise its output_limit."
            : `Only its declaration belongs on stdout: ${shellQuote(path)} ${asked}`,
      };
    case "HOOK_EXITED":
      return {
        summary: `${hook} failed: exit ${problem.exitCode}${causeOf(problem)}`,
        hint: exitHint(problem),
      };
    case "HOOK_SIGNALLED":
      return {
        summary: `${hook} was killed by ${problem.signal}`,
        hint: `Run it by hand: ${shellQuote(path)} ${asked ?? "run"}`,
      };
    case "HOOK_THREW":
      return {
        summary: `${hook} threw: ${truncate(problem.cause, 160)}`,
        hint: "A function decides by its return value; an exception is a failure.",
      };
    case "HOOK_GUARD_THREW":
      return {
        summary: `the built-in guard ${hook} could not judge the call: ${truncate(problem.cause, 160)}`,
        hint: "This is a fault in hookctl: report it with the command that the guard was given.",
      };
    case "HOOK_TOOL_FAILED":
      return {
        summary: `${hook} failed: ${truncate(problem.cause, 160)}`,
        hint: "A tool decides by its result. Use -vv to see the stderr of its server.",
      };
    case "HOOK_NO_SUCH_TOOL":
      return {
        summary: `${hook}: the MCP server ${truncate(problem.server, 60)} has no tool "${truncate(problem.tool, 60)}"${didYouMean(problem.nearest)}`,
        hint: "Correct `tool` in the settings file: server.tool",
      };
    case "HOOK_NOT_STARTED":
      return { summary: `${hook} could not be started: ${problem.cause}`, hint: `Check ${path}` };
    case "HOOK_COMMAND_MISSING":
      return {
        summary: `${hook} cannot start: ${truncate(problem.cause, 400)}`,
        hint:
          problem.fix ??
          `Its command runs in ${truncate(problem.folder, 200)}. Create the missing file there, or correct the command in ${truncate(problem.file, 200)}`,
      };
    case "HOOK_BAD_FORMAT":
      return {
        summary: `${hook} cannot be executed: ${problem.cause}`,
        hint: problem.fix,
      };
    case "HOOK_UNKNOWN_TYPE":
      return {
        summary: `${hook} declared the unknown event "${truncate(problem.answer, 60)}"${didYouMean(problem.nearest)}`,
        hint: `"${shellQuote(path)} hook" must print one event name, such as before_tool_call, or {"event": ["before_tool_call", "agent_stop"]}`,
      };
    case "HOOK_BAD_ANSWER":
      return {
        summary: `${hook} printed an invalid declaration: ${problem.detail}`,
        hint: `See what it prints: ${shellQuote(path)} hook`,
      };
    case "HOOK_MISSING":
      return {
        summary: `${hook} is required by your settings, but does not exist`,
        hint: "Restore it, or remove `required` from your settings.",
      };
    case "HOOK_REFUSED_UNTRUSTED":
      return {
        summary: `${hook} is not approved, so it was not started`,
        hint: `Read it, then: hookctl trust ${quoteHookName(hook)}`,
      };
    case "HOOK_REFUSED_UNSAFE":
      return {
        summary: `${hook} was not started: ${describeUnsafePaths(problem)}`,
        hint: `Other users could change it. Fix: ${fixCommand(problem)}`,
      };
    case "HOOK_REFUSED_UNREADABLE":
      return {
        summary: `${problem.place} cannot be read (${problem.cause}), and it may contain a fail-closed guard`,
        hint: `Make it readable for your user: ls -ld ${shellQuote(problem.place)}`,
      };
    case "HOOK_REFUSED_SANDBOX":
      return {
        summary: `${hook} was not started: ${truncate(problem.cause, 400)}`,
        hint:
          problem.settingsFile === null
            ? "Correct `write_paths` in its settings."
            : `${problem.cause.includes("bwrap is not installed") ? "Install bubblewrap, for example: sudo apt-get install bubblewrap. " : ""}To run it without a sandbox, write in ${problem.settingsFile}: "overrides": {${JSON.stringify(hook)}: {"sandbox": "off"}}`,
      };
    case "HOOK_REFUSED_SETTINGS":
      return {
        summary: `your settings file is broken: ${problem.place}: ${problem.cause}`,
        hint: `Repair the file: it declared the guard ${hook} when it was last read.`,
      };
    case "HOOK_REFUSED_MACHINE":
      return {
        summary: `the hooks of this machine cannot be relied on: ${truncate(problem.cause, 1000)}`,
        hint: `Only an administrator can repair ${problem.place}: sudo hookctl doctor`,
      };
    case "HOOK_REFUSED_CHANGED":
      return {
        summary: `${hook} changed since you approved it, so it was not started`,
        hint: `Changed: ${problem.changes.join(", ")}.${ownWriting(problem.changes)} Review it: hookctl trust --show ${quoteHookName(hook)}`,
      };
    case "HOOK_REFUSED_DENIED":
      return {
        summary: `${hook} is denied, so it was not started`,
        hint: `Remove the denial: hookctl untrust ${quoteHookName(hook)}`,
      };
    case "HOOK_REFUSED_STORE":
      return {
        summary: `${hook} was not started: your approvals cannot be read (${problem.cause})`,
        hint:
          problem.cause === NO_USABLE_HOME || problem.cause.startsWith("/")
            ? placeHint(problem.cause)
            : "Repair the file, or start a new one: hookctl trust moves the broken file aside.",
      };
    case "HOOK_REFUSED_LINK":
      return {
        summary: `${hook} was not started: it links to a file outside the project (${problem.leadsTo})`,
        hint: "Copy the file into the project.",
      };
  }
}

export function explainResponse(problem: ReplyProblem): Explanation {
  const { hook } = problem;
  switch (problem.code) {
    case "REPLY_NOT_UTF8":
      return { summary: `${hook} printed bytes that are not UTF-8`, hint: "Print the response as UTF-8." };
    case "REPLY_NOT_JSON":
      return {
        summary: `${hook} did not print valid JSON: line ${problem.line}, ${problem.detail} (${JSON.stringify(truncate(problem.text, 60))})`,
        hint: 'Keep stdout for JSON; log to stderr: echo "…" >&2',
      };
    case "REPLY_NOT_OBJECT":
      return {
        summary: `${hook} printed a JSON ${problem.found}, not an object`,
        hint: 'Print an object: {"blocked":false}',
      };
    case "REPLY_TOO_DEEP":
      return { summary: `${hook} printed JSON ${problem.detail}`, hint: "Flatten the response." };
    case "REPLY_WRONG_TYPE":
      return {
        summary: `${hook} printed "${truncate(problem.key, 60)}" as ${problem.found}; it must be ${problem.expected}`,
        hint: `Print ${problem.expected}.`,
      };
    case "REPLY_MISSPELT_KEY":
      return {
        summary: `${hook} printed the unknown key "${truncate(problem.key, 60)}". Did you mean "${problem.nearest}"?`,
        hint: `Possibly a misspelt "${problem.nearest}": no other key of the response decides.`,
      };
  }
}

function timeHint({ byDeadline, asked }: Extract<HookProblem, { readonly code: "HOOK_TIMED_OUT" }>): string {
  if (byDeadline) return "Raise --deadline, or make the hook faster.";
  return asked === undefined
    ? "Raise the timeout, or make the hook faster."
    : "Let it print its event and exit before it does anything else.";
}

const childrenKilled = (count: number): string =>
  count === 0 ? "" : count === 1 ? "; its child process was killed" : `; its ${count} child processes were killed`;

type Exited = Extract<HookProblem, { readonly code: "HOOK_EXITED" }>;

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

/** A hook that writes to one of its approved files would count as changed after every run. */
const ownWriting = (changes: readonly string[]): string =>
  changes.some((change) => /^the (?:helper|file) /.test(change))
    ? " A hook should write its own files to .kodelet/state."
    : "";

function exitHint({ exitCode, stderr, asked, path }: Exited): string {
  if (NAMES_A_CARRIAGE_RETURN.test(stderr))
    return "A script of it has CRLF line ends (Windows). Write Unix line ends: perl -pi -e 's/\\r$//' FILE";
  if (exitCode === COMMAND_NOT_FOUND)
    return "A program was not found. For hooks, PATH has no relative entries and no project folders; `path_allow` in your user settings allows one.";
  return asked === undefined
    ? "To decide, print JSON on stdout and exit 0; any other exit code is a failure."
    : `It must print one event name, such as before_tool_call, and exit 0: ${shellQuote(path)} ${asked}`;
}

/** `$'\r': command not found`, `env: 'bash\r'`, or the character itself before a quote or a colon. */
const NAMES_A_CARRIAGE_RETURN = /\\r['’]|\r['’"]?:/;
