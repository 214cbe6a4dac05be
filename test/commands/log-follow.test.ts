import { spawn } from "node:child_process";
import { appendFile, mkdir, rename, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { HANG_TIMEOUT_MS, HOOKCTL_PROGRAM, HOOKCTL_WORDS, type Workspace, workspace } from "../support/workspace.ts";

const line = (id: string, more: object = {}): string =>
  `${JSON.stringify({
    ...{ schema: "hookctl.record/1", time: new Date().toISOString(), run_id: id, event: "turn_end" },
    ...{ decision: "continue", duration_ms: 9, hooks: [], ...more },
  })}\n`;

/** `hookctl log --follow` in a process of its own. */
function follow(place: Workspace, options: readonly string[] = []) {
  const args = [...HOOKCTL_WORDS, "log", "--follow", "--json", ...options];
  const child = spawn(HOOKCTL_PROGRAM, args, { cwd: place.project, env: place.env, timeout: HANG_TIMEOUT_MS });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const closed = new Promise<number | null>((settle) => child.on("close", (code) => settle(code)));
  const idsIn = () =>
    stdout
      .split("\n")
      .slice(0, -1)
      .map((text) => JSON.parse(text).run_id);
  return {
    /** Waits until these runs, and no others, have been printed. */
    shows: (...ids: readonly string[]) => expect.poll(idsIn, { timeout: HANG_TIMEOUT_MS }).toEqual(ids),
    says: (words: string) => expect.poll(() => stderr, { timeout: HANG_TIMEOUT_MS }).toContain(words),
    end: async () => {
      child.kill("SIGINT");
      return { code: await closed, stderr };
    },
  };
}

const FILE = "home/.local/state/hookctl/audit.jsonl";

test("prints the latest runs, then new ones, through rotation and truncation, until Ctrl-C", async () => {
  await using place = await workspace();
  const file = await place.write(FILE, line("a") + line("b") + line("c"));
  const log = follow(place, ["-n", "2"]);
  await log.shows("b", "c");
  await appendFile(file, line("d"));
  await log.shows("b", "c", "d");

  await appendFile(file, line("e"));
  await rename(file, join(dirname(file), `audit.${new Date().toISOString().replaceAll(":", "-")}.1.jsonl`));
  await place.write(FILE, line("f", { reason: "long enough that the truncated file is shorter" }));
  await log.shows("b", "c", "d", "e", "f");

  await truncate(file, 0);
  await appendFile(file, line("g"));
  await log.shows("b", "c", "d", "e", "f", "g");
  expect(await log.end()).toEqual({ code: 130, stderr: "" });
});

test("shows only what was asked for, with the shell commands of a run", async () => {
  await using place = await workspace();
  const file = await place.write(FILE, line("a"));
  const log = follow(place, ["--decision", "block"]);
  await appendFile(file, line("b", { decision: "block" }) + line("c") + line("b", { kind: "hook_shell_executed" }));
  await appendFile(file, line("c", { kind: "hook_shell_executed" }) + line("d", { decision: "block" }));
  await log.shows("b", "b", "d");
  expect((await log.end()).code).toBe(130);
});

test("waits for the first run", async () => {
  await using place = await workspace();
  const log = follow(place);
  await log.says("• No runs recorded yet.");
  await mkdir(join(place.home, ".local/state/hookctl"), { recursive: true });
  await place.write(FILE, line("a"));
  await log.shows("a");
  expect((await log.end()).code).toBe(130);
});
