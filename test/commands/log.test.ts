import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const RECORD = "home/.local/state/hookctl/audit.jsonl";
const FILE = "home/.kodelet/hooks.json";
/** The end of an id, in the first column. */
const ID = /^[0-9A-HJKMNP-TV-Z]{6,26}(?= {2})/gm;
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
/** The lines of JSON that `log --json` prints. */
const recorded = (stdout: string): readonly Record<string, unknown>[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const run = (place: Workspace, event: string, stdin = '{"conv_id":"s1","response":"r"}', env = {}) =>
  runInProcess(place, `run ${event} -q`, { stdin, env, host: later() });
const log = async (place: Workspace, flags = "") => {
  const result = await runInProcess(place, `log ${flags}`, { host });
  return { ...result, stdout: result.stdout.replaceAll(ID, "ID").replaceAll(/ +\d+ ms/g, "  0 ms") };
};
const nothing = { stdout: "", stderr: "• No runs recorded yet. Connect your agents: hookctl init\n", code: 0 };
const noMatch = { stdout: "", stderr: "• No recorded run matches. All runs: hookctl log\n", code: 0 };

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
        "ID  14:02:11  allow ▲  session_start      session_start#2 failed  project  0 ms",
        "  shell_exec: echo started",
        "  shell_exec: sh -c 'exit 3' [rc=3]",
        "ID  14:02:11  allow ▲  turn_end           next failed             project  0 ms",
        "  shell_push: exit 4 [rc=4]",
        "ID  14:02:11  block    bash           ls  guard                   project  0 ms",
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
    expect(await log(place, "--event task_end")).toEqual(noMatch);
    expect(await log(place, "--session s3 -q")).toEqual({ stdout: "", stderr: "", code: 0 });
  });

  test("as JSON gives the lines as they were recorded, each command with what an audit needs", async () => {
    await using place = await workspace();
    const command = "curl -H 'Authorization: Bearer abcdefgh12345678' localhost || true";
    await declare(place, shell({ name: "post", shell_exec: `true # ${command}` }));
    await run(place, "session_start");
    const result = await runInProcess(place, "log --json", { host });
    const entries = recorded(result.stdout);
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
    expect(await runInProcess(place, "log --json")).toEqual(nothing);
    const hooks = [shell({ shell_exec: "echo a" })];
    await place.write(FILE, JSON.stringify({ settings: { record: "off" }, hooks }));
    await run(place, "session_start");
    expect(await log(place)).toEqual({
      ...nothing,
      stderr: "• No runs are recorded: your settings say `record: off`.\n",
    });
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
      "R1  2026-03-03 09:00:01  \\u001b[2J  turn_end  a\\u202eb  0 ms",
      "  shell_exec: x\\u000a\\u009b2J",
      expect.stringMatching(/^R3 {2}--:--:-- /),
      "",
    ]);
  });

  test.each(["0", "-1", "x", "10001", "1.5"])("--last %s is no count", async (count) => {
    await using place = await workspace();
    expect(await runInProcess(place, `log --last=${count}`)).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("an integer from 1 to 10000"),
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

test("log says that older runs are not shown", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"guards":{"git":true}}');
  for (let at = 0; at < 20; at++) await runInProcess(place, "run before_tool_call -q", { stdin: toolCall("ls") });
  expect((await runInProcess(place, "log")).stderr).toBe("");
  await runInProcess(place, "run before_tool_call -q", { stdin: toolCall("git reset --hard") });
  const listed = await runInProcess(place, "log");
  expect(listed.stdout.split("\n")).toHaveLength(21);
  expect(listed.stderr).toContain("only the newest 20 are shown. For more, add: --last 200\n");
  for (const line of ["log --json", "log -q", "log -n 5", "log --since today", "log --decision block"])
    expect((await runInProcess(place, line)).stderr).toBe("");
});

test("on a terminal the list ends with the command that explains a run", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"guards":{"git":true}}');
  await runInProcess(place, "run before_tool_call -q", { stdin: toolCall("git reset --hard") });
  const host = { isStdoutTerminal: () => true };
  expect((await runInProcess(place, "log", { host })).stderr).toBe("Explain one: hookctl why ID\n");
  for (const line of ["log --json", "log -q", "log --grep nothing"])
    expect((await runInProcess(place, line, { host })).stderr).not.toContain("Explain one");
  expect((await runInProcess(place, "log")).stderr).toBe("");
});
