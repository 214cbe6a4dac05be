import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const LOG = "home/.local/state/hookctl/audit.jsonl";
const NOW = Date.UTC(2026, 10, 22, 12);
const MINUTE = 60_000;
const host = { nowMs: () => NOW };

const line = (id: string, minutesAgo: number, more: object = {}): string =>
  `${JSON.stringify({
    ...{ schema: "hookctl.record/1", time: new Date(NOW - minutesAgo * MINUTE).toISOString(), run_id: id },
    ...{ event: "before_tool_call", decision: "continue", duration_ms: 9, hooks: [] },
    ...more,
  })}\n`;
const hook = (name: string, outcome = "continue") => ({ name, outcome, duration_ms: 1 });

const writeLog = (place: Workspace): Promise<string> =>
  place.write(
    LOG,
    [
      line("old", 3 * 24 * 60, {
        tool: "Bash",
        call: "git push",
        hooks: [hook("guard", "block")],
        decision: "block",
        decided_by: "guard",
      }),
      line("web", 90, { project: `${place.project}/web`, tool: "Read", call: "/etc/passwd", hooks: [hook("notify")] }),
      line("here", 60, {
        project: place.project,
        tool: "Bash",
        call: "rm -rf build",
        hooks: [hook("guard", "skipped")],
      }),
      line("shell", 60, { kind: "hook_shell_executed", run_id: "here", scheme: "shell_exec", command: "true", rc: 0 }),
      line("ask", 30, {
        event: "turn_end",
        session: "s2",
        decision: "ask",
        decided_by: "policy",
        reason: "needs a person",
      }),
      line("pause", 20, { kind: "hook_paused", hook: "guard", until: new Date(NOW).toISOString(), by: "dev" }),
      line("elsewhere", 10, { project: "/work/other", agent: "codex", warnings: ["guard is slow"] }),
    ].join(""),
  );

const ids = async (place: Workspace, options: string) => {
  const { stdout, stderr, code } = await runInProcess(place, `log --json ${options}`, { host });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: stdout === "" ? expect.stringContaining("No recorded run matches") : "",
  });
  const lines = stdout
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text));
  return lines.map(({ kind, run_id, hook: paused }) =>
    kind === undefined ? run_id : `${kind === "hook_paused" ? `pause ${paused}` : "shell"}`,
  );
};

const ALL = ["old", "web", "here", "shell", "ask", "pause guard", "elsewhere"];

test.each([
  ["", ALL],
  ["-n 2", ["ask", "pause guard", "elsewhere"]],
  ["--last=1", ["elsewhere"]],
  ["--since 2h", ALL.slice(1)],
  ["--since 2h -n 1", ["elsewhere"]],
  ["--until 50m", ["old", "web", "here", "shell"]],
  ["--since 2h --until 50m", ["web", "here", "shell"]],
  ["--since 2026-11-19 --until 2026-11-19", ["old"]],
  ["--event turn_end", ["ask"]],
  ["--event Stop", []],
  ["--session s2", ["ask"]],
  ["--decision block", ["old"]],
  ["--decision ask", ["ask"]],
  ["--decision allow", ["web", "here", "shell", "elsewhere"]],
  ["--hook guard", ["old", "pause guard"]],
  ["--hook g*d", ["old", "pause guard"]],
  ["--hook policy", ["ask"]],
  ["--project .", ["web", "here", "shell", "pause guard"]],
  ["--project web", ["web", "pause guard"]],
  ["--project /work/other", ["pause guard", "elsewhere"]],
  ["--grep push", ["old"]],
  ["--grep needs", ["ask"]],
  ["--grep codex", ["elsewhere"]],
  ["--grep guard", ["old", "pause guard", "elsewhere"]],
  ["--grep /^(rm|git)/", ["old", "here", "shell"]],
  ["--grep /PASSWD$/i", ["web"]],
  ["--grep /PASSWD$/", []],
  ["--decision block --since 1h", []],
])("log %s", async (options, expected) => {
  await using place = await workspace();
  await writeLog(place);
  expect(await ids(place, options)).toEqual(expected);
});

describe("is wrong:", () => {
  test.each([
    ["--since now", 'Invalid value "now" for --since: it must be a duration (30m, 2d)'],
    ["--grep /(/", 'Invalid value "/(/" for --grep: Invalid regular expression: /(/'],
    ["--since 1h --until 2h", "--since is later than --until."],
    ["--follow --until 1h", "--follow has no end"],
    ["--decision deny", "it must be one of allow, block, ask, halt"],
  ])("log %s", async (options, words) => {
    await using place = await workspace();
    await writeLog(place);
    const { stdout, stderr, code } = await runInProcess(place, `log ${options}`, { host });
    expect({ stdout, code }).toEqual({ stdout: "", code: 64 });
    expect(stderr).toContain(words);
  });
});

test("a long log is shown whole since a time, oldest first", async () => {
  await using place = await workspace();
  const all = Array.from({ length: 1300 }, (_, index) => `r${index}`);
  await place.write(LOG, all.map((id, index) => line(id, 1300 - index)).join(""));
  expect(await ids(place, "--since 2d")).toEqual(all);
  expect(await ids(place, "")).toEqual(all.slice(-20));
});

test("recorded lines are printed as JSON lines without control characters, even if somebody else wrote them", async () => {
  await using place = await workspace();
  await place.write(LOG, line("a", 1, { reason: "x\u009b\u202e" }).replace('"event"', '\t"event"'));
  const { stdout } = await runInProcess(place, "log --json", { host });
  expect(stdout.trimEnd()).toMatch(/^\{[\x20-\x7e]*\}$/);
  expect(JSON.parse(stdout)).toMatchObject({ run_id: "a", reason: "x\u009b\u202e" });
});

test.each([
  ["log --grep nothing", "• No recorded run matches."],
  ["log -n 5", ""],
  ["allow last", "No run of this project was stopped."],
])("a person who waits for %s sees how much is read, and nothing is left of it", async (command, rest) => {
  await using place = await workspace();
  await writeLog(place);
  let elapsedMs = 0;
  const slow = { ...host, elapsedMs: () => (elapsedMs += 400), isStderrTerminal: () => true };
  const { stderr } = await runInProcess(place, command, { host: slow });
  const [before, progress = "", ...others] = stderr.split("\r\u001b[K");
  expect([before, progress]).toEqual(["", expect.stringMatching(/^Reading the audit log: \d+ %$/)]);
  expect(others.at(-1)).toContain(rest);
});
