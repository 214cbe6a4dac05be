import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall, toolResult } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const results: { title: string; said: object | string; event?: string; basecoat: object; agenthook: unknown }[] = [
  { title: "silence", said: {}, basecoat: { action: "passThrough" }, agenthook: "Continue" },
  {
    title: "a block",
    said: { blocked: true, reason: "no" },
    basecoat: { action: "block", reason: "no" },
    agenthook: { Reject: "no" },
  },
  {
    title: "a change",
    said: '{"input":{"n":1.10}}',
    basecoat: { action: "modify", modifiedInput: { n: 1.1 } },
    agenthook: { Transform: { n: 1.1 } },
  },
  {
    title: "a replacement",
    said: { Replace: { n: 1 } },
    basecoat: { action: "modify", modifiedInput: { n: 1 } },
    agenthook: { Replace: { n: 1 } },
  },
  {
    title: "context",
    said: { additional_context: ["see docs"] },
    basecoat: { action: "injectContext", additionalContext: ["see docs"] },
    agenthook: "Continue",
  },
  {
    title: "a changed output",
    said: { output: "[gone]" },
    event: "after_tool_call",
    basecoat: { action: "modify", modifiedOutput: "[gone]" },
    agenthook: { Transform: "[gone]" },
  },
  {
    title: "a question to the user",
    said: { decision: "ask", reason: "really?" },
    basecoat: { action: "block", reason: "really?" },
    agenthook: { Reject: "really?" },
  },
];

test.each(results)("--as prints $title in the dialect of the caller", async ({ said, event, basecoat, agenthook }) => {
  await using place = await workspace();
  const name = event ?? "before_tool_call";
  await place.hook("speaker", printResponse(said), { says: name });
  const stdin = event === undefined ? toolCall() : toolResult();
  for (const [dialect, wanted] of Object.entries({ basecoat, agenthook })) {
    const result = await runMain(place, ["run", name, "-q", "--as", dialect], { stdin });
    const code = "reason" in basecoat ? 2 : 0;
    expect(result).toEqual({ stdout: expect.stringMatching(/^.*\n$/), stderr: "", code, signal: null });
    expect(JSON.parse(result.stdout)).toEqual(wanted);
  }
});

test("without hooks --as prints the dialect's own way to go on", async () => {
  await using place = await workspace();
  const ok = { stderr: "", code: 0, signal: null };
  const run = (dialect: string) => runMain(place, ["run", "PreToolUse", "--as", dialect], { stdin: toolCall() });
  expect(await run("basecoat")).toEqual({ ...ok, stdout: '{"action":"passThrough"}\n' });
  expect(await run("agenthook")).toEqual({ ...ok, stdout: '"Continue"\n' });
  expect(await run("kodelet")).toEqual({ ...ok, stdout: '{"blocked":false}\n' });
});

test("hooks of all dialects compose in one chain", async () => {
  await using place = await workspace();
  await place.hook("1-kodelet", printResponse({ input: { command: "one" } }));
  await place.hook("2-basecoat", printResponse({ action: "modify", modifiedInput: { command: "two" } }), {
    says: "PreToolUse",
  });
  await place.hook("3-agenthook", printResponse({ Transform: { command: "three" } }), { says: "pre_tool_call" });
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  const stdout = '{"blocked":false,"input":{"command":"three"}}\n';
  expect(result).toEqual({ stdout, stderr: "", code: 0, signal: null });
});

test("of several meanings in one reply the most restrictive wins", async () => {
  await using place = await workspace();
  await place.hook("torn", printResponse({ blocked: false, decision: "allow", action: "block", reason: "no" }));
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({
    stdout: expect.stringContaining('"blocked":true'),
    stderr: "",
    code: 2,
    signal: null,
  });
});
