import { describe, expect, test } from "vitest";
import { runInProcess, runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const LOG = "home/.local/state/hookctl/audit.jsonl";
const CONFIG = "home/.kodelet/hooks.json";
const ALLOWED = { stdout: '{"blocked":false}\n', stderr: "", code: 0 };
const rule = (name: string, match: object) => ({ name, match, block: "no" });
const RULES = [rule("a", { tool_name: "web*" }), rule("b", { "tool_input.path": "*" }), rule("c", { tool_name: "x" })];

const configure = (place: Workspace, config: object) => place.write(CONFIG, JSON.stringify(config));
const call = (place: Workspace, command = "ls", words = "run before_tool_call", env = {}) =>
  runInProcess(place, words, { stdin: toolCall(command), env });
const logged = async (place: Workspace): Promise<readonly Record<string, unknown>[]> =>
  ((await place.read(LOG)) ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const skipped = (name: string, field: string, wanted: string, found: readonly string[]) => ({
  ...{ name, outcome: "skipped", why: "its match does not fit this payload", duration_ms: 0 },
  mismatch: { field, wanted: [wanted], found },
});
const UNMATCHED = [
  skipped("a", "tool_name", "web*", ["bash", "Bash"]),
  skipped("b", "tool_input.path", "*", []),
  skipped("c", "tool_name", "x", ["bash", "Bash"]),
];

describe("a call that no hook matched", () => {
  test("leaves a line with the first condition of each hook that failed", async () => {
    await using place = await workspace();
    await configure(place, { hooks: { PreToolUse: RULES } });
    expect(await call(place)).toEqual(ALLOWED);
    expect(await logged(place)).toMatchObject([
      { event: "before_tool_call", tool: "bash", call: "ls", decision: "continue", duration_ms: 0, hooks: UNMATCHED },
    ]);
  });

  test("has the same line in the full record, with the hooks that ran beside it", async () => {
    await using place = await workspace();
    await configure(place, { hooks: { PreToolUse: RULES } });
    await call(place, "ls", "run before_tool_call --json -q");
    await place.hook("d", printResponse({}));
    await call(place);
    const [first, second] = await logged(place);
    expect(first).toMatchObject({ decision: "continue", hooks: UNMATCHED });
    expect(second?.hooks).toMatchObject([{ name: "d", outcome: "continue" }, ...UNMATCHED]);
  });

  test("is recorded for a program and for a rule of the project that is not approved", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true }), {
      says: '{"event":"before_tool_call","match":{"tool_name":"web"}}',
    });
    expect(await call(place)).toEqual(ALLOWED);
    await place.write(
      "project/.kodelet/hooks.json",
      JSON.stringify({ hooks: { PreToolUse: [rule("p", { tool_name: "y" })] } }),
    );
    await call(place);
    expect((await logged(place)).map(({ hooks }) => hooks)).toMatchObject([
      [skipped("guard", "tool_name", "web", ["bash", "Bash"])],
      [{ name: "guard" }, { name: "p" }],
    ]);
  });

  test.each<{ title: string; config: object; env?: object; event?: string }>([
    { title: "a rule for another event", config: { hooks: { agent_stop: [rule("a", {})] } } },
    {
      title: "a rule that is switched off",
      config: { hooks: { PreToolUse: RULES.slice(0, 1) }, overrides: { a: { enabled: false } } },
    },
    { title: "a rule that is off in this call", config: { hooks: { PreToolUse: RULES } }, env: { HOOKCTL_SKIP: "*" } },
    { title: "no record", config: { settings: { record: "off" }, hooks: { PreToolUse: RULES } } },
  ])("$title: no line", async ({ config, env }) => {
    await using place = await workspace();
    await configure(place, config);
    expect(await call(place, "ls", "run before_tool_call", env)).toMatchObject({ code: 0 });
    expect(await logged(place)).toEqual([]);
  });

  test("is recorded without secrets, and cut", async () => {
    await using place = await workspace();
    const match = { "tool_input.command": "rm *" };
    await configure(place, { hooks: { PreToolUse: [rule("a", match), rule("b", { "tool_input.password": "x" })] } });
    const env = { MY_TOKEN: "hush-hush" };
    const stdin = toolCall(`echo hush-hush ${"y".repeat(500)}`).replace(
      '"tool_input":{',
      '"tool_input":{"password":"sesame1",',
    );
    for (const words of ["run before_tool_call", "run before_tool_call --json -q"])
      await runInProcess(place, words, { stdin, env });
    expect(await place.read(LOG)).not.toMatch(/hush-hush|sesame1|y{200}/);
    expect(await place.read(LOG)).toContain('"found":["[redacted]"]');
  });

  test("keeps its payload with `record: payloads`, so that a new rule can be tried on it", async () => {
    await using place = await workspace();
    await configure(place, {
      settings: { record: "payloads" },
      hooks: { PreToolUse: [rule("a", { tool_name: "web" })] },
    });
    await call(place);
    expect(await runInProcess(place, "replay")).toMatchObject({ code: 0 });
    await configure(place, {
      settings: { record: "payloads" },
      hooks: { PreToolUse: [rule("a", { tool_name: "bash" })] },
    });
    expect(await runInProcess(place, "replay --json")).toMatchObject({ code: 1 });
  });
});

describe("shows a rule that never matches", () => {
  test("log counts, why names each hook", async () => {
    await using place = await workspace();
    await configure(place, { hooks: { PreToolUse: RULES } });
    await call(place);
    const log = await runInProcess(place, "log");
    expect(log.stdout).toMatch(/ allow {2}bash {2}ls {2}0 of 3 hooks matched {2}project {2}0 ms\n/);
    const why = await runInProcess(place, "why");
    expect(why.stdout.split("\n").map((line) => line.trim())).toEqual(
      expect.arrayContaining([
        "decided  0 of 3 hooks matched",
        'a  skipped     0 ms  did not match: tool_name is "bash" or "Bash", the match requires "web*"',
        'b  skipped     0 ms  did not match: tool_input.path is missing, the match requires "*"',
      ]),
    );
    expect(JSON.parse((await runInProcess(place, "why --json")).stdout)).toMatchObject({ run: { hooks: UNMATCHED } });
  });

  test("figures about hooks leave the call out", async () => {
    await using place = await workspace();
    await configure(place, { hooks: { PreToolUse: [...RULES, rule("rm", { "tool_input.command": "rm*" })] } });
    await call(place);
    await call(place, "rm x", "run before_tool_call -q");
    expect(JSON.parse((await runInProcess(place, "stats --json")).stdout)).toMatchObject({ runs: 1 });
    const report = JSON.parse((await runInProcess(place, "report --json")).stdout) as object;
    expect(report).toMatchObject({ runs: 1, decisions: { continue: 0, block: 1 } });
    await runInProcess(place, "export --output out");
    const traces = await place.read("project/out/traces.jsonl");
    expect(traces).toContain('"block"');
    expect(traces).not.toContain('"continue"');
  });

  test("explain says which hooks look at a command, and starts none", async () => {
    await using place = await workspace();
    await configure(place, { hooks: { PreToolUse: [RULES[0], rule("rm", { "tool_input.command": "rm*" })] } });
    const { stdout, code } = await runMain(place, ["explain", "rm x"]);
    expect({ code, text: stdout.slice(stdout.indexOf("\nHooks")) }).toEqual({
      code: 0,
      text: [
        "\nHooks, as a call of the tool bash:",
        '  a   did not match: tool_name is "bash" or "Bash", the match requires "web*"',
        "  rm  would run\n",
      ].join("\n"),
    });
    const json = JSON.parse((await runMain(place, ["explain", "--json", "rm x"])).stdout) as object;
    expect(json).toMatchObject({
      hooks: [
        { name: "a", runs: false, mismatch: { field: "tool_name", wanted: ["web*"], found: ["bash", "Bash"] } },
        { name: "rm", runs: true },
      ],
    });
  });
});
