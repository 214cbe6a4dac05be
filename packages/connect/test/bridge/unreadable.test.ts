import { describe, expect, test } from "vitest";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { sampledRows } from "../../../../test/support/property-runs.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

const BEFORE_TOOL: readonly (readonly [agent: AgentName, event: string])[] = [
  ["claude", "PreToolUse"],
  ["codex", "PreToolUse"],
  ["gemini", "BeforeTool"],
  ["copilot", "preToolUse"],
];
const LOG = "home/.local/state/hookctl/audit.jsonl";
const STOPPED = /deny|"decision":"block"/;

/** Payloads that no reader of ours takes, made of a good one. */
const UNREADABLE: readonly (readonly [title: string, of: (sample: object) => string | Buffer])[] = [
  ["no JSON", () => "{nonsense"],
  ["JSON that breaks off", (sample) => JSON.stringify(sample).slice(0, -9)],
  ["a key twice", (sample) => JSON.stringify(sample).replace(/\}$/, ',"cwd":"/a","cwd":"/b"}')],
  ["too deep", (sample) => JSON.stringify({ ...sample, x: 0 }).replace('"x":0', `"x":${"[".repeat(200_000)}`)],
  ["not UTF-8", (sample) => Buffer.from(JSON.stringify({ ...sample, x: "é" }), "latin1")],
  ["no object", () => "[1]"],
  ["nothing", () => ""],
  ["a name of the wrong type", (sample) => JSON.stringify({ ...sample, tool_name: 5, toolName: 5 })],
];

const sent = (place: Workspace, [agent, event]: readonly [AgentName, string], stdin: string | Buffer, flags = "") =>
  runInProcess(place, `bridge ${agent} --event ${event}${flags}`, { stdin });

describe.each(BEFORE_TOOL)("%s %s: what cannot be read cannot be cleared", (agent, event) => {
  const sample = NATIVE[agent][event] ?? {};
  test.each(sampledRows(UNREADABLE))("%s", async (_title, of) => {
    await using place = await workspace();
    const alone = await sent(place, [agent, event], of(sample));
    expect(alone).toMatchObject({ stderr: expect.stringContaining("✖"), code: 0 });
    expect(alone.stdout).not.toMatch(STOPPED);
    expect(await place.read(LOG)).toBeNull();
    await place.hook("guard", printResponse({}));
    const guarded = await sent(place, [agent, event], of(sample));
    expect(guarded).toMatchObject({ stdout: expect.stringMatching(STOPPED), code: 0 });
    const code = /\((PAYLOAD_\w+)\)/.exec(guarded.stderr)?.[1];
    expect(JSON.parse((await place.read(LOG)) ?? "")).toMatchObject({
      event: "before_tool_call",
      decision: "block",
      reason: expect.stringMatching(new RegExp(`^${code}: `)),
    });
  });
});

describe("what counts as a guard", () => {
  const call = ["claude", "PreToolUse"] as const;
  const stdoutWith = async (prepare: (place: Workspace) => Promise<unknown>): Promise<string> => {
    await using place = await workspace();
    await prepare(place);
    return (await sent(place, call, "{nonsense")).stdout;
  };
  const settings = (value: object) => (place: Workspace) =>
    place.write("home/.kodelet/hooks.json", JSON.stringify(value));

  test.each<[title: string, prepare: (place: Workspace) => Promise<unknown>]>([
    ["a hook that fails open", (place) => place.hook("guard", printResponse({}))],
    [
      "a hook whose match nobody can check",
      (place) =>
        place.hook("guard", printResponse({}), { says: '{"event":"before_tool_call","match":{"tool_name":"x"}}' }),
    ],
    ["a rule", settings({ hooks: { before_tool_call: [{ name: "no-rm", block: "no" }] } })],
    ["a required hook that is not there", settings({ overrides: { guard: { required: true } } })],
  ])("%s", async (_title, prepare) => expect(await stdoutWith(prepare)).toMatch(STOPPED));

  test.each<[title: string, prepare: (place: Workspace) => Promise<unknown>]>([
    [
      "an observer",
      (place) => place.hook("log", printResponse({}), { says: '{"event":"before_tool_call","observe":true}' }),
    ],
    ["a hook of another event", (place) => place.hook("guard", printResponse({}), { says: "after_tool_call" })],
    ["a project's hook that nobody approved", (place) => place.hook("guard", printResponse({}), { scope: "project" })],
    ["an entry that only adds context", settings({ hooks: { before_tool_call: [{ name: "c", inject: "text" }] } })],
    [
      "a hook that is switched off",
      async (place) => {
        await place.hook("guard", printResponse({}));
        await settings({ overrides: { guard: { enabled: false } } })(place);
      },
    ],
  ])("not %s", async (_title, prepare) => expect(await stdoutWith(prepare)).not.toMatch(STOPPED));
});

test("without --event the payload's own name is looked for, and else a block is said by the exit code", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  const named = await runInProcess(place, "bridge claude", { stdin: '{"hook_event_name":"PreToolUse","tool_name":' });
  expect(named).toMatchObject({ stdout: expect.stringMatching(STOPPED), code: 0 });
  expect(await runInProcess(place, "bridge claude", { stdin: '{"tool_name":' })).toMatchObject({ stdout: "", code: 2 });
});

test("an event that nobody can be asked about stays open, whatever its payload", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  for (const event of ["FutureEvent", "SessionEnd"]) {
    const result = await sent(place, ["claude", event], "{nonsense");
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout).not.toMatch(STOPPED);
  }
});

test("arguments nested 50,000 deep are put to the guard", async () => {
  await using place = await workspace();
  await place.hook("guard", `case $(cat) in *"rm -rf"*) ${printResponse({ blocked: true, reason: "no rm" })} ;; esac`);
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const stdin = (command: string): string =>
    JSON.stringify({ ...NATIVE.claude.PreToolUse, tool_input: { command, x: 0 } }).replace('"x":0', `"x":${deep}`);
  const blocked = await sent(place, ["claude", "PreToolUse"], stdin("rm -rf /"));
  expect(blocked).toMatchObject({ stdout: expect.stringContaining("no rm (guard"), code: 0 });
  expect(await sent(place, ["claude", "PreToolUse"], stdin("ls"))).toEqual({ stdout: "", stderr: "", code: 0 });
});
