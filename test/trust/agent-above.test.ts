import { chmod, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_VARIABLES, agentInEnvironment, agentOfCommandLine } from "../../packages/agents/agent-processes.ts";
import { approvalStates, approveAll, runToolCall } from "../support/approvals.ts";
import { giveToUser, wordsFor } from "../support/as-user.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { runInProcess } from "../support/in-process.ts";
import { hasScript, runOnTerminal } from "../support/on-terminal.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const USER_ID = 54_330;
const CLAUDE = { CLAUDECODE: "1" };

async function setUp(): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }), { scope: "project" });
  return place;
}

test.each(Object.keys(AGENT_VARIABLES))(
  "with %s nothing is approved, and the words name no command",
  async (variable) => {
    await using place = await setUp();
    const result = await runInProcess(place, "trust --yes", { env: { [variable]: "1" } });
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("(TRUST_NEEDS_PERSON)"), code: 77 });
    expect(result.stderr).not.toMatch(/hookctl (trust|untrust)|--yes/);
    expect(await approvalStates(place)).toEqual({});
  },
);

const ordinary = [
  "CLAUDE_CODE_SSE_PORT",
  "CODEX_HOME",
  "COPILOT_HOME",
  "COPILOT_GITHUB_TOKEN",
  "GEMINI_API_KEY",
  "TERM_PROGRAM",
];
test.each([
  ...ordinary.map((name) => ({ [name]: "x" })),
  { CLAUDECODE: "" },
  { HOOKCTL_DEPTH: "0" },
  { AGENT: "linux" },
])("%j says nothing of an agent", (env) => expect(agentInEnvironment(env)).toBeNull());

const changes: { title: string; args: string; before?: string }[] = [
  { title: "approve by name", args: "trust guard" },
  { title: "approve one by one", args: "trust" },
  { title: "forget an approval", args: "untrust guard", before: "trust --yes" },
  { title: "forget all approvals", args: "untrust", before: "trust --yes" },
  { title: "deny", args: "untrust --deny guard" },
  { title: "prune", args: "trust --prune", before: "trust --yes" },
  { title: "take the registration out", args: "uninstall claude", before: "install claude" },
  { title: "open a guard", args: "install claude --fail-open" },
  { title: "take over hooks", args: "adopt claude" },
  { title: "give hooks back", args: "adopt claude --undo" },
  { title: "switch a hook off for a while", args: "off guard --for 10m" },
  { title: "switch a hook off for good", args: "disable guard" },
];
test.each(changes)("below an agent nobody can $title", async ({ args, before }) => {
  await using place = await setUp();
  if (before !== undefined) await runInProcess(place, before);
  const settings = await place.read("project/.claude/settings.json");
  const approvals = await approvalStates(place);
  const result = await runInProcess(place, args, { env: CLAUDE });
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("was called by Claude Code"), code: 77 });
  expect(await approvalStates(place)).toEqual(approvals);
  expect(await place.read("project/.claude/settings.json")).toBe(settings);
});

test.each([
  "trust --show",
  "trust --list",
  "trust --digest",
  "uninstall claude --dry-run",
  "list",
  "test ./.kodelet/hooks",
])("an agent may look: %s", async (args) => {
  await using place = await setUp();
  expect(await runInProcess(place, args, { env: CLAUDE })).toMatchObject({ code: 0 });
});

test("what new makes below an agent waits for a person", async () => {
  await using place = await workspace();
  const result = await runInProcess(place, "new mine --event before_tool_call", { env: CLAUDE });
  expect(result).toMatchObject({
    stdout: expect.stringContaining("▲ Not approved yet: this command was called by Claude Code"),
    code: 0,
  });
  expect(await approvalStates(place)).toEqual({});
});

describe("a person on the terminal", () => {
  const answers = [
    { answer: "yes", code: 0, approvals: { guard: "approved" } },
    { answer: "no", code: 77, approvals: {} },
    { answer: null, code: 77, approvals: {} },
  ];
  test.each(answers)("is asked, and $answer counts", async ({ answer, code, approvals }) => {
    await using place = await setUp();
    const host = { openTerminal: async () => fakeTerminal(async () => answer) };
    expect(await runInProcess(place, "trust --yes", { env: CLAUDE, host })).toMatchObject({ code });
    expect(await approvalStates(place)).toEqual(approvals);
  });
});

test("a block of a guard stands below an agent as anywhere else", async () => {
  await using place = await setUp();
  await approveAll(place);
  expect(await runToolCall(place, "", CLAUDE)).toMatchObject({ decision: "block", decided_by: "guard" });
});

const commandLines: { words: string[]; agent: string | null }[] = [
  { words: ["/usr/local/bin/claude", "-p", "x"], agent: "Claude Code" },
  { words: ["claude"], agent: "Claude Code" },
  { words: ["node", "--no-warnings", "/usr/bin/gemini"], agent: "Gemini CLI" },
  { words: ["/opt/node/bin/node", "/x/node_modules/@openai/codex/bin/codex.js"], agent: "Codex CLI" },
  { words: ["qwen --yolo"], agent: "Qwen Code" },
  { words: ["node", "/home/me/claude-notes.js"], agent: null },
  { words: ["vim", "claude"], agent: null },
  { words: ["/bin/bash", "-c", "claude"], agent: null },
  { words: ["/usr/share/cursor/cursor"], agent: null },
  { words: [], agent: null },
];
test.each(commandLines)("the process $words is of $agent", ({ words, agent }) => {
  expect(agentOfCommandLine(words)).toBe(agent);
});

describe.skipIf(process.platform !== "linux")("an agent that empties its environment (needs /proc)", () => {
  /** A shell that bears the name of an agent's program. */
  async function agentIn(place: Workspace): Promise<string> {
    const file = join(place.dir, "claude");
    await copyFile("/bin/sh", file);
    await chmod(file, 0o755);
    return file;
  }
  const approving = `env -i HOME="$HOME" PATH="$PATH" ${HOOKCTL.map(shellQuote).join(" ")} trust --yes; exit $?`;

  test("is known by its process", async () => {
    await using place = await setUp();
    const result = await runProgram([await agentIn(place), "-c", approving], { cwd: place.project, env: place.env });
    expect(result).toMatchObject({ stderr: expect.stringContaining("was called by Claude Code"), code: 77 });
    expect(await approvalStates(place)).toEqual({});
  });

  test.skipIf(!hasScript)("is refused on a terminal that it made itself, without a question", async () => {
    await using place = await setUp();
    const words = [
      "-c",
      `script -qec ${shellQuote(`${HOOKCTL.map(shellQuote).join(" ")} trust --yes`)} /dev/null; exit $?`,
    ];
    const result = await runProgram([await agentIn(place), ...words], {
      cwd: place.project,
      env: place.env,
      stdin: "yes\nyes\n",
    });
    expect(result.stdout).toContain("TRUST_NEEDS_PERSON");
    expect(result.stdout).not.toContain("Do you want that?");
    expect(await approvalStates(place)).toEqual({});
  });

  test.skipIf(!hasScript)("switches nothing off for a while, also where the person would be asked", async () => {
    await using place = await setUp();
    const line = `${shellQuote(await agentIn(place))} -c ${shellQuote(approving.replace("trust --yes", "off guard --for 10m"))}`;
    const typed = await runOnTerminal(place, line, ["yes\n"]);
    expect(typed).toMatchObject({ code: 77, shown: expect.stringContaining("TRUST_NEEDS_PERSON") });
    expect(await place.read("home/.local/state/hookctl/pauses.json")).toBeNull();
  });

  test.skipIf(!hasScript)("leaves the person who started it on this terminal a say", async () => {
    await using place = await setUp();
    // Agents of the same user, such as those of other tests, make a terminal doubtful.
    const line = [...wordsFor(USER_ID), await agentIn(place), "-c", approving].map(shellQuote).join(" ");
    await giveToUser(place, USER_ID);
    const typed = await runOnTerminal(place, line, ["yes\n"]);
    expect(typed).toMatchObject({ code: 0, shown: expect.stringContaining("Do you want that?") });
    expect(await place.read("home/.local/state/hookctl/trust.json")).toContain('"name":');
  });
});
