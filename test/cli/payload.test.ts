import { expect, test } from "vitest";
import { createHost, main } from "../../src/main.ts";
import { allEventNames } from "../../src/protocol/event.ts";
import { runMain } from "../support/in-process.ts";
import { shellQuote } from "../support/shell.ts";
import { HOOKCTL, runProgram, workspace } from "../support/workspace.ts";

/** One call of the program in this process, which spares a hundred starts. */
async function inProcess(argv: readonly string[], cwd: string, stdin = "") {
  const result = { stdout: "", stderr: "", code: -1 };
  const bytes = new TextEncoder().encode(stdin);
  result.code = await main({
    ...createHost(process),
    argv,
    cwd,
    env: { HOME: cwd },
    isStdinTerminal: () => false,
    readStdin: async () => ({ kind: "read", bytes }),
    out: (text) => {
      result.stdout += text;
      return null;
    },
    err: (text) => {
      result.stderr += text;
    },
  });
  return result;
}

/** What was not captured says so. */
const DOCUMENTED = /^(?:• Written from .*'s documentation, not captured\n)?$/;

test.each([...allEventNames().keys()])("payload %s prints a sample that run accepts", async (event) => {
  await using place = await workspace();
  const sample = await inProcess(["payload", event], place.home);
  expect(sample).toMatchObject({
    stderr: expect.stringMatching(DOCUMENTED),
    code: 0,
    stdout: expect.stringMatching(/^\{.*\}\n$/),
  });
  const result = await inProcess(["run", event], place.home, sample.stdout);
  expect(result).toEqual({ stdout: expect.stringMatching(/^\{("blocked":false)?\}\n$/), stderr: "", code: 0 });
});

test("the sample goes through a pipe into run", async () => {
  await using place = await workspace();
  await place.hook("reader", `grep -q '"command":"rm -rf build"' && printf '{"blocked":true,"reason":"no"}'`);
  const program = [...HOOKCTL].map(shellQuote).join(" ");
  const line = `${program} payload PreToolUse --set tool_input.command='rm -rf build' | ${program} run PreToolUse -q`;
  const result = await runProgram(["/bin/sh", "-c", line], { cwd: place.project, env: place.env });
  expect(result).toEqual({ stdout: '{"blocked":true,"reason":"no"}\n', stderr: "", code: 2, signal: null });
});

test("the sample speaks the dialect of the name that was used", async () => {
  await using place = await workspace();
  const sampleOf = async (event: string) => {
    const result = await runMain(place, ["payload", event]);
    expect(result).toMatchObject({ stderr: "", code: 0, signal: null });
    return JSON.parse(result.stdout) as object;
  };
  const base = { event: "before_tool_call", cwd: place.project, tool_name: "bash" };
  expect(await sampleOf("PreToolUse")).toMatchObject({ ...base, hook: "PreToolUse", tool: { name: "bash" } });
  expect(await sampleOf("pre_tool_call")).toMatchObject({ ...base, ctx: {}, args: { command: "ls -la" } });
  expect(await sampleOf("before_tool_call")).not.toHaveProperty("hook");
});

const sets: { title: string; set: readonly string[]; wanted: object }[] = [
  { title: "JSON if it parses", set: ["tool_input=[1,2]"], wanted: { tool_input: [1, 2] } },
  { title: "else text", set: ["tool_input=rm -rf"], wanted: { tool_input: "rm -rf" } },
  { title: "text with an equals sign", set: ["tool_name=a=b"], wanted: { tool_name: "a=b" } },
  { title: "an empty text", set: ["conv_id="], wanted: { conv_id: "" } },
  { title: "quoted text where it would parse", set: ['conv_id="7"'], wanted: { conv_id: "7" } },
  { title: "at a path that is new", set: ["grant.b.c=true"], wanted: { grant: { b: { c: true } } } },
  {
    title: "the last of several",
    set: ["tool_input.command=one", "tool_input.command=two", "tool_input.timeout=1"],
    wanted: { tool_input: { command: "two", timeout: 1 } },
  },
];

test.each(sets)("a value of --set is $title", async ({ set, wanted }) => {
  await using place = await workspace();
  const result = await runMain(place, ["payload", "before_tool_call", ...set.flatMap((one) => ["--set", one])]);
  expect(result).toMatchObject({ stderr: "", code: 0, signal: null });
  expect(JSON.parse(result.stdout)).toMatchObject(wanted);
});

test("a number that JavaScript cannot hold keeps its digits in a sample", async () => {
  await using place = await workspace();
  const args = ["payload", "before_tool_call", "--set", "tool_input.timeout=12345678901234567890"];
  const result = await runMain(place, args);
  expect(result).toMatchObject({ stdout: expect.stringContaining("12345678901234567890"), stderr: "", code: 0 });
});

test("a --set that makes the sample invalid is refused", async () => {
  await using place = await workspace();
  const result = await runMain(place, ["payload", "before_tool_call", "--set", "tool_name=7"]);
  const stderr = expect.stringContaining('"tool_name" in the payload is a JSON number; it must be a string');
  expect(result).toEqual({ stdout: "", stderr, code: 65, signal: null });
});
