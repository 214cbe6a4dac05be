import { quoteHookName, shellQuote } from "./command-line.ts";
import type {
  CaseProblem,
  ConfigProblem,
  HookProblem,
  HostProblem,
  PayloadProblem,
  Problem,
  ReplyProblem,
  UsageProblem,
} from "./problem.ts";
import { truncate } from "./text.ts";
import { formatDuration, formatSize } from "./units.ts";
import { describeUnsafePaths, fixCommand } from "./unsafe-path.ts";

/** What happened and where (`summary`), and what to type next (`hint`). Names in it are as they came: a report escapes. */
export interface Explanation {
  readonly summary: string;
  readonly hint: string;
}

/** What shells and `env` exit with then. */
const COMMAND_NOT_FOUND = 127;

/** The words of a problem, cut to what a screen can hold. */
export function explain(problem: Problem): Explanation {
  const { summary, hint } = wordsFor(problem);
  return { summary: truncate(summary, 600), hint: truncate(hint, 600) };
}

function wordsFor(problem: Problem): Explanation {
  if (isOf("USAGE", problem)) return usageWords(problem);
  if (isOf("PAYLOAD", problem)) return payloadWords(problem);
  if (isOf("HOOK", problem)) return hookWords(problem);
  if (isOf("REPLY", problem)) return replyWords(problem);
  if (isOf("CONFIG", problem)) return configWords(problem);
  if (isOf("CASE", problem)) return caseWords(problem);
  return hostWords(problem);
}

/** A code that does not begin as its family's do is in the wrong union, and does not compile. */
function isOf<F extends string>(
  family: F,
  problem: Problem,
): problem is Extract<Problem, { readonly code: `${F}_${string}` }> {
  return problem.code.startsWith(`${family}_`);
}

function usageWords(problem: UsageProblem): Explanation {
  switch (problem.code) {
    case "USAGE_UNKNOWN_VERB":
      return { summary: unknown("command", problem.verb, problem.nearest), hint: "All commands: hookctl --help" };
    case "USAGE_UNKNOWN_FLAG":
      return {
        summary: unknown("option", problem.flag, problem.nearest),
        hint: `All options: hookctl ${problem.verb === null ? "" : `${problem.verb} `}--help`,
      };
    case "USAGE_UNKNOWN_EVENT":
      return { summary: unknown("event", problem.name, problem.nearest), hint: "All events: hookctl payload --help" };
    case "USAGE_UNKNOWN_HOOK":
      return { summary: unknown("hook", problem.name, problem.nearest), hint: "All hooks: hookctl list" };
    case "USAGE_UNKNOWN_SUBJECT":
      return { summary: unknown("schema", problem.name, problem.nearest), hint: "All schemas: hookctl schema" };
    case "USAGE_UNKNOWN_RUN":
      return {
        summary:
          problem.run === ""
            ? "No runs recorded yet."
            : `No recorded run has an id that begins with "${truncate(problem.run, 60)}".`,
        hint: "All runs: hookctl log --last 1000",
      };
    case "USAGE_BAD_HOOK_NAME":
      return {
        summary: `Invalid hook name "${truncate(problem.name, 60)}": ${problem.detail}.`,
        hint: "Try: hookctl new guard --event before_tool_call --lang bash",
      };
    case "USAGE_HOOK_EXISTS":
      return {
        summary: `${problem.path} already exists and is not this hook; it was not changed.`,
        hint: "Choose another name, or move that file away.",
      };
    case "USAGE_NO_SUCH_PATH":
      return {
        summary: `${problem.path} does not exist.`,
        hint: "A path starts with ./, ../ or /. All hook names: hookctl list",
      };
    case "USAGE_BAD_VALUE":
      return {
        summary: `Invalid value "${truncate(problem.value, 60)}" for ${problem.flag}: ${problem.detail}`,
        hint: "All options: hookctl --help",
      };
    case "USAGE_WRONG_WORDS":
      return { summary: problem.detail, hint: `Try: ${problem.tryThis}` };
    case "USAGE_BAD_OPTION":
      return { summary: `${problem.option}: ${problem.detail}`, hint: "All options: docs/library.md" };
    case "USAGE_CLOSED":
      return { summary: "These hooks are closed, so no call can run.", hint: "Create new hooks with createHooks()." };
  }
}

function payloadWords(problem: PayloadProblem): Explanation {
  switch (problem.code) {
    case "PAYLOAD_MISSING":
      return {
        summary: `No payload on stdin${MISSING[problem.why]}.`,
        hint: `Try: ${problem.tryThis ?? `hookctl payload ${problem.event} | hookctl run ${problem.event}`}`,
      };
    case "PAYLOAD_NOT_READABLE":
      return { summary: `The payload ${problem.place} cannot be read: ${problem.cause}.`, hint: "Check the path." };
    case "PAYLOAD_NOT_ENDED":
      return {
        summary: `The payload on stdin did not end within ${formatDuration(problem.afterMs)}.`,
        hint: "Close stdin after the payload.",
      };
    case "PAYLOAD_TOO_LARGE":
      return {
        summary: `The payload is larger than ${problem.limitBytes / 1_048_576} MiB.`,
        hint: "Send only what the hooks need, not the whole history.",
      };
    case "PAYLOAD_NOT_UTF8":
      return { summary: "The payload is not UTF-8.", hint: "Encode it as UTF-8." };
    case "PAYLOAD_NOT_JSON":
      return {
        summary: `The payload is not valid JSON: line ${problem.line}, ${problem.detail}.`,
        hint: validOne(problem.event),
      };
    case "PAYLOAD_NOT_OBJECT":
      return { summary: `The payload is a JSON ${problem.found}, not an object.`, hint: validOne(problem.event) };
    case "PAYLOAD_FIELD_MISSING":
      return {
        summary: `The payload has no "${problem.field}", which ${problem.event} needs.`,
        hint: validOne(problem.event),
      };
    case "PAYLOAD_FIELD_TYPE":
      return {
        summary: `"${problem.field}" in the payload is a JSON ${problem.found}; it must be ${problem.wanted}.`,
        hint: validOne(problem.event),
      };
    case "PAYLOAD_FIELD_VALUE":
      return {
        summary: `"${problem.field}" in the payload is "${truncate(problem.found, 60)}"; it must be ${problem.values.join(" or ")}.`,
        hint: `Send one of these, or leave "${problem.field}" out.`,
      };
    case "PAYLOAD_EVENT_DIFFERS":
      return {
        summary: `"event" in the payload is "${truncate(problem.found, 60)}", but the command says ${problem.event}.`,
        hint: "Remove it from the payload, or make both the same.",
      };
  }
}

/** A cause may name a place by itself: the same one, or a folder on its way. Without HOME there is none. */
const placeFirst = ({ path, cause }: { readonly path: string; readonly cause: string }): string =>
  path === "" || cause.startsWith("/") ? cause : `${path}: ${cause}`;

function hookWords(problem: HookProblem): Explanation {
  const { hook, path } = problem;
  switch (problem.code) {
    case "HOOK_TIMED_OUT":
      return {
        summary: `${hook} ${problem.byDeadline ? `was killed after ${formatDuration(problem.afterMs)}: the deadline passed` : `exceeded its ${formatDuration(problem.afterMs)} timeout`}${childrenKilled(problem.ended)}`,
        hint: problem.byDeadline
          ? "Raise --deadline, or make the hook faster."
          : "Raise the timeout, or make the hook faster.",
      };
    case "HOOK_DEADLINE_PASSED":
      return {
        summary: `${hook} was not started: the deadline had passed`,
        hint: "Raise --deadline, or make the hooks before it faster.",
      };
    case "HOOK_INTERRUPTED":
      return { summary: `${hook} was interrupted by ${problem.signal}`, hint: "Run it again." };
    case "HOOK_TOO_MUCH_OUTPUT":
      return {
        summary: `${hook} printed more than ${formatSize(problem.limitBytes)} on stdout`,
        hint: "Keep stdout for the response, log to stderr, or raise its output_limit.",
      };
    case "HOOK_EXITED":
      return {
        summary: `${hook} failed: exit ${problem.exitCode}${exitTwo(problem.exitCode)}${lastLine(problem.stderr)}`,
        hint:
          problem.exitCode === COMMAND_NOT_FOUND
            ? "A program was not found. For hooks, PATH has no relative entries and no project folders; `path_allow` in your user settings allows one."
            : "To decide, print JSON on stdout and exit 0; any other exit code is a failure.",
      };
    case "HOOK_SIGNALLED":
      return {
        summary: `${hook} was killed by ${problem.signal}`,
        hint: `Run it by hand: ${shellQuote(path)} run`,
      };
    case "HOOK_THREW":
      return {
        summary: `${hook} threw: ${truncate(problem.cause, 160)}`,
        hint: "A function decides by its return value; an exception is a failure.",
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
        hint: `Its command runs in ${truncate(problem.folder, 200)}. Create the missing file there, or correct the command in ${truncate(problem.file, 200)}`,
      };
    case "HOOK_BAD_FORMAT":
      return {
        summary: `${hook} is not a program: ${problem.cause}`,
        hint: "Start a script with a line such as #!/bin/sh",
      };
    case "HOOK_UNKNOWN_TYPE":
      return {
        summary: `${hook} declared the unknown event "${truncate(problem.answer, 60)}"${didYouMean(problem.nearest)}`,
        hint: `"${shellQuote(path)} hook" must print one event name, such as before_tool_call`,
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
        summary: `${hook} was not started: it requires a sandbox, which this version does not support`,
        hint: `To run it without a sandbox, write in ${problem.settingsFile}: "overrides": {${JSON.stringify(hook)}: {"sandbox": "off"}}`,
      };
    case "HOOK_REFUSED_SETTINGS":
      return {
        summary: `your settings file is broken: ${problem.place}: ${problem.cause}`,
        hint: `Repair the file: it declared the guard ${hook} when it was last read.`,
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
        hint: "Repair the file, or start a new one: hookctl trust moves the broken file aside.",
      };
    case "HOOK_REFUSED_LINK":
      return {
        summary: `${hook} was not started: it links to a file outside the project (${problem.leadsTo})`,
        hint: "Copy the file into the project.",
      };
  }
}

function replyWords(problem: ReplyProblem): Explanation {
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
        summary: `${hook} printed "${truncate(problem.key, 60)}" as ${problem.found}; it must be ${problem.wanted}`,
        hint: `Print ${problem.wanted}.`,
      };
    case "REPLY_MISSPELT_KEY":
      return {
        summary: `${hook} printed the unknown key "${truncate(problem.key, 60)}". Did you mean "${problem.nearest}"?`,
        hint: `Possibly a misspelt "${problem.nearest}": no other key of the response decides.`,
      };
  }
}

function configWords(problem: ConfigProblem): Explanation {
  const { file } = problem;
  switch (problem.code) {
    case "CONFIG_NOT_READABLE":
      return { summary: `${file} cannot be read: ${problem.cause}`, hint: "Check its path and permissions." };
    case "CONFIG_NOT_PARSED":
      return { summary: `${file} cannot be parsed: ${problem.cause}`, hint: "Settings are JSON or YAML." };
    case "CONFIG_UNKNOWN_KEY":
      return {
        summary: `${file}: unknown key "${truncate(problem.key, 60)}" in ${problem.entry}${didYouMean(problem.nearest)}`,
        hint: "Remove it, or correct the name.",
      };
    case "CONFIG_BAD_VALUE":
      return {
        summary: `${file}: ${problem.entry} is not valid: ${problem.detail}`,
        hint: "All keys: docs/configuration.md",
      };
    case "CONFIG_TEMPLATE":
      return {
        summary: `${file}: the template in ${problem.entry} cannot be compiled: ${truncate(problem.cause, 200)}`,
        hint: "Templates are Jinja2: docs/templates.md",
      };
    case "CONFIG_USER_ONLY":
      return {
        summary: `${file}: ${problem.entry} is only allowed in your user settings`,
        hint: `Move it to ${problem.userFile}`,
      };
    case "CONFIG_SECOND_FILE":
      return {
        summary: `two settings files: ${file} and ${problem.second}, and only one is allowed`,
        hint: `Move everything to one of them and delete the other. See both: ls -l ${shellQuote(file)} ${shellQuote(problem.second)}`,
      };
    case "CONFIG_CONTRADICTION":
      return { summary: `${file}: ${problem.entry}: ${problem.detail}`, hint: "Choose one of the two." };
  }
}

function caseWords(problem: CaseProblem): Explanation {
  const where = `Test cases in ${problem.file}`;
  switch (problem.code) {
    case "CASE_NOT_READABLE":
      return { summary: `${where} cannot be read: ${problem.cause}`, hint: "Check its path and permissions." };
    case "CASE_NOT_PARSED":
      return { summary: `${where} cannot be parsed: ${problem.cause}`, hint: "Test cases are JSON." };
    case "CASE_UNKNOWN_KEY":
      return {
        summary: `${where}: unknown key "${truncate(problem.key, 60)}" in ${problem.place}${didYouMean(problem.nearest)}`,
        hint: "Remove it, or correct the name.",
      };
    case "CASE_BAD_VALUE":
      return {
        summary: `${where}: ${problem.place} is not valid: ${problem.detail}`,
        hint: "All keys of a test case: hookctl schema case",
      };
    case "CASE_UNKNOWN_HOOK":
      return {
        summary: `${where}: there is no hook ${problem.hook}${didYouMean(problem.nearest)}`,
        hint: "Correct the name, or delete the test cases.",
      };
  }
}

function hostWords(problem: HostProblem): Explanation {
  switch (problem.code) {
    case "RECURSION":
      return {
        summary: `hookctl was called by its own hooks, ${problem.depth} deep.`,
        hint: "A hook must not call hookctl run.",
      };
    case "INTERRUPTED":
      return {
        summary: `hookctl was interrupted by ${problem.signal} before all hooks had finished.`,
        hint: "Run it again.",
      };
    case "DEADLINE_PASSED":
      return {
        summary: `The deadline of ${formatDuration(problem.deadlineMs)} had passed before any hook could start.`,
        hint: "Raise --deadline, or make the payload smaller.",
      };
    case "OUTPUT_LOST":
      return {
        summary: `The result could not be written to stdout: ${problem.cause}.`,
        hint: "Do not continue: the decision was not delivered.",
      };
    case "PLATFORM_UNSUPPORTED":
      return { summary: `hookctl does not run on ${problem.platform}.`, hint: "On Windows, run it inside WSL." };
    case "TRUST_STORE_NOT_WRITTEN":
      return {
        summary: `The approval was not saved: ${problem.path}: ${problem.cause}.`,
        hint: "Nothing was approved.",
      };
    case "TRUST_STORE_NOT_READ":
      return {
        summary: `Your approvals cannot be read: ${placeFirst(problem)}.`,
        hint: "Repair it, or approve the hooks again: hookctl trust moves the broken file aside.",
      };
    case "TRUST_STORE_MISSING":
      return {
        summary: `Cannot store approvals: ${problem.detail}.`,
        hint: problem.detail.startsWith("/")
          ? "Fix its permissions: only you and root may be able to change it and the folders above it."
          : "Set HOME to your home directory.",
      };
    case "TRUST_UNSAFE_PLACE":
      return {
        summary: `Nothing was approved: ${describeUnsafePaths(problem)}.`,
        hint: problem.fix ?? `Other users could change what you approve. Fix: ${fixCommand(problem)}`,
      };
    case "TRUST_NEEDS_PERSON":
      return {
        summary: `Nothing was changed: this command was called by ${problem.agent}, and only a person may decide which hooks run.`,
        // No command: an agent would type it.
        hint: "Ask a person to do this in a terminal of their own, and say why it is needed.",
      };
    case "STATE_NOT_NUMBER":
      return {
        summary: `"${truncate(problem.key, 60)}" is not a number, so it was not incremented.`,
        hint: `Set a number first: hookctl state set ${shellQuote(problem.key)} 0`,
      };
    case "SESSION_NOT_USABLE":
      return {
        summary: `The session ${truncate(problem.session, 80)} cannot be used: ${problem.cause}.`,
        hint: "Nothing was changed. Where sessions are stored: docs/session.md",
      };
    case "PROJECT_MISSING":
      return { summary: `${problem.path}: ${problem.cause}.`, hint: "Name a folder that exists, for example with -C." };
    case "NOTHING_TO_TEST":
      return nothingToTest(problem);
    case "SCRATCH_MISSING":
      return {
        summary: `Cannot create a scratch folder in ${problem.path}: ${problem.cause}.`,
        hint: "Set TMPDIR to a folder that you can write to.",
      };
    case "PROJECT_IS_HOME":
      return {
        summary: `${problem.path} is your home folder, not a project.`,
        hint: "Change to a project folder, or name one with -C.",
      };
    case "FILE_NOT_WRITTEN":
      return {
        summary: `${problem.path} could not be created: ${problem.cause}.`,
        hint: "Check the permissions of its folder, or name another project with -C.",
      };
    case "AGENT_SETTINGS_NOT_PARSED":
      return {
        summary: `${problem.path} cannot be read: ${problem.line === null ? "" : `line ${problem.line}: `}${truncate(problem.detail, 200)}.`,
        hint: "Nothing was written. Correct the file, then run the same command again.",
      };
    case "INTERNAL_FAULT":
      return {
        summary: `Internal error in hookctl: ${problem.detail}`,
        hint: "Please report it with the command and this line.",
      };
  }
}

function nothingToTest(problem: Extract<HostProblem, { code: "NOTHING_TO_TEST" }>): Explanation {
  switch (problem.why) {
    case "empty":
      return problem.place === ""
        ? {
            summary: "Nothing to test: no hooks found.",
            hint: "Name a folder: hookctl test ./path/to/hooks",
          }
        : {
            summary: `Nothing to test: no hooks found in ${truncate(problem.place, 200)}.`,
            hint: "A hook is an executable file directly in this folder; its sub-folders are not searched.",
          };
    case "unapproved":
      return {
        summary: `There is nothing to test: no hook may be started here, ${truncate(problem.hook, 80)} is one of them.`,
        hint: `Read it, then: hookctl trust ${quoteHookName(truncate(problem.hook, 80))}`,
      };
    case "refused":
      return {
        summary: `There is nothing to test: no hook may be started here, ${truncate(problem.hook, 80)} is one of them.`,
        hint: "Why each hook may not be started: hookctl list",
      };
    case "skipped":
      return {
        summary: `There is nothing to test: ${truncate(problem.hook, 80)} and whatever else is there is passed over.`,
        hint: "Why each file is passed over: hookctl list --all",
      };
    case "off":
      return {
        summary: "Nothing to test: hooks are switched off.",
        hint: "Unset HOOKCTL_NO_HOOKS, or remove --no-hooks.",
      };
  }
}

/** What could not be read does not say its event: then the sample is of the one that most hooks are for. */
const validOne = (event = "before_tool_call"): string => `A valid payload: hookctl payload ${event}`;
const MISSING = { terminal: " (it is a terminal)", empty: "", silent: " (nothing arrived in time)" };

const didYouMean = (word: string | null): string => (word === null ? "" : `. Did you mean ${word}?`);
const unknown = (what: string, word: string, near: string | null): string =>
  `Unknown ${what} "${truncate(word, 60)}"${near === null ? "." : didYouMean(near)}`;
const childrenKilled = (count: number): string =>
  count === 0 ? "" : count === 1 ? "; its child process was killed" : `; its ${count} child processes were killed`;

const exitTwo = (exitCode: number): string =>
  exitCode === 2 ? " (other agents read exit 2 as a block; here it is a failure)" : "";

/** Below an error stand its stack, its fields and the version of Node; what it says stands above them. */
const BELOW_ERROR = /^(\s|$|[}\]]|Node\.js v)/;

function lastLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const line = lines.findLast((one) => !BELOW_ERROR.test(one)) ?? lines.at(-1) ?? "";
  return line === "" ? "" : `, ${truncate(line, 160)}`;
}

/** A hook that keeps a file of its own among those that it reads would be changed again after each approval. */
const ownWriting = (changes: readonly string[]): string =>
  changes.some((change) => /^the (?:helper|file) /.test(change))
    ? " A hook should write its own files to .kodelet/state."
    : "";
