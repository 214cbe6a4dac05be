import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess, runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { loadedModules } from "../support/loaded-modules.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, touch } from "../support/shell.ts";
import { testOnNode, type Workspace, workspace } from "../support/workspace.ts";
import { contents, NO_ANSWER, testNoHooks } from "./no-hooks.ts";

describe("no hooks configured: the answer is the same bytes as ever, and no process, file or library is behind it", () => {
  testNoHooks(["before_tool_call", "agent_stop"]);

  test("the state of a session that is there is left alone as well", async () => {
    await using place = await workspace();
    await place.write("home/.local/state/hookctl/sessions/s/state", '{"n":1}');
    const before = contents(place.home);
    const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall("ls", { conv_id: "s" }) });
    expect(result).toEqual({ ...NO_ANSWER, stdout: '{"blocked":false}\n' });
    expect(contents(place.home)).toEqual(before);
  });
});

describe("a rule of the user that does not fit is no process, one line of the log and next to no code", () => {
  const CONFIG = "home/.kodelet/hooks.json";
  const noRm = { name: "no-rm", match: { "tool_input.command": "*rm -rf*" }, block: "no rm -rf here" };
  const configure = (place: Workspace, config: object) => place.write(CONFIG, JSON.stringify(config));
  const run = (place: Workspace, ...flags: readonly string[]) =>
    runMain(place, ["run", "before_tool_call", ...flags], { stdin: toolCall() });

  const idle: readonly { title: string; config: object; event?: string; isRecorded?: true }[] = [
    { title: "its match does not fit", config: { hooks: { PreToolUse: [noRm] } }, isRecorded: true },
    {
      title: "its match does not fit, and nothing is recorded",
      config: { settings: { record: "off" }, hooks: { PreToolUse: [noRm] } },
    },
    {
      title: "it is switched off",
      config: { hooks: { PreToolUse: [noRm] }, overrides: { "no-rm": { enabled: false } } },
    },
    {
      title: "its event is another one",
      config: { hooks: { PreToolUse: [{ ...noRm, match: {} }] } },
      event: "agent_stop",
    },
    {
      title: "an override narrows its match",
      config: {
        hooks: { PreToolUse: [{ ...noRm, match: {} }] },
        overrides: { "no-rm": { match: { tool_name: "x" } } },
      },
      isRecorded: true,
    },
  ];
  testOnNode.each(idle)("$title: little of the program is loaded", async (row) => {
    const { config, event = "before_tool_call" } = row;
    await using place = await workspace();
    await configure(place, config);
    const stdin = event === "agent_stop" ? '{"messages":[]}' : toolCall();
    // The first call checks the settings and keeps what it found.
    await runInProcess(place, `run ${event}`, { stdin });
    const { ended, libraries, parts } = await loadedModules(place, ["run", event], { stdin });
    const stdout = event === "agent_stop" ? "{}\n" : '{"blocked":false}\n';
    expect({ ended, libraries, parts }).toEqual({ ended: { ...NO_ANSWER, stdout }, libraries: [], parts: ["hot"] });
    const log = await place.read("home/.local/state/hookctl/audit.jsonl");
    expect(log !== null).toBe(row.isRecorded === true);
  });

  testOnNode("a file whose match does not fit is not started, and the code that asks is not loaded", async () => {
    await using place = await workspace();
    await place.hook("guard", touch(join(place.dir, "canary")), {
      says: '{"event":"before_tool_call","match":{"tool_name":"web*"}}',
    });
    const { ended, parts } = await loadedModules(place, ["run", "before_tool_call"], { stdin: toolCall() });
    expect(ended).toEqual({ ...NO_ANSWER, stdout: '{"blocked":false}\n' });
    expect(parts).not.toContain("hot-hooks");
    expect(await place.read("canary")).toBeNull();
  });

  testOnNode("guards that are off are not loaded", async () => {
    await using place = await workspace();
    await configure(place, { guards: { git: false, filesystem: false } });
    await runInProcess(place, "run before_tool_call", { stdin: toolCall() });
    const { ended, parts } = await loadedModules(place, ["run", "before_tool_call"], {
      stdin: toolCall("rm -rf ~ && ls"),
    });
    expect({ ended, parts }).toEqual({ ended: { ...NO_ANSWER, stdout: '{"blocked":false}\n' }, parts: ["hot"] });
  });

  test("the same rule blocks what it fits", async () => {
    await using place = await workspace();
    await configure(place, { hooks: { PreToolUse: [noRm] } });
    const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall("rm -rf /") });
    const stdout = '{"blocked":true,"reason":"no rm -rf here"}\n';
    expect(result).toEqual({ stdout, stderr: "", code: 2, signal: null });
  });

  test("an override that widens its match counts", async () => {
    await using place = await workspace();
    await configure(place, { hooks: { PreToolUse: [noRm] }, overrides: { "no-rm": { match: { tool_name: "bash" } } } });
    expect(await run(place, "-q")).toMatchObject({ stdout: expect.stringContaining("no rm -rf here"), code: 2 });
  });

  test("--json shows it as skipped", async () => {
    await using place = await workspace();
    await configure(place, { hooks: { PreToolUse: [noRm] } });
    const result = await run(place, "--json");
    expect(result).toMatchObject(NO_ANSWER);
    expect(parseRunJson(result).hooks).toMatchObject([
      { name: "no-rm", outcome: "skipped", why: "its match does not fit this payload" },
    ]);
  });

  const output: readonly { title: string; flags: readonly string[]; config: object; says: string; code: number }[] = [
    {
      title: "an override that is nearly its name is told",
      flags: [],
      config: { overrides: { "no-rn": { enabled: false } } },
      says: 'Did you mean "no-rm"?',
      code: 0,
    },
    {
      title: "a --skip that takes nothing out is told",
      flags: ["--skip", "no-rn"],
      config: {},
      says: "no-rn",
      code: 0,
    },
    { title: "a --hook that names nothing is told", flags: ["--hook", "no-rn"], config: {}, says: "no-rn", code: 64 },
    {
      title: "a required hook that is missing blocks",
      flags: [],
      config: { overrides: { guard: { required: true } } },
      says: "guard",
      code: 2,
    },
  ];
  test.each(output)("$title", async ({ flags, config, says, code }) => {
    await using place = await workspace();
    await configure(place, { hooks: { PreToolUse: [noRm] }, ...config });
    expect(await run(place, ...flags)).toMatchObject({ stderr: expect.stringContaining(says), code, signal: null });
  });

  test("a rule of the project that nobody approved is told, whether it fits or not", async () => {
    await using place = await workspace();
    await place.write(
      "project/.kodelet/hooks.json",
      JSON.stringify({ hooks: { PreToolUse: [{ ...noRm, match: {} }] } }),
    );
    await place.hook("other", printResponse({}), { says: "session_end" });
    expect(await run(place)).toMatchObject({ stderr: expect.stringContaining("no-rm is not approved"), code: 0 });
  });
});
