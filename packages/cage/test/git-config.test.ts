import { expect, test } from "vitest";
import { addedStarts, startingSettings } from "../git-config.ts";

test.each([
  ["[core]\n\tsshCommand = evil\n", ["core.sshcommand=evil"]],
  ["[core] fsmonitor = ./x\n", ["core.fsmonitor=./x"]],
  ["[core]\n\thooksPath = /tmp/h\n", ["core.hookspath=/tmp/h"]],
  ["[core]\n\thooksPath = .husky/_\n", []],
  ["[core]\n\thooksPath = .husky/../x\n", ["core.hookspath=.husky/../x"]],
  ['[alias]\n\tst = status\n\tx = !sh -c y\n\tq = "!z"\n', ["alias.st=status", "alias.x=!sh -c y", 'alias.q="!z"']],
  ['[filter "lfs"]\n\tclean = git-lfs clean -- %f\n', ["filter.lfs.clean=git-lfs clean -- %f"]],
  ['[includeIf "gitdir:~/x"]\n\tpath = ~/evil\n', ["includeif.gitdir:~/x.path=~/evil"]],
  ["[core]\n\tpager = a\\\nb\n", ["core.pager=ab"]],
  ['[url "https://evil/"]\n\tinsteadOf = https://github.com/\n', ["url.https://evil/.insteadof=https://github.com/"]],
  ["[core]\n# a comment \\\n\tfsmonitor = ./x\n", ["core.fsmonitor=./x"]],
  ["[a] [core] fsmonitor = ./x ; words\n", ["core.fsmonitor=./x"]],
  ['[core]\n\teditor = "a # b" # words\n', ['core.editor="a # b"']],
  [
    '[hook "x"]\n\tcommand = evil\n[gpg "ssh"]\n\tdefaultKeyCommand = evil\n',
    ["hook.x.command=evil", "gpg.ssh.defaultkeycommand=evil"],
  ],
  ['[core]\n\tquotePath = false\n\tfsmonitor = true\n[submodule "a"]\n\tupdate = rebase\n', []],
  ['[submodule "a"]\n\tupdate = !evil\n', ["submodule.a.update=!evil"]],
  ['[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = x\n[core]\n\tbare = false\n', []],
])("starting settings of %j", (text, expected) => {
  expect(startingSettings(text)).toEqual(expected);
});

test("what was there before is not added", () => {
  const before = "[core]\n\teditor = vim\n";
  expect(addedStarts(before, `${before}\tpager = less\n`)).toEqual(["core.pager=less"]);
  expect(addedStarts(before, "[user]\n\tname = x\n")).toEqual([]);
});
