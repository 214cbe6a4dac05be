import { spawnSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { type Fixture, lines, type Row, runInProcess, runRow } from "../../../../test/support/in-process.ts";
import { HOOKCTL, mainScript, runProgram, type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { createRegistrations } from "../../install/create-registrations.ts";
import { testAgentTrust } from "./agent-trust.ts";
import { env, testInstalledLines } from "./installed-lines.ts";

const NODE = `✔ node ${process.versions.node}`;
const OURS = [
  `${NODE}     ✔ settings valid     ✔ no hooks yet`,
  "✔ trust store usable     ✔ audit log writable     ✔ compile cache works",
];
const NOBODY = ["✖ agents: no agent is connected, so no hook runs", "  Connect the agents that you use: hookctl init"];

interface Finding extends Pick<Row, "title">, Fixture {
  readonly call?: string;
  readonly env?: Row["env"];
  readonly says: readonly string[];
  readonly code: number;
}

const untrusted = { hooks: [["theirs", "touch ran", { scope: "project" }]] } as const;
const ownCases: readonly Finding[] = [
  { title: "a fresh machine is fine, but no agent calls hookctl", says: [...OURS, ...NOBODY], code: 0 },
  {
    title: "a hook of the user answers",
    hooks: [["mine", "true"]],
    says: ["✔ 1 hook found"],
    code: 0,
  },
  {
    title: "what waits for approval is named with the command that lifts it, and is not started",
    ...untrusted,
    says: [
      "▲ hooks: 0 hooks found\n  List them: hookctl list --all\n",
      "▲ hook: theirs is not approved, so it was not started\n  Read it, then: hookctl trust theirs",
    ],
    code: 0,
  },
  {
    title: "a hook that does not say what it is has failed",
    hooks: [["mute", "true", { says: "nonsense" }]],
    says: ["✖ hook: mute "],
    code: 1,
  },
  {
    title: "settings that are not valid have failed",
    files: { "home/.kodelet/hooks.json": { nonsense: 1 } },
    says: ["✖ settings: "],
    code: 1,
  },
  {
    title: "a store that cannot be read has failed",
    files: { "home/.local/state/hookctl/trust.json": "{nonsense" },
    says: ["✖ trust store: DIR/home/.local/state/hookctl/trust.json cannot be used: it is not JSON"],
    code: 1,
  },
  {
    title: "a file where the record's folder would be is named",
    files: { "home/.local/state": "in the way" },
    says: [
      "✖ record: DIR/home/.local/state/hookctl/audit.jsonl cannot be written: DIR/home/.local/state is not a folder",
    ],
    code: 1,
  },
  {
    title: "a folder in place of the log is named",
    files: { "home/.local/state/hookctl/audit.jsonl/x": "in the way" },
    says: ["✖ record: DIR/home/.local/state/hookctl/audit.jsonl cannot be written: it is not a regular file"],
    code: 1,
  },
  {
    title: "a folder in place of the recorded payloads is named",
    files: {
      "home/.kodelet/hooks.json": { settings: { record: "payloads" } },
      "home/.local/state/hookctl/payloads.jsonl/x": "in the way",
    },
    says: ["✖ record: DIR/home/.local/state/hookctl/payloads.jsonl cannot be written: it is not a regular file"],
    code: 1,
  },
  {
    title: "a record that is switched off is told",
    files: { "home/.kodelet/hooks.json": { settings: { record: "off" } } },
    says: ["▲ record: disabled in your settings"],
    code: 0,
  },
  {
    title: "without a HOME nothing can be approved",
    env: { HOME: undefined },
    says: ["✖ trust store: there is none: HOME is not an existing absolute folder"],
    code: 1,
  },
  {
    title: "hooks that are switched off are told",
    call: "doctor --no-hooks",
    says: ["▲ hooks: all hooks are disabled"],
    code: 0,
  },
  {
    title: "a variable that has no effect in an agent's call is told",
    env: { HOOKCTL_NO_HOOKS: "1" },
    says: ["▲ environment: HOOKCTL_NO_HOOKS has no effect when an agent calls hookctl", "✔ no hooks yet"],
    code: 0,
  },
  {
    title: "an agent that was named and does not ask has failed",
    call: "doctor claude",
    says: ["✖ claude entry: hookctl is not installed in this agent\n  hookctl init claude --scope project\n"],
    code: 1,
  },
];

test.each(ownCases)("$title", async ({ says, code, call = "doctor", ...rest }) => {
  const result = await runRow({ stdout: "", stderr: "", code, call, ...rest, env: { ...env, ...rest.env } });
  // No agent is connected here.
  expect(result).toEqual({ stdout: expect.any(String), stderr: "", code: 1 });
  expect(/^✖ (?!agents:)/m.test(result.stdout)).toBe(code === 1);
  for (const text of says) expect(result.stdout).toContain(text);
});

test("the whole of it, for a person and for a program", async () => {
  await using place = await workspace();
  const stdout = lines(...OURS, ...NOBODY);
  expect(await runInProcess(place, "doctor", { env })).toEqual({ stdout, stderr: "", code: 1 });
  const result = await runInProcess(place, "doctor --json", { env });
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(JSON.parse(result.stdout)).toEqual({
    schema: "hookctl.doctor/1",
    checks: [
      { name: "node", status: "ok", detail: NODE.slice(2), hint: null },
      { name: "settings", status: "ok", detail: "settings valid", hint: null },
      { name: "hooks", status: "ok", detail: "no hooks yet", hint: null },
      { name: "trust", status: "ok", detail: "trust store usable", hint: null },
      { name: "record", status: "ok", detail: "audit log writable", hint: null },
      { name: "speed", status: "ok", detail: "compile cache works", hint: null },
      { name: "agents", status: "fail", detail: NOBODY[0]?.slice(10), hint: NOBODY[1]?.trim() },
    ],
  });
});

test("colours take no room", async () => {
  await using place = await workspace();
  const plain = await runInProcess(place, "doctor", { env });
  const colourful = await runInProcess(place, "doctor --color always", { env });
  expect(colourful.stdout).not.toBe(plain.stdout);
  expect(stripVTControlCharacters(colourful.stdout)).toBe(plain.stdout);
});

test("a hook that changed since it was approved has failed", async () => {
  await using place = await workspace();
  const file = await place.hook("guard", "true", { scope: "project" });
  await runInProcess(place, "trust --yes", { env });
  await place.write(file, `${await place.read(file)}\n# more\n`, 0o755);
  const result = await runInProcess(place, "doctor", { env });
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain("✖ hook: guard changed since you approved it, so it was not started\n");
  expect(result.stdout).toContain("hookctl trust guard\n");
});

testInstalledLines(["claude", "codex"]);

/** Claude Code's settings with this one line before a tool call. */
const claudeLine = (command: string) => ({
  hooks: { PreToolUse: [{ hooks: [{ type: "command", command, timeout: 60 }] }] },
});
const settled = ".claude/settings.json";
/** The line that `install` writes for this program. */
const lineOf = (program: string): string => {
  const at = { agent: AGENTS.claude, scope: "project", shown: settled } as const;
  const [line] = createRegistrations(at, program, { events: ["PreToolUse"], failClosed: false });
  return line?.command ?? "";
};

async function doctored(place: Workspace, command: string, more: Row["env"] = {}) {
  await place.write(`project/${settled}`, JSON.stringify(claudeLine(command)));
  const result = await runInProcess(place, "doctor claude", { env: { ...env, ...more } });
  expect(result.stderr).toBe("");
  return result;
}

test("a program that is not there has failed, with what the agent then does", async () => {
  await using place = await workspace();
  const result = await doctored(place, lineOf("hookctl"));
  expect(result.code).toBe(1);
  expect(result.stdout).toContain(
    "✖ claude program: /bin/sh -c does not find hookctl: the registration then allows every call, and says what to install\n" +
      "  Reinstall: hookctl init claude --scope project\n",
  );
});

describe("the launcher", () => {
  const LAUNCHER = "home/.kodelet/hookctl";
  const BLOCKS = ": the registration then blocks every call\n  Reinstall: hookctl init claude --scope user\n";

  /** What `doctor` says of the registered program, and what is the launcher's text after another install. */
  async function edited(change: (text: string) => string) {
    await using place = await workspace();
    const written = await installed(place);
    await place.write(LAUNCHER, change(written), 0o755);
    const { stdout } = await runInProcess(place, "doctor claude", { env });
    const said = /✖ claude program: .*\n.*\n/.exec(stdout)?.[0].replaceAll(place.dir, "DIR");
    expect(await installed(place)).toBe(written);
    return said;
  }

  async function installed(place: Workspace): Promise<string> {
    await runInProcess(place, "install claude --scope user --fail-closed", { env });
    return (await place.read(LAUNCHER)) ?? "";
  }

  test("that starts a program that is gone, such as the executable of an earlier version, is red and repaired", async () => {
    const gone = "/opt/node_modules/@hookctl/linux-x64/hookctl";
    const said = await edited((text) =>
      // Without the line for a package that is gone, which names the program as well and which only a shell script has.
      text
        .replace(/^#!.*$/m, "#!/bin/sh")
        .replace(/^\(: <.*\n/m, "")
        .replace(/^exec .*$/m, `exec '${gone}' "$@"`),
    );
    expect(said).toBe(`✖ claude program: DIR/${LAUNCHER} starts ${gone}, which does not exist${BLOCKS}`);
  });

  test.each([
    ["install did not write", () => "#!/bin/sh\nexit 0\n"],
    ["another program interprets", (text: string) => text.replace(/^#!.*$/m, "#!/tmp/other")],
  ])("that %s is red and repaired", async (_, change) => {
    const said = await edited(change);
    expect(said).toBe(`✖ claude program: DIR/${LAUNCHER} is not what hookctl init wrote${BLOCKS}`);
  });
});

test.each([
  ["does something else first", (dir: string) => `touch ${dir}/ran; ${lineOf("hookctl")}`],
  ["does something else afterwards", (dir: string) => `${lineOf("hookctl")} || touch ${dir}/ran`],
  ["names its program in a substitution", (dir: string) => lineOf(`"$(touch ${dir}/ran)hookctl"`)],
])("a line that %s is not tested: anybody may have written it", async (_, line) => {
  await using place = await workspace();
  const result = await doctored(place, line(place.dir));
  expect(result.code).toBe(0);
  expect(result.stdout).toContain(
    "▲ claude program: the registered command was not written by hookctl init, so it was not tested\n",
  );
  expect(await place.read("ran")).toBeNull();
});

test.each([
  ["through the project", `"$CLAUDE_PROJECT_DIR"/node_modules/.bin/hookctl`, {}],
  ["by its place", `"DIR/project/node_modules/.bin/hookctl"`, {}],
  ["by a PATH that leads into the project", "hookctl", { PATH: `DIR/project/node_modules/.bin:${env.PATH}` }],
])("a hookctl that the project brings is not started, called %s", async (_, program, more) => {
  await using place = await workspace();
  await place.write("project/node_modules/.bin/hookctl", `#!/bin/sh\ntouch ${place.dir}/ran\n`, 0o755);
  const result = await doctored(place, lineOf(program.replace("DIR", place.dir)), more);
  expect(result.stdout).toMatch(/(▲|✖) claude program: /);
  expect(result.stdout).not.toContain("claude bridge");
  expect(await place.read("ran")).toBeNull();
});

test("the project's own installation is tried when it is this very one", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.write("project/node_modules/.bin/other", "");
  await symlink(mainScript, `${place.project}/node_modules/.bin/hookctl`);
  await runInProcess(place, "install claude", { env });
  expect(await place.read(`project/${settled}`)).toContain(
    '\\"$CLAUDE_PROJECT_DIR\\"/node_modules/.bin/hookctl bridge',
  );
  const result = await runInProcess(place, "doctor claude", { env });
  expect(result).toMatchObject({ stdout: expect.stringContaining("✔ claude bridge: "), stderr: "", code: 0 });
});

test.each([
  ["prints nothing", "cat >/dev/null", "was not blocked: it exited with code 0\n"],
  [
    "prints a word before its answer",
    'echo log; cat >/dev/null; echo "{}"',
    "was not blocked: it exited with code 0, log\n",
  ],
  ["fails", "echo no >&2; exit 3", "was not blocked: it exited with code 3, no\n"],
])("another hookctl on the PATH that %s has failed", async (_, body, words) => {
  await using place = await workspace();
  await place.write("bin/hookctl", `#!/bin/sh\n${body}\n`, 0o755);
  const result = await doctored(place, lineOf("hookctl"), { PATH: `DIR/bin:${env.PATH}` });
  expect(result.code).toBe(1);
  expect(result.stdout).toContain(`✖ claude bridge: a test PreToolUse ${words}`);
});

test.each([
  ["prints something", "echo welcome", "prints text before the response, which makes it unreadable: welcome\n"],
  ["ends", "exit 0", "exits before it looks for "],
])("a login shell whose profile %s spoils every answer", { tags: "slow" }, async (_, profile, words) => {
  await using place = await workspace();
  await runInProcess(place, "install codex", { env });
  await place.write("home/.profile", `${profile}\n`);
  const result = await runInProcess(place, "doctor codex", { env });
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain(`✖ codex program: /bin/sh -lc ${words}`);
});

test("lines that were written elsewhere, or switched off, are told", { tags: "slow" }, async () => {
  await using place = await workspace();
  await runInProcess(place, "install claude --events PreToolUse,Stop", { env });
  const text = (await place.read(`project/${settled}`)) ?? "";
  await place.write(`project/${settled}`, text.replace('"timeout": 3600', '"timeout": 1'));
  const differs = await runInProcess(place, "doctor claude", { env });
  // It was sealed with the longer timeout.
  expect(differs).toMatchObject({ stderr: "", code: 1 });
  expect(differs.stdout).toContain(
    `▲ claude entry: ${settled} differs from what install would write on this machine\n  Reinstall: hookctl init claude --scope project\n`,
  );
  await place.write(`project/${settled}`, text.replace("{", '{ "disableAllHooks": true,'));
  const off = await runInProcess(place, "doctor claude", { env });
  expect(off).toMatchObject({
    stdout: expect.stringContaining(
      `✖ claude switch: disableAllHooks in DIR/project/${settled} stops Claude Code from running hooks\n`,
    ),
    code: 1,
  });
});

test.each([
  [
    "claude",
    settled,
    '{ "hooks": { "PreToolUse": [ { "hooks": [ { "command": "hookctl bridge claude --event PreToolUse" } ] } ] ',
  ],
  ["codex", ".codex/hooks.json", "hookctl bridge codex --event PreToolUse"],
  // Nothing there asks hookctl, and `install` would be refused.
  ["gemini", ".gemini/settings.json", "{bad"],
])("settings of %s that do not parse have failed, with the place", async (agent, file, text) => {
  await using place = await workspace();
  await place.write(`project/${file}`, text);
  const result = await runInProcess(place, `doctor ${agent}`, { env });
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain(`✖ ${agent} entry: ${file} cannot be read: line 1: `);
});

test("a line that a matcher narrows is told: other tools are not guarded", { tags: "slow" }, async () => {
  await using place = await workspace();
  await runInProcess(place, "install claude", { env });
  const text = ((await place.read(`project/${settled}`)) ?? "").replace(
    '{\n        "hooks"',
    '{ "matcher": "Bash", "hooks"',
  );
  await place.write(`project/${settled}`, text);
  const result = await runInProcess(place, "doctor claude", { env });
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain(`▲ claude entry: ${settled} registers PreToolUse only where its matcher fits\n`);
});

test("an event that nothing answers is told", async () => {
  await using place = await workspace();
  const command = "hookctl bridge claude --event Setup";
  await place.write(
    `project/${settled}`,
    JSON.stringify({ hooks: { Setup: [{ hooks: [{ type: "command", command }] }] } }),
  );
  const result = await runInProcess(place, "doctor claude", { env });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain(
    `▲ claude entry: ${settled} registers Setup, which hookctl does not handle for Claude Code\n`,
  );
  expect(result.stdout).toContain(
    "▲ claude program: the registered command was not written by hookctl init, so it was not tested\n",
  );
});

test("two scopes that ask at the same events act twice", { tags: "slow" }, async () => {
  await using place = await workspace();
  await runInProcess(place, "install claude", { env });
  await runInProcess(place, "install claude --scope user", { env });
  const result = await runInProcess(place, "doctor", { env });
  expect(result.stdout).toContain(
    `▲ claude twice: ${settled} and ~/${settled} both call hookctl: hooks run twice\n  Keep one: hookctl uninstall claude --scope user\n`,
  );
});

test("any two scopes are compared, not only the first two", { tags: "slow" }, async () => {
  await using place = await workspace();
  const command = "hookctl bridge claude --event Stop --deadline 58s";
  await place.write(
    `project/${settled}`,
    JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } }),
  );
  await runInProcess(place, "install claude --scope user", { env });
  await runInProcess(place, "install claude --scope local", { env });
  const result = await runInProcess(place, "doctor", { env });
  expect(result.stdout.match(/^▲ claude twice: .*$/gm)).toEqual([
    `▲ claude twice: ~/${settled} and .claude/settings.local.json both call hookctl: hooks run twice`,
  ]);
});

test("an agent that also reads Claude Code's settings can run hooks twice", { tags: "slow" }, async () => {
  await using place = await workspace();
  await runInProcess(place, "install claude", { env });
  await runInProcess(place, "install copilot", { env });
  const result = await runInProcess(place, "doctor copilot", { env });
  expect(result.stdout).toContain(
    "▲ copilot twice: it also reads .claude/settings.json, so hooks can run twice for a call\n",
  );
  await runInProcess(place, "uninstall claude", { env });
  // Copilot does not read the user's settings of Claude Code.
  await runInProcess(place, "install claude --scope user", { env });
  expect((await runInProcess(place, "doctor copilot", { env })).stdout).not.toContain("copilot twice");
});

testAgentTrust(["pi", "copilot"]);

test.each([
  ["doctor clade", 'doctor: unknown agent "clade"', {}, 64],
  ["doctor claude clade", 'doctor: unknown agent "clade"', {}, 64],
  ["doctor -C nowhere", "PROJECT_MISSING", {}, 64],
  ["doctor", "RECURSION", { HOOKCTL_DEPTH: "3" }, 75],
] as const)("%s: %s", async (call, words, more, code) => {
  await using place = await workspace();
  const result = await runInProcess(place, call, { env: { ...env, ...more } });
  expect(result).toEqual({ stdout: "", stderr: expect.stringContaining(words), code });
});

const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

test.skipIf(!canMount)("a full disk takes no approval and no record (needs to mount)", async () => {
  await using place = await workspace();
  await mkdir(join(place.home, ".local"));
  const full = join(place.home, ".local");
  const script = 'mount -t tmpfs -o size=64k,mode=755 none "$0" && ! cat /dev/zero 2>&1 >"$0/fill" && exec "$@"';
  const words = ["unshare", "-m", "sh", "-c", script, full, ...HOOKCTL, "doctor"];
  const { stdout, code } = await runProgram(words, { cwd: place.project, env: place.env });
  expect(stdout).toMatch(/^✖ trust store: .* cannot be written: ENOSPC$/m);
  expect(stdout).toMatch(/^✖ record: .* cannot be written: ENOSPC$/m);
  expect(code).toBe(1);
});

test("doctor takes several agents, and names what none of them can send only with -v", async () => {
  await using place = await workspace();
  await runInProcess(place, "init --yes --agents claude,codex --guards git", { env });
  const { stdout } = await runInProcess(place, "doctor claude gemini", { env });
  expect(stdout).toContain("claude events: ");
  expect(stdout).toContain("✖ gemini entry: ");
  expect(stdout).not.toContain("codex");
  expect(stdout).not.toContain("no hook can handle");
  expect(stdout).toMatch(/agent settings unchanged since \d\d:\d\d today/);
  expect((await runInProcess(place, "doctor claude -v", { env })).stdout).toContain(
    "• claude events: no hook can handle",
  );
});
