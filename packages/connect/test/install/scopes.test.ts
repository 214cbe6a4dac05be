import { expect, test } from "vitest";
import { lines, runInProcess } from "../../../../test/support/in-process.ts";
import { workspace } from "../../../../test/support/workspace.ts";

const PROJECT = "project/.claude/settings.json";
const TWICE = lines(
  "✖ ~/.claude/settings.json calls hookctl already: with .claude/settings.json too, each hook would run twice. Nothing was written. (USAGE_WRONG_WORDS)",
  "  Try: hookctl init claude --scope user, or for both: hookctl init claude --scope project",
);
const STILL = "▲ ~/.claude/settings.json still calls hookctl: hookctl uninstall claude --scope user\n";

/** What `install` and `uninstall` say of the project's settings while the user's call hookctl. */
const CASES = [
  ["install claude", { stdout: "", stderr: TWICE, code: 64 }, false],
  ["install claude --dry-run", { stdout: "", stderr: TWICE, code: 64 }, false],
  [
    "install claude --scope project",
    {
      stdout: expect.stringContaining(
        "  ▲ ~/.claude/settings.json calls hookctl too: each hook runs twice. Undo that: hookctl uninstall claude --scope project\n",
      ),
      stderr: "",
      code: 0,
    },
    true,
  ],
  [
    "install claude --print",
    { stdout: expect.stringContaining("bridge claude"), stderr: ".claude/settings.json:\n", code: 0 },
    false,
  ],
  ["install codex", { stdout: expect.not.stringContaining("▲"), stderr: "", code: 0 }, false],
  ["uninstall claude", { stdout: "✔ Removed ~/.claude/settings.json\n", stderr: "", code: 0 }, false],
  [
    "uninstall claude --scope project",
    { stdout: `• .claude/settings.json does not call hookctl, nothing to undo\n${STILL}`, stderr: "", code: 0 },
    false,
  ],
] as const;

test.each(CASES)("%s, while the user's settings call hookctl", async (call, output, isWritten) => {
  await using place = await workspace();
  await runInProcess(place, "install claude --scope user");
  expect(await runInProcess(place, call)).toEqual(output);
  expect((await place.read(PROJECT)) !== null).toBe(isWritten);
});

test("with both, uninstall removes one, names the other, and then knows no more", async () => {
  await using place = await workspace();
  await runInProcess(place, "install claude --scope user");
  await runInProcess(place, "install claude --scope project");
  const one = await runInProcess(place, "uninstall claude");
  expect(one).toEqual({ stdout: `✔ Removed .claude/settings.json\n${STILL}`, stderr: "", code: 0 });
  await runInProcess(place, "uninstall claude --scope user");
  const none = await runInProcess(place, "uninstall claude --json");
  expect(JSON.parse(none.stdout)).toMatchObject({ also_registered: [], files: [{ changed: false }] });
});
