import { chmod, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canSwitchUser, giveToUser, runAsUser, WHY_SKIPPED } from "../support/as-user.ts";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FOLDER = "home/.local/state/hookctl";
const LINE = `${JSON.stringify({
  ...{ schema: "hookctl.record/1", time: "2026-11-22T11:00:00.000Z", run_id: "R1", event: "turn_end" },
  ...{ decision: "continue", duration_ms: 1, hooks: [] },
})}\n`;
const COMMANDS = [
  "log",
  "log --json",
  "stats",
  "stats --json",
  "why",
  "report",
  "status",
  "replay",
  "export --output out",
];

const told = (path: string, cause: string): object => ({
  stdout: "",
  stderr: `✖ The recorded runs cannot be read: ${path}: ${cause}. (LOG_NOT_READ)\n  Make it a file that your user can read: ls -ld ${path}\n`,
  code: 74,
});
const fileIn = ({ dir }: Workspace, name: string): string => join(dir, FOLDER, name);
const stdoutOf = (command: string) =>
  command.includes("--json") ? expect.stringContaining('"code":"LOG_NOT_READ"') : "";
const SHOWN = `DIR/${FOLDER}`;
const logOf = (command: string): string => (command === "replay" ? "payloads.jsonl" : "audit.jsonl");

describe.runIf(canSwitchUser)(`a log that its user may not read${WHY_SKIPPED}`, () => {
  test.each(COMMANDS)("hookctl %s says so", async (command) => {
    await using place = await workspace();
    const name = logOf(command);
    await place.write(`${FOLDER}/${name}`, LINE);
    await giveToUser(place);
    await chmod(fileIn(place, name), 0o000);
    expect(await runAsUser(place, command.split(" "))).toMatchObject({
      ...told(fileIn(place, name), "EACCES"),
      stdout: stdoutOf(command),
    });
  });

  test("nor its folder", async () => {
    await using place = await workspace();
    await place.write(`${FOLDER}/audit.jsonl`, LINE);
    await giveToUser(place);
    await chmod(join(place.dir, FOLDER), 0o600);
    const result = await runAsUser(place, ["stats"]);
    expect(result).toMatchObject({ stdout: "" });
    expect(result.code).not.toBe(0);
  });
});

describe.each([
  ["a looping link", "ELOOP", (path: string) => symlink(path, path)],
  ["a folder", "it is not a regular file", (path: string) => mkdir(path)],
])("%s in its place", (_title, cause, make) => {
  test.each(COMMANDS)("hookctl %s says so", async (command) => {
    await using place = await workspace();
    await mkdir(join(place.dir, FOLDER), { recursive: true });
    const path = fileIn(place, logOf(command));
    await make(path);
    expect(await runInProcess(place, command)).toEqual({
      ...told(`${SHOWN}/${logOf(command)}`, cause),
      stdout: stdoutOf(command),
    });
  });
});

test("one rotated file that cannot be read is told, too", async () => {
  await using place = await workspace();
  await place.write(`${FOLDER}/audit.jsonl`, LINE);
  const name = "audit.2026-03-04T14-02-11.000Z.4711.jsonl";
  const path = fileIn(place, name);
  await symlink(path, path);
  expect(await runInProcess(place, "stats")).toEqual(told(`${SHOWN}/${name}`, "ELOOP"));
});

test.each([
  ["nothing", async () => undefined],
  ["a link that leads nowhere", (path: string) => symlink("/nonexistent/log", path)],
])("%s in its place is an empty log", async (_title, make) => {
  await using place = await workspace();
  await mkdir(join(place.dir, FOLDER), { recursive: true });
  await make(fileIn(place, "audit.jsonl"));
  const { stderr, code } = await runInProcess(place, "stats");
  expect({ stderr, code }).toEqual({
    stderr: "• No runs recorded yet. Connect your agents: hookctl init\n",
    code: 0,
  });
});
