import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { EVENT_NAMES } from "../../src/protocol/event.ts";
import { expectedOutput, lines, type Row, runInProcess, runMain, runRow } from "../support/in-process.ts";
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

Next:  hookctl try 'my guard' tool_input.command=forbidden  see it answer
       hookctl test 'my guard'                              check it, and run its test cases
       hookctl edit 'my guard'                              write your rule and its cases, approve and test the change
       hookctl init                                         connect your agents, if none is yet
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

test("the TypeScript hook of every event compiles under strict", { tags: "slow" }, async () => {
  await using place = await workspace();
  const root = fileURLToPath(new URL("../..", import.meta.url));
  await place.write("project/node_modules/.keep", "");
  await symlink(root, join(place.project, "node_modules/hookctl"));
  await symlink(join(root, "node_modules/@types"), join(place.project, "node_modules/@types"));
  for (const event of EVENT_NAMES)
    await runInProcess(place, `new ${event} --event ${event} --lang typescript --no-hooks`, { env });
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2023", types: ["node"] };
  const include = [".kodelet/hooks/*.mts"];
  await place.write("project/tsconfig.json", JSON.stringify({ compilerOptions, include }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const result = await runProgram([process.execPath, tsc, "-p", "."], { cwd: place.project, env: place.env });
  expect(result).toEqual({ stdout: "", stderr: "", code: 0, signal: null });
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

const TRY = "  Try: hookctl new guard --event before_tool_call --lang bash";
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
    stderr: lines("✖ new: missing argument NAME. (USAGE_WRONG_WORDS)", "  Try: hookctl new --help"),
    code: 64,
  },
  {
    title: "no event",
    call: "new guard",
    stdout: "",
    stderr: lines(`✖ new: missing --event, one of: ${EVENT_NAMES.join(", ")} (USAGE_WRONG_WORDS)`, TRY),
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
      '✖ Invalid value "pyhton" for --lang: it is one of bash, python, node, typescript; did you mean python? (USAGE_BAD_VALUE)',
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
