import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { HOOKCTL_PROGRAM, HOOKCTL_WORDS, type Workspace, workspace } from "../support/workspace.ts";

const LOG = "home/.local/state/hookctl/audit.jsonl";
const NOW = Date.UTC(2026, 10, 22, 12);
const MINUTE = 60_000;
const host = { nowMs: () => NOW };
const status = (place: Workspace, options = "", more: object = {}) =>
  runInProcess(place, `status ${options}`, { host, ...more });
const said = (stdout: string) => ({ stdout: `hookctl: ${stdout}\n`, stderr: "", code: 0 });

interface Logged {
  readonly minutesAgo: number;
  readonly project: string | null;
  readonly [key: string]: unknown;
}

const line = ({ minutesAgo, project, ...more }: Logged): string =>
  `${JSON.stringify({
    ...{
      schema: "hookctl.record/1",
      time: new Date(NOW - minutesAgo * MINUTE).toISOString(),
      run_id: `R${minutesAgo}`,
    },
    ...{ event: "before_tool_call", project, decision: "continue", duration_ms: 9, hooks: [] },
    ...more,
  })}\n`;
const failed = { name: "guard.py", outcome: "failed", failure: "HOOK_EXITED", duration_ms: 1 };

test("no hooks, no log: one line", async () => {
  await using place = await workspace();
  expect(await status(place)).toEqual(said("0 hooks"));
});

test("hooks that can run, the last block of this project, and hooks that failed last time", async () => {
  await using place = await workspace();
  await place.hook("guard.py", "exit 1");
  await place.hook("other", "true");
  const block = { decision: "block", decided_by: "git", call: "rm -rf build dist node_modules coverage" };
  const elsewhere = { ...block, call: "elsewhere" };
  const { project } = place;
  await place.write(
    LOG,
    [
      line({ minutesAgo: 200, project, hooks: [failed], ...block, call: "long ago" }),
      line({ minutesAgo: 180, project, hooks: [failed], ...block }),
      line({ minutesAgo: 4, project, hooks: [{ ...failed, name: "gone" }, failed] }),
      line({ minutesAgo: 3, project, hooks: [{ ...failed, outcome: "skipped", why: "no match", failure: undefined }] }),
      line({ minutesAgo: 2, project: "/elsewhere", ...elsewhere, hooks: [{ ...failed, name: "other" }] }),
    ].join(""),
  );
  expect(await status(place)).toEqual(
    said("2 hooks · last block 3h ago: rm -rf build dist node_module… · guard.py fails"),
  );
  const { stdout } = await status(place, "--json");
  expect(JSON.parse(stdout)).toEqual({
    ...{ schema: "hookctl.status/1", project: "DIR/project", hooks: 2, off: false, not_approved: [], paused: [] },
    ...{ cannot_run: [], blocking: [], settings_problem: null, agents: [], seal: null, cage: null },
    last_block: {
      ...{ run_id: "R180", time: "2026-11-22T09:00:00.000Z", ago_ms: 180 * MINUTE, decided_by: "git", tool: null },
      ...{ call: "rm -rf build dist node_modules coverage", reason: null },
    },
    failing: [{ name: "guard.py", failure: "HOOK_EXITED" }],
  });
});

describe("what weakens the hooks is said", () => {
  test("a hook without approval", async () => {
    await using place = await workspace();
    await place.hook("new", "true", { scope: "project" });
    expect(await status(place)).toEqual(said("0 hooks · 1 not approved"));
  });

  test.each(["HOOKCTL_NO_HOOKS", "HOOKCTL_SKIP", "HOOKCTL_TRUST"])("%s, which agents ignore, is not", async (name) => {
    await using place = await workspace();
    await place.hook("guard", "true");
    await place.hook("theirs", "true", { scope: "project" });
    const digest = (await runInProcess(place, "trust --digest")).stdout.trim();
    const env = { [name]: { HOOKCTL_SKIP: "guard", HOOKCTL_TRUST: digest }[name] ?? "1" };
    expect(await status(place, "", { env })).toEqual(said("1 hook · 1 not approved"));
  });

  test("an approved guard that is gone: every call is blocked", async () => {
    await using place = await workspace();
    const file = await place.hook("guard", "true", { scope: "project" });
    await runInProcess(place, "trust --yes");
    await rm(file);
    expect(await status(place)).toEqual(said("0 hooks · guard cannot run, calls are blocked: hookctl doctor"));
  });

  test("settings that cannot be used", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", "{");
    expect(await status(place)).toEqual(said("0 hooks · settings not valid: hookctl doctor"));
  });
});

test("nothing is started", async () => {
  await using place = await workspace();
  await place.hook("guard", `touch ${place.dir}/ran`, { says: `before_tool_call; touch ${place.dir}/asked` });
  await status(place);
  expect([await place.read("ran"), await place.read("asked")]).toEqual([null, null]);
});

test("hostile names and calls stay on the line, escaped", async () => {
  await using place = await workspace();
  const call = "a\u001b[2J\u202e\nb";
  await place.write(LOG, line({ minutesAgo: 1, project: place.project, decision: "block", call }));
  expect(await status(place)).toEqual(said("0 hooks · last block 1m ago: a\\u001b[2J\\u202e\\u000ab"));
});

describe("on stdin", () => {
  test.each([
    ["workspace.project_dir", (dir: string) => ({ cwd: "/", workspace: { current_dir: "/", project_dir: dir } })],
    ["workspace.current_dir", (dir: string) => ({ workspace: { current_dir: dir } })],
    ["cwd", (cwd: string) => ({ cwd })],
  ])("%s names the folder", async (_, input) => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
    await runInProcess(place, "run before_tool_call -q", { stdin: toolCall("ls"), host });
    const outside = { ...host, cwd: place.dir };
    expect(await status(place, "", { host: outside })).toEqual(said("1 hook"));
    const stdin = JSON.stringify(input(place.project));
    expect(await status(place, "", { host: outside, stdin })).toEqual(said("1 hook · last block just now: ls"));
  });

  test.each(["", "no JSON", "[]", '{"cwd":7}', '{"cwd":"/no/such/folder"}', '{"cwd":"project"}'])(
    "%j changes nothing",
    async (stdin) => {
      await using place = await workspace();
      expect(await status(place, "", { stdin })).toEqual(said("0 hooks"));
    },
  );

  test("a pipe that nobody writes to is not waited for", async () => {
    await using place = await workspace();
    const child = spawn(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "status"], { cwd: place.project, env: place.env });
    const code = await new Promise((settle) => child.on("close", settle));
    expect(code).toBe(0);
    child.stdin.destroy();
  });
});

test("what an agent skips is told where it applies: the entries of the user, and those of this project", async () => {
  await using place = await workspace();
  const answer = (project: string | null, ...skipped: readonly string[]) => ({
    ...{ agent: "codex", project, atMs: NOW - 3 * MINUTE },
    skipped: skipped.map((event) => ({ event, status: "modified" })),
  });
  const file = "home/.local/state/hookctl/agent-trust.json";
  await place.write(file, JSON.stringify([answer(place.project, "Stop"), answer(null), answer("/elsewhere", "Stop")]));
  const [skips, trusts] = [
    "Codex CLI skips 1 entry (asked 3m ago): hookctl doctor",
    "Codex CLI trusts all entries (asked 3m ago)",
  ];
  expect(await status(place)).toEqual(said(`0 hooks · ${skips} · ${trusts}`));
  const { stdout } = await status(place, "--json");
  expect(JSON.parse(stdout).agents).toMatchObject([
    { skipped: [{ event: "Stop", status: "modified" }] },
    { skipped: [] },
  ]);
});
