import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { printResponse } from "../support/shell.ts";
import {
  type CommandResult,
  mainScript,
  OTHER_BIN,
  runProgram,
  type Workspace,
  workspace,
} from "../support/workspace.ts";

const wrapper = fileURLToPath(new URL("../../hooks-examples/callers/wrapper.sh", import.meta.url));
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

const wrapped = (place: Workspace, words: readonly string[]): Promise<CommandResult> =>
  runProgram([wrapper, ...words], {
    cwd: place.project,
    env: { ...place.env, PATH, HOOKCTL: OTHER_BIN ?? mainScript },
    stdin: "from the caller\n",
  });

/** Hooks that write down that they were asked, and with what. */
async function withHooks(place: Workspace, start = ":"): Promise<void> {
  const note = `cat >> ${join(place.dir, "asked")}; echo >> ${join(place.dir, "asked")}`;
  await place.hook("on-start", `${note}; ${start}`, { says: "session_start" });
  await place.hook("on-end", note, { says: "session_end" });
}

const asked = async (place: Workspace): Promise<readonly Record<string, unknown>[]> =>
  ((await place.read("asked")) ?? "")
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("wrapper.sh", () => {
  test("runs the hooks of a session around the command, and keeps its output and exit code", async () => {
    await using place = await workspace();
    await withHooks(place);
    const result = await wrapped(place, ["sh", "-c", 'cat; echo "$1"; exit 7', "sh", "a  b"]);
    expect(result).toMatchObject({ stdout: "from the caller\na  b\n", code: 7 });
    const output = await asked(place);
    expect(output).toMatchObject([
      { event: "session_start", source: "startup", cwd: place.project },
      { event: "session_end", reason: "exit 7", conv_id: output[0]?.conv_id },
    ]);
    expect(result.stderr).toContain("on-end");
  });

  test("does not start the command when a hook forbids it", async () => {
    await using place = await workspace();
    await withHooks(place, printResponse({ blocked: true, reason: "not today" }));
    const result = await wrapped(place, ["echo", "started"]);
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("not today"), code: 2 });
    expect(await asked(place)).toHaveLength(1);
  });

  test("--no-hooks runs the command alone, and is the command's own when it stands behind it", async () => {
    await using place = await workspace();
    await withHooks(place, printResponse({ blocked: true }));
    const result = await wrapped(place, ["--no-hooks", "sh", "-c", 'echo "$*"', "sh", "--no-hooks"]);
    expect(result).toEqual({ stdout: "--no-hooks\n", stderr: "", code: 0, signal: null });
    expect(await asked(place)).toEqual([]);
  });

  test("does not start the command when there is no hookctl to ask", async () => {
    await using place = await workspace();
    const result = await runProgram([wrapper, "echo", "started"], { env: { ...place.env, PATH, HOOKCTL: "/nowhere" } });
    expect(result).toMatchObject({ stdout: "", code: 127 });
  });

  test("without a command says how it is called", async () => {
    await using place = await workspace();
    expect(await wrapped(place, [])).toMatchObject({ stdout: "", stderr: expect.stringContaining("usage:"), code: 64 });
  });

  const canCheck = spawnSync("shellcheck", ["--version"]).status === 0;
  test.skipIf(!canCheck)("has nothing that shellcheck finds (needs shellcheck)", () => {
    expect(spawnSync("shellcheck", [wrapper], { encoding: "utf8" })).toMatchObject({ stdout: "", status: 0 });
  });
});
