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
      return { summary: unknown("verb", problem.verb, problem.nearest), hint: "All verbs: hookctl --help" };
    case "USAGE_UNKNOWN_FLAG":
      return {
        summary: unknown("flag", problem.flag, problem.nearest),
        hint: `All flags: hookctl ${problem.verb === null ? "" : `${problem.verb} `}--help`,
      };
    case "USAGE_UNKNOWN_EVENT":
      return { summary: unknown("event", problem.name, problem.nearest), hint: "All events: hookctl payload --help" };
    case "USAGE_UNKNOWN_HOOK":
      return { summary: unknown("hook", problem.name, problem.nearest), hint: "All hooks: hookctl list" };
    case "USAGE_UNKNOWN_SUBJECT":
      return { summary: unknown("subject", problem.name, problem.nearest), hint: "All subjects: hookctl schema" };
    case "USAGE_UNKNOWN_RUN":
      return {
        summary:
          problem.run === ""
            ? "No run is recorded."
            : `No run that begins with "${truncate(problem.run, 60)}" is recorded.`,
        hint: "All runs: hookctl log --last 1000",
      };
    case "USAGE_BAD_HOOK_NAME":
      return {
        summary: `A hook cannot be named "${truncate(problem.name, 60)}": ${problem.detail}.`,
        hint: "Try: hookctl new guard --event before_tool_call --lang bash",
      };
    case "USAGE_HOOK_EXISTS":
      return {
        summary: `${problem.path} exists and is something else; it was kept.`,
        hint: "Choose another name, or move that file away.",
      };
    case "USAGE_NO_SUCH_PATH":
      return {
        summary: `There is nothing at ${problem.path}.`,
        hint: "A path begins with ./, ../ or /; the names of all hooks: hookctl list",
      };
    case "USAGE_BAD_VALUE":
      return {
        summary: `${problem.flag} cannot be "${truncate(problem.value, 60)}": ${problem.detail}`,
        hint: "All flags: hookctl --help",
      };
    case "USAGE_WRONG_WORDS":
      return { summary: problem.detail, hint: `Try: ${problem.tryThis}` };
    case "USAGE_BAD_OPTION":
      return { summary: `${problem.option}: ${problem.detail}`, hint: "All options: docs/library.md" };
    case "USAGE_CLOSED":
      return { summary: "These hooks were closed: nothing is decided any more.", hint: "Call createHooks() again." };
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
        hint: "Send the hooks what they need, not the whole history.",
      };
    case "PAYLOAD_NOT_UTF8":
      return { summary: "The payload is not UTF-8.", hint: "Encode it as UTF-8 before it is sent." };
    case "PAYLOAD_NOT_JSON":
      return {
        summary: `The payload is not one JSON value: line ${problem.line}, ${problem.detail}.`,
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
        hint: "Leave it out of the payload, or make the two agree.",
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
        summary: `${hook} stopped after ${formatDuration(problem.afterMs)} (${problem.byDeadline ? "the deadline" : "its limit"})${childrenEnded(problem.ended)}`,
        hint: problem.byDeadline ? "Raise --deadline or answer sooner." : "Raise its timeout or answer sooner.",
      };
    case "HOOK_DEADLINE_PASSED":
      return {
        summary: `${hook} was not asked: the deadline had passed`,
        hint: "Raise --deadline or speed up the hooks before it.",
      };
    case "HOOK_INTERRUPTED":
      return { summary: `${hook} was stopped by ${problem.signal}`, hint: "Run it again." };
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
            ? "A program was not found. Hooks search PATH without its relative entries and project folders; `path_allow` in your own settings allows one."
            : "A hook decides with exit 0 and JSON on stdout; any other exit is a failure.",
      };
    case "HOOK_SIGNALLED":
      return {
        summary: `${hook} was ended by ${problem.signal}`,
        hint: `Run it by hand: ${shellQuote(path)} run`,
      };
    case "HOOK_THREW":
      return {
        summary: `${hook} threw: ${truncate(problem.cause, 160)}`,
        hint: "A function decides with what it returns; what it throws is a failure.",
      };
    case "HOOK_TOOL_FAILED":
      return {
        summary: `${hook} failed: ${truncate(problem.cause, 160)}`,
        hint: "A tool decides with its result; what its server prints on stderr is shown with -vv.",
      };
    case "HOOK_NO_SUCH_TOOL":
      return {
        summary: `${hook}: the MCP server ${truncate(problem.server, 60)} has no tool "${truncate(problem.tool, 60)}"${didYouMean(problem.nearest)}`,
        hint: "Correct `tool` in the settings: server.tool",
      };
    case "HOOK_NOT_STARTED":
      return { summary: `${hook} could not be started: ${problem.cause}`, hint: `Check ${path}` };
    case "HOOK_COMMAND_MISSING":
      return {
        summary: `${hook} cannot start: ${truncate(problem.cause, 400)}`,
        hint: `Its command runs in ${truncate(problem.folder, 200)}. Put there what it starts, or correct the command in ${truncate(problem.file, 200)}`,
      };
    case "HOOK_BAD_FORMAT":
      return {
        summary: `${hook} is not a program: ${problem.cause}`,
        hint: "Start a script with a line such as #!/bin/sh",
      };
    case "HOOK_UNKNOWN_TYPE":
      return {
        summary: `${hook} answered "${truncate(problem.answer, 60)}" when asked for its event${didYouMean(problem.nearest)}`,
        hint: `"${shellQuote(path)} hook" must print one event name, such as before_tool_call`,
      };
    case "HOOK_BAD_ANSWER":
      return {
        summary: `${hook} described itself wrongly: ${problem.detail}`,
        hint: `See what it prints: ${shellQuote(path)} hook`,
      };
    case "HOOK_MISSING":
      return {
        summary: `${hook} is required by your settings and is not there`,
        hint: "Put it back, or take `required` out of your settings.",
      };
    case "HOOK_REFUSED_UNTRUSTED":
      return {
        summary: `${hook} is not approved, so it was not started`,
        hint: `Read it, then: hookctl trust ${quoteHookName(hook)}`,
      };
    case "HOOK_REFUSED_UNSAFE":
      return {
        summary: `${hook} was not started: ${describeUnsafePaths(problem)}`,
        hint: `Others could change it. Fix: ${fixCommand(problem)}`,
      };
    case "HOOK_REFUSED_UNREADABLE":
      return {
        summary: `${problem.place} cannot be read (${problem.cause}), and a hook that must not be passed over may be there`,
        hint: `Make it readable for your user: ls -ld ${shellQuote(problem.place)}`,
      };
    case "HOOK_REFUSED_SANDBOX":
      return {
        summary: `${hook} was not started: it needs the sandbox, which this version does not have`,
        hint: `It never runs unsandboxed instead. To allow that, write in ${problem.settingsFile}: "overrides": {${JSON.stringify(hook)}: {"sandbox": "off"}}`,
      };
    case "HOOK_REFUSED_SETTINGS":
      return {
        summary: `your settings file is broken: ${problem.place}: ${problem.cause}`,
        hint: `Repair it: ${hook} stood in it when it was last read.`,
      };
    case "HOOK_REFUSED_CHANGED":
      return {
        summary: `${hook} changed since you approved it, so it was not started`,
        hint: `Changed: ${problem.changes.join(", ")}.${ownWriting(problem.changes)} See it: hookctl trust --show ${quoteHookName(hook)}`,
      };
    case "HOOK_REFUSED_DENIED":
      return {
        summary: `${hook} is denied, so it was not started`,
        hint: `Lift it: hookctl untrust ${quoteHookName(hook)}`,
      };
    case "HOOK_REFUSED_STORE":
      return {
        summary: `${hook} was not started: what you approved cannot be read (${problem.cause})`,
        hint: "hookctl trust sets the broken store aside and starts a new one.",
      };
    case "HOOK_REFUSED_LINK":
      return {
        summary: `${hook} was not started: its link leaves the project (${problem.leadsTo})`,
        hint: "Copy the file into the project.",
      };
  }
}

function replyWords(problem: ReplyProblem): Explanation {
  const { hook } = problem;
  switch (problem.code) {
    case "REPLY_NOT_UTF8":
      return { summary: `${hook} printed bytes that are not UTF-8`, hint: "Print the reply as UTF-8." };
    case "REPLY_NOT_JSON":
      return {
        summary: `${hook} did not print one JSON value: line ${problem.line}, ${problem.detail} (${JSON.stringify(truncate(problem.text, 60))})`,
        hint: 'Keep stdout for JSON; log to stderr: echo "…" >&2',
      };
    case "REPLY_NOT_OBJECT":
      return {
        summary: `${hook} printed a JSON ${problem.found}, not an object`,
        hint: 'Print an object: {"blocked":false}',
      };
    case "REPLY_TOO_DEEP":
      return { summary: `${hook} printed JSON ${problem.detail}`, hint: "Flatten the reply." };
    case "REPLY_WRONG_TYPE":
      return {
        summary: `${hook} printed "${truncate(problem.key, 60)}" as ${problem.found}; it must be ${problem.wanted}`,
        hint: `Print ${problem.wanted}.`,
      };
    case "REPLY_MISSPELT_KEY":
      return {
        summary: `${hook} printed the unknown key "${truncate(problem.key, 60)}". Did you mean "${problem.nearest}"?`,
        hint: `It may be a misspelt "${problem.nearest}": nothing else in the response decides.`,
      };
  }
}

function configWords(problem: ConfigProblem): Explanation {
  const { file } = problem;
  switch (problem.code) {
    case "CONFIG_NOT_READABLE":
      return { summary: `${file} cannot be read: ${problem.cause}`, hint: "Check its path and mode." };
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
        summary: `${file}: ${problem.entry} may only stand in the user's own settings`,
        hint: `Move it to ${problem.userFile}`,
      };
    case "CONFIG_SECOND_FILE":
      return {
        summary: `two settings files: ${file} and ${problem.second}, and only one of them can count`,
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
      return { summary: `${where} cannot be read: ${problem.cause}`, hint: "Check its path and mode." };
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
        hint: "What a case may say: hookctl schema case",
      };
    case "CASE_UNKNOWN_HOOK":
      return {
        summary: `${where}: there is no hook ${problem.hook}${didYouMean(problem.nearest)}`,
        hint: "Correct the name, or remove the cases of a hook that is gone.",
      };
  }
}

function hostWords(problem: HostProblem): Explanation {
  switch (problem.code) {
    case "RECURSION":
      return {
        summary: `hookctl was called from inside hooks, ${problem.depth} deep.`,
        hint: "A hook must not call hookctl run again.",
      };
    case "INTERRUPTED":
      return { summary: `${problem.signal} ended hookctl before all hooks had decided.`, hint: "Ask again." };
    case "DEADLINE_PASSED":
      return {
        summary: `The deadline of ${formatDuration(problem.deadlineMs)} had passed before any hook could be asked.`,
        hint: "Raise --deadline, or make the payload smaller.",
      };
    case "OUTPUT_LOST":
      return {
        summary: `The answer could not be written to stdout: ${problem.cause}.`,
        hint: "Do not go on without it.",
      };
    case "PLATFORM_UNSUPPORTED":
      return { summary: `hookctl does not run on ${problem.platform}.`, hint: "On Windows, run it inside WSL." };
    case "TRUST_STORE_NOT_WRITTEN":
      return {
        summary: `The approval was not kept: ${problem.path}: ${problem.cause}.`,
        hint: "Nothing was approved.",
      };
    case "TRUST_STORE_NOT_READ":
      return {
        summary: `What you approved cannot be read: ${placeFirst(problem)}.`,
        hint: "Mend it, or approve anew: hookctl trust sets it aside and starts a new one.",
      };
    case "TRUST_STORE_MISSING":
      return {
        summary: `Approvals have no place: ${problem.detail}.`,
        hint: problem.detail.startsWith("/")
          ? "Mend that place: nobody but you and root may change it, or what leads to it."
          : "Set HOME to your own folder.",
      };
    case "TRUST_UNSAFE_PLACE":
      return {
        summary: `Nothing was approved: ${describeUnsafePaths(problem)}.`,
        hint: problem.fix ?? `Others could change what you approve. Fix: ${fixCommand(problem)}`,
      };
    case "TRUST_NEEDS_PERSON":
      return {
        summary: `Nothing was changed: this call comes from ${problem.agent}, and which hooks may run is up to a person.`,
        // No command: an agent would type it.
        hint: "A person can do this in a terminal of their own. Tell them what you need and why.",
      };
    case "STATE_NOT_NUMBER":
      return {
        summary: `"${truncate(problem.key, 60)}" holds something else than a number; it was not counted up.`,
        hint: `Give it a number first: hookctl state set ${shellQuote(problem.key)} 0`,
      };
    case "SESSION_NOT_USABLE":
      return {
        summary: `The session ${truncate(problem.session, 80)} cannot be used: ${problem.cause}.`,
        hint: "Nothing was changed. Its folder: docs/session.md",
      };
    case "PROJECT_MISSING":
      return { summary: `${problem.path}: ${problem.cause}.`, hint: "Name a folder that exists, for example with -C." };
    case "NOTHING_TO_TEST":
      return nothingToTest(problem);
    case "SCRATCH_MISSING":
      return {
        summary: `No scratch folder could be made in ${problem.path}: ${problem.cause}.`,
        hint: "Name a folder that can be written to in TMPDIR.",
      };
    case "PROJECT_IS_HOME":
      return {
        summary: `${problem.path} is your home folder, not a project.`,
        hint: "Go into a project's folder, or name one with -C.",
      };
    case "FILE_NOT_WRITTEN":
      return {
        summary: `${problem.path} could not be created: ${problem.cause}.`,
        hint: "Check who may write to its folder, or name another project with -C.",
      };
    case "AGENT_SETTINGS_NOT_PARSED":
      return {
        summary: `${problem.path} cannot be read: ${problem.line === null ? "" : `line ${problem.line}: `}${truncate(problem.detail, 200)}.`,
        hint: "Nothing was written. Correct it there, then type the same again.",
      };
    case "INTERNAL_FAULT":
      return {
        summary: `This is a fault in hookctl: ${problem.detail}`,
        hint: "Please report it with the command and this line.",
      };
  }
}

function nothingToTest(problem: Extract<HostProblem, { code: "NOTHING_TO_TEST" }>): Explanation {
  switch (problem.why) {
    case "empty":
      return problem.place === ""
        ? {
            summary: "There is nothing to test: no hook was found.",
            hint: "Name a folder: hookctl test ./path/to/hooks",
          }
        : {
            summary: `There is nothing to test: no hook was found in ${truncate(problem.place, 200)}.`,
            hint: "A hook is an executable file directly in the folder that is named; folders below it are not searched.",
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
        summary: "There is nothing to test: hooks are switched off.",
        hint: "Unset HOOKCTL_NO_HOOKS, or leave --no-hooks out.",
      };
  }
}

/** What could not be read does not say its event: then the sample is of the one that most hooks are for. */
const validOne = (event = "before_tool_call"): string => `A valid one: hookctl payload ${event}`;
const MISSING = { terminal: " (it is a terminal)", empty: "", silent: " (nothing came in time)" };

const didYouMean = (word: string | null): string => (word === null ? "" : `. Did you mean ${word}?`);
const unknown = (what: string, word: string, near: string | null): string =>
  `Unknown ${what} "${truncate(word, 60)}"${near === null ? "." : didYouMean(near)}`;
const childrenEnded = (count: number): string =>
  count === 0 ? "" : `; its ${count} child process${count === 1 ? " was" : "es were"} ended too`;

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
    ? " What a hook writes itself belongs in .kodelet/state."
    : "";
