import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FORCE = "git push --force origin main";

interface Recorded {
  readonly title: string;
  readonly hook?: string;
  readonly says?: string;
  readonly args: readonly string[];
  readonly stdin: (place: Workspace) => string;
  readonly expected: object;
}

const payload = (fields: object) => () => JSON.stringify(fields);
const odd = String.raw`{"tool_name":"bash","tool_input":{"command":"echo \ud83d \u0000 ü 🔑","n":12345678901234567890.10,"e":1e400}}`;

const recorded: readonly Recorded[] = [
  {
    title: "a guard that blocked",
    args: ["run", "before_tool_call"],
    stdin: payload({ tool_name: "bash", tool_input: { command: FORCE } }),
    expected: { guard: "git", expect: { decision: "block" } },
  },
  {
    title: "an agent's call",
    args: ["bridge", "claude"],
    stdin: payload({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: FORCE } }),
    expected: { guard: "git", as: "claude", event: "PreToolUse" },
  },
  {
    title: "a hook that changes a call with unusual characters and numbers",
    hook: printResponse({ input: { command: "ls -a" } }),
    args: ["run", "before_tool_call"],
    stdin: () => odd,
    expected: { chain: true, expect: { decision: "allow", change: { command: "ls -a" } } },
  },
  {
    title: "a hook that blocks, with a reason",
    hook: printResponse({ blocked: true, reason: "not \u001b here" }),
    args: ["run", "before_tool_call"],
    stdin: () => odd,
    expected: { hook: "own", expect: { decision: "block" } },
  },
  {
    title: "an event after a call",
    hook: printResponse({ output: { text: "short" } }),
    says: "after_tool_call",
    args: ["run", "after_tool_call"],
    stdin: payload({ tool_name: "bash", tool_input: { command: "x" }, tool_output: { text: "long" } }),
    expected: { chain: true, event: "after_tool_call" },
  },
  {
    title: "a message",
    hook: printResponse({ blocked: true, reason: "no" }),
    says: "user_message_send",
    args: ["bridge", "gemini"],
    stdin: payload({ hook_event_name: "BeforeAgent", prompt: "do it" }),
    expected: { hook: "own", as: "gemini" },
  },
  {
    title: "a file of the project",
    hook: `case "$(cat)" in *'"file_path":"/'*) ;; *) ${printResponse({ blocked: true, reason: "relative" })};; esac`,
    args: ["run", "before_tool_call"],
    stdin: ({ project }) =>
      JSON.stringify({ tool_name: "edit", tool_input: { file_path: `${project}/src/a.ts`, old_string: "a" } }),
    expected: { chain: true, payload: { tool_input: { file_path: "src/a.ts" } } },
  },
];

test.each(recorded.slice(0, -1))("$title is a test case that passes", async ({ hook, says, args, stdin, expected }) => {
  await using place = await workspace();
  const settings = { settings: { record: "payloads" }, guards: { git: true } };
  await place.write("home/.kodelet/hooks.json", JSON.stringify(settings));
  if (hook !== undefined) await place.hook("own", `cat > /dev/null; ${hook}`, says === undefined ? {} : { says });
  await runMain(place, args, { stdin: stdin(place) });
  const printed = await runMain(place, ["log", "--case", ""]);
  expect(printed).toMatchObject({ stderr: "", code: 0 });
  expect(JSON.parse(printed.stdout)).toMatchObject({ cases: [expected] });
  await place.write("home/.kodelet/tests/recorded.json", printed.stdout);
  const tested = await runMain(place, ["test", "--json"]);
  expect(`${tested.stdout}${tested.stderr}`).not.toContain("CASE_");
  expect(tested.code).toBe(0);
  expect(tested.stdout).toContain("run 0");
});

test("paths in the project are relative to it in the case", async () => {
  await using place = await workspace();
  const [, , , , , , file] = recorded;
  await place.write("home/.kodelet/hooks.json", '{"settings":{"record":"payloads"}}');
  await place.hook("own", `cat > /dev/null; ${printResponse({ input: { file_path: `${place.project}/b` } })}`);
  await runMain(place, file?.args ?? [], { stdin: file?.stdin(place) ?? "" });
  const { cases } = JSON.parse((await runMain(place, ["log", "--case", ""])).stdout);
  expect(cases).toMatchObject([file?.expected]);
  expect(JSON.stringify(cases)).not.toContain(place.project);
});

test("a run without a recorded payload has no case", async () => {
  await using place = await workspace();
  await place.hook("own", printResponse({ blocked: true }));
  await runMain(place, ["run", "before_tool_call"], { stdin: odd });
  const id = (/"run_id":"(\w+)"/.exec((await runMain(place, ["log", "--json"])).stdout) ?? [])[1] ?? "none";
  for (const [run, said] of [
    [id.slice(-6), "record: payloads"],
    ["zzz", "At least 4 characters of an id"],
    ["zzzz", "(USAGE_UNKNOWN_RUN)"],
  ] as const) {
    const result = await runMain(place, ["log", "--case", run]);
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining(said), code: 64 });
  }
});
