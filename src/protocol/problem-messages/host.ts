import { ownValue } from "../own-value.ts";
import type { Explanation, HostProblem, ServeProblem } from "../problem.ts";
import { pluralize } from "../text/count.ts";
import { quoteHookNames, shellQuote } from "../text/shell-quote.ts";
import { listNames, MAX_LISTED_NAMES, truncate } from "../text/text.ts";
import { formatDuration } from "../text/units.ts";
import { describeUnsafePaths, fixCommand, placeHint } from "../unsafe-path.ts";

/** What to do about a disk that takes no more. */
const DISK_HINTS: Readonly<Record<string, string>> = {
  ENOSPC: "Free some space on its disk.",
  EDQUOT: "Your disk quota is used up: free some space.",
  EROFS: "Its file system is read-only: make it writable, or choose another place.",
};

export function explainHost(problem: HostProblem): Explanation {
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
        hint: problem.isDecision
          ? "Do not continue: the decision was not delivered."
          : "Do not rely on what was printed: it is not complete.",
      };
    case "REPORT_NOT_WRITTEN":
      return {
        summary: `The report was not written to ${problem.path}: ${problem.cause}.`,
        hint: `${problem.isOnStdout ? "The results are complete on stdout. " : ""}Name another file.`,
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
        summary: `Your approvals cannot be read: ${withPath(problem)}.`,
        hint: "Repair it, or approve the hooks again: hookctl trust moves the broken file aside.",
      };
    case "TRUST_STORE_MISSING":
      return {
        summary: `Cannot store approvals: ${problem.detail}.`,
        hint: placeHint(problem.detail),
      };
    case "TRUST_UNSAFE_PLACE":
      return {
        summary: `Nothing was approved: ${describeUnsafePaths(problem)}.`,
        hint: problem.fix ?? `Other users could change what you approve. Fix: ${fixCommand(problem)}`,
      };
    case "TRUST_NEEDS_PERSON":
      return {
        summary: `Nothing was changed: ${problem.cause}, and only a person may decide which hooks run and what is recorded.`,
        // No command in the hint: an agent would type it.
        hint: problem.isAgent
          ? "Ask a person to do this in a terminal of their own, and say why it is needed."
          : "Type it in a terminal that you opened at your login, before any agent. Without one: docs/trust.md#an-agent-cannot-approve-itself.",
      };
    case "CALL_UNANSWERED":
      return {
        summary: "hookctl was killed before it answered an earlier call, which may have run.",
        hint: "This call is blocked once. Find out what kills hookctl: a loop of pkill, or a lack of memory.",
      };
    case "PROTECTION_WEAKENED":
      return {
        summary: `Settings protect less than when they were sealed: ${truncate(problem.changes.join("; "), 1000)}.`,
        hint: problem.isRestored
          ? "It was restored. This call is blocked once; see what changed the file."
          : "This call is blocked once. A person restores it with: hookctl restore, or accepts it with: hookctl seal",
      };
    case "TRUST_NOT_CONFIRMED":
      return {
        summary: `Nothing was changed: ${problem.cause}.`,
        hint: "Run the command in a terminal of your own, and answer yes.",
      };
    case "TRUST_DIGEST_DIFFERS":
      return {
        summary: "HOOKCTL_TRUST is not the digest of this project's hooks, so it approves nothing.",
        hint: "See what changed, read it, then: hookctl trust --digest",
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
      return { summary: `${problem.path}: ${problem.cause}.`, hint: "Name a folder that exists." };
    case "NOTHING_TO_TEST":
      return explainNothingToTest(problem);
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
    case "BASE_NOT_READ":
      return {
        summary: `The hooks of ${truncate(problem.base, 60)} cannot be read: ${problem.cause}.`,
        hint: "Name a git revision of this project, or a folder: hookctl backtest --fail-on-change main",
      };
    case "LOG_NOT_READ":
      return {
        summary: `The recorded runs cannot be read: ${problem.path}: ${problem.cause}.`,
        hint: `Make it a file that your user can read: ls -ld ${shellQuote(problem.path)}`,
      };
    case "NOTHING_RECORDED":
      return {
        summary:
          problem.files === 0
            ? "No session files were found."
            : `No matching call was found in ${pluralize(problem.files, "file")}.`,
        hint: problem.unread[0] ?? "Name files: hookctl backtest FILES",
      };
    case "FILE_NOT_WRITTEN":
      return {
        summary: `${problem.path} could not be written: ${problem.cause}.`,
        hint:
          ownValue(DISK_HINTS, problem.cause) ??
          "Check the permissions of its folder, or name another project with -C.",
      };
    case "AGENT_PROGRAM_UNSAFE":
      return {
        summary: `This hookctl cannot be registered for the whole machine: ${truncate(problem.cause, 1000)}.`,
        hint: "Install Node and hookctl as root, in folders that everybody may enter and only root can change.",
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

function explainNothingToTest(problem: Extract<HostProblem, { code: "NOTHING_TO_TEST" }>): Explanation {
  switch (problem.why) {
    case "empty":
      return problem.place === ""
        ? {
            summary: "Nothing to test: no hook files and no test cases found.",
            hint: "Create a hook with test cases: hookctl new guard --event before_tool_call --lang bash",
          }
        : {
            summary: `Nothing to test: no hooks found in ${problem.place === "." ? "this folder" : truncate(problem.place, 200)}.`,
            hint: "A hook is an executable file directly in this folder; its sub-folders are not searched.",
          };
    case "unapproved":
      return {
        summary: `Nothing to test: ${hookCount(problem.hooks)} not approved (${listNames(shortNames(problem.hooks))}).`,
        hint: `Read ${problem.hooks.length === 1 ? "it" : "them"}, then: hookctl trust ${quoteHookNames(shortNames(problem.hooks).slice(0, MAX_LISTED_NAMES))}`,
      };
    case "refused":
      return {
        summary: `Nothing to test: ${hookCount(problem.hooks)} not allowed to start (${listNames(shortNames(problem.hooks))}).`,
        hint: "To see why: hookctl list",
      };
    case "skipped":
      return {
        summary: `Nothing to test: everything found is skipped (${listNames(shortNames(problem.hooks))}).`,
        hint: "The reasons are above, or in: hookctl list --all",
      };
    case "off":
      return {
        summary: "Nothing to test: hooks are switched off.",
        hint: "Unset HOOKCTL_NO_HOOKS, or remove --no-hooks.",
      };
  }
}

/** The cause may already start with the path, and without HOME there is no path. */
const withPath = ({ path, cause }: { readonly path: string; readonly cause: string }): string =>
  path === "" || cause.startsWith("/") ? cause : `${path}: ${cause}`;

const hookCount = ({ length }: readonly string[]): string => pluralize(length, "hook is", "hooks are");
const shortNames = (names: readonly string[]): readonly string[] => names.map((name) => truncate(name, 80));

export function explainServe(problem: ServeProblem): Explanation {
  switch (problem.code) {
    case "SERVE_NOT_STARTED":
      return { summary: `Cannot serve at ${problem.place}: ${problem.cause}.`, hint: "Choose another place." };
    case "SERVE_CANCELLED":
      return { summary: "The request was cancelled.", hint: "Do not continue: no hook has decided." };
    case "SERVE_STOPPING":
      return { summary: "The server is stopping.", hint: "Start it again: hookctl serve" };
    case "SERVE_UNREACHABLE":
      return {
        summary: `No answer from ${problem.place}: ${problem.cause}.`,
        hint: "Do not continue: no hook has decided. Start it: hookctl serve",
      };
  }
}
