import { chmod, rm } from "node:fs/promises";
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
const run = (place: Workspace, event: string, stdin = '{"conv_id":"s1","response":"r"}') =>
  runInProcess(place, `run ${event} -q`, { stdin, host: later() });

describe("why", () => {
  const timeless = (text: string) =>
    text
      .replaceAll(ID, "ID")
      .replaceAll(/ *\d+ ms/g, "  N ms")
      .replaceAll(/^( +user +)\S+$/gm, "$1NAME")
      .replaceAll(/^( +policy +)[\da-f]{12}$/gm, "$1DIGEST")
      .replaceAll(/content [\da-f]{4}…/g, "content HASH…");
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
        "block  2026-03-04 14:02:11  before_tool_call  bash  N ms",
        "  decided  deny-dangerous: Security policy: no",
        "  call     ls",
        "  project  DIR/project",
        "  user     NAME",
        "  run      ID",
        "  deny-dangerous  block  N ms",
        "    .kodelet/hooks/deny-dangerous: approved when it ran (content HASH…), unchanged since",
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
      "No call was stopped. The last one:",
      "allow  14:02:11  before_tool_call  bash  N ms",
      "  call     ls",
      "  changed  tool_input.command",
      "  project  DIR/project",
      "  user     NAME",
      "  run      ID",
      "  1-change  changed  N ms",
      "    ~/.kodelet/hooks/1-change: approved when it ran (content HASH…), unchanged since",
      "  2-crash   failed  N ms  HOOK_EXITED, exit 3",
      "    ~/.kodelet/hooks/2-crash: approved when it ran (content HASH…), unchanged since",
      '  3-guard   skipped  N ms  did not match: tool_name is "bash" or "Bash", the match requires "x"',
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
    expect(stdout).toContain("halt  14:02:11  turn_end");
    expect(stdout).toContain("  decided  max_hook_driven_turns: hooks have started 1 turn in a row");
    expect(stdout).toContain("  shell_exec: exit 5 [rc=5]\n");
  });

  test("finds a run by the beginning or the end of its id, and gives the recorded lines as JSON", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
    await run(place, "before_tool_call", toolCall());
    const first = (/"run_id":"(\w+)"/.exec((await runInProcess(place, "log --json")).stdout) ?? [])[1] ?? "none";
    const result = await runInProcess(place, `why ${first.slice(0, 12)} --json`);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(JSON.parse(result.stdout)).toMatchObject({
      schema: "hookctl.why/1",
      run: { run_id: first, decision: "block", reason: "no", tool: "bash" },
      shell: [],
    });
    expect((await runInProcess(place, `why ${first.slice(-6)} --json`)).stdout).toBe(result.stdout);
    expect(await runInProcess(place, "why ZZZZ")).toEqual({
      stdout: "",
      stderr:
        '✖ No recorded run has an id that begins or ends with "ZZZZ". (USAGE_UNKNOWN_RUN)\n  The last stopped call: hookctl why, all runs: hookctl log --last 1000, a hook that does not run: hookctl list\n',
      code: 64,
    });
  });

  test("says where there is nothing to explain", async () => {
    await using place = await workspace();
    expect(await why(place)).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/No runs recorded yet\..*\n {2}Connect your agents: hookctl init\n/),
      code: 64,
    });
  });

  const block = printResponse({ blocked: true, reason: "no" });
  const changes: readonly (readonly [title: string, change: (place: Workspace) => Promise<unknown>, now: string])[] = [
    [
      "changed",
      (place) => place.hook("guard", `: edited\n${block}`, { scope: "project", says }),
      "changed, and not approved again: hookctl trust guard",
    ],
    ["denied", (place) => runInProcess(place, "untrust --deny guard"), "denied"],
    ["not approved any more", (place) => runInProcess(place, "untrust guard"), "not approved: hookctl trust guard"],
    ["gone", (place) => rm(`${place.project}/.kodelet/hooks/guard`), "gone: the file no longer exists"],
    [
      "not executable",
      (place) => chmod(`${place.project}/.kodelet/hooks/guard`, 0o644),
      "changed, and not approved again: hookctl trust guard",
    ],
    [
      "off",
      (place) => place.write(FILE, JSON.stringify({ overrides: { guard: { enabled: false } } })),
      "disabled in the settings",
    ],
  ];
  test.each(changes)("says that a hook is %s since then", async (_, change, now) => {
    await using place = await workspace();
    await place.hook("guard", block, { scope: "project", says });
    await runInProcess(place, "trust --yes", { host });
    await run(place, "before_tool_call", toolCall());
    await change(place);
    const { stdout } = await why(place);
    expect(stdout).toContain("    .kodelet/hooks/guard: approved when it ran (content HASH…)\n");
    expect(stdout).toContain(`    now ${now}`);
  });

  test("says that a hook would run in another sandbox now", async () => {
    await using place = await workspace();
    await place.hook("guard", block);
    await run(place, "before_tool_call", toolCall());
    await place.write(FILE, JSON.stringify({ overrides: { guard: { sandbox: "auto" } } }));
    const { stdout } = await why(place);
    expect(stdout).toMatch(
      / {4}~\/.kodelet\/hooks\/guard: approved when it ran \(content HASH…\)\n {4}now approved, sandbox (none|bubblewrap: )/,
    );
  });

  test("judges the hooks of the run's own project, from wherever it is called", async () => {
    await using place = await workspace();
    await place.hook("guard", block, { scope: "project", says });
    await runInProcess(place, "trust --yes", { host });
    await run(place, "before_tool_call", toolCall());
    const result = await runInProcess(place, "why", { host: { ...host, cwd: place.dir } });
    expect(timeless(result.stdout)).toContain("approved when it ran (content HASH…), unchanged since");
  });

  test("shows how a built-in guard read the call", async () => {
    await using place = await workspace();
    await place.write(FILE, JSON.stringify({ guards: { git: true } }));
    const command = "sh -c 'git push --force origin main'";
    await run(place, "before_tool_call", toolCall(command));
    const { stdout } = await why(place);
    expect(stdout).toContain(
      [
        "How the guards read the call:",
        "  sh -c 'git push --force origin main'  in DIR/project",
        "    └ runs git push --force origin main  in DIR/project",
        "      ✖ git/force-push: overwrites the remote's commits",
      ].join("\n"),
    );
  });

  test("says that the guards decide otherwise since then, and for which project the call would be allowed", async () => {
    await using place = await workspace();
    await place.write(FILE, JSON.stringify({ guards: { git: true } }));
    await run(place, "before_tool_call", toolCall("git push --force origin main"));
    const elsewhere = { ...host, cwd: place.dir, isStdoutTerminal: () => true };
    const { stdout } = await runInProcess(place, "why", { host: elsewhere });
    expect(stdout).toMatch(/^Allow it in \S+\/project: hookctl allow \w+$/m);
    await place.write(FILE, JSON.stringify({ guards: { git: true }, commands: { allow: ["git push *"] } }));
    expect((await why(place)).stdout).toContain(
      "The guards would now allow this call. How the guards read the call:\n",
    );
  });

  test("shows a change as a difference, the reading of the call and how to replay it, if the payload was recorded", async () => {
    await using place = await workspace();
    await place.write(FILE, JSON.stringify({ settings: { record: "payloads" }, guards: { git: true } }));
    await place.hook("1-safer", printResponse({ input: { command: "git status" } }));
    await run(place, "before_tool_call", toolCall("sh -c 'git log'"));
    const { stdout } = await why(place);
    expect(stdout).toContain(
      [
        "  changed  tool_input.command",
        `    - tool_input.command "sh -c 'git log'"`,
        '    + tool_input.command "git status"',
      ].join("\n"),
    );
    expect(stdout).toContain(
      [
        "How the guards read the call:",
        "  sh -c 'git log'  in DIR/project",
        "    └ runs git log  in DIR/project",
        "Replay it: hookctl replay ID",
        "As a test case: hookctl log --case ID",
      ].join("\n"),
    );
  });

  test("shows no reading of a call whose record differs from what was judged", async () => {
    await using place = await workspace();
    await place.write(FILE, JSON.stringify({ guards: { git: true } }));
    const command = `echo ${"x".repeat(200)}; git push --force`;
    await run(place, "before_tool_call", toolCall(command));
    const { stdout } = await why(place);
    expect(stdout).toContain("decided  git: ");
    expect(stdout).not.toContain("How the guards");
  });

  describe("of several runs", () => {
    const line = (id: string, more: object = {}): string =>
      `${JSON.stringify({ schema: "hookctl.record/1", time: AT.toISOString(), run_id: id, event: "turn_end", decision: "continue", duration_ms: 1, hooks: [], ...more })}\n`;

    test("that begin alike, lists time, call and id, and asks for more of the id", async () => {
      await using place = await workspace();
      const hostile = { tool: "Bash", call: "rm\u001b[2J \u202e" };
      await place.write(RECORD, line("01AB1", hostile) + line("01AB2") + line("01AB2") + line("01C"));
      expect(await why(place, "01AB")).toEqual({
        stdout: "",
        stderr: [
          "01AB1  14:02:11  allow  Bash turn_end  rm\\u001b[2J \\u202e  1 ms",
          "01AB2  14:02:11  allow  turn_end                           1 ms",
          '✖ 2 recorded runs have an id that begins or ends with "01AB". (USAGE_AMBIGUOUS_RUN)',
          "  Type more of the id: hookctl why 01AB2",
          "",
        ].join("\n"),
        code: 64,
      });
      expect((await why(place, "01AB1")).code).toBe(0);
    });

    test("alone explains the last run that was stopped, and says which newer ones were allowed", async () => {
      await using place = await workspace();
      const stopped = line("01AAA1", { decision: "ask" }) + line("01BBB2", { decision: "block" });
      await place.write(RECORD, stopped + line("01CCC3", { session: "s1" }) + line("01DDD4"));
      const { stdout } = await why(place);
      expect(stdout).toContain(
        "The last stopped call; 2 calls since then were allowed. The newest: hookctl why 01DDD4\nblock  ",
      );
      expect(stdout).toContain("  run      01BBB2\n");
      expect((await why(place, "last")).stdout).toBe(stdout);
      expect((await why(place, "--session s1")).stdout).toMatch(/^No call was stopped\. The last one:\nallow /);
      await place.write(RECORD, line("01AAA1") + stopped);
      expect((await why(place)).stdout).toMatch(/^block /);
    });

    test("takes the newest of a session", async () => {
      await using place = await workspace();
      await place.write(RECORD, line("R1", { session: "s1" }) + line("R2", { session: "s1" }) + line("R3"));
      expect((await why(place, "--session s1")).stdout).toContain("  run      R2\n");
      expect(await why(place, "--session s2")).toEqual({
        stdout: "",
        stderr:
          '✖ No run of session "s2" is recorded. (USAGE_UNKNOWN_RUN)\n  The last stopped call: hookctl why, all runs: hookctl log --last 1000, a hook that does not run: hookctl list\n',
        code: 64,
      });
    });
  });
});

test.each(["log", "report", "why"])("%s: connected agents are not to be connected again", async (line) => {
  await using place = await workspace();
  await runInProcess(place, "init claude --guards git");
  const { stderr } = await runInProcess(place, line);
  expect(stderr).toMatch(
    /No runs recorded yet\..*\s+Agents are connected\. Check that their calls arrive: hookctl doctor\n/,
  );
  expect(stderr).not.toContain("hookctl init");
});

test("a time is no run: why names the runs of that time", async () => {
  await using place = await workspace();
  for (const time of ["yesterday", "2d", "14:03"])
    expect(await runInProcess(place, `why ${time}`)).toMatchObject({
      stderr: expect.stringContaining(`  Try: hookctl log --since ${time}\n`),
      code: 64,
    });
});
