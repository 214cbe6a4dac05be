import { ownValue } from "../../../protocol/own-value.ts";
import { type Call, UNKNOWN, type Word } from "../../command/call.ts";
import { type CommandLine, type Grammar, hasForm, hasOption } from "../command-lines.ts";
import { type CommandRule, commandRules } from "../command-rules.ts";

const DIFF = ["-U", "--unified", "--inter-hunk-context"];

const GIT: Grammar = {
  abbreviates: true,
  values: ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
  commandValues: {
    am: ["-C", "-p", "--directory", "--exclude", "--include"],
    branch: ["-u", "--set-upstream-to", "--sort", "--format", "--points-at"],
    checkout: [...["-b", "-B", "--orphan", "--conflict", "--pathspec-from-file"], ...DIFF],
    "checkout-index": ["--prefix", "--stage"],
    clean: ["-e", "--exclude"],
    commit: [
      ...["-m", "-F", "-C", "-c", "-t", "--message", "--file", "--author", "--date", "--fixup", "--squash"],
      ...["--template", "--cleanup", "--reuse-message", "--reedit-message", "--trailer", "--pathspec-from-file"],
    ],
    "filter-repo": ["--replace-text", "--replace-message", "--path", "--paths-from-file", "--mailmap", "--refs"],
    merge: ["-m", "-F", "-s", "-X", "--message", "--file", "--strategy", "--strategy-option", "--into-name"],
    pull: ["-s", "-X", "-o", "--strategy", "--strategy-option", "--upload-pack", "--depth"],
    push: ["-o", "--push-option", "--receive-pack", "--exec", "--repo"],
    rebase: ["-s", "-X", "-x", "--exec", "--onto", "--strategy", "--strategy-option"],
    reflog: ["--expire", "--expire-unreachable"],
    reset: ["--pathspec-from-file"],
    restore: [...["-s", "--source", "--conflict", "--pathspec-from-file"], ...DIFF],
    rm: ["--pathspec-from-file"],
    stash: ["-m", "--message"],
    switch: ["-c", "-C", "--create", "--force-create", "--orphan", "--conflict"],
    tag: ["-m", "-F", "-u", "--message", "--file", "--local-user", "--sort", "--format"],
    "update-ref": ["-m"],
    worktree: ["-b", "-B", "--reason"],
  },
};

const STASH = "Save them with `git stash` first.";

/** What each form of a git command loses. Forms that need more than words are in `git.ts` and `settings.ts`. */
const rules = (): Readonly<Record<string, CommandRule>> => ({
  "discard-changes": {
    about: "uncommitted changes are discarded: reset --hard, checkout and restore of files, switch --discard-changes",
    decision: "block",
    effect: "discards uncommitted changes",
    instead: STASH,
    forms: {
      git: [
        "reset --hard|--merge",
        "checkout -f|--force",
        "checkout --",
        "checkout --pathspec-from-file",
        "checkout-index -f|--force",
        "checkout -p|--patch",
        "restore -p|--patch !-S|--staged",
        "restore * -W|--worktree",
        "restore --pathspec-from-file !-S|--staged",
        "restore * !-S|--staged",
        "switch -f|--force|--discard-changes",
        "read-tree --reset",
        "submodule update -f|--force",
        "submodule deinit -f|--force",
        "submodule deinit --all",
        "rm -f|--force !--cached !-n|--dry-run",
      ],
    },
  },
  "delete-untracked": {
    about: "untracked files are deleted: clean -f",
    decision: "block",
    effect: "deletes files that git does not track, for good",
    instead: "List them with `git clean -n` and delete the ones that you made by name.",
    forms: { git: ["clean -f|--force !-n|--dry-run !-i|--interactive", "annex drop --force"] },
  },
  "drop-stash": {
    about: "stashed changes are deleted: stash drop and clear",
    decision: "block",
    effect: "deletes stashed changes",
    instead: "Keep the stash, or apply it with `git stash pop`.",
    forms: { git: ["stash drop|clear"] },
  },
  "delete-branch": {
    about: "a branch is deleted even if it is not merged: branch -D",
    decision: "ask",
    effect: "deletes a branch even if its commits are nowhere else",
    instead: "Use `git branch -d`, which keeps a branch that is not merged.",
    forms: {
      git: ["branch -D", "branch -d|--delete -f|--force"],
    },
  },
  "move-branch": {
    about: "a branch or another reference is overwritten or deleted: branch -f, checkout -B, update-ref -d",
    decision: "ask",
    effect: "overwrites or deletes a reference, so its commits may be lost",
    instead: "Create a new branch in its place.",
    forms: {
      git: [
        "branch -f|--force !-d|--delete",
        "branch -M",
        "update-ref -d|--delete|--stdin",
        "update-ref * *",
        "symbolic-ref -d|--delete",
        "fast-import --force",
      ],
    },
  },
  "force-push": {
    about: "commits of a remote are overwritten: push --force, push +branch, push --mirror",
    decision: "ask",
    effect: "overwrites the remote's commits",
    instead: "Use `git push --force-with-lease`.",
    forms: { git: ["push -f|--force", "push ** +*", "push --mirror", "send-pack --force|--mirror"] },
  },
  "delete-remote-branch": {
    about: "a branch or tag is deleted on the remote: push --delete, push :branch, push --prune",
    decision: "ask",
    effect: "deletes branches or tags on the remote",
    instead: "Let the person delete it on the remote.",
    forms: { git: ["push -d|--delete", "push ** :*", "push --prune"] },
  },
  "rewrite-history": {
    about: "all of the history is rewritten: filter-branch, filter-repo, lfs migrate",
    decision: "block",
    effect: "rewrites the history of the repository",
    instead: "Let the person do it in a fresh clone.",
    forms: {
      git: ["filter-branch", "filter-repo !--analyze", "lfs migrate import|export"],
      "git-filter-repo": ["!--analyze"],
      "git-filter-branch": [""],
      "bfg|bfg.jar": [""],
    },
  },
  "expire-history": {
    about: "commits that can still be restored are removed: reflog expire, gc --prune=now, prune",
    decision: "block",
    effect: "removes the commits with which lost work could be restored",
    instead: "Leave it to `git gc`, which keeps them for two weeks.",
    forms: {
      git: ["reflog expire|delete|drop !-n", "gc --prune=now|--prune=all|--prune=0|--prune=0*", "prune !-n"],
    },
  },
  "remove-worktree": {
    about: "a worktree is removed with its uncommitted changes: worktree remove --force",
    decision: "block",
    effect: "deletes a worktree with its uncommitted changes",
    instead: "Use `git worktree remove` without --force, which keeps changes.",
    forms: { git: ["worktree remove -f|--force"] },
  },
  "bypass-hooks": {
    about: "the hooks of the repository are bypassed: --no-verify, core.hooksPath, HUSKY=0",
    decision: "block",
    effect: "bypasses the checks of the repository's hooks",
    instead: "Fix what the hooks report.",
    forms: {
      git: [
        "commit --no-verify|-n",
        "push --no-verify",
        "merge --no-verify",
        "rebase --no-verify",
        "am --no-verify|-n",
        "pull --no-verify",
      ],
    },
  },
});

export const GIT_RULES = commandRules(rules, () => ({ git: GIT }));

/** What `git checkout` replaces: `checkout .`, `checkout HEAD file`; null if it changes the branch. */
export function replacesFiles(line: CommandLine): "surely" | "perhaps" | null {
  if (!hasForm(line, "checkout *") || hasOption(line, "-b", "-B", "--orphan", "-t", "--track", "--detach")) return null;
  const [, first, second] = line.operands;
  if (second !== undefined) return "surely";
  if (first === undefined) return null;
  return isPath(first.word) ? "surely" : mayBePath(first.word) ? "perhaps" : null;
}

/** True for `checkout -B main` and `switch -C main`. Scripts that make up the name at run time make a branch of their own. */
export function movesBranch({ args }: Call, { operands: [command] }: CommandLine): boolean {
  const moves = ownValue(MOVES, command?.word.text ?? "");
  if (command === undefined || moves === undefined) return false;
  // `git -C folder switch main` has its -C before the command.
  const words = args.slice(args.indexOf(command.word) + 1).map(({ text }) => text);
  const at = words.findIndex((text) => moves.test(text));
  return at >= 0 && !words.slice(at, at + 2).some((text) => text.includes(UNKNOWN));
}

const MOVES: Readonly<Record<string, RegExp>> = { checkout: /^-[qfpt]*B/, switch: /^(?:-[qfdt]*C|--force-c)/ };

/** True for a name that no branch can have. */
const isPath = ({ text, isGlob }: Word): boolean => isGlob || /^\.{1,2}(?:$|\/)|^:[/(!]|\/$|^\//.test(text);

/** `next.js` is the name of a branch or of a file. */
const mayBePath = ({ text }: Word): boolean =>
  /\.[a-z][a-z\d]{0,5}$/i.test(text) && !/\d\.x$/i.test(text) && !BRANCH_PREFIX.test(text);

/** `docs/` and `test/` are not here: they are folders as often as prefixes. */
const BRANCH_PREFIX =
  /^(?:feat|feature|fix|bug|bugfix|hotfix|release|chore|refactor|perf|dependabot|renovate|users?|origin|upstream)\//;

const SHARED_BRANCH = /^(?:main|master|trunk|develop|development|production|release(?:[/-].*)?)$/;

/** True if a push names a branch that others use. */
export const pushesSharedBranch = ({ operands }: CommandLine): boolean =>
  operands.slice(2).some(({ word }) => SHARED_BRANCH.test(destinationOf(word.text)));

/** `main` of `+HEAD:refs/heads/main`. */
const destinationOf = (reference: string): string =>
  reference.slice(reference.lastIndexOf(":") + 1).replace(/^\+?(?:refs\/heads\/)?/, "");
