import { chmod, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { canSwitchUser, giveToUser, runAsUser, WHY_SKIPPED } from "../../../../test/support/as-user.ts";
import { expectedOutput, lines, type Row, runInProcess, runRow } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { KNOWN_AGENTS } from "../../../agents/known-agents.ts";
import { ownerOfProgram } from "../../commands/init/plan-setup.ts";
import { frontProgram } from "../../resident/front-program.ts";
import { staysResident } from "../../resident/stays-resident.ts";

const CLAUDE = { CLAUDECODE: "1" };
const USED = { "home/.claude/CLAUDE.md": "", "home/.codex/config.toml": "" };
const hasServer = frontProgram() !== null && staysResident({ env: {}, settings: { isResident: null } });
const CLOSED = [
  ...(hasServer ? ["• A server answers the agents' calls after the first: hookctl serve --status"] : []),
  "• If hookctl cannot run, every call of the agents is blocked. To let them pass: hookctl init AGENT --fail-open",
];
const NEXT = [
  "",
  "Next:",
  "  hookctl explain 'git reset --hard'  see how the guards judge a command",
  "  hookctl doctor                      check that the agents can be stopped",
  "  hookctl new my-hook                 write a hook of your own",
];
const GUARDS_ON = [
  "✔ Guards on: filesystem, git, secrets, self-protection (~/.kodelet/hooks.json)",
  "  undo: hookctl off filesystem git secrets self-protection --for good",
];
const CLAUDE_ON = [
  "✔ Claude Code connected (~/.claude/settings.json)",
  "  undo: hookctl uninstall claude --scope user",
  "  Claude Code reads it when a session begins. Note: `claude -p` runs the hooks in a project's .claude folder without asking.",
];
const NO_AGENT = "▲ No agent is connected. To connect one later: hookctl init AGENT";

const rows: readonly Row[] = [
  {
    title: "--yes turns the default guards on and connects the agents that are found",
    call: "init --yes",
    files: { "home/.claude/CLAUDE.md": "" },
    ...{ stdout: lines(...GUARDS_ON, ...CLAUDE_ON, ...CLOSED, ...NEXT), stderr: "", code: 0 },
  },
  {
    title: "--agents and --guards answer the questions",
    call: "init --agents gemini --guards git-safety,cloud",
    files: USED,
    stdout: lines(
      "✔ Guards on: git, cloud (~/.kodelet/hooks.json)",
      "  undo: hookctl off git cloud --for good",
      "✔ Gemini CLI connected (~/.gemini/settings.json)",
      "  undo: hookctl uninstall gemini --scope user",
      "  Gemini CLI runs hooks only in a folder that you have trusted.",
      ...CLOSED,
      ...NEXT,
    ),
    ...{ stderr: "", code: 0 },
  },
  {
    title: "without an agent the guards are turned on",
    call: "init --yes",
    ...{ stdout: lines(...GUARDS_ON, NO_AGENT, ...NEXT), stderr: "", code: 0 },
  },
  {
    title: "none of both changes nothing",
    call: "init --agents none --guards none",
    files: USED,
    ...{ stdout: lines(NO_AGENT, "Nothing to change."), stderr: "", code: 0 },
  },
  {
    title: "an agent without guards is registered as its hooks need it",
    call: "init --agents claude --guards none",
    ...{ stdout: lines(...CLAUDE_ON, ...CLOSED, ...NEXT), stderr: "", code: 0 },
  },
  {
    title: "--dry-run shows the same and writes nothing",
    call: "init --dry-run",
    files: USED,
    stdout: lines(
      "• Would turn guards on: filesystem, git, secrets, self-protection (~/.kodelet/hooks.json)",
      "• Would connect Claude Code (~/.claude/settings.json)",
      "• Would connect Codex CLI (~/.codex/hooks.json)",
      "Nothing was written.",
    ),
    ...{ stderr: "", code: 0 },
  },
  {
    title: "without a terminal it shows what it would do, and fails",
    call: "init",
    files: { "home/.claude/CLAUDE.md": "" },
    stdout: lines(
      "• Would turn guards on: filesystem, git, secrets, self-protection (~/.kodelet/hooks.json)",
      "• Would connect Claude Code (~/.claude/settings.json)",
      "Nothing was written.",
    ),
    stderr: lines(
      "✖ Nothing was changed: init asks first, but there is no terminal. (USAGE_WRONG_WORDS)",
      "  Try: hookctl init --yes",
    ),
    code: 64,
  },
  {
    title: "a mistyped guard changes nothing",
    call: "init --guards gti",
    stdout: "",
    stderr: lines('✖ Unknown guard "gti". Did you mean git? (USAGE_UNKNOWN_GUARD)', "  All guards: hookctl guards"),
    code: 64,
  },
  {
    title: "a mistyped agent changes nothing",
    call: "init --yes --agents claud",
    stdout: "",
    stderr: lines(
      `✖ Invalid value "claud" for --agents: the agents are ${AGENT_NAMES.join(", ")}; did you mean claude? (USAGE_BAD_VALUE)`,
      "  All options: hookctl init --help",
    ),
    code: 64,
  },
  {
    title: "none beside a name is a mistake",
    call: "init --guards none,git",
    stdout: "",
    stderr: lines('✖ Unknown guard "none". (USAGE_UNKNOWN_GUARD)', "  All guards: hookctl guards"),
    code: 64,
  },
  {
    title: "an empty list is a mistake",
    call: "init --agents ,",
    stdout: "",
    stderr: lines(
      '✖ Invalid value "" for --agents: name some, or none (USAGE_BAD_VALUE)',
      "  All options: hookctl init --help",
    ),
    code: 64,
  },
  {
    title: "without HOME there is no place for settings",
    call: "init --yes",
    env: { HOME: undefined },
    stdout: "",
    stderr: lines(
      "✖ HOME is not an existing absolute folder, so there is no place for your settings. (USAGE_WRONG_WORDS)",
      "  Try: HOME=DIR hookctl init --yes",
    ),
    code: 64,
  },
  {
    title: "YAML settings are left to the person, and agents are connected",
    call: "init --yes",
    files: { "home/.claude/CLAUDE.md": "", "home/.kodelet/hooks.yaml": "guards:\n  git: true\n" },
    stdout: lines(
      "▲ Turn guards on yourself: DIR/home/.kodelet/hooks.yaml is YAML, which hookctl does not edit.",
      "  Try: add to it: guards: { filesystem: true, secrets: true }",
      ...CLAUDE_ON,
      ...CLOSED,
      ...NEXT,
    ),
    ...{ stderr: "", code: 1 },
  },
  {
    title: "YAML settings that say so already are enough",
    call: "init --guards git --agents none",
    files: { "home/.kodelet/hooks.yaml": "guards:\n  git: true\n" },
    ...{
      stdout: lines("• Guards already on: git (~/.kodelet/hooks.yaml)", NO_AGENT, "Nothing to change."),
      stderr: "",
      code: 0,
    },
  },
  {
    title: "settings that are no JSON are told before anything is changed",
    call: "init --yes",
    files: { ...USED, "home/.kodelet/hooks.json": "{" },
    stdout: "",
    stderr: lines(
      "✖ DIR/home/.kodelet/hooks.json cannot be parsed: line 1: close brace expected (CONFIG_NOT_PARSED)",
      "  Settings are JSON or YAML.",
    ),
    code: 78,
  },
];

test.each(rows)("$title", async (row) => {
  expect(await runRow(row)).toEqual(expectedOutput(row));
});

/** The files of the home that are not hookctl's own cache and state. */
const settingsIn = async (place: Workspace): Promise<readonly (string | null)[]> =>
  Promise.all(
    [".kodelet/hooks.json", ".claude/settings.json", ".codex/hooks.json"].map((path) => place.read(`home/${path}`)),
  );

describe("a second call", () => {
  test("changes nothing and says so", async () => {
    await using place = await workspace();
    await mkdir(join(place.home, ".claude"));
    await runInProcess(place, "init --yes");
    const before = await settingsIn(place);
    expect(await runInProcess(place, "init --yes")).toEqual({
      stdout: lines(
        "• Guards already on: filesystem, git, secrets, self-protection (~/.kodelet/hooks.json)",
        "• Claude Code already connected (~/.claude/settings.json)",
        "Nothing to change.",
      ),
      ...{ stderr: "", code: 0 },
    });
    expect(await settingsIn(place)).toEqual(before);
  });

  test("adds what is missing, and keeps the settings of a guard", async () => {
    await using place = await workspace();
    const guards = { git: { allow: ["git push --force"] }, cloud: true, filesystem: false };
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards }));
    const { stdout } = await runInProcess(place, "init --yes --agents none");
    expect(stdout).toContain("• Guards already on: git (~/.kodelet/hooks.json)\n✔ Guards on: filesystem, secrets,");
    const settings = JSON.parse((await place.read("home/.kodelet/hooks.json")) ?? "{}");
    expect(settings.guards).toEqual({ ...guards, filesystem: true, secrets: true, "self-protection": true });
  });

  test("says that a guard only records", async () => {
    await using place = await workspace();
    await place.write(
      "home/.kodelet/hooks.json",
      JSON.stringify({ guards: { git: { observe: true }, secrets: true } }),
    );
    const { stdout } = await runInProcess(place, "init --guards git,secrets --agents none");
    expect(stdout).toContain("• Guards already on: git (observe: stops nothing), secrets (~/.kodelet/hooks.json)\n");
  });

  test("is undone by the commands that the first one shows", async () => {
    await using place = await workspace();
    const theirs = '{ "theme": "dark" }\n';
    await place.write("home/.claude/settings.json", theirs);
    const { stdout } = await runInProcess(place, "init --yes");
    const undos = [...stdout.matchAll(/undo: hookctl (.+)\n/g)].map(([, call = ""]) => call);
    expect(undos).toHaveLength(2);
    for (const undo of undos) expect(await runInProcess(place, undo)).toMatchObject({ stderr: "", code: 0 });
    expect(await place.read("home/.claude/settings.json")).toBe(theirs);
    expect((await runInProcess(place, "guards")).stdout).not.toMatch(/^on /m);
  });
});

test("what it turns on blocks, in the connected agent", async () => {
  await using place = await workspace();
  await mkdir(join(place.home, ".claude"));
  await runInProcess(place, "init --yes");
  const call = { session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", cwd: place.project };
  const stdin = JSON.stringify({ ...call, tool_input: { command: "git reset --hard HEAD~1" } });
  const answer = await runInProcess(place, "bridge claude --event PreToolUse", { stdin });
  expect(JSON.parse(answer.stdout).hookSpecificOutput.permissionDecision).toMatch(/^(deny|ask)$/);
  const settings = JSON.parse((await place.read("home/.claude/settings.json")) ?? "{}");
  expect(Object.keys(settings.hooks)).toEqual(expect.arrayContaining(["PreToolUse", "PostToolUse"]));
  expect(settings.hooks.PreToolUse[0].hooks[0].command).toContain("bridge claude --event PreToolUse");
});

describe("an agent is found", () => {
  test.each(AGENT_NAMES)("%s by its folder in the home and in the project, and by its program", async (agent) => {
    const { ownFolders, process } = KNOWN_AGENTS[agent];
    const found = async (place: Workspace, PATH = "/usr/bin:/bin") => {
      const { stdout } = await runInProcess(place, "init --dry-run --json", { env: { PATH } });
      return JSON.parse(stdout).agents.map((one: { readonly agent: string }) => one.agent);
    };
    await using place = await workspace();
    expect(await found(place)).toEqual([]);
    const program = await place.write(`bin/${process.programs[0]}`, "#!/bin/sh\ntouch ran\n", 0o755);
    expect(await found(place, `${join(place.dir, "bin")}:/usr/bin:/bin`)).toEqual([agent]);
    expect(await place.read("project/ran")).toBeNull();
    expect(program).toContain("bin/");
    await mkdir(join(place.project, ownFolders.project), { recursive: true });
    expect(await found(place)).toEqual([agent]);
    await using other = await workspace();
    await mkdir(join(other.home, ownFolders.user), { recursive: true });
    expect(await found(other)).toEqual([agent]);
  });

  test("by its own call, which may make things stricter", async () => {
    await using place = await workspace();
    const result = await runInProcess(place, "init --yes", { env: CLAUDE });
    expect(result).toEqual({ stdout: lines(...GUARDS_ON, ...CLAUDE_ON, ...CLOSED, ...NEXT), stderr: "", code: 0 });
  });
});

describe("an agent that cannot be connected", () => {
  test("leaves guards and other agents in place, and its problem ends the call", async () => {
    await using place = await workspace();
    await place.write("home/.claude/settings.json", "{ broken");
    const result = await runInProcess(place, "init --agents claude,gemini --guards git");
    expect(result.stdout).toContain("✖ Claude Code is not connected (~/.claude/settings.json)\n✔ Gemini CLI connected");
    expect(result).toMatchObject({ stderr: expect.stringContaining("(AGENT_SETTINGS_NOT_PARSED)"), code: 78 });
    expect(await place.read("home/.claude/settings.json")).toBe("{ broken");
    expect(await place.read("home/.gemini/settings.json")).toContain("bridge gemini");
  });

  test("alone is no reason to say that nothing is to change", async () => {
    await using place = await workspace();
    await place.write("home/.claude/settings.json", "{ broken");
    const result = await runInProcess(place, "init --agents claude --guards none");
    expect(result).toMatchObject({ stdout: "✖ Claude Code is not connected (~/.claude/settings.json)\n", code: 78 });
  });
});

test.skipIf(!canSwitchUser)(
  `settings that cannot be written are told, and no agent is connected${WHY_SKIPPED}`,
  async () => {
    await using place = await workspace();
    await mkdir(join(place.home, ".claude"));
    await mkdir(join(place.home, ".kodelet"));
    await giveToUser(place);
    await chmod(join(place.home, ".kodelet"), 0o555);
    const result = await runAsUser(place, ["init", "--yes"]);
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("(FILE_NOT_WRITTEN)"), code: 74 });
    expect(await place.read("home/.kodelet/hooks.json")).toBeNull();
    expect(await place.read("home/.claude/settings.json")).toBeNull();
  },
);

test("in the home directory it does the same", async () => {
  await using place = await workspace();
  const result = await runInProcess(place, "init --yes --agents claude", { host: { cwd: place.home } });
  expect(result).toEqual({ stdout: lines(...GUARDS_ON, ...CLAUDE_ON, ...CLOSED, ...NEXT), stderr: "", code: 0 });
});

test("nothing of the project is run or followed, and a project that cannot be read is no obstacle", async () => {
  await using place = await workspace();
  await place.hook("guard", 'touch "$HOME/ran"', { scope: "project" });
  await place.write("project/.kodelet/hooks.json", "{");
  await symlink(place.home, join(place.project, ".claude"));
  const result = await runInProcess(place, "init --yes");
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read("home/ran")).toBeNull();
  expect(await place.read("home/settings.json")).toBeNull();
});

test("a project that calls hookctl itself is named, because hooks would run twice", async () => {
  await using place = await workspace();
  await runInProcess(place, "install claude");
  const { stdout } = await runInProcess(place, "init --agents claude --guards git");
  expect(stdout).toContain(
    "  ▲ .claude/settings.json calls hookctl too: each hook runs twice. Undo that: hookctl uninstall claude --scope project\n",
  );
});

test("a program gets the same as JSON", async () => {
  await using place = await workspace();
  const first = JSON.parse((await runInProcess(place, "init --json --agents claude --guards git")).stdout);
  expect(first).toMatchObject({
    schema: "hookctl.init/2",
    dry_run: false,
    guards: { file: "~/.kodelet/hooks.json", names: ["git"], turned_on: ["git"] },
    agents: [{ agent: "claude", file: "~/.claude/settings.json", state: "connected" }],
  });
  const second = JSON.parse((await runInProcess(place, "init --json --agents claude --guards git")).stdout);
  expect(second).toMatchObject({ guards: { turned_on: [] }, agents: [{ state: "unchanged", notes: [] }] });
});

test("a hookctl that belongs to one project is known by the package beside node_modules", async () => {
  await using place = await workspace();
  const program = await place.write("project/node_modules/hookctl/bin/hookctl.js", "");
  expect(ownerOfProgram(program)).toBeNull();
  await place.write("project/package.json", "{}");
  expect(ownerOfProgram(program)).toBe(place.project);
  expect(ownerOfProgram(await place.write("lib/hookctl/bin/hookctl.js", ""))).toBeNull();
});

test.each([
  ["init claude codex --json --scope project", "claude,codex", 0],
  ["init claude nobody --json --scope project", "claude", 64],
])("%s prints one JSON document", async (line, connected, code) => {
  await using place = await workspace();
  const result = await runInProcess(place, line);
  expect(result.code).toBe(code);
  const { schema, agents } = JSON.parse(result.stdout);
  expect([schema, agents.map(({ agent }: { agent: string }) => agent).join()]).toEqual([
    "hookctl.install/2",
    connected,
  ]);
});

test.each(["init --guards git", "init claude", "init --agents claude", "init codex --json"])(
  "%s: without a terminal nothing is turned on that the line leaves open, and the line that does it is named",
  async (line) => {
    await using place = await workspace();
    const result = await runInProcess(place, line, { env: { HOME: place.home } });
    expect(result).toMatchObject({ code: 64 });
    expect(result.stdout + result.stderr).toContain("Nothing was changed: init asks first, but there is no terminal.");
    expect(result.stdout + result.stderr).toContain(`hookctl ${line} --yes`);
    expect(await place.read("home/.kodelet/hooks.json")).toBeNull();
    expect(await place.read("home/.claude/settings.json")).toBeNull();
  },
);
