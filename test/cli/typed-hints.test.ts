import { join } from "node:path";
import { expect, test } from "vitest";
import { lines, runMain } from "../support/in-process.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { AS_PERSON, type CommandResult, runProgram, type Workspace, workspace } from "../support/workspace.ts";

/** Types a line that was suggested into sh, as a person would. */
function typed({ env, project }: Workspace, line: string): Promise<CommandResult> {
  const hookctl = `hookctl() { ${AS_PERSON.map(shellQuote).join(" ")} "$@"; }`;
  return runProgram(["/bin/sh", "-c", `${hookctl}\n${line}`], { cwd: project, env });
}

/** What stands behind some words, up to the end of its line. */
const behind = (words: string, text: string): string => {
  const [, line] = text.split(words);
  if (line === undefined) throw new Error(`${words} is not in ${text}`);
  return line.split("\n")[0] ?? "";
};

const quiet = { stdout: "", stderr: "", code: 0, signal: null };

const words: { given: readonly string[]; typed: string }[] = [
  { given: ["set", "a", "b c"], typed: "set a 'b c'" },
  { given: ["set", "a", "$(date)"], typed: "set a '$(date)'" },
  { given: ["incr", "a", "--", "-1"], typed: "-- incr a -1" },
];

test.each(words)("without a session the words that were typed come back as a shell takes them: $typed", async (row) => {
  await using place = await workspace();
  const stderr = lines(
    "✖ Missing --session: this was not called by a hook of a session. (USAGE_WRONG_WORDS)",
    `  Try: hookctl state --session ID ${row.typed}`,
  );
  const result = await runMain(place, ["state", ...row.given]);
  expect(result).toEqual({ stdout: "", stderr, code: 64, signal: null });
  expect(await typed(place, behind("Try: ", result.stderr))).toMatchObject({ stderr: "", code: 0 });
  const { stdout } = await runMain(place, ["state", "get", "a", "--session", "ID"]);
  expect(stdout).toBe(`${row.given.at(-1)}\n`);
});

const files: { title: string; text: string; mode: number; hint: string }[] = [
  {
    title: "without its execute bit",
    text: "#!/bin/sh\n[ $1 = run ] || echo turn_end\n",
    mode: 0o644,
    hint: "Hint: chmod +x FILE",
  },
  {
    title: "with Windows line ends",
    text: "#!/bin/sh\r\n[ $1 = run ] || echo turn_end\r\n",
    mode: 0o755,
    hint: "Hint: Convert its CRLF line endings: perl -pi -e 's/\\r$//' FILE",
  },
];

test.each(files)(
  "a file $title and with a space in its name is put right by what test suggests",
  { tags: "slow" },
  async (row) => {
    await using place = await workspace();
    const file = await place.write("home/.kodelet/hooks/my hook", row.text, row.mode);
    const before = await runMain(place, ["test"]);
    expect(before).toMatchObject({ stderr: "", code: 1, signal: null });
    const hint = row.hint.replace("FILE", shellQuote(file));
    expect(before.stdout).toContain(`     ${hint}\n     Run again: hookctl test -v 'my hook'\n`);
    expect(await typed(place, hint.replace(/^Hint: (.*: )?/, ""))).toEqual(quiet);
    const after = await typed(place, "hookctl test -v 'my hook'");
    expect(after).toMatchObject({ stderr: "", code: 0, stdout: expect.stringContaining("✔ declares its event") });
  },
);

test("trust --show prints a long file whole, and what an approval cut off is shown by the line that it suggests", async () => {
  await using place = await workspace();
  const last = "echo the-last-line";
  await place.write("project/.kodelet/hooks/my hook", `#!/bin/sh\n${":\n".repeat(100)}${last}\n`, 0o755);
  const shown = await runMain(place, ["trust", "--show"]);
  expect(shown).toMatchObject({ stderr: "", code: 0, signal: null });
  expect(shown.stdout).toContain(`  │ ${last}\n`);
  expect(shown.stdout).toMatch(/\nTo approve what you have read: hookctl trust 'my hook'\n$/);
  const approved = await runMain(place, ["trust", "--yes"]);
  expect(approved.stderr).not.toContain(last);
  expect(approved.stderr).toMatch(/ {2}… 22 more lines\n {2}The whole text: hookctl trust --show 'my hook'\n$/);
});

test("bridge without a payload suggests a call of the agent, which it understands", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
  const result = await runMain(place, ["bridge", "claude"]);
  const stderr = expect.stringMatching(
    /^✖ No payload on stdin\. \(PAYLOAD_MISSING\)\n {2}Try: printf '%s' '\{.*\}' \| hookctl bridge claude --event PreToolUse\n$/,
  );
  // No event is named and a guard is there: what cannot be read cannot be cleared.
  expect(result).toEqual({ stdout: "", stderr, code: 2, signal: null });
  const answer = await typed(place, behind("Try: ", result.stderr));
  expect(answer).toMatchObject({ code: 0, signal: null });
  expect(JSON.parse(answer.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
});

test("what a session is told to type has the names of its hooks as a shell takes them", async () => {
  await using place = await workspace();
  await place.hook("my hook", "exit 0", { scope: "project" });
  const stdin = JSON.stringify({
    hook_event_name: "SessionStart",
    session_id: "s1",
    cwd: place.project,
    source: "startup",
  });
  const { stdout, code } = await runMain(place, ["bridge", "claude", "--event", "SessionStart"], { stdin });
  const { systemMessage } = JSON.parse(stdout) as { systemMessage: string };
  expect({ systemMessage, code }).toEqual({
    systemMessage: "hookctl: 0 hooks active, 1 hook not approved: hookctl trust 'my hook'",
    code: 0,
  });
  const approved = await typed(place, behind("not approved: ", systemMessage));
  expect(approved).toMatchObject({
    stdout: "✔ Approved my hook   before_tool_call\n  undo (before you delete the file): hookctl untrust 'my hook'\n",
    code: 0,
  });
});

test("a new hook whose name begins like a flag is tried, tested and approved by what new suggests", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  const made = await runMain(place, ["new", "--event", "before_tool_call", "--", "-x"]);
  expect(made).toMatchObject({ stderr: "", code: 0, signal: null });
  // Two spaces end a suggested command; what it is for follows.
  const [next = ""] = behind("Next:\n  ", made.stdout).split("  ");
  expect(next).toMatch(/^hookctl try -- -x /);
  expect(await typed(place, next)).toMatchObject({ code: 2 });
  expect(await typed(place, "hookctl test -v -- -x")).toMatchObject({ stderr: "", code: 0 });
  expect(made.stdout).toMatch(/\n {2}hookctl test -- -x {2}.*\n {2}hookctl edit -- -x {2}/);
  expect(await place.read(join("project", ".kodelet", "hooks", "-x"))).not.toBeNull();
});
