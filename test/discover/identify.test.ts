import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseListJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const PLAIN = { priority: 100, fail_open: true, observe: false, timeout_ms: 30_000, dialect: "kodelet", match: null };

const answers: { title: string; says: string; hook: object }[] = [
  { title: "one event name", says: "before_tool_call", hook: { ...PLAIN, events: ["before_tool_call"] } },
  { title: "a name in white space", says: "\n  agent_stop \n\n", hook: { ...PLAIN, events: ["agent_stop"] } },
  { title: "Base Coat's name", says: "PreToolUse", hook: { events: ["before_tool_call"], dialect: "basecoat" } },
  { title: "AgentHook's name", says: "post_tool_call", hook: { events: ["after_tool_call"], dialect: "agenthook" } },
  { title: "an object with a name", says: '{"event":"turn_end"}', hook: { ...PLAIN, events: ["turn_end"] } },
  {
    title: "an object with several names",
    says: '{"event":["session_end","session_start","session_end"]}',
    hook: { ...PLAIN, events: ["session_end", "session_start"] },
  },
  {
    title: "an object with every key",
    says: JSON.stringify({
      event: ["PreToolUse", "turn_end"],
      priority: -3.5,
      fail_open: false,
      observe: false,
      timeout: "1500ms",
      match: { tool_name: ["bash", "mcp_*"], "tool_input.command": "*rm*" },
      dialect: "agenthook",
      background: true,
      files: ["lib/rules.txt"],
    }),
    hook: {
      events: ["before_tool_call", "turn_end"],
      priority: -3.5,
      fail_open: false,
      timeout_ms: 1500,
      match: { tool_name: ["bash", "mcp_*"], "tool_input.command": "*rm*" },
      dialect: "agenthook",
    },
  },
  { title: "an observer", says: '{"event":"turn_end","observe":true}', hook: { observe: true, fail_open: true } },
];

test("the answer to `hook` is one event name or one object about the hook", async () => {
  await using place = await workspace();
  for (const [index, { says }] of answers.entries()) await place.hook(`hook-${index}`, ":", { says });
  const result = await runMain(place, ["list", "--json"]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const { hooks } = parseListJson(result);
  for (const [index, { title, hook }] of answers.entries()) {
    expect(
      hooks.find(({ name }) => name === `hook-${index}`),
      title,
    ).toMatchObject(hook);
  }
});

const bad: { title: string; says: string; why: string }[] = [
  { title: "nothing", says: "", why: "HOOK_UNKNOWN_TYPE" },
  { title: "no event", says: "before_tool", why: "HOOK_UNKNOWN_TYPE" },
  { title: "two names", says: "before_tool_call\nafter_tool_call", why: "HOOK_UNKNOWN_TYPE" },
  { title: "a name in another case", says: "Before_Tool_Call", why: "HOOK_UNKNOWN_TYPE" },
  { title: "a JSON text", says: '"before_tool_call"', why: "HOOK_UNKNOWN_TYPE" },
  { title: "an array", says: '["before_tool_call"]', why: "HOOK_UNKNOWN_TYPE" },
  { title: "an object without event", says: '{"priority":1}', why: "HOOK_BAD_ANSWER" },
  { title: "no events", says: '{"event":[]}', why: "HOOK_UNKNOWN_TYPE" },
  { title: "an unknown event in a list", says: '{"event":["turn_end","x"]}', why: "HOOK_UNKNOWN_TYPE" },
  { title: "an unknown key", says: '{"event":"turn_end","prority":1}', why: "HOOK_BAD_ANSWER" },
  { title: "a duplicate key", says: '{"event":"turn_end","event":"turn_end"}', why: "HOOK_BAD_ANSWER" },
  { title: "a wrong type", says: '{"event":"turn_end","priority":"high"}', why: "HOOK_BAD_ANSWER" },
  { title: "a duration without a unit", says: '{"event":"turn_end","timeout":5}', why: "HOOK_BAD_ANSWER" },
  { title: "an unknown dialect", says: '{"event":"turn_end","dialect":"latin"}', why: "HOOK_BAD_ANSWER" },
  { title: "two objects", says: '{"event":"turn_end"}{"event":"turn_end"}', why: "HOOK_BAD_ANSWER" },
];

test("anything else is invalid, with the reason", async () => {
  await using place = await workspace();
  for (const [index, { says }] of bad.entries()) await place.hook(`hook-${index}`, ":", { says });
  await place.hook("exits", "#!/bin/sh\necho turn_end; exit 1");
  await place.hook("floods", "#!/bin/sh\nyes turn_end");
  const listed = await runMain(place, ["list", "--json"]);
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  expect(parseListJson(listed).hooks).toEqual([]);
  expect(new Set(parseListJson(listed).skipped.map(({ reason }) => reason))).toEqual(new Set(["not_identified"]));

  const result = await runMain(place, ["run", "turn_end", "--json", "-q"], { stdin: '{"response":"done"}' });
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const output = JSON.parse(result.stdout) as { hooks: { name: string; failure: { code: string } }[] };
  const codes = Object.fromEntries(output.hooks.map(({ name, failure }) => [name, failure.code]));
  expect(codes).toEqual({
    ...Object.fromEntries(bad.map(({ why }, index) => [`hook-${index}`, why])),
    exits: "HOOK_EXITED",
    floods: "HOOK_TOO_MUCH_OUTPUT",
  });
});

test("a hook that calls itself a closed observer is invalid", async () => {
  await using place = await workspace();
  await place.hook("torn", ":", { says: '{"event":"turn_end","observe":true,"fail_open":false}' });
  const result = await runMain(place, ["list", "--json"]);
  expect(result).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(parseListJson(result)).toMatchObject({ hooks: [], skipped: [{ name: "torn", reason: "not_identified" }] });
});

test("a hook that is asked for its event finds stdin closed", async () => {
  await using place = await workspace();
  await place.hook("reader", `#!/bin/sh\n[ -z "$(cat)" ] && echo turn_end`);
  expect(parseListJson(await runMain(place, ["list", "--json"])).hooks).toMatchObject([
    { name: "reader", events: ["turn_end"] },
  ]);
});

test("four hooks are asked at once, and never more", async () => {
  await using place = await workspace();
  const log = shellQuote(join(place.dir, "log"));
  // Alone, none of the first four would ever declare its event: each waits until the other three have begun.
  const body = `#!/bin/sh\necho + >> ${log}; until [ "$(grep -c + ${log})" -ge 4 ]; do :; done; echo - >> ${log}; echo turn_end`;
  for (let index = 0; index < 12; index++) await place.hook(`hook-${index}`, body);
  const result = await runMain(place, ["list", "--json"]);
  expect(parseListJson(result).hooks).toHaveLength(12);
  let [now, most] = [0, 0];
  for (const mark of (await place.read("log"))?.trim().split("\n") ?? []) {
    now += mark === "+" ? 1 : -1;
    most = Math.max(most, now);
  }
  expect({ now, most }).toEqual({ now: 0, most: 4 });
});

test.each([
  { says: "exit 3", text: "`guard hook` failed: exit 3", hint: "It must print one event name" },
  { says: "exit 2", text: "`guard hook` failed: exit 2", hint: "It must print one event name" },
  { says: "kill -9 $$", text: "`guard hook` was killed by SIGKILL", hint: "guard hook" },
  { says: "yes", text: "`guard hook` printed more than 64 KiB on stdout", hint: "Only its declaration" },
  { says: "sleep 20", words: ["--deadline", "300ms"], text: "`guard hook` was killed after", hint: "Raise --deadline" },
])("a failure to declare itself is no failure to decide: $says", async ({ says, words = [], text, hint }) => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks/guard", `#!/bin/sh\n[ "$1" = hook ] && ${says}\n`, 0o755);
  const { stdout, stderr } = await runMain(place, ["run", "before_tool_call", ...words], { stdin: toolCall() });
  expect(JSON.parse(stdout).warnings).toMatchObject([expect.stringContaining(text)]);
  expect(stderr).toContain(hint);
  expect(stderr).not.toContain("To decide");
});
