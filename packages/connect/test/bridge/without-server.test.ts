import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HOOKCTL, runProgram, workspace } from "../../../../test/support/workspace.ts";
import { NATIVE } from "../../../agents/test/payloads.ts";

/** V8 writes here which scripts a process has loaded. */
async function loadedFiles(folder: string): Promise<string> {
  const files = await readdir(folder);
  return (await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")))).join("\n");
}

test.each([
  { title: "is off", settings: { resident: false }, env: {}, isLoaded: false },
  { title: "would end with its task", settings: {}, env: { CI: "true" }, isLoaded: false },
  { title: "may stay", settings: { resident: true }, env: {}, isLoaded: true },
])("what starts a server is loaded only where one may stay: it $title", async ({ settings, env, isLoaded }) => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ version: 1, settings }));
  const NODE_V8_COVERAGE = join(place.dir, "loaded");
  // The front program sets it. This launcher is not the user's, so nothing is started.
  const variables = { HOOKCTL_RESIDENT: "/nowhere/hookctl", NODE_V8_COVERAGE, ...env };
  const call = {
    cwd: place.project,
    env: { ...place.env, CI: "", ...variables },
    stdin: JSON.stringify(NATIVE.claude.PreToolUse),
  };
  expect(await runProgram([...HOOKCTL, "bridge", "claude"], call)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  const loaded = await loadedFiles(NODE_V8_COVERAGE);
  expect(loaded).toContain("hot-bridge");
  expect(loaded.includes("start-resident")).toBe(isLoaded);
});
