import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { EVENT_NAMES } from "../../src/protocol/event.ts";
import { expectedOutput, lines, type Row, runInProcess, runMain, runRow } from "../support/in-process.ts";
import { hasScript, hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { runProgram, workspace } from "../support/workspace.ts";
import { env, testNewHooks } from "./new-hooks.ts";

// All events in all languages are in new.slow.test.ts.
testNewHooks(["before_tool_call"], ["bash"]);

test("a new hook is created, told, and kept when it is there already", async () => {
  await using place = await workspace();
  const args = ["new", "my guard", "--event", "PreToolUse"];
  const first = await runMain(place, args);
  expect(first).toMatchObject({ stderr: "", code: 0 });
  expect(first.stdout).toBe(`\
✔ .kodelet/hooks/my guard          before_tool_call   bash
✔ .kodelet/tests/my guard.yaml                        its test cases
✔ Approved 1 hook you just created (hookctl trust --list)

Next:
  hookctl try 'my guard' tool_input.command=forbidden  see its response
  hookctl test 'my guard'                              check it, and run its test cases
  hookctl edit 'my guard'                              write your rule and its cases, approve and test the change
  hookctl trust 'my guard'                             approve what you changed in another editor
  hookctl init                                         connect your agents
`);
  expect(await runMain(place, args)).toEqual({
    stdout: lines(
      "• .kodelet/hooks/my guard already exists, not changed",
      "• .kodelet/tests/my guard.yaml already exists, not changed",
    ),
    stderr: "",
    code: 0,
    signal: null,
  });
  const other = await runMain(place, [...args, "--lang", "node"]);
  expect(other).toMatchObject({ stdout: "", code: 64, stderr: expect.stringContaining("(USAGE_HOOK_EXISTS)") });
  expect(await place.read("project/.kodelet/hooks/my guard")).toContain("env bash");
});

test("a new guard blocks when it crashes, and allows then without its fail_open", async () => {
  await using place = await workspace();
  await runInProcess(place, "new guard", { env });
  const text = ((await place.read("project/.kodelet/hooks/guard")) ?? "").replace(/^ +run\)$/m, "  run) exit 3");
  const payload = { stdin: '{"tool_name":"bash","tool_input":{"command":"ls"}}', env };
  for (const [hook, code] of [
    [text, 2],
    [text.replace(',"fail_open":false', ""), 0],
  ] as const) {
    await place.write("project/.kodelet/hooks/guard", hook, 0o755);
    expect(await runInProcess(place, "trust guard --yes", { env })).toMatchObject({ code: 0 });
    expect(await runInProcess(place, "run before_tool_call", payload)).toMatchObject({ code });
  }
});

test("a long name does not touch what stands behind it", async () => {
  await using place = await workspace();
  const result = await runInProcess(place, "new a-guard-with-a-long-name --event user_message_send", { env });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout.split("\n")[0]).toBe("✔ .kodelet/hooks/a-guard-with-a-long-name  user_message_send  bash");
});

test("a TypeScript hook takes no second ending, and its name needs none", async () => {
  await using place = await workspace();
  const result = await runInProcess(place, "new guard.ts --event agent_stop --lang typescript", { env });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain(".kodelet/hooks/guard.mts ");
  expect(result.stdout).toContain(".kodelet/tests/guard.yaml ");
  const tried = await runInProcess(place, 'try guard messages=["forbidden"] -q', { env });
  expect(tried).toMatchObject({ stdout: expect.stringContaining("follow_up_messages"), code: 0 });
});

test("the TypeScript hook of every event compiles under strict with the packed package alone", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const started = { cwd: root, env: { ...place.env, PATH: env.PATH } };
  // Without scripts: the tests have built it.
  const packed = await runProgram(["npm", "pack", "--ignore-scripts", "--pack-destination", place.dir], started);
  expect(packed).toMatchObject({ code: 0 });
  await place.write("project/node_modules/hookctl/.keep", "");
  const archive = join(place.dir, packed.stdout.trim().split("\n").at(-1) ?? "");
  const unpack = ["tar", "-xzf", archive, "--strip-components=1", "-C", join(place.project, "node_modules/hookctl")];
  expect(await runProgram(unpack, started)).toMatchObject({ code: 0 });
  for (const event of EVENT_NAMES)
    await runInProcess(place, `new ${event} --event ${event} --lang typescript --no-hooks`, { env });
  // No @types/node in reach, and nothing skips the declarations of libraries.
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2023", types: [] };
  // The line of the template, without which tsc skips the folder.
  const [include] = /"include": \[.*\]/.exec((await place.read("project/.kodelet/hooks/turn_end.mts")) ?? "") ?? [""];
  const config = `{ "compilerOptions": ${JSON.stringify(compilerOptions)}, ${include} }`;
  await place.write("project/tsconfig.json", config);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const result = await runProgram([process.execPath, tsc, "-p", "."], { cwd: place.project, env: place.env });
  expect(result).toEqual({ stdout: "", stderr: "", code: 0, signal: null });
  const listed = await runProgram([process.execPath, tsc, "-p", ".", "--listFilesOnly"], {
    cwd: place.project,
    env: place.env,
  });
  expect(listed.stdout).toContain(".kodelet/hooks/before_tool_call.mts");
});

test.skipIf(!hasScript)("on a terminal it asks for what the command line does not name", async () => {
  await using place = await workspace();
  const keys = ["a/b", "no publish", "before_tool", "", "pyhton", "py", "npm publish"].map((key) => `${key}\r`);
  const { shown, code } = await runOnTerminal(place, `${hookctl} new`, keys);
  expect({ code, shown }).toMatchObject({ code: 0 });
  const output = shown.replace(/\s+/g, " ");
  const questions = [
    "Enter takes the default in brackets.",
    "Name [guard]: ",
    "  Not a valid hook name: a hook is a file directly in .kodelet/hooks, not in a sub-folder.",
    "Name [guard]: ",
    "Event [before_tool_call]: ",
    '  Unknown event "before_tool". Did you mean before_tool_call? (? lists the events)',
    "Event [before_tool_call]: ",
    "Language: bash, python, node, typescript [bash]: ",
    "  The languages are bash, python, node, typescript. Did you mean python?",
    "Language: bash, python, node, typescript [bash]: ",
    "Text to look for [forbidden]: ",
    "✔ .kodelet/hooks/no publish        before_tool_call   python",
    "hookctl try 'no publish' 'tool_input.command=npm publish'",
  ];
  let at = 0;
  for (const question of questions) {
    const part = question.replace(/\s+/g, " ").trim();
    expect(output.slice(at)).toContain(part);
    at = output.indexOf(part, at) + part.length;
  }
  expect(await place.read("project/.kodelet/hooks/no publish")).toContain("TEXT = r'''npm publish'''");
  expect(await place.read("project/.kodelet/tests/no publish.yaml")).toContain('{"command":"npm publish"}');
});

test.skipIf(!hasScript).each([
  ["Enter takes every default", "new", ["\r", "\r", "\r", "\r"], 4],
  ["a name, an event and a language leave one question", "new guard --event PreToolUse --lang sh", ["\r"], 1],
  ["--yes asks nothing", "new guard --yes", [], 0],
])("on a terminal %s", async (_title, call, keys, questions) => {
  await using place = await workspace();
  const { shown, code } = await runOnTerminal(place, `${hookctl} ${call}`, keys);
  expect({ code, shown }).toMatchObject({ code: 0 });
  expect(shown.split("]: ").length - 1).toBe(questions);
  const text = await place.read("project/.kodelet/hooks/guard");
  expect(text).toContain('"event":"before_tool_call"');
  expect(text).toContain("text='forbidden'");
});

test.skipIf(!hasScript)("a name that is taken is refused before the other questions", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks/guard", "mine");
  const named = await runOnTerminal(place, `${hookctl} new guard`, []);
  expect(named.code).toBe(64);
  expect(named.shown).toContain(".kodelet/hooks/guard already exists with other content");
  expect(named.shown).not.toContain("]: ");
  const { shown, code } = await runOnTerminal(place, `${hookctl} new`, ["\r", "other\r", "\r", "\r", "\r"]);
  expect({ code, shown }).toMatchObject({ code: 0 });
  expect(shown).toMatch(/Name \[guard\]: \s*\.kodelet\/hooks\/guard already exists\.\s*Name \[guard\]: /);
});

test.skipIf(!hasScript)("Ctrl-C at a question creates nothing", async () => {
  await using place = await workspace();
  const { shown, code } = await runOnTerminal(place, `${hookctl} new`, ["guard\r"]);
  expect({ code, shown }).toMatchObject({ code: 130 });
  expect(await place.read("project/.kodelet/hooks/guard")).toBeNull();
});

test.each([
  ["sh", "#!/usr/bin/env bash\n", "guard"],
  ["py", "#!/usr/bin/env -S python3 -I\n", "guard"],
  ["js", "#!/usr/bin/env node\n", "guard"],
  ["javascript", "#!/usr/bin/env node\n", "guard"],
  ["ts", "#!/usr/bin/env node\n", "guard.mts"],
])("--lang %s, and no --event, means a hook at before_tool_call", async (language, first, file) => {
  await using place = await workspace();
  const result = await runInProcess(place, `new guard --lang ${language} --no-hooks`, { env });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toMatch(/^✔ \S+ +before_tool_call /);
  expect(await place.read(`project/.kodelet/hooks/${file}`)).toMatch(new RegExp(`^${first.replace("$", "\\$")}`));
});

test("a file of test cases that is there already is kept, also beside a new hook", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/tests/guard.yaml", "mine");
  const result = await runInProcess(place, "new guard --event agent_stop", { env });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain("• .kodelet/tests/guard.yaml already exists, not changed");
  expect(await place.read("project/.kodelet/tests/guard.yaml")).toBe("mine");
});

test("where another hook is, no test cases are written", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks/guard", "mine");
  expect(await runInProcess(place, "new guard --event agent_stop", { env })).toMatchObject({ code: 64 });
  expect(await place.read("project/.kodelet/tests/guard.yaml")).toBeNull();
});

test("the same as JSON", async () => {
  await using place = await workspace();
  const result = await runInProcess(place, "new guard --event agent_stop --json", { env });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(JSON.parse(result.stdout)).toEqual({
    schema: "hookctl.new/1",
    project: "DIR/project",
    files: [
      { path: ".kodelet/hooks/guard", created: true },
      { path: ".kodelet/tests/guard.yaml", created: true },
    ],
    approved: [".kodelet/hooks/guard"],
  });
});

const TRY = "  Try: hookctl new guard";
const badName = (name: string, why: string): Row => ({
  title: `the name ${name}`,
  call: `new ${name} --event agent_stop`,
  stdout: "",
  stderr: lines(`✖ Invalid hook name "${name.replaceAll("\u001b", "\\u001b")}": ${why}. (USAGE_BAD_HOOK_NAME)`, TRY),
  code: 64,
});

const refused: readonly Row[] = [
  badName("a/b", "a hook is a file directly in .kodelet/hooks, not in a sub-folder"),
  badName("../a", "a hook is a file directly in .kodelet/hooks, not in a sub-folder"),
  badName(".guard", "files whose name starts with a dot are skipped"),
  badName("guard.disable", "files with this extension are skipped"),
  badName("guard~", "files with this extension are skipped"),
  badName("gu\u001bard", "it has invisible characters"),
  {
    title: "no name",
    call: "new --event agent_stop",
    stdout: "",
    stderr: lines(
      "✖ new: missing argument NAME. (USAGE_WRONG_WORDS)",
      "  Try: hookctl new guard --event agent_stop --lang bash --yes",
    ),
    code: 64,
  },
  {
    title: "an unknown event",
    call: "new guard --event before_tool",
    stdout: "",
    stderr: lines(
      '✖ Unknown event "before_tool". Did you mean before_tool_call? (USAGE_UNKNOWN_EVENT)',
      "  All events: hookctl payload --help",
    ),
    code: 64,
  },
  {
    title: "an unknown language",
    call: "new guard --event agent_stop --lang pyhton",
    stdout: "",
    stderr: lines(
      '✖ Invalid value "pyhton" for --lang: it must be one of bash, python, node, typescript, sh, py, js, javascript, ts; did you mean python? (USAGE_BAD_VALUE)',
      "  All options: hookctl new --help",
    ),
    code: 64,
  },
];

test.each(refused)("refuses $title", async (row) => expect(await runRow(row)).toEqual(expectedOutput(row)));

test("a name of 201 bytes is too long", async () => {
  await using place = await workspace();
  const result = await runInProcess(place, `new ${"ä".repeat(100)}b --event agent_stop`);
  expect(result).toMatchObject({ stdout: "", code: 64, stderr: expect.stringContaining("longer than 200 bytes") });
});

test("init is no next step of new where an agent is connected", async () => {
  await using place = await workspace();
  await runMain(place, ["init", "claude", "--guards", "git"]);
  const { stdout } = await runMain(place, ["new", "guard"]);
  expect(stdout).toContain("\nNext:\n  hookctl try guard ");
  expect(stdout).not.toContain("hookctl init");
});
