import { describe, expect, test } from "vitest";
import { git } from "../../rules/git.ts";
import { decisionOf, judge } from "./judge.ts";

/** The commands of each rule. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  "discard-changes": [
    "git reset --merge",
    "git reset -q --hard origin/main",
    "git checkout -f main",
    "git checkout .",
    "git checkout ./src",
    "git checkout ':/'",
    "git checkout src/",
    "git checkout '*.ts'",
    "git checkout HEAD~1 notes",
    "git checkout --ours -- notes",
    "git checkout --pathspec-from-file=list",
    "git restore notes",
    "git restore -s HEAD~1 notes",
    "git restore -SW notes",
    "git switch -f main",
    "git switch --force main",
    "git restore -p",
    "git read-tree --reset -u HEAD",
    "git checkout-index -af",
    "git submodule deinit --all",
    "git rm -rf src",
    "git --git-dir=.git --work-tree . reset --hard",
    "/usr/lib/git-core/git-reset --hard",
  ],
  "delete-untracked": [
    "git clean -fd",
    "git clean --forc",
    "git -c clean.requireForce=0 clean",
    "git clean -n --no-dry-run -f",
  ],
  "lose-work": ["hg strip -r 7", "hg purge --all", "svn revert --recursive src", "jj op abandon abc", "fossil clean"],
  "run-by-setting": [
    "git config set core.sshCommand ./x",
    "git config diff.external /tmp/x",
    "git config credential.helper '!/tmp/x'",
  ],
  "drop-stash": ["git stash drop stash@{1}", "git stash clear"],
  "delete-branch": ["git branch -D x", "git branch --delete --force x", "git branch -df x"],
  "move-branch": [
    "git branch -f main HEAD~3",
    "git checkout -B main origin/main",
    "git switch -Cmain origin/main",
    "git -C ../api switch -C main",
    "git switch --force-create main origin/main",
    "git update-ref refs/heads/main HEAD~3",
    "git symbolic-ref -d refs/heads/x",
  ],
  "force-push": ["git push -f", "git push --mirror", "git push origin +HEAD:x", "git push --force --force-with-lease"],
  "delete-remote-branch": ["git push -d origin x", "git push origin a :b", "git push --prune origin"],
  "rewrite-history": [
    "git filter-repo --path src",
    "git-filter-repo --invert-paths",
    "git lfs migrate import",
    "bfg -D x",
  ],
  "expire-history": ["git reflog delete HEAD@{1}", "git gc --prune=all", "git -c gc.pruneExpire=now gc", "git prune"],
  "remove-worktree": ["git worktree remove -f ../x"],
  "new-alias": [
    "git config alias.x '!git reset --hard' && git x",
    "git config --global --add alias.X '!f() { git reset --hard; }; f'; git -C . x",
    "git config set alias.x '!make'; git x now",
  ],
  "bypass-hooks": [
    "git commit -anm x",
    "git push --no-verify",
    "git merge --no-verify x",
    "git config core.hooksPath /dev/null",
    "LEFTHOOK=0 git commit",
    "export SKIP=lint; git commit -m x",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/x git commit",
  ],
};

describe.each(Object.entries(FOUND))("the rule %s", (rule, commands) => {
  test.each(commands)("%s", (command) => {
    expect(judge(git, { command })?.rule).toBe(rule);
  });
});

test("each rule has its commands here", () => {
  expect(Object.keys(FOUND).sort()).toEqual(Object.keys(git.rules).sort());
});

const ALLOWED = [
  "git reset",
  "git reset --keep HEAD~1",
  "git checkout main",
  "git checkout 2.x",
  "git checkout -b x main",
  "git -C ../api checkout main",
  "git -C ../api switch main",
  'git checkout -B "pr-$NUMBER" FETCH_HEAD',
  "git checkout -t origin/x",
  "git checkout --detach HEAD~1",
  "git checkout $REF",
  "git restore -S notes",
  "git restore",
  "git switch -c x",
  "git clean -if",
  "git clean --dry-r --forc",
  "git stash",
  "git stash pop",
  "git branch -d x",
  "git branch -m x y",
  "git push",
  "git push -u origin x",
  "git push --follow-tags",
  "git push origin :",
  "git push --force-if-includes --force-with-lease=main",
  "git reflog",
  "git gc --prune=2.weeks.ago",
  "git -c gc.pruneExpire=now gc --no-prune",
  "git worktree prune",
  "git commit -m '-n'",
  "git commit -mn",
  "git config core.hooksPath .githooks",
  "git config alias.x '!git reset --hard'",
  "git config alias.st status && git st",
  "git x; git config alias.x '!git reset --hard'",
  "git config alias.status '!git reset --hard'; git status",
  "git -c user.name=x commit -m y",
  "git -c alias.status='reset --hard' status",
  "git rm --cached -f x",
  "git rm --force --no-force x",
  "git reset --hard --help",
  "git $COMMAND --hard",
];

test.each(ALLOWED)("allowed: %s", (command) => {
  expect(decisionOf(git, command)).toBe("allow");
});

test("what an alias of the same command says is judged", () => {
  expect(judge(git, { command: "git config alias.x 'reset --hard'; git x HEAD~1" })?.rule).toBe("discard-changes");
});

test("a forced push to a branch that others use is blocked, to another one asked", () => {
  for (const ref of ["main", "+HEAD:refs/heads/master", "release/2.0", "+develop"])
    expect(decisionOf(git, `git push -f origin ${ref}`)).toBe("block");
  for (const ref of ["feature", "+HEAD:refs/heads/main-menu", "x:y"])
    expect(decisionOf(git, `git push -f origin ${ref}`)).toBe("ask");
});

test("one word that may be a branch or a file is asked about, unless it begins as branches do", () => {
  for (const word of ["next.js", "packages/sdk/index.ts", "docs/guide.md", "notes.md", "HEAD.txt"])
    expect(decisionOf(git, `git checkout ${word}`), word).toBe("ask");
  for (const word of ["feature/next.js", "fix/readme.md", "dependabot/npm/vue.js", "user/me/a.ts", "origin/next.js"])
    expect(decisionOf(git, `git checkout ${word}`), word).toBe("allow");
  for (const words of ["-- feature/next.js", "main feature/next.js", "./feature/next.js", "feature/*.js"])
    expect(decisionOf(git, `git checkout ${words}`), words).toBe("block");
});

test("an option that is known only at run time is asked about", () => {
  expect(judge(git, { command: "git reset --ha$X" })).toMatchObject({ decision: "ask", isUnknown: true });
  expect(judge(git, { command: "git clean -d$X" })).toMatchObject({ decision: "ask", isUnknown: true });
});

test("the message names the part, the effect and an alternative", () => {
  expect(judge(git, { command: "npm test; git reset --hard" })).toMatchObject({
    rule: "discard-changes",
    decision: "block",
    part: "git reset --hard",
    effect: "discards uncommitted changes",
    instead: "Keep them with `git stash push -- FILE` or `git reset --keep`.",
  });
});
