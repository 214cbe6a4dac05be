import { describe, expect, test } from "vitest";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { type ProtectedFormat, protectionOf, weakenings } from "../protection.ts";

const LINE = "hookctl bridge claude --event PreToolUse --fail-closed || printf deny";
const SETTINGS = JSON.stringify(
  {
    model: "a",
    env: { EDITOR: "vi" },
    permissions: { allow: ["Bash(ls)"] },
    hooks: {
      PreToolUse: [{ hooks: [{ type: "command", command: LINE, timeout: 3600 }] }],
      Stop: [{ hooks: [{ type: "command", command: "notify-send done" }] }],
    },
  },
  null,
  2,
);

const kinds = (before: string, after: string, agent: AgentName = "claude", format: ProtectedFormat = "json") =>
  weakenings(protectionOf(agent, before, format), protectionOf(agent, after, format)).map(({ kind }) => kind);

/** Each row: an edit as old and new text, and the weakenings that it causes. */
describe("an edit that weakens", () => {
  test.each([
    ["misspells the event", "PreToolUse", "PreToolUsX", ["entry-lost"]],
    ["cuts the event", '"PreToolUse"', '"Pre"', ["entry-lost"]],
    ["moves it to another event", '"PreToolUse": [', '"PostToolUse": [', ["entry-lost"]],
    ["changes the event option", "--event Pre", "--event Post", ["entry-lost"]],
    ["renames the hooks key", '"hooks": {', '"hook5": {', ["entry-lost"]],
    ["renames the inner hooks key", '"hooks": [', '"hook": [', ["entry-lost"]],
    ["renames the command key", '"command": "hookctl', '"comand": "hookctl', ["entry-lost"]],
    ["nests the hooks elsewhere", '"hooks": {', '"x": {"hooks": {}}, "old": {', ["entry-lost"]],
    ["takes fail-closed away", "--fail-closed", "--help", ["entry-lost"]],
    ["changes fail-closed", "--fail-closed", "--fail-open", ["entry-lost"]],
    ["answers before the denial", " || ", " | true || ", ["entry-lost"]],
    ["replaces the denial", "printf deny", "true", ["entry-lost"]],
    ["starts another program", '"hookctl bridge', '"true; hookctl bridge', ["entry-lost"]],
    ["makes it a comment of the shell", '"hookctl bridge', '"# hookctl bridge', ["entry-lost"]],
    ["renames the program", "hookctl bridge", "h00kctl bridge", ["entry-lost"]],
    ["shortens the timeout", "3600", "1", ["entry-lost"]],
    ["makes it asynchronous", '"timeout": 3600', '"timeout": 3600, "async": true', ["entry-lost"]],
    ["makes it conditional", '"timeout": 3600', '"timeout": 3600, "if": "Bash(x)"', ["entry-lost"]],
    ["changes the type", '"type": "command"', '"type": "prompt"', ["entry-lost"]],
    ["adds a matcher", '"PreToolUse": [\n      {', '"PreToolUse": [\n      {"matcher": "Never",', ["entry-lost"]],
    ["disables hooks", '"model": "a"', '"model": "a", "disableAllHooks": true', ["hooks-disabled"]],
    ["disables hooks in escapes", '"model": "a"', '"disableAll\\u0048ooks": true', ["hooks-disabled"]],
    ["disables hooks by another spelling", '"model": "a"', '"disable_all_hooks": 1', ["hooks-disabled"]],
    ["disables hooks of a list", '"model": "a"', '"hooksConfig": {"enabled": false}', ["hooks-disabled"]],
    ["limits hooks to the machine's", '"model": "a"', '"allowManagedHooksOnly": true', ["hooks-disabled"]],
    ["moves the home", '"EDITOR": "vi"', '"HOME": "/tmp"', ["environment"]],
    ["replaces the path", '"EDITOR": "vi"', '"PATH": "/tmp/bin"', ["environment"]],
    ["preloads code", '"EDITOR": "vi"', '"NODE_OPTIONS": "--require /tmp/x.js"', ["environment"]],
    ["preloads code by a short option", '"EDITOR": "vi"', '"NODE_OPTIONS": "-r /tmp/x.js"', ["environment"]],
    ["moves the settings", '"EDITOR": "vi"', '"CLAUDE_CONFIG_DIR": "/tmp"', ["environment"]],
    ["prefixes the shell", '"EDITOR": "vi"', '"CLAUDE_CODE_SHELL_PREFIX": "true"', ["environment"]],
    ["exports a function", '"EDITOR": "vi"', '"BASH_FUNC_printf%%": "() { :; }"', ["environment"]],
    ["skips guards", '"EDITOR": "vi"', '"HOOKCTL_SKIP": "git"', ["environment"]],
    ["breaks the file", '"model": "a",', '"model": "a"', ["unreadable"]],
    ["adds a comment", '"model"', '// model\n "model"', ["unreadable"]],
    ["adds a trailing comma", '"vi"', '"vi",', ["unreadable"]],
    ["writes hooks twice", '"model": "a"', '"hooks": {}', ["unreadable"]],
  ] as const)("%s", (_, oldText, newText, expected) => {
    expect(SETTINGS).toContain(oldText);
    expect(kinds(SETTINGS, SETTINGS.replace(oldText, newText))).toEqual(expected);
  });

  test("empties the file, or makes it another value", () => {
    for (const text of ["", " \n", "{}", '{"model":"a"}']) expect(kinds(SETTINGS, text)).toEqual(["entry-lost"]);
    expect(kinds(SETTINGS, "[]")).toEqual(["unreadable"]);
  });

  test("takes away the shell of the cage, or names another", () => {
    const caged = SETTINGS.replace(
      '"EDITOR": "vi"',
      '"CLAUDE_CODE_SHELL": "/home/a/.local/state/hookctl/cage/shells/bash"',
    );
    expect(kinds(caged, SETTINGS)).toEqual(["environment"]);
    expect(kinds(caged, caged.replace(/"\/home[^"]*"/, '"/bin/bash"'))).toEqual(["environment"]);
    expect(kinds(SETTINGS, SETTINGS)).toEqual([]);
  });

  test("disables hooks in a new file", () => {
    expect(kinds("", '{"disableAllHooks": true}')).toEqual(["hooks-disabled"]);
    expect(kinds("", '{"env": {"HOME": "/tmp"}}')).toEqual(["environment"]);
  });
});

test.each([
  ["codex", "toml", 'profile = "x"\n[profiles.x.features]\nhooks = false\n'],
  ["gemini", "json", '{"hooksConfig": {"disabled": ["hookctl-BeforeTool"]}}'],
  ["gemini", "json", '{"hooks": {"disabled": ["hookctl-BeforeTool"]}}'],
  ["gemini", "json", '{"hooks": {"enabled": false}}'],
  ["droid", "json", '{"hooksDisabled": true}'],
  ["pi", "json", '{"extensions": ["./mine.ts", "-extensions/hookctl.ts"]}'],
  ["pi", "json", '{"extensions": ["!**/*.ts"]}'],
] as const)("settings of %s that disable hooks registered elsewhere (%s): %s", (agent, format, text) => {
  expect(kinds("", text, agent, format)).toEqual(["hooks-disabled"]);
});

test.each([
  ["codex", "toml", "[profiles.x.features]\nhooks = true\n"],
  ["gemini", "json", '{"hooksConfig": {"disabled": ["format"]}, "hooks": {"enabled": true}}'],
  ["pi", "json", '{"extensions": ["./mine.ts", "-extensions/theirs.ts", "!old-*.ts"]}'],
] as const)("settings of %s that disable none (%s): %s", (agent, format, text) => {
  expect(kinds("", text, agent, format)).toEqual([]);
});

describe("an edit that does not weaken", () => {
  test.each([
    ["adds a permission", '"Bash(ls)"', '"Bash(ls)", "Bash(npm test)"'],
    ["removes a permission", '"Bash(ls)"', ""],
    ["changes the model", '"a"', '"b"'],
    ["adds a variable", '"vi"', '"vi", "DEBUG": "1"'],
    ["gives Node more memory", '"vi"', '"vi", "NODE_OPTIONS": "--max-old-space-size=4096"'],
    ["adds another hook", "notify-send done", "notify-send done; date"],
    ["adds a hook to the event", '"PreToolUse": [', '"PreToolUse": [{"hooks":[{"type":"command","command":"lint"}]},'],
    ["states that hooks run", '"model": "a"', '"model": "a", "disableAllHooks": false'],
    ["mentions a switch in a text", '"model": "a"', '"model": "a", "note": "disableAllHooks: true"'],
  ])("%s", (_, oldText, newText) => {
    expect(SETTINGS).toContain(oldText);
    expect(kinds(SETTINGS, SETTINGS.replace(oldText, newText))).toEqual([]);
  });

  test("only changes the form", () => {
    const reversed = (value: unknown): unknown =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, one]) => [key, reversed(one)]),
          )
        : value;
    expect(kinds(SETTINGS, JSON.stringify(JSON.parse(SETTINGS)))).toEqual([]);
    expect(kinds(SETTINGS, JSON.stringify(reversed(JSON.parse(SETTINGS)), null, "\t"))).toEqual([]);
    expect(kinds(SETTINGS, SETTINGS.replaceAll("\n", "\r\n"))).toEqual([]);
  });

  test("repairs", () => {
    expect(kinds('{"disableAllHooks": true}', "{}")).toEqual([]);
    expect(kinds('{"disableAllHooks": true}', '{"disableAllHooks": true, "model": "b"}')).toEqual([]);
    expect(kinds("{", SETTINGS)).toEqual([]);
    expect(kinds('{"model": "a"}', '{"model": "a", // comment\n}')).toEqual([]);
  });
});

test("Codex trusts an entry at its position", () => {
  const entry = { hooks: [{ type: "command", command: "hookctl bridge codex --event PreToolUse" }] };
  const other = { hooks: [{ type: "command", command: "lint" }] };
  const text = (...groups: readonly object[]): string => JSON.stringify({ hooks: { PreToolUse: groups } });
  expect(kinds(text(entry), text(entry, other), "codex")).toEqual([]);
  expect(kinds(text(entry), text(other, entry), "codex")).toEqual(["entry-lost"]);
  expect(kinds(text(entry), text(other, entry), "claude")).toEqual([]);
});

test("TOML is judged by its values", () => {
  const before =
    'model = "a"\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "hookctl bridge codex --event PreToolUse"\n';
  const judged = (after: string) => kinds(before, after, "codex", "toml");
  expect(judged(`# comment\n${before.replace('"a"', "'b'")}`)).toEqual([]);
  expect(judged(before.replaceAll("PreToolUse]]", "PreToolUsX]]"))).toEqual(["entry-lost"]);
  expect(judged(`${before}[features]\nhooks = false\n`)).toEqual(["hooks-disabled"]);
  expect(judged(`features."hoo\\u006bs" = false\n${before}`)).toEqual(["hooks-disabled"]);
  expect(judged(`${before}[shell_environment_policy]\nset = { HOME = "/tmp" }\n`)).toEqual(["environment"]);
  expect(judged(`${before}[[`)).toEqual(["unreadable"]);
});

test("a key that the agent requires beside its hooks stays", () => {
  const text = (version: unknown): string =>
    JSON.stringify({ version, hooks: { preToolUse: [{ command: "hookctl bridge cursor --event preToolUse" }] } });
  expect(kinds(text(1), text(2), "cursor")).toEqual(["required-key"]);
  expect(kinds(text(1), text(1), "cursor")).toEqual([]);
});

test("a registration over HTTP is an entry", () => {
  const text = (url: string): string =>
    JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "http", url, headers: {} }] }] } });
  const url = "http://127.0.0.1:4665/bridge/claude/PreToolUse";
  expect(kinds(text(url), text(url.replace("4665", "4666")))).toEqual(["entry-lost"]);
});
