import { posix } from "node:path";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import { isWithin } from "../../../../src/protocol/text/text.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, CommandPlace } from "../../command/call.ts";
import { optionValues } from "../../command/options.ts";
import { resolvePath } from "../../command/paths.ts";
import { pathTarget, plainText } from "../../effects/target-names.ts";
import { type CommandLine, hasOption } from "../command-rules.ts";

/** A command of git with its repository. */
interface GitCall {
  readonly line: CommandLine;
  readonly call: Call;
  readonly folder: string | null;
  /** The root of the repository; a folder of the project is in the project's repository. */
  readonly root: string;
}

/** What a dangerous command of git is about: files, branches of a remote, branches, or the repository. */
export function gitTargets(rule: string, line: CommandLine, call: Call, { project }: CommandPlace): readonly string[] {
  const folder = folderOf(line, call);
  const root = folder === null ? "?" : isWithin(folder, project) ? project : folder;
  const git = { line, call, folder, root };
  const targets = (ownValue(TARGETS, rule) ?? theWhole)(git);
  return targets.map((target) => (target.startsWith("/") ? target : `${root} ${target}`));
}

/** The folder of the repository, or one in it. `switch -C main` has its -C behind the command. */
function folderOf(
  { options: all, operands: [command] }: CommandLine,
  { args, folder, variables }: Call,
): string | null {
  const end = command === undefined ? args.length : args.indexOf(command.word);
  const options = all.filter(({ word }) => args.indexOf(word) < end);
  const [tree] = optionValues({ options }, "--work-tree");
  const [data] = optionValues({ options }, "--git-dir");
  const repository = data?.text ?? variables.get("GIT_DIR");
  const moves = optionValues({ options }, "-C").map(({ text }) => text);
  const named = tree?.text ?? variables.get("GIT_WORK_TREE") ?? repository?.replace(/\/?\.git\/?$/, "");
  const path = posix.resolve(folder ?? "/", ...moves, named ?? "");
  return path.includes(UNKNOWN) || folder === null ? null : path;
}

type TargetsOf = (git: GitCall) => readonly string[];

const wordsOf = ({ line: { operands } }: GitCall): readonly string[] =>
  operands.map(({ word: { text, source } }) => (text.includes(UNKNOWN) ? `? ${plainText(source)}` : text));

const theWhole: TargetsOf = ({ root }) => [root];
const theCommand: TargetsOf = (git) => wordsOf(git).slice(0, 1);

const branchName = (text: string): string => text.replace(/^\+?(?:refs\/)?(?:heads\/)?/, "");

/** `origin main`, for each branch that a push names; `origin *` without any, and for the branch that is checked out. */
const pushed: TargetsOf = (git) => {
  const { options } = git.line;
  const [repository] = optionValues({ options }, "--repo");
  const [remote = repository?.text ?? "origin", ...names] = wordsOf(git).slice(1);
  const isAll = hasOption(git.line, "--mirror --all --branches --prune");
  const branches = names
    .map((name) => branchName(name.slice(name.lastIndexOf(":") + 1)))
    .map((name) => (name === "HEAD" || name === "@" ? "*" : name));
  return (isAll || branches.length === 0 ? ["*"] : branches).map((branch) => `${remote} ${branch}`);
};

/** Deleted branches are all named; the others have their start behind them. */
const branches: TargetsOf = (git) => {
  // The option of `switch -C main`, not that of `git -C folder switch`.
  const values = optionValues(git.line, "-B -C --force-create")
    .slice(-1)
    .map(({ text }) => text);
  const names = [...values, ...wordsOf(git).slice(1)].map(branchName);
  return hasOption(git.line, "-D -d --delete") ? names : names.slice(0, 1);
};

/** Commands that change all files of the working tree. */
const WHOLE = /^(?:reset|switch|read-tree|checkout-index)$/;

const changedFiles: TargetsOf = (git) => {
  const [command, ...rest] = git.line.operands;
  const name = command?.word.text ?? "";
  const behindDashes = rest.filter(({ isAfterDashes }) => isAfterDashes);
  if (behindDashes.length > 0) return pathsOf(git, behindDashes);
  if (WHOLE.test(name) || (name === "checkout" && hasOption(git.line, "-f --force"))) return [git.root];
  // `checkout HEAD file` names the revision first, `submodule deinit folder` a command.
  const skipped = name === "submodule" || (name === "checkout" && rest.length > 1) ? 1 : 0;
  return pathsOf(git, rest.slice(skipped));
};

const cleaned: TargetsOf = (git) => pathsOf(git, git.line.operands.slice(1));

function pathsOf({ call, folder, root }: GitCall, operands: CommandLine["operands"]): readonly string[] {
  if (operands.length === 0) return [folder ?? root];
  return operands.map(({ word }) =>
    /^:(?:\/|\(top\))?\.?$/.test(word.text)
      ? root
      : pathTarget(resolvePath(word, { ...call, folder }).replace(/(?<=.)\/$/, ""), word.source),
  );
}

const stashes: TargetsOf = (git) => {
  const [, command, stash = "stash@{0}"] = wordsOf(git);
  return [command === "clear" ? "all stashes" : stash.replace(/^(\d+)$/, "stash@{$1}")];
};

const worktrees: TargetsOf = (git) => pathsOf(git, git.line.operands.slice(2));

/** How the targets of a rule are found; without a row the target is the repository. */
const TARGETS: Readonly<Record<string, TargetsOf>> = {
  "force-push": pushed,
  "delete-remote-branch": pushed,
  "delete-branch": branches,
  "move-branch": branches,
  "discard-changes": changedFiles,
  "delete-untracked": cleaned,
  "drop-stash": stashes,
  "remove-worktree": worktrees,
  "bypass-hooks": theCommand,
  "new-alias": theCommand,
};
