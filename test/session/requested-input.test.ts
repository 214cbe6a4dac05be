import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";
import { SESSIONS } from "./counting-processes.ts";

const REWRITE = `case $(cat) in *"rm x"*) echo '{"input":{"command":"trash x"}}' ;; esac`;

/** A hook that changes `rm x`, and one that stores what it gets after the call. */
async function rewriting(): Promise<Workspace> {
  const place = await workspace();
  await place.hook("rewrite", REWRITE);
  await place.hook("after", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says: "after_tool_call" });
  return place;
}

async function seen(place: Workspace): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse((await place.read("seen")) ?? "null");
}

const requested = (place: Workspace, id = "s1") => join(place.dir, SESSIONS, id, "requested");
const call = (place: Workspace, command: string, payload: object) =>
  runInProcess(place, command, { stdin: JSON.stringify(payload) });

describe("the arguments that the model asked for", () => {
  const claude = (place: Workspace, command: string, more: object = {}) => ({
    ...{ session_id: "s1", cwd: place.project, tool_name: "Bash", tool_use_id: "t1", tool_input: { command } },
    ...more,
  });
  const askBefore = (place: Workspace, command: string, more: object = {}) =>
    call(place, "bridge claude --event PreToolUse", claude(place, command, more));
  const askAfter = (place: Workspace, command: string, more: object = {}) =>
    call(
      place,
      "bridge claude --event PostToolUse",
      claude(place, command, { tool_response: { stdout: "" }, ...more }),
    );

  test("are in the payload after the call, in a file that only the user may read until then", async () => {
    await using place = await rewriting();
    expect((await askBefore(place, "rm x")).stdout).toContain("trash x");
    const [name = "none", ...others] = await readdir(requested(place));
    expect(others).toEqual([]);
    const modes = [requested(place), join(requested(place), name)].map(async (path) => (await stat(path)).mode & 0o777);
    expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
    await askAfter(place, "trash x");
    expect(await seen(place)).toMatchObject({
      tool_input: { command: "trash x" },
      requested_input: { command: "rm x" },
    });
    expect(await readdir(requested(place))).toEqual([]);
    await askAfter(place, "trash x");
    expect(await seen(place)).not.toHaveProperty("requested_input");
  });

  test.each<[string, object]>([
    ["another call", { tool_use_id: "t2" }],
    ["another session", { session_id: "s2" }],
    ["another tool", { tool_name: "Other" }],
    ["no session", { session_id: "" }],
  ])("are not those of %s", async (_, more) => {
    await using place = await rewriting();
    await askBefore(place, "rm x");
    await askAfter(place, "trash x", more);
    expect(await seen(place)).not.toHaveProperty("requested_input");
  });

  test("are not there where no hook changed them, and nothing is stored", async () => {
    await using place = await rewriting();
    await askBefore(place, "ls");
    await askAfter(place, "ls");
    expect(await seen(place)).not.toHaveProperty("requested_input");
    await expect(stat(requested(place))).rejects.toThrow("ENOENT");
  });

  test("can be matched by a rule", async () => {
    await using place = await rewriting();
    const rule = { name: "told", match: { "requested_input.command": "rm *" }, inject: "it asked for rm" };
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks: { after_tool_call: [rule] } }));
    await askBefore(place, "rm x");
    expect((await askAfter(place, "trash x")).stdout).toContain("it asked for rm");
    expect((await askAfter(place, "trash x", { tool_use_id: "t3" })).stdout).toBe("");
  });

  test("are found by the changed arguments where the agent has no call id", async () => {
    await using place = await rewriting();
    const gemini = (command: string, more: object = {}) => ({
      ...{ session_id: "s1", cwd: place.project, tool_name: "run_shell_command", tool_input: { command } },
      ...more,
    });
    const result = { tool_response: { llmContent: "" } };
    await call(place, "bridge gemini --event BeforeTool", gemini("rm x"));
    await call(place, "bridge gemini --event AfterTool", gemini("trash y", result));
    expect(await seen(place)).not.toHaveProperty("requested_input");
    await call(place, "bridge gemini --event AfterTool", gemini("trash x", result));
    expect(await seen(place)).toMatchObject({ requested_input: { command: "rm x" } });
    // A changed call that never ran, and then a call that the model itself makes.
    await call(place, "bridge gemini --event BeforeTool", gemini("rm x"));
    await call(place, "bridge gemini --event BeforeTool", gemini("trash x"));
    await call(place, "bridge gemini --event AfterTool", gemini("trash x", result));
    expect(await seen(place)).not.toHaveProperty("requested_input");
  });

  test("are found with `run`, whatever the order of the arguments", async () => {
    await using place = await rewriting();
    const payload = { conv_id: "s1", tool_name: "edit", tool_output: null };
    await place.hook("swap", `cat >/dev/null; echo '{"input":{"a":1,"b":"é"}}'`, {
      says: '{"event":"before_tool_call","match":{"tool_name":"edit"}}',
    });
    await call(place, "run before_tool_call -q", { ...payload, tool_input: { b: "old" } });
    await call(place, "run after_tool_call -q", { ...payload, tool_input: JSON.parse('{"b":"\\u00e9","a":1.0}') });
    expect(await seen(place)).toMatchObject({ requested_input: { b: "old" } });
  });

  test("of calls that never ran are bounded in number", async () => {
    await using place = await rewriting();
    const { storeRequested } = await import("../../src/session/requested-input.ts");
    const span = (raw: string) => ({ kind: "string", raw }) as const;
    for (let id = 0; id < 130; id++)
      expect(storeRequested(requested(place), new Map([["tool_user_id", span(`"${id}"`)]]), span('"x"'))).toBeNull();
    expect(await readdir(requested(place))).toHaveLength(100);
  });

  test("that cannot be stored are a warning, and the change is sent", async () => {
    await using place = await rewriting();
    await place.write(`${SESSIONS}/s1/requested`, "a file");
    const { stdout, stderr } = await askBefore(place, "rm x");
    expect(stdout).toContain("trash x");
    expect(stderr).toContain("the requested arguments of the changed call were not saved");
  });
});
