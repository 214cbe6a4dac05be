import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const RECORD = "home/.local/state/hookctl/audit.jsonl";
const FILE = "home/.kodelet/hooks.json";
const ID = /[0-9A-HJKMNP-TV-Z]{26}/g;
const AT = new Date(2026, 2, 4, 14, 2, 11);
const host = { nowMs: () => AT.getTime() };

/** A millisecond later at each call: ids of runs tell them apart. */
let calls = 0;
const later = () => {
  const at = AT.getTime() + calls++;
  return { nowMs: () => at };
};

const shell = (more: object) => ({ on: "session_start", sandbox: "off", ...more });
const declare = (place: Workspace, ...hooks: readonly object[]) => place.write(FILE, JSON.stringify({ hooks }));
const run = (place: Workspace, event: string, stdin = '{"conv_id":"s1","response":"r"}', env = {}) =>
  runInProcess(place, `run ${event} -q`, { stdin, env, host: later() });
const log = async (place: Workspace, flags = "") => {
  const result = await runInProcess(place, `log ${flags}`, { host });
  return { ...result, stdout: result.stdout.replaceAll(ID, "ID").replaceAll(/ +\d+ ms/g, "  0 ms") };
};
const nothing = { stdout: "", stderr: expect.stringContaining("No runs recorded yet"), code: 0 };

describe("log", () => {
  test("has a line for each run, newest last, and below it the shell commands with their return codes", async () => {
    await using place = await workspace();
    await declare(
      place,
      shell({ shell_exec: "echo started" }),
      shell({ shell_exec: ["sh", "-c", "exit 3"] }),
      shell({ on: "turn_end", name: "next", shell_push: "exit 4" }),
      shell({ on: "turn_end", command: "true" }),
    );
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
    await run(place, "session_start");
    await run(place, "turn_end");
    await run(place, "before_tool_call", toolCall());
    expect(await log(place)).toEqual({
      stdout: [
        "14:02:11  session_start           ✔ allow  0 ms  ID",
        "  shell_exec: echo started",
        "  shell_exec: sh -c 'exit 3' [rc=3]",
        "14:02:11  turn_end                ✔ allow  0 ms  ID",
        "  shell_push: exit 4 [rc=4]",
        "14:02:11  before_tool_call  bash  ✖ block  guard  0 ms  ID",
        "",
      ].join("\n"),
      stderr: "",
      code: 0,
    });
  });

  test("tells of a command how it was ended, and of one that was not started nothing", async () => {
    await using place = await workspace();
    await declare(
      place,
      shell({ shell_exec: "sleep 9", timeout: "100ms" }),
      shell({ shell_exec: "kill -KILL $$" }),
      shell({ shell_exec: ["/no/such"] }),
      { on: "session_start", shell_exec: "echo boxed" },
      { on: "session_start", template_push: { message: "m" } },
    );
    await run(place, "session_start");
    expect((await log(place)).stdout.split("\n").slice(1)).toEqual([
      "  shell_exec: sleep 9 [rc=124]",
      "  shell_exec: kill -KILL $$ [rc=137]",
      "",
    ]);
  });

  test("takes so many runs, of one event, of one session", async () => {
    await using place = await workspace();
    await declare(place, shell({ shell_exec: "echo a" }), shell({ on: "turn_end", shell_exec: "echo b" }));
    for (const event of ["session_start", "turn_end", "session_start"]) await run(place, event);
    await run(place, "turn_end", '{"conv_id":"s2","response":"r"}');
    const lines = async (flags: string) => (await log(place, flags)).stdout.trimEnd().split("\n");
    expect(await lines("")).toHaveLength(8);
    expect(await lines("--last 1")).toEqual([expect.stringContaining("turn_end"), "  shell_exec: echo b"]);
    expect(await lines("--event turn_end")).toHaveLength(4);
    expect(await lines("--event post_turn --session s1")).toHaveLength(2);
    expect(await log(place, "--event task_end")).toEqual(nothing);
    expect(await log(place, "--session s3 -q")).toEqual({ stdout: "", stderr: "", code: 0 });
  });

  test("as JSON gives the lines as they were recorded, each command with what an audit needs", async () => {
    await using place = await workspace();
    const command = "curl -H 'Authorization: Bearer abcdefgh12345678' localhost || true";
    await declare(place, shell({ name: "post", shell_exec: `true # ${command}` }));
    await run(place, "session_start");
    const result = await runInProcess(place, "log --json", { host });
    const { schema, entries } = JSON.parse(result.stdout) as { schema: string; entries: Record<string, unknown>[] };
    expect(schema).toBe("hookctl.log/1");
    expect(entries).toEqual([
      expect.objectContaining({ schema: "hookctl.record/1", event: "session_start", decision: "continue" }),
      {
        schema: "hookctl.record/1",
        kind: "hook_shell_executed",
        time: entries[0]?.time,
        run_id: entries[0]?.run_id,
        event: "session_start",
        session: "s1",
        hook: "post",
        scheme: "shell_exec",
        command: "true # curl -H 'Authorization: Bearer [redacted]' localhost || true",
        rc: 0,
      },
    ]);
  });

  test("is empty where nothing was recorded, and with record: off", async () => {
    await using place = await workspace();
    expect(await log(place)).toEqual(nothing);
    expect(await runInProcess(place, "log --json")).toEqual({
      stdout: '{"schema":"hookctl.log/1","entries":[]}\n',
      stderr: "",
      code: 0,
    });
    const hooks = [shell({ shell_exec: "echo a" })];
    await place.write(FILE, JSON.stringify({ settings: { record: "off" }, hooks }));
    await run(place, "session_start");
    expect(await log(place)).toEqual(nothing);
    expect(await place.read(RECORD)).toBeNull();
  });

  test("names the day of a run of another day, and shows hostile text written out", async () => {
    await using place = await workspace();
    const line = {
      ...{ schema: "hookctl.record/1", time: new Date(2026, 2, 3, 9, 0, 1).toISOString(), run_id: "R1" },
      ...{ event: "turn_end", decision: "\u001b[2J", decided_by: "a\u202eb", duration_ms: 1 },
    };
    const shellLine = { ...line, kind: "hook_shell_executed", scheme: "shell_exec", command: "x\n\u009b2J", rc: 0 };
    const other = { ...line, kind: "something_new", run_id: "R2" };
    const odd = { schema: "hookctl.record/1", run_id: "R3" };
    await place.write(RECORD, [line, shellLine, other, odd].map((one) => JSON.stringify(one)).join("\n"));
    const { stdout } = await log(place);
    expect(stdout.split("\n")).toEqual([
      "2026-03-03 09:00:01  turn_end  \\u001b[2J  a\\u202eb  0 ms  R1",
      "  shell_exec: x\\u000a\\u009b2J",
      expect.stringMatching(/^--:--:-- .* R3$/),
      "",
    ]);
  });

  test.each(["0", "-1", "x", "10001", "1.5"])("--last %s is no count", async (count) => {
    await using place = await workspace();
    expect(await runInProcess(place, `log --last=${count}`)).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("a whole number from 1 to 10000"),
      code: 64,
    });
  });

  test("--event takes names of events only", async () => {
    await using place = await workspace();
    expect(await runInProcess(place, "log --event turn_edn")).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("Did you mean turn_end"),
      code: 64,
    });
  });
});

describe("why", () => {
  const timeless = (text: string) =>
    text.replaceAll(/\d+ ms/g, "N ms").replaceAll(/content [\da-f]{4}…/g, "content HASH…");
  const why = async (place: Workspace, words = "", at = AT.getTime()) => {
    const result = await runInProcess(place, `why ${words}`, { host: { nowMs: () => at } });
    return { ...result, stdout: timeless(result.stdout) };
  };
  const says = '{"event":"before_tool_call","fail_open":false}';

  test("explains the last run: each hook, who decided and why, where it lies and since when it is approved", async () => {
    await using place = await workspace();
    await place.hook("deny-dangerous", printResponse({ blocked: true, reason: "Security policy: no" }), {
      scope: "project",
      says,
    });
    await runInProcess(place, "trust --yes", { host });
    await run(place, "before_tool_call", toolCall());
    expect(await why(place, "", AT.getTime() + 2 * 86_400_000 + 5)).toEqual({
      stdout: [
        "2026-03-04 14:02:11  before_tool_call  bash                ✖ block     N ms",
        "  deny-dangerous   block   N ms   Security policy: no",
        "  .kodelet/hooks/deny-dangerous, approved 2 days ago, content HASH…",
        "Recent runs: hookctl log",
        "",
      ].join("\n"),
      stderr: "",
      code: 0,
    });
  });

  test("tells who changed the value, who failed, who was passed over, and the warnings", async () => {
    await using place = await workspace();
    await place.hook("1-change", printResponse({ input: { command: "ls -a" } }));
    await place.hook("2-crash", "exit 3");
    await place.hook("3-guard", printResponse({ blocked: true }), {
      says: '{"event":"before_tool_call","match":{"tool_name":"x"}}',
    });
    await run(place, "before_tool_call", toolCall());
    const { stdout } = await why(place);
    expect(stdout.split("\n").map((line) => line.trimEnd())).toEqual([
      "14:02:11  before_tool_call  bash                           ✔ allow     N ms",
      "  1-change   modify    N ms   changed the value",
      "  2-crash    failed    N ms   HOOK_EXITED",
      expect.stringMatching(/^ {2}3-guard {4}skipped {3}N ms {3}\S/),
      "  ▲ 2-crash failed: exit 3",
      "Recent runs: hookctl log",
      "",
    ]);
  });

  test("tells a decision that no hook made, and the shell commands of the run", async () => {
    await using place = await workspace();
    const settings = { max_hook_driven_turns: 1, on_limit: "abort" };
    const push = { on: "turn_end", name: "t", template_push: { message: "again" } };
    const hooks = [push, shell({ on: "turn_end", name: "log", shell_exec: "exit 5" })];
    await place.write(FILE, JSON.stringify({ settings, hooks }));
    await run(place, "turn_end");
    await runInProcess(place, "inbox drain --session s1");
    await run(place, "turn_end");
    const { stdout } = await why(place);
    expect(stdout).toContain("✖ halt");
    expect(stdout).toContain("  max_hook_driven_turns   hooks have started 1 turns in a row");
    expect(stdout).toContain("  shell_exec: exit 5 [rc=5]\n");
  });

  test("finds a run by the beginning of its id, and gives the recorded lines as JSON", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
    await run(place, "before_tool_call", toolCall());
    const first = JSON.parse((await runInProcess(place, "log --json")).stdout).entries[0].run_id as string;
    const result = await runInProcess(place, `why ${first.slice(0, 12)} --json`);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(JSON.parse(result.stdout)).toMatchObject({
      schema: "hookctl.why/1",
      run: { run_id: first, decision: "block", reason: "no", tool: "bash" },
      shell: [],
    });
    expect(await runInProcess(place, "why ZZZ")).toEqual({
      stdout: "",
      stderr:
        '✖ No recorded run has an id that begins with "ZZZ". (USAGE_UNKNOWN_RUN)\n  All runs: hookctl log --last 1000\n',
      code: 64,
    });
  });

  test("says where there is nothing to explain", async () => {
    await using place = await workspace();
    expect(await why(place)).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("No runs recorded yet."),
      code: 64,
    });
  });
});
