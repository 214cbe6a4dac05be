import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, touch } from "../support/shell.ts";
import { withoutSandbox } from "../support/without-sandbox.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

withoutSandbox();

const CONFIG = "home/.kodelet/hooks.json";
const run = (place: Workspace, ...flags: readonly string[]) =>
  runMain(place, ["run", "before_tool_call", ...flags], { stdin: toolCall() });
const declare = (place: Workspace, hooks: unknown, file = CONFIG) => place.write(file, JSON.stringify({ hooks }));

describe("a rule decides without a process", () => {
  const rules: { title: string; entry: object; code: number; result: object }[] = [
    { title: "block", entry: { block: "not here" }, code: 2, result: { blocked: true, reason: "not here" } },
    {
      title: "ask",
      entry: { ask: "sure?" },
      code: 2,
      result: { blocked: true, decision: "ask", reason: "sure?" },
    },
    { title: "inject", entry: { inject: "be brief" }, code: 0, result: { additional_context: ["be brief"] } },
    { title: "one that does not match", entry: { block: "no", match: { tool_name: "mcp_*" } }, code: 0, result: {} },
    { title: "one that is off", entry: { block: "no", enabled: false }, code: 0, result: {} },
  ];
  test.each(rules)("$title", async ({ entry, code, result }) => {
    await using place = await workspace();
    await declare(place, { PreToolUse: [entry] });
    const finished = await run(place, "-q");
    expect(finished).toMatchObject({ code, signal: null, stderr: "" });
    expect(JSON.parse(finished.stdout)).toMatchObject(result);
  });
});

describe("a declared command", () => {
  test("a text goes to sh in the folder of its settings file, and gets the envelope of its event's name", async () => {
    await using place = await workspace();
    await declare(place, { PreToolUse: [{ command: "cat > seen.json; . ./answer.sh" }] });
    await place.write("home/.kodelet/answer.sh", printResponse({ action: "block", reason: "by name" }));
    expect(await run(place, "-q")).toMatchObject({ code: 2, stdout: expect.stringContaining("by name") });
    expect(JSON.parse((await place.read("home/.kodelet/seen.json")) ?? "")).toMatchObject({ hook: "PreToolUse" });
  });

  test("a list is started without a shell", async () => {
    await using place = await workspace();
    await declare(place, [{ on: "before_tool_call", command: ["printf", "%s", '{"blocked":true,"reason":"$HOME"}'] }]);
    expect(await run(place, "-q")).toMatchObject({ code: 2, stdout: expect.stringContaining('"$HOME"') });
  });

  test("a closed one that fails blocks, an open one does not", async () => {
    await using place = await workspace();
    await declare(place, { before_tool_call: [{ command: "exit 3" }] });
    expect(await run(place)).toMatchObject({ code: 0 });
    await declare(place, { before_tool_call: [{ name: "guard", command: "exit 3", fail_open: false }] });
    expect(await run(place)).toMatchObject({ code: 2, stderr: expect.stringContaining("guard could not decide") });
  });

  test("a shell that runs for its effect needs the sandbox, unless somebody says otherwise", async () => {
    await using place = await workspace();
    const effect = { name: "log", shell_exec: `${touch(`${place.dir}/done`)}; echo no JSON` };
    await declare(place, { before_tool_call: [effect] });
    const refused = parseRunJson(await run(place, "--json"));
    expect(refused.hooks).toMatchObject([
      { name: "log", outcome: "refused", failure: { code: "HOOK_REFUSED_SANDBOX" } },
    ]);
    expect(await place.read("done")).toBeNull();
    await declare(place, { before_tool_call: [{ ...effect, sandbox: "off" }] });
    expect(parseRunJson(await run(place, "--json"))).toMatchObject({ decision: "continue", warnings: [] });
    expect(await place.read("done")).toBe("");
  });
});

test("files and entries stand in one order: priority, files before entries, entries as they are written", async () => {
  await using place = await workspace();
  await place.hook("zz-file", ":");
  await declare(place, {
    before_tool_call: [
      { name: "b", inject: "1" },
      { name: "a", inject: "2" },
      { name: "first", inject: "3", priority: 5 },
    ],
  });
  const listed = parseListJson(await runMain(place, ["list", "--json"])).hooks;
  expect(listed.map(({ name, source, kind }) => [name, source, kind])).toEqual([
    ["first", "config", "rule"],
    ["zz-file", "user", "executable"],
    ["b", "config", "rule"],
    ["a", "config", "rule"],
  ]);
});

describe("an entry of the project is approved by itself", () => {
  const FILE = "project/.kodelet/hooks.json";
  const guard = { name: "guard", command: "sh scripts/guard.sh", fail_open: false };

  test("before that nothing of it runs, and its own word closes nothing", async () => {
    await using place = await workspace();
    await declare(place, { before_tool_call: [{ ...guard, command: touch(`${place.dir}/canary`) }] }, FILE);
    expect(await run(place)).toMatchObject({ code: 0, stderr: expect.stringContaining("guard is not approved") });
    expect(await place.read("canary")).toBeNull();
  });

  const SCRIPT = "project/.kodelet/scripts/guard.sh";

  /** An approved entry that blocks with the text of its script. */
  async function approved(): Promise<Workspace> {
    const place = await workspace();
    await declare(place, { before_tool_call: [guard] }, FILE);
    await place.write(SCRIPT, printResponse({ blocked: true, reason: "as approved" }));
    expect(await runMain(place, ["trust", "--yes"])).toMatchObject({
      code: 0,
      stdout: "✔ Approved .kodelet/hooks.json\n✔ Approved guard   before_tool_call\n",
    });
    return place;
  }

  const edits: { title: string; entries: object }[] = [
    { title: "another command", entries: { before_tool_call: [{ ...guard, command: ":" }] } },
    { title: "another event", entries: { notification: [guard] } },
    { title: "a condition", entries: { before_tool_call: [{ ...guard, match: { tool_name: "no" } }] } },
    { title: "taken out", entries: {} },
  ];
  test.each(edits)("after an edit of the file the approved entry still runs: $title", async ({ entries }) => {
    await using place = await approved();
    await declare(place, entries, FILE);
    const result = await run(place);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("the project's settings changed") });
    expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true, reason: "as approved" });
  });

  test("once its script is edited it blocks, and names the change", async () => {
    await using place = await approved();
    await place.write(SCRIPT, ":");
    const result = await run(place);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("guard changed since you approved it") });
    expect(JSON.parse(result.stdout)).toMatchObject({
      blocked: true,
      reason: expect.stringMatching(
        /^guard changed since it was approved: .+ \(.+\)\. Ask the user to review it: hookctl trust guard$/,
      ),
    });
  });
});
