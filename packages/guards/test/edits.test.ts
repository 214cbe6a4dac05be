import { link, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runMain } from "../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

const ENTRY = "hookctl bridge claude --event PreToolUse --fail-closed || printf deny";
const SETTINGS = `${JSON.stringify(
  {
    model: "a",
    permissions: { allow: ["Bash(ls)"] },
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: ENTRY, timeout: 3600 }] }] },
  },
  null,
  2,
)}\n`;
const BASHRC = "# ~/.bashrc\nexport EDITOR=vi\nalias ll='ls -l'\n";

let place: Workspace;
beforeAll(async () => {
  place = await workspace();
  await mkdir(join(place.project, ".git"));
  const guards = { "self-protection": true, filesystem: true, git: true, secrets: true };
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards }));
  await place.write("home/.claude/settings.json", SETTINGS);
  await place.write("project/.claude/settings.json", SETTINGS);
  await place.write(
    "home/.codex/config.toml",
    'model = "a"\n# two\n# hookctl\n# two\n\n[projects."/x"]\ntrust_level = "trusted"\n',
  );
  await place.write("home/.bashrc", BASHRC);
  await place.write("project/package.json", '{\n  "name": "shop",\n  "scripts": {}\n}\n');
  await place.write("project/src/app.ts", "let a = 1;\nlet b = 2;\n");
  await symlink(join(place.home, ".claude"), join(place.project, "linked"));
  await symlink(join(place.home, ".kodelet/hooks.json"), join(place.project, "notes.json"));
  await link(join(place.home, ".claude/settings.json"), join(place.project, "hard.json"));
  await link(join(place.home, ".kodelet/hooks.json"), join(place.project, "hard-own.json"));
});
afterAll(() => place[Symbol.asyncDispose]());

type Decision = "allow" | "stop";

/** `run` has nobody who could answer, so that it blocks where a guard asks. */
async function decided(tool_name: string, tool_input: unknown): Promise<Decision> {
  const { stdout } = await runMain(place, ["run", "before_tool_call"], {
    stdin: JSON.stringify({ tool_name, tool_input }),
  });
  return JSON.parse(stdout).blocked === true ? "stop" : "allow";
}
const home = (path: string): string => join(place.home, path);
const edit = (file_path: string, old_text: string, new_text: string) =>
  decided("file_edit", { file_path, old_text, new_text });
const write = (file_path: string, text: string) => decided("file_write", { file_path, text });

describe("an edit of an agent's settings is judged by its result", () => {
  test.each([
    ["PreToolUse", "PreToolUsX"],
    ["Pre", "Xre"],
    ['"hooks": {', '"hook5": {'],
    ["--event Pre", "--event Post"],
    ["--fail-closed", "--help"],
    [" ||", " | true ||"],
    ["{", '{"disableAll\\u0048ooks":true,'],
    ["{", '{"env":{"CLAUDE_CODE_SHELL_PREFIX":"true"},'],
    ["{", '{"env":{"HOME":"/tmp"},'],
    ["timeout", "timeouts"],
    ['"model": "a",', '"model": "a"'],
  ])("%j becomes %j", async (oldText, newText) => {
    expect(await edit(home(".claude/settings.json"), oldText, newText)).toBe("stop");
  });

  test("by each tool, in each form", async () => {
    const path = home(".claude/settings.json");
    const calls: readonly (readonly [string, unknown])[] = [
      [
        "MultiEdit",
        {
          file_path: path,
          edits: [
            { old_string: "PreTool", new_string: "X" },
            { old_string: "X", new_string: "Y" },
          ],
        },
      ],
      [
        "file_edit",
        {
          file_path: path,
          edits: [
            { old_text: "a", new_text: "b" },
            { old_text: "PreTool", new_text: "X" },
          ],
        },
      ],
      ["mcp__fs__edit_file", { path, edits: [{ oldText: "PreToolUse", newText: "PreToolUsX" }] }],
      ["mcp__fs__write_file", { path, content: "{}" }],
      ["str_replace_based_edit_tool", { command: "str_replace", path, old_str: "PreToolUse", new_str: "Stop" }],
      [
        "str_replace_based_edit_tool",
        { command: "insert", path, insert_line: 1, insert_text: '"disableAllHooks": true,' },
      ],
      [
        "apply_patch",
        {
          input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-    "PreToolUse": [\n+    "PreToolUsX": [\n*** End Patch`,
        },
      ],
      [
        "apply_patch",
        {
          any: `  *** Begin Patch\n  *** Update File: ${path}  \n@@\n   "model": "a",\n+  "disableAll\\u0048ooks": true,\n*** End Patch`,
        },
      ],
      [
        "mcp__x__diff",
        { text: `--- ${path}\n+++ ${path}\n@@ -1,2 +1,3 @@\n {\n+  "disableAllHooks": true,\n   "model": "a",\n` },
      ],
      ["file_edit", { file_path: path, old_text: '"hooks":   {', new_text: '"hook": {' }],
      ["file_edit", { file_path: path, old_text: "", new_text: "{}" }],
      ["file_edit", { file_path: path, old_text: "e", new_text: "E", replace_all: true }],
    ];
    for (const [tool, input] of calls) expect([input, await decided(tool, input)]).toEqual([input, "stop"]);
  });

  test("where the edit does not apply, its texts are judged, and agents may correct it", async () => {
    const path = home(".claude/settings.json");
    expect(await edit(path, "nowhere", '"disableAll\\u0048ooks": true')).toBe("stop");
    expect(await edit(path, '"matcher": "nowhere"', "")).toBe("stop");
    expect(await edit(path, "nowhere", "else")).toBe("stop");
  });
});

describe("a tool that names a file in its own way is judged", () => {
  const SEARCH = '<<<<<<< SEARCH\n"PreToolUse"\n=======\n"PreToolUsX"\n>>>>>>> REPLACE';
  const own = (path = ".kodelet/hooks.json"): string => home(path);
  const rows: readonly (readonly [title: string, tool: string, input: () => object])[] = [
    ["white space around the path", "file_write", () => ({ file_path: `\u00a0${own()} `, text: "{}" })],
    ["an @ before it", "write", () => ({ path: `@${own()}`, content: "{}" })],
    ["an address with a host", "mcp__x__write", () => ({ uri: `file://localhost${own()}`, text: "{}" })],
    ["relative_path", "mcp__x__replace_regex", () => ({ relative_path: "../home/.kodelet/hooks.json", repl: "" })],
    ["output_file", "mcp__x__write", () => ({ output_file: own(), content: "{}" })],
    ["the path as a key", "mcp__x__write", () => ({ files: { [own()]: "{}" } })],
    ["a tool of unknown effect", "mcp__x__set_value", () => ({ file: own(), key: "guards", value: {} })],
    [
      "a tool of unknown effect on settings",
      "mcp__x__apply_diff",
      () => ({ path: own(".claude/settings.json"), diff: SEARCH }),
    ],
    ["a folder moved away", "mcp__x__move_file", () => ({ source: own(".claude"), destination: own("old") })],
    ["a folder put in its place", "mcp__x__rename", () => ({ from: "t", to: join(place.project, ".claude") })],
    [
      "a path that ends at a colon",
      "apply_patch",
      () => ({ input: "*** Begin Patch\n*** Delete File: .opencode/plugins/hookctl.js:x\n*** End Patch" }),
    ],
    [
      "a patch in another folder",
      "bash",
      () => ({
        command:
          "cd ~ && apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: .kodelet/hooks.json\n*** End Patch\nEOF",
      }),
    ],
    [
      "a quoted name of git",
      "bash",
      () => ({
        command:
          'git apply <<\'EOF\'\n--- /dev/null\n+++ "b/.cl\\141ude/settings.local.json"\n@@ -0,0 +1 @@\n+{"disableAllHooks":true}\nEOF',
      }),
    ],
    [
      "an edit behind 2,000 others",
      "multi_edit",
      () => ({
        file_path: own(".claude/settings.json"),
        edits: [
          ...Array.from({ length: 2001 }, () => ({ old_text: '"', new_text: '"' })),
          { old_text: "PreToolUse", new_text: "X" },
        ],
      }),
    ],
    [
      "a hunk that fits in two places",
      "apply_patch",
      () => ({
        input: `*** Begin Patch\n*** Update File: ${own(".codex/config.toml")}\n@@ [x]\n-# two\n+features.hooks = false\n*** End Patch`,
      }),
    ],
    ["a command under another name", "mcp__x__run", () => ({ command_lines: ["ls", "rm -rf ~"] })],
  ];
  test.each(rows)("%s", async (_, tool, input) => expect(await decided(tool, input())).toBe("stop"));
});

describe("a path means the same file under each name", () => {
  test.each([
    "/proc/self/root{home}/.claude/settings.json",
    "/proc/thread-self/root{home}/.claude/settings.json",
    "/proc/1/root{home}/.claude/settings.json",
    "/proc/self/task/1/root{home}/.claude/settings.json",
    "/proc/self/cwd/../home/.claude/settings.json",
    "/dev/fd/../root{home}/.claude/settings.json",
    "../home/.claude/settings.json",
    "linked/settings.json",
    "linked/../.claude/settings.json",
    "hard.json",
    "~/.claude/settings.json",
    "$HOME/.claude/./settings.json",
    "{home}/.Claude/SETTINGS.json",
    "/proc/self/root{home}/.kodelet/hooks.json",
    "notes.json",
    "hard-own.json",
    "{home}/.kodelet/hooks.json.",
    "{home}/.kodelet/HOOKS.JSON",
    "{home}/.ｋodelet/hooks.json",
  ])("%s", async (path) => {
    const named = path.replace("{home}", place.home);
    expect(await write(named, "{}")).toBe("stop");
    const patch = `*** Begin Patch\n *** Add File: ${named}\n+{}\n *** End Patch`;
    expect(await decided("apply_patch", { input: patch })).toBe("stop");
  });
});

describe("a patch with white space around its marks", () => {
  test.each([
    " *** Begin Patch\n *** Delete File: ~/.kodelet/hooks.json\n *** End Patch",
    "*** Begin Patch\n*** Add File: a\n+x\n *** Delete File: ~/.kodelet/hooks.json\n*** End Patch",
    "*** Begin Patch\n\u00a0*** Update File: ~/.kodelet/hooks.json\u00a0\n@@\n-a\n+b\n*** End Patch",
    "\t*** Begin Patch\t\n\t*** Update File: a\n\t*** Move to: ~/.kodelet/hooks.json\n*** End Patch",
    "*** Begin Patch\n*** Update File: ~/.kodelet/hooks.json\n*** Move to: /tmp/x\n*** End Patch",
    "apply_patch <<'EOF'\n  *** Begin Patch\n  *** Delete File: ~/.kodelet/hooks.json\nEOF",
    "*** Begin Patch\r\n*** Delete File: ~/.kodelet/hooks.json\r\n*** End Patch\r\n",
    "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n*** Begin Patch\n  *** Delete File: ~/.kodelet/hooks.json\n*** End Patch",
    "*** Begin Patch\n *** Environment ID: x\n*** Delete File:~/.kodelet/hooks.json\n*** End Patch",
  ])("%j", async (patch) => {
    for (const key of ["input", "command", "patch", "x"])
      expect([key, await decided("apply_patch", { [key]: patch })]).toEqual([key, "stop"]);
    expect(await decided("other", { deep: { list: [patch] } })).toBe("stop");
  });

  test("hides no command of a shell", async () => {
    expect(await decided("bash", { command: "*** Begin Patch\nrm -rf ~\n*** End Patch" })).toBe("stop");
  });
});

describe("commands in arguments of any name", () => {
  const nested = (depth: number): unknown => (depth === 0 ? { command: "rm -rf ~" } : { x: nested(depth - 1) });
  test.each([
    [{ commands: ["ls", "rm -rf ~"] }],
    [{ commands: ["rm", "-rf", "/"] }],
    [{ commands: [["ls"], ["rm", "-rf", "/"]] }],
    [{ commands: [{ command: "rm -rf ~" }] }],
    [{ commands: ["cd ~", "rm -rf ./*"] }],
    [{ code: "rm -rf ~" }],
    [{ bash: "rm -rf ~" }],
    [{ run: "rm -rf ~" }],
    [{ line: "rm -rf ~" }],
    [nested(12)],
    [nested(50)],
  ])("%j", async (input) => expect(await decided("mcp__x__do", input)).toBe("stop"));
});

describe("a profile of the shell", () => {
  test.each([
    ["hookctl() { :; }"],
    ["function printf { command printf ok; }"],
    ["test() { return 0; }; export -f test"],
    ["alias hookctl=true"],
    ["alias ll='ls' command='true'"],
    ["export NODE_OPTIONS='--require /tmp/x.js'"],
    ["export HOME=/tmp"],
    ["PATH=/tmp/bin"],
    ["export CLAUDE_CODE_SHELL_PREFIX=true"],
    ["export EDITOR=vi LD_PRELOAD=/tmp/x.so"],
    ["set -gx HOOKCTL_SKIP git"],
  ])("is not given %s", async (line) => {
    expect(await write(home(".bashrc"), `${BASHRC}${line}\n`)).toBe("stop");
    expect(await edit(home(".bashrc"), "export EDITOR=vi", `export EDITOR=vi\n${line}`)).toBe("stop");
    expect(await write(home(".zshrc"), `${line}\n`)).toBe("stop");
  });

  test("is not emptied", async () => expect(await write(home(".bashrc"), "")).toBe("stop"));
});

describe("an ordinary edit passes without a question", () => {
  const files: readonly (readonly [path: string, text: string])[] = [
    ["{home}/.zshrc", "export EDITOR=vim\nalias gs='git status'\nexport PATH=\"$HOME/bin:$PATH\"\n"],
    ["{home}/.ssh/config", "Host x\n  User dev\n"],
    ["{home}/.profile", "export LANG=C.UTF-8\n"],
    ["{home}/.gitconfig", "[user]\n  name = Dev\n"],
    ["{home}/.config/fish/config.fish", "set -gx EDITOR vim\nfish_add_path ~/bin\n"],
    ["{home}/.bashrc", `${BASHRC}export NODE_OPTIONS=--max-old-space-size=4096\n`],
    ["{home}/.bashrc", `${BASHRC}export PATH=$PATH:~/go/bin\neval "$(direnv hook bash)"\n`],
    ["{home}/.bashrc", `${BASHRC}# printf() is a builtin\nmkcd() { mkdir -p "$1" && cd "$1"; }\n`],
    ["{home}/.bashrc", `${BASHRC}[ -f ~/.fzf.bash ] && source ~/.fzf.bash\nif test -d ~/x; then command ls; fi\n`],
    ["{home}/.bashrc", `${BASHRC}export XDG_CONFIG_HOME="$HOME/.config"\n`],
    [".claude/settings.local.json", '{"permissions":{"allow":["Bash(npm test)"]}}'],
    [".gemini/settings.json", '{"theme":"dark"}'],
    [".qwen/settings.json", '{"model":{"name":"x"}}'],
    [".cursor/hooks.json", '{"version":1,"hooks":{"stop":[{"command":"notify"}]}}'],
    [".codex/config.toml", 'model = "gpt"\n[mcp_servers.x]\ncommand = "npx"\n[mcp_servers.x.env]\nPATH = "/bin"\n'],
    [".factory/settings.json", '{"autoUpdate":false}'],
    [".github/copilot/settings.json", '{"trusted":true}'],
    ["{home}/.claude/settings.json", SETTINGS.replace('"a"', '"b"')],
    ["{home}/.claude/settings.json", JSON.stringify(JSON.parse(SETTINGS))],
    ["{home}/.claude/settings.json", SETTINGS.replaceAll("\n", "\r\n")],
    ["{home}/.claude/CLAUDE.md", "# Notes\nSet disableAllHooks: true only by hand.\n"],
    ["{home}/.claude/agents/a.md", "An agent\n"],
    ["{home}/.config/app/x.json", "{}"],
    ["package.json", '{"name":"shop","scripts":{"test":"vitest"}}'],
    ["tsconfig.json", '// comment\n{"compilerOptions":{},}\n'],
    [".vscode/settings.json", '{"editor.tabSize":2}'],
    [".github/workflows/ci.yml", "on: push\n"],
    [".editorconfig", "root = true\n"],
    ["docs/hooks.md", "`hookctl init claude --scope project` writes PreToolUse.\n"],
    [".kodelet/hooks/new", "#!/bin/sh\n"],
    ...[
      "a.ts",
      "b.test.ts",
      "README.md",
      "Makefile",
      "Dockerfile",
      "src/x.py",
      "src/y.go",
      "lib/z.rs",
      ".gitignore",
    ].map((path) => [path, "text\n"] as const),
  ];
  test.each(files)("writes %s %#", async (path, text) => {
    expect(await write(path.replace("{home}", place.home), text)).toBe("allow");
  });

  const edits: readonly (readonly [path: string, oldText: string, newText: string])[] = [
    ["{home}/.bashrc", "alias ll='ls -l'", "alias ll='ls -l'\nalias la='ls -a'"],
    ["{home}/.bashrc", "EDITOR=vi", "EDITOR=nano"],
    ["{home}/.bashrc", "# ~/.bashrc\n", "# My settings\n"],
    ["{home}/.claude/settings.json", '"Bash(ls)"', '"Bash(ls)", "Bash(npm test)"'],
    ["{home}/.claude/settings.json", '"Bash(ls)"', ""],
    ["{home}/.claude/settings.json", '"model": "a"', '"model": "b", "statusLine": {"type":"command","command":"date"}'],
    ["{home}/.claude/settings.json", '"model": "a"', '"env": {"DEBUG": "1"}'],
    [
      "{home}/.claude/settings.json",
      '"PreToolUse": [',
      '"PreToolUse": [{"hooks":[{"type":"command","command":"lint"}]},',
    ],
    ["{home}/.claude/settings.json", '"hooks": {', '"hooks": {"Stop":[{"hooks":[{"type":"command","command":"x"}]}],'],
    ["{home}/.claude/settings.json", "{", '{"includeCoAuthoredBy": false,'],
    ["{home}/.claude/settings.json", '"hooks": [', '"hooks": [{"type":"command","command":"lint"},'],
    ["{home}/.claude/settings.json", '\n  "model"', '\n\n    "model"'],
    [".claude/settings.json", '"permissions": {', '"permissions": {"deny":["WebFetch"],'],
    [".claude/settings.json", '"model": "a",', ""],
    [".claude/settings.json", '"model": "a"', '"note": "disableAllHooks: true"'],
    ["{home}/.codex/config.toml", '"a"', '"b"'],
    ["{home}/.codex/config.toml", 'model = "a"', 'model = "a" # comment\napproval_policy = "never"'],
    ["{home}/.codex/config.toml", "[projects", '[mcp_servers.y]\ncommand = "npx"\n\n[projects'],
    ["package.json", '"scripts": {}', '"scripts": {"hooks": "hookctl list"}'],
    ["package.json", '"shop"', '"shop2"'],
    ["src/app.ts", "let a", "const a"],
    ["src/app.ts", "let b = 2;\n", ""],
    ["src/app.ts", "let a = 1;", "// disableAllHooks: true\nlet a = process.env.HOME;"],
  ];
  test.each(edits)("edits %s: %j becomes %j", async (path, oldText, newText) => {
    expect(await edit(path.replace("{home}", place.home), oldText, newText)).toBe("allow");
  });

  test.each([
    ["an added line", "*** Begin Patch\n*** Update File: src/app.ts\n@@\n let a = 1;\n+let c = 3;\n*** End Patch"],
    ["a new file", "*** Begin Patch\n*** Add File: src/new.ts\n+x\n*** End Patch"],
    ["a deleted file", "*** Begin Patch\n*** Delete File: src/app.ts\n*** End Patch"],
    [
      "a moved file",
      "*** Begin Patch\n*** Update File: src/app.ts\n*** Move to: src/b.ts\n@@\n-let a = 1;\n+x\n*** End Patch",
    ],
    [
      "a permission",
      '*** Begin Patch\n*** Update File: .claude/settings.json\n@@\n-  "model": "a",\n+  "model": "b",\n*** End Patch',
    ],
    ["a unified diff", "--- a/src/app.ts\n+++ b/src/app.ts\n@@ -1 +1 @@\n-let a = 1;\n+let a = 2;\n"],
    [
      "a line of a profile",
      "*** Begin Patch\n*** Update File: ~/.bashrc\n@@\n export EDITOR=vi\n+export PAGER=less\n*** End Patch",
    ],
  ])("patches: %s", async (_, input) => expect(await decided("apply_patch", { input })).toBe("allow"));

  test.each([
    ["file_read", { file_path: "src/app.ts", line: 12 }],
    ["mcp__x__lint", { relative_path: "src/app.ts", profile: "strict" }],
    ["mcp__x__move_file", { source: "src/app.ts", destination: "src/main.ts" }],
    ["mcp__x__create_directory", { path: ".claude" }],
    ["mcp__x__write", { files: { "src/new.ts": "export {};" } }],
    ["mcp__x__edit", { path: "@scope/a.ts", old_text: "a", new_text: "b" }],
    ["grep_tool", { pattern: "rm -rf ~", path: "src", line: "rm -rf ~" }],
    ["mcp__db__query", { code: "select 1", lines: 3 }],
    ["mcp__py__run", { code: "import os\nprint(os.getcwd())\n" }],
    [
      "str_replace_based_edit_tool",
      { command: "insert", path: "~/.bashrc", insert_line: 1, insert_text: "export PAGER=less" },
    ],
  ])("calls %s %j", async (tool, input) => expect(await decided(tool, input)).toBe("allow"));
});
