import { expect, test } from "vitest";
import { approveAll } from "../support/approvals.ts";
import { runMain } from "../support/in-process.ts";
import { outcomes, parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall, toolResult } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const block = printResponse({ blocked: true, reason: "the user says no" });

const attempts: { title: string; config: object }[] = [
  { title: "switching everything off", config: { settings: { enabled: false } } },
  { title: "switching the guard off", config: { overrides: { guard: { enabled: false } } } },
  { title: "starving the guard of time", config: { settings: { timeout: "1ms" } } },
  { title: "starving the event of time", config: { settings: { timeouts: { before_tool_call: "1ms" } } } },
  { title: "giving the guard a limit", config: { overrides: { guard: { timeout: "1ms" } } } },
  { title: "making the guard an observer", config: { overrides: { guard: { observe: true } } } },
  { title: "narrowing the guard's match", config: { overrides: { guard: { match: { tool_name: "none" } } } } },
  { title: "asking for a sandbox", config: { overrides: { guard: { sandbox: "require" } } } },
];

test.each(attempts)("a project cannot take a user's guard out by $title", async ({ config }) => {
  await using place = await workspace();
  await place.hook("guard", block);
  await place.write("project/.kodelet/hooks.json", JSON.stringify(config));
  await approveAll(place);
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toEqual({
    stdout: '{"blocked":true,"reason":"the user says no"}\n',
    stderr: "",
    code: 2,
    signal: null,
  });
});

test("a project cannot open a user's closed hook", async () => {
  await using place = await workspace();
  await place.hook("guard", "exit 1", { says: '{"event":"before_tool_call","fail_open":false}' });
  await place.write("project/.kodelet/hooks.json", '{"overrides":{"guard":{"fail_open":true}}}');
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, signal: null, stderr: "" });
});

const closings = [{ fail_open: false }, { required: true }];
const mutings = [{ match: { tool_name: "none" } }, { observe: true }, { enabled: false }];

test.each(closings.flatMap((user) => mutings.map((project) => ({ user, project }))))(
  "what the user closed by $user is asked and heard, whatever the project says: $project",
  async ({ user, project }) => {
    await using place = await workspace();
    await place.hook("guard", block, { scope: "project" });
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ overrides: { guard: user } }));
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ overrides: { guard: project } }));
    const result = await runMain(place, ["run", "before_tool_call", "--trust", "-q"], { stdin: toolCall() });
    expect(result).toMatchObject({ code: 2, stderr: "", signal: null });
    expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true, reason: "the user says no" });
  },
);

test("of a hook that the user closed the project may say what the user does not: how long it may take", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}), { scope: "project" });
  await place.write("home/.kodelet/hooks.json", '{"overrides":{"guard":{"fail_open":false,"priority":5}}}');
  await place.write("project/.kodelet/hooks.json", '{"overrides":{"guard":{"priority":7,"timeout":"4s"}}}');
  const listed = await runMain(place, ["list", "--json", "--trust"]);
  expect(parseListJson(listed).hooks).toMatchObject([
    { name: "guard", priority: 5, timeout_ms: 4000, fail_open: false },
  ]);
});

test("a project cannot turn the order of the user's hooks around", async () => {
  await using place = await workspace();
  for (const [name, priority] of Object.entries({ redact: 10, audit: 20 })) {
    await place.hook(name, printResponse({}), { says: JSON.stringify({ event: "after_tool_call", priority }) });
  }
  await place.write("project/.kodelet/hooks.json", '{"overrides":{"audit":{"priority":1}}}');
  const result = await runMain(place, ["run", "after_tool_call", "--json", "-q"], { stdin: toolResult() });
  expect(outcomes(parseRunJson(result)).map(([name]) => name)).toEqual(["redact", "audit"]);
});

test("what the user closed for a project hook stays closed", async () => {
  await using place = await workspace();
  await place.hook("lint", "exit 1", { scope: "project" });
  await place.write("home/.kodelet/hooks.json", '{"overrides":{"lint":{"fail_open":false}}}');
  await place.write("project/.kodelet/hooks.json", '{"overrides":{"lint":{"fail_open":true,"enabled":false}}}');
  const result = await runMain(place, ["run", "before_tool_call", "--trust", "--json"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, signal: null });
  expect(parseRunJson(result)).toMatchObject({ decision: "block", decided_by: "lint" });
});
