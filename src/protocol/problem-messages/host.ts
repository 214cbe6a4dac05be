import { ownValue } from "../own-value.ts";
import { pluralize } from "../text/count.ts";
import { quoteHookNames, shellQuote } from "../text/shell-quote.ts";
import { listNames, MAX_LISTED_NAMES, truncate } from "../text/text.ts";
import { formatDuration } from "../text/units.ts";
import { describeUnsafePaths, fixCommand, placeHint, type UnsafePaths } from "../unsafe-path.ts";
import type { ProblemRows, Texts, UnionOf, Words } from "./row.ts";

/** What to do about a disk that takes no more. */
const DISK_HINTS: Readonly<Record<string, string>> = {
  ENOSPC: "Free some space on its disk.",
  EDQUOT: "Your disk quota is used up: free some space.",
  EROFS: "Its file system is read-only: make it writable, or choose another place.",
};

export const HOST_ROWS = {
  RECURSION: ({ depth }: { depth: number }) => [
    `hookctl was called by its own hooks, ${depth} deep.`,
    "A hook must not call hookctl run.",
  ],
  INTERRUPTED: ({ signal }: Texts<"signal">) => [
    `hookctl was interrupted by ${signal} before all hooks had finished.`,
    "Run it again.",
  ],
  DEADLINE_PASSED: ({ deadlineMs }: { deadlineMs: number }) => [
    `The deadline of ${formatDuration(deadlineMs)} had passed before any hook could start.`,
    "Raise --deadline, or make the payload smaller.",
  ],
  /** `isDecision`: the caller needs it to decide. */
  OUTPUT_LOST: ({ cause, isDecision }: Texts<"cause"> & { isDecision: boolean }) => [
    `The result could not be written to stdout: ${cause}.`,
    isDecision
      ? "Do not continue: the decision was not delivered."
      : "Do not rely on what was printed: it is not complete.",
  ],
  /** `isOnStdout`: stdout has the results, too. */
  REPORT_NOT_WRITTEN: ({ path, cause, isOnStdout }: Texts<"path" | "cause"> & { isOnStdout: boolean }) => [
    `The report was not written to ${path}: ${cause}.`,
    `${isOnStdout ? "The results are complete on stdout. " : ""}Name another file.`,
  ],
  PLATFORM_UNSUPPORTED: ({ platform }: Texts<"platform">) => [
    `hookctl does not run on ${platform}.`,
    "On Windows, run it inside WSL.",
  ],
  TRUST_STORE_NOT_WRITTEN: ({ path, cause }: Texts<"path" | "cause">) => [
    `The approval was not saved: ${path}: ${cause}.`,
    "Nothing was approved.",
  ],
  TRUST_STORE_NOT_READ: ({ path, cause }: Texts<"path" | "cause">) => [
    // The cause may already start with the path, and without HOME there is no path.
    `Your approvals cannot be read: ${path === "" || cause.startsWith("/") ? cause : `${path}: ${cause}`}.`,
    "Repair it, or approve the hooks again: hookctl trust moves the broken file aside.",
  ],
  TRUST_STORE_MISSING: ({ detail }: Texts<"detail">) => [`Cannot store approvals: ${detail}.`, placeHint(detail)],
  /** `fix` says how to fix it if the mode is not the cause. */
  TRUST_UNSAFE_PLACE: ({ fix, ...unsafe }: UnsafePaths & { fix: string | null }) => [
    `Nothing was approved: ${describeUnsafePaths(unsafe)}.`,
    fix ?? `Other users could change what you approve. Fix: ${fixCommand(unsafe)}`,
  ],
  /** `isAgent`: an agent was found above the call, so that the hint must name no command that it would type. */
  TRUST_NEEDS_PERSON: ({ cause, isAgent }: Texts<"cause"> & { isAgent: boolean }) => [
    `Nothing was changed: ${cause}, and only a person may decide which hooks run and what is recorded.`,
    isAgent
      ? "Ask a person to do this in a terminal of their own, and say why it is needed."
      : "Type it in a terminal that you opened at your login, before any agent. Without one: docs/trust.md#an-agent-cannot-approve-itself.",
  ],
  /** `changes` says what was lost, each with its file. */
  PROTECTION_WEAKENED: ({ changes, isRestored }: { changes: readonly string[]; isRestored: boolean }) => [
    `Settings protect less than when they were sealed: ${truncate(changes.join("; "), 1000)}.`,
    isRestored
      ? "It was restored. This call is blocked once; see what changed the file."
      : "This call is blocked once. A person restores it with: hookctl restore, or accepts it with: hookctl seal",
  ],
  CALL_UNANSWERED: () => [
    "hookctl was killed before it answered an earlier call, which may have run.",
    "This call is blocked once. Find out what kills hookctl: a loop of pkill, or a lack of memory.",
  ],
  TRUST_NOT_CONFIRMED: ({ cause }: Texts<"cause">) => [
    `Nothing was changed: ${cause}.`,
    "Run the command in a terminal of your own, and answer yes.",
  ],
  TRUST_DIGEST_DIFFERS: () => [
    "HOOKCTL_TRUST is not the digest of this project's hooks, so it approves nothing.",
    "See what changed, read it, then: hookctl trust --digest",
  ],
  STATE_NOT_NUMBER: ({ key }: Texts<"key">) => [
    `"${truncate(key, 60)}" is not a number, so it was not incremented.`,
    `Set a number first: hookctl state set ${shellQuote(key)} 0`,
  ],
  SESSION_NOT_USABLE: ({ session, cause }: Texts<"session" | "cause">) => [
    `The session ${truncate(session, 80)} cannot be used: ${cause}.`,
    "Nothing was changed. Where sessions are stored: docs/session.md",
  ],
  PROJECT_MISSING: ({ path, cause }: Texts<"path" | "cause">) => [`${path}: ${cause}.`, "Name a folder that exists."],
  NOTHING_TO_TEST: (problem: NothingToTest) => nothingToTest(problem),
  BASE_NOT_READ: ({ base, cause }: Texts<"base" | "cause">) => [
    `The hooks of ${truncate(base, 60)} cannot be read: ${cause}.`,
    "Name a git revision of this project, or a folder: hookctl backtest --fail-on-change main",
  ],
  LOG_NOT_READ: ({ path, cause }: Texts<"path" | "cause">) => [
    `The recorded runs cannot be read: ${path}: ${cause}.`,
    `Make it a file that your user can read: ls -ld ${shellQuote(path)}`,
  ],
  NOTHING_RECORDED: ({ files, unread }: { files: number; unread: readonly string[] }) => [
    files === 0 ? "No session files were found." : `No matching call was found in ${pluralize(files, "file")}.`,
    unread[0] ?? "Name files: hookctl backtest FILES",
  ],
  SCRATCH_MISSING: ({ path, cause }: Texts<"path" | "cause">) => [
    `Cannot create a scratch folder in ${path}: ${cause}.`,
    "Set TMPDIR to a folder that you can write to.",
  ],
  PROJECT_IS_HOME: ({ path }: Texts<"path">) => [
    `${path} is your home folder, not a project.`,
    "Change to a project folder, or name one with -C.",
  ],
  FILE_NOT_WRITTEN: ({ path, cause }: Texts<"path" | "cause">) => [
    `${path} could not be written: ${cause}.`,
    ownValue(DISK_HINTS, cause) ?? "Check the permissions of its folder, or name another project with -C.",
  ],
  /** `path` is Node, or hookctl's own folder. */
  AGENT_PROGRAM_UNSAFE: ({ cause }: Texts<"path" | "cause">) => [
    `This hookctl cannot be registered for the whole machine: ${truncate(cause, 1000)}.`,
    "Install Node and hookctl as root, in folders that everybody may enter and only root can change.",
  ],
  /** `line` is null if the fault has none. */
  AGENT_SETTINGS_NOT_PARSED: ({ path, line, detail }: Texts<"path" | "detail"> & { line: number | null }) => [
    `${path} cannot be read: ${line === null ? "" : `line ${line}: `}${truncate(detail, 200)}.`,
    "Nothing was written. Correct the file, then run the same command again.",
  ],
  INTERNAL_FAULT: ({ detail }: Texts<"detail">) => [
    `Internal error in hookctl: ${detail}`,
    "Please report it with the command and this line.",
  ],
} as const satisfies ProblemRows;
export type HostProblem = UnionOf<typeof HOST_ROWS>;

type NothingToTest =
  /** `place` holds the arguments of the call. */
  | { readonly why: "empty"; readonly place: string }
  | { readonly why: "unapproved" | "refused" | "skipped"; readonly hooks: readonly string[] }
  | { readonly why: "off" };

function nothingToTest(problem: NothingToTest): Words {
  if (problem.why === "off")
    return ["Nothing to test: hooks are switched off.", "Unset HOOKCTL_NO_HOOKS, or remove --no-hooks."];
  if (problem.why === "empty") return problem.place === "" ? NO_HOOKS_AT_ALL : noHooksIn(problem.place);
  const names = problem.hooks.map((name) => truncate(name, 80));
  const [hooksAre, listed] = [pluralize(names.length, "hook is", "hooks are"), listNames(names)];
  switch (problem.why) {
    case "unapproved":
      return [
        `Nothing to test: ${hooksAre} not approved (${listed}).`,
        `Read ${names.length === 1 ? "it" : "them"}, then: hookctl trust ${quoteHookNames(names.slice(0, MAX_LISTED_NAMES))}`,
      ];
    case "refused":
      return [`Nothing to test: ${hooksAre} not allowed to start (${listed}).`, "To see why: hookctl list"];
    case "skipped":
      return [
        `Nothing to test: everything found is skipped (${listed}).`,
        "The reasons are above, or in: hookctl list --all",
      ];
  }
}

const NO_HOOKS_AT_ALL: Words = [
  "Nothing to test: no hook files and no test cases found.",
  "Create a hook with test cases: hookctl new guard --event before_tool_call --lang bash",
];

const noHooksIn = (place: string): Words => [
  `Nothing to test: no hooks found in ${place === "." ? "this folder" : truncate(place, 200)}.`,
  "A hook is an executable file directly in this folder; its sub-folders are not searched.",
];
