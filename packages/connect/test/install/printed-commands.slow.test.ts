import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess, runMain } from "../../../../test/support/in-process.ts";
import { runProgram, type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { createRegistrations } from "../../install/create-registrations.ts";

const FILE = ".claude/settings.json";

/** The line behind these words, taken apart by a shell as a person's would. */
async function typed(text: string, words: string): Promise<readonly string[]> {
  const line = text.split("\n").find((one) => one.includes(words)) ?? "";
  const result = line.slice(line.indexOf(words) + words.length).replace(/\)$/, "");
  const { stdout } = await runProgram(["/bin/sh", "-c", `for word in ${result}; do printf '%s\\n' "$word"; done`], {});
  const [program, ...rest] = stdout.trim().split("\n");
  expect(program).toBe("hookctl");
  return rest;
}

/** One line of the registration is lost, and doctor is asked how to have it again. */
async function hinted(place: Workspace, file: string, argv: readonly string[]): Promise<readonly string[]> {
  const text = (await place.read(file)) ?? "";
  await place.write(file, text.replace(/"timeout": \d+/, '"timeout": 1'));
  const result = await runMain(place, ["doctor", "claude", ...argv]);
  const line = await typed(result.stdout, "Reinstall: ");
  expect(await runMain(place, line)).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read(file)).toBe(text);
  return line;
}

test.each([
  ["install claude", "", `project/${FILE}`],
  ["install claude", " --fail-closed", `project/${FILE}`],
  ["install claude", " --fail-open", `project/${FILE}`],
  ["install claude", " --fail-closed --events PreToolUse,Stop,ConfigChange", `project/${FILE}`],
  ["install claude --scope user", " --events all", `home/${FILE}`],
  ["install claude --scope local", " --fail-closed", "project/.claude/settings.local.json"],
])("doctor's hint, `%s`, writes again what was written with `%s`, when it is typed", async (line, more, file) => {
  await using place = await workspace();
  expect(await runMain(place, `${line}${more}`.split(" "))).toMatchObject({ stderr: "", code: 0 });
  const scope = / --scope (\w+)/.exec(line)?.[1] ?? "project";
  expect(await hinted(place, file, [])).toEqual(["init", "claude", "--scope", scope]);
});

test("doctor's hint names the folder that was named", async () => {
  await using place = await workspace();
  const folder = join(place.dir, "my p2");
  await mkdir(folder);
  await runMain(place, ["install", "claude", "-C", folder]);
  expect(await hinted(place, `my p2/${FILE}`, ["-C", folder])).toEqual([
    "init",
    "claude",
    "--scope",
    "project",
    "-C",
    folder,
  ]);
});

test("a program that is not found is installed again as closed as it was", async () => {
  await using place = await workspace();
  const at = { agent: AGENTS.claude, scope: "project", shown: FILE } as const;
  const lines = createRegistrations(at, "hookctl", { events: ["PreToolUse"], failClosed: true });
  const entries = lines.map(({ command, timeoutMs }) => ({ type: "command", command, timeout: timeoutMs / 1000 }));
  await place.write(`project/${FILE}`, JSON.stringify({ hooks: { PreToolUse: [{ hooks: entries }] } }));
  const result = await runMain(place, ["doctor", "claude"]);
  expect(result).toMatchObject({ stdout: expect.stringContaining("does not find hookctl"), stderr: "", code: 1 });
  expect(result.stdout).toContain("Reinstall: hookctl init claude --scope project\n");
  await runMain(place, ["install", "claude"]);
  expect(await place.read(`project/${FILE}`)).toContain(" --fail-closed ");
});

test("the lines that install, adopt and uninstall tell work when they are typed", async () => {
  await using place = await workspace();
  const folder = join(place.dir, "my p2");
  const hooks = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}';
  await place.write(`my p2/${FILE}`, hooks);
  const run = (argv: readonly string[]) => runMain(place, argv);
  const dry = await run(["-C", folder, "adopt", "claude", "--dry-run"]);
  expect(dry).toMatchObject({ stderr: "", code: 0 });
  const adopted = await run(await typed(dry.stdout, "To apply: "));
  expect(adopted).toMatchObject({ stderr: "", code: 0 });
  expect(adopted.stdout).toContain("Migrated and approved 1 hook");
  const listed = await run(await typed(adopted.stdout, "List them: "));
  expect(listed.stdout).toContain("claude-Stop-1");
  const refused = await run(["uninstall", "claude", "-C", folder]);
  expect(refused).toMatchObject({ stdout: "", code: 64 });
  expect(await run(await typed(refused.stderr, "Try: "))).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read(`my p2/${FILE}`)).toBe(hooks);

  const shown = await run(["install", "claude", "--dry-run", "-C", folder]);
  const installed = await run(await typed(shown.stdout, "To apply: "));
  expect(installed).toMatchObject({ stderr: "", code: 0 });
  const checked = await run(await typed(installed.stdout, "Check it: "));
  expect(checked.stdout).toContain(`${FILE} registers 4 events`);
  const undone = await run(await typed(installed.stdout, "(undo: "));
  expect(undone).toMatchObject({ stdout: `✔ Restored ${FILE}\n`, stderr: "", code: 0 });
  expect(await place.read(`my p2/${FILE}`)).toBe(hooks);
});

test("what doctor proposes where nothing is registered is about the folder that was named", async () => {
  await using place = await workspace();
  await mkdir(join(place.dir, "other"));
  const folder = `${place.dir}/other`;
  const nobody = await runInProcess(place, `doctor -C ${folder}`);
  expect(nobody.stdout).toContain("Connect the agents that you use: hookctl init\n");
  const named = await runInProcess(place, `doctor gemini -C ${folder}`);
  expect(named.stdout).toContain("hookctl init gemini --scope project -C DIR/other\n");
  const foreign = await runInProcess(place, `adopt gemini -C ${folder}`);
  expect(foreign.stderr).toContain("Try: hookctl init gemini --scope project -C DIR/other\n");
});
