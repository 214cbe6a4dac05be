import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "../sandbox/bubblewrap.ts";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

/**
 * What a hostile program does, and a shell line of the user afterwards that exits with 0 if it had an effect. Outside the
 * cage each one has.
 */
type Attempt = readonly [title: string, script: string, effect: string];

const STUB = "printf '#!/bin/sh\\ntouch ~/effect\\n' > evil.sh; chmod +x evil.sh;";
const EVIL = "[core]\\n\\tfsmonitor = $PWD/evil.sh\\n";
const hasRun = (folder = ".") => `cd ${folder}; git status >/dev/null; test -e ~/effect`;
const has = (file: string, text = "evil") => `grep -q '${text}' ${file}`;

const ATTEMPTS: readonly Attempt[] = [
  // What programs of the user start or read later.
  ["a shell profile", "echo evil > ~/.profile", has("~/.profile")],
  ["a file of another project", "echo evil > ../other/new", has("../other/new")],
  ["a hook of the user", "echo evil > ~/.kodelet/hooks/new", has("~/.kodelet/hooks/new")],
  [
    "the settings of an agent",
    "rm ~/.claude/settings.json; echo evil > ~/.claude/settings.json",
    has("~/.claude/settings.json"),
  ],
  ["hookctl's cache", "mkdir -p ~/.cache/hookctl; echo evil > ~/.cache/hookctl/policy", has("~/.cache/hookctl/policy")],
  ["a prompt in a cache", "mkdir -p ~/.cache; echo evil > ~/.cache/p10k-instant-prompt-u.zsh", has("~/.cache/p10k-*")],
  ["a program that npx starts", "mkdir -p ~/.npm/_npx/a; echo evil > ~/.npm/_npx/a/x", has("~/.npm/_npx/a/x")],
  ["a document", "rm -r ~/Documents", "! test -e ~/Documents/letter"],
  ["a link to the home directory", "ln -s ~ h; echo evil > h/.profile", has("~/.profile")],
  ["a hard link to a closed file", "ln ~/.bashrc b; echo evil > b", has("~/.bashrc")],
  // Closed paths of the project.
  ["hooks of git", "echo evil > .git/hooks/pre-commit", has(".git/hooks/pre-commit")],
  [
    "another git folder",
    "mv .git g; mkdir -p .git/hooks; echo evil > .git/hooks/post-commit",
    has(".git/hooks/post-commit"),
  ],
  ["hooks of hookctl", "echo evil > .kodelet/hooks/new", has(".kodelet/hooks/new")],
  ["new settings of an agent", "echo evil > .mcp.json", has(".mcp.json")],
  [
    "a folder that cannot be read",
    "mkdir .claude; echo evil > .claude/settings.json; mkdir -m 0 .claude/x",
    has(".claude/settings.json"),
  ],
  [
    "a folder in the place of the parent",
    "mv .vscode v; mkdir .vscode; echo evil > .vscode/tasks.json",
    has(".vscode/tasks.json"),
  ],
  [
    "a link in the place of the parent",
    "mkdir e; echo evil > e/tasks.json; mv .vscode v; ln -s e .vscode",
    has(".vscode/tasks.json"),
  ],
  ["a link to what does not exist yet", "ln -s later .mcp.json; echo evil > later", has(".mcp.json")],
  [
    "settings of a package",
    "mv pkg p; mkdir -p pkg/.vscode; echo evil > pkg/.vscode/tasks.json",
    has("pkg/.vscode/tasks.json"),
  ],
  // Settings of git that start programs.
  ["a monitor of files", `${STUB} git config core.fsmonitor ./evil.sh`, hasRun()],
  [
    "a setting behind a comment",
    `${STUB} printf '[core]\\n# x \\\\\\n\\tfsmonitor = ./evil.sh\\n' >> .git/config`,
    hasRun(),
  ],
  ["a setting behind another header", `${STUB} printf '[a][core]fsmonitor = ./evil.sh\\n' >> .git/config`, hasRun()],
  [
    "an alias with a setting",
    `${STUB} git config alias.st '-c core.fsmonitor=./evil.sh status'`,
    "git st >/dev/null; test -e ~/effect",
  ],
  [
    "settings of worktrees",
    `${STUB} git config extensions.worktreeConfig true; printf "${EVIL}" > .git/config.worktree`,
    hasRun(),
  ],
  ["another common folder", `${STUB} cp -r .git c; printf "${EVIL}" >> c/config; echo ../c > .git/commondir`, hasRun()],
  ["settings of a nested repository", `${STUB} printf "${EVIL}" >> nested/.git/config`, hasRun("nested")],
  [
    "a file in the place of a git folder",
    `${STUB} cp -r nested/.git e; printf "${EVIL}" >> e/config; mv nested n; mkdir nested; echo gitdir: ../e > nested/.git`,
    hasRun("nested"),
  ],
  // The undoing of changes must not become a tool.
  [
    "the settings of the user by a link",
    "ln -s ~/.claude .claude; rm .claude/settings.json",
    "! test -e ~/.claude/settings.json",
  ],
];

async function project(): Promise<Workspace> {
  const place = await workspace();
  await place.write("other/file", "");
  await place.write("home/.bashrc", "# plain\n");
  await place.write("home/Documents/letter", "a letter\n");
  await place.write("home/.claude/settings.json", "{}\n");
  await place.write("home/.kodelet/hooks/note.md", "");
  await place.write("project/.vscode/tasks.json", "{}\n");
  await place.write("project/pkg/.vscode/tasks.json", "{}\n");
  await shell(place, "git init -q . && git init -q nested && mkdir -p .git/hooks ~/.npm/_npx ~/.cache");
  return place;
}

const shell = (place: Workspace, script: string) =>
  runProgram(["/bin/sh", "-c", script], { cwd: place.project, env: place.env });

describe.skipIf(missingHere !== null)(`a hostile program in the cage${unlessMissing}`, () => {
  test.each(ATTEMPTS)("has no effect by %s", async (_, script, effect) => {
    await using free = await project();
    await shell(free, script);
    expect(await shell(free, effect)).toMatchObject({ code: 0 });
    await using caged = await project();
    await caged.run(["cage", "--", "sh", "-c", script]);
    expect((await shell(caged, effect)).code).not.toBe(0);
  });
});
