import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { EVENT_NAMES } from "../../../../src/protocol/event.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { createRegistrations, parseRegistration } from "../../install/create-registrations.ts";
import { isHookctlCommand } from "../../install/find-registrations.ts";
import { eventsToRegister } from "../../install/hook-requirements.ts";
import { runWithout, testAllowing } from "./missing-program.ts";

const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, SHELL: "/bin/sh" };
const FILE = "project/.claude/settings.json";
const eventsIn = async (place: Workspace): Promise<readonly string[]> =>
  Object.keys(JSON.parse((await place.read(FILE)) ?? "{}").hooks ?? {});

describe("install registers the events that hooks handle", () => {
  test.each([
    ["no hook: those that most guards handle", [], ["PreToolUse", "UserPromptSubmit", "SessionStart", "ConfigChange"]],
    ["one guard", [["guard", "before_tool_call"]], ["PreToolUse", "SessionStart", "ConfigChange"]],
    [
      "two hooks",
      [
        ["guard", "before_tool_call"],
        ["stop", "agent_stop"],
      ],
      ["PreToolUse", "Stop", "SessionStart", "ConfigChange"],
    ],
    [
      "an event that two of the agent's raise",
      [["see", "after_tool_call"]],
      ["PostToolUse", "PostToolUseFailure", "SessionStart", "ConfigChange"],
    ],
  ] as const)("%s", async (_, hooks, events) => {
    await using place = await workspace();
    for (const [name, says] of hooks) await place.hook(name, "true", { says });
    expect(await runInProcess(place, "install claude")).toMatchObject({ stderr: "", code: 0 });
    expect([...(await eventsIn(place))].sort()).toEqual([...events].sort());
  });

  test("a hook that was added since is registered by the next install, and nothing is dropped", async () => {
    await using place = await workspace();
    await place.hook("guard", "true");
    await runInProcess(place, "install claude --events Notification");
    await place.hook("stop", "true", { says: "agent_stop" });
    await runInProcess(place, "install claude");
    expect([...(await eventsIn(place))].sort()).toEqual([
      "ConfigChange",
      "Notification",
      "PreToolUse",
      "SessionStart",
      "Stop",
    ]);
  });

  test("all of them on request", async () => {
    await using place = await workspace();
    await runInProcess(place, "install claude --events all");
    expect(await eventsIn(place)).toHaveLength(15);
  });

  test("what a hook of the project that waits for approval would handle is read from its text, and it is not started", async () => {
    await using place = await workspace();
    await place.hook("theirs", `touch ${place.dir}/ran # agent_stop`, { scope: "project" });
    await runInProcess(place, "install claude");
    expect(await eventsIn(place)).toContain("Stop");
    expect(await place.read("ran")).toBeNull();
  });
});

test.each(AGENT_NAMES)(
  "%s: every event that it raises can be registered for a hook of it, whatever the event",
  (name) => {
    const raised = Object.values(AGENTS[name].events).flatMap(({ raises }) => raises.map(({ event }) => event));
    for (const event of EVENT_NAMES) {
      const registered = eventsToRegister(AGENTS[name], { events: [event] });
      const covered = registered.flatMap((own) => AGENTS[name].events[own]?.raises.map((one) => one.event) ?? []);
      expect(covered.includes(event)).toBe(raised.includes(event));
    }
  },
);

describe("where a fail-closed guard exists, the lines are fail-closed", () => {
  const closed = { says: '{"event":"before_tool_call","fail_open":false}' };

  test.each([
    ["a guard of the user", async (place: Workspace) => void (await place.hook("guard", "true", closed))],
    [
      "an approved guard of the project",
      async (place: Workspace) => {
        await place.hook("guard", "true", { ...closed, scope: "project" });
        await runInProcess(place, "trust --yes");
      },
    ],
    [
      "a guard that the user requires and that is nowhere",
      async (place: Workspace) =>
        void (await place.write("home/.kodelet/hooks.json", '{"overrides":{"guard":{"required":true}}}')),
    ],
  ])("%s", async (_, arrange) => {
    await using place = await workspace();
    await arrange(place);
    const result = await runInProcess(place, "install claude");
    expect(result.stdout).toContain("The registration is fail-closed, because a hook is");
    expect(await place.read(FILE)).toContain(" --fail-closed --proof)");
  });

  test("a guard of the project that nobody approved closes nothing", async () => {
    await using place = await workspace();
    await place.hook("guard", "true", { ...closed, scope: "project" });
    await runInProcess(place, "install claude");
    expect(await place.read(FILE)).not.toContain(" --fail-closed");
  });

  test("--fail-open is a person's choice, which the line remembers until --fail-closed", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.hook("guard", "true", closed);
    const result = await runInProcess(place, "install claude --fail-open");
    expect(result.stdout).toContain("A hook is fail-closed, but the registration is fail-open");
    for (const line of ["install claude", "install claude --events Stop"]) {
      await runInProcess(place, line);
      expect(await place.read(FILE)).not.toContain(" --fail-closed");
    }
    await runInProcess(place, "install claude --fail-closed");
    await runInProcess(place, "install claude");
    expect(await place.read(FILE)).toContain(" --fail-closed --proof)");
    expect(await place.read(FILE)).not.toContain(" --fail-open");
    expect(await runInProcess(place, "install claude --fail-open --fail-closed")).toMatchObject({
      stdout: "",
      code: 64,
    });
  });
});

testAllowing(["claude", "pi"]);

const STYLES = [
  ["user", true],
  ["user", false],
  ["project", true],
  ["project", false],
] as const;

describe.each(AGENT_NAMES)("%s: a registered command is found by its words, whatever the program is called", (name) => {
  const others = AGENT_NAMES.filter((other) => other !== name);

  test.each([
    ...["hookctl", '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/hookctl', '"/a b/hookctl.js"'],
    ...['"/home/x/.kodelet/hookctl"', '"/a b/\\"\\$x\\`/hookctl"'],
  ])("%s", (program) => {
    const agent = AGENTS[name];
    for (const [scope, failClosed] of STYLES) {
      const at = { agent, scope, shown: "it's settings" };
      for (const line of createRegistrations(at, program, { events: Object.keys(agent.events), failClosed })) {
        expect(parseRegistration(line, at)?.program).toBe(program);
        expect(isHookctlCommand(line.command, name)).toBe(true);
        expect(isHookctlCommand(`time ${line.command} 2>/dev/null`, name)).toBe(true);
        expect(others.filter((other) => isHookctlCommand(line.command, other))).toEqual([]);
      }
    }
  });
});

test.each([
  '"/opt/hk" bridge claude',
  '"/opt/hk" bridge claude --event PreToolUse',
  '"/opt/hk" bridge claude --event PreToolUse --port 1',
  "hk bridge claude --event PreToolUse",
])("the command of another program is not hookctl's: %s", (command) => {
  expect(isHookctlCommand(command, "claude")).toBe(false);
});

describe.each(AGENT_NAMES)(
  "%s: a line of a file that is committed, where hookctl is not installed",
  { tags: "slow" },
  (name) => {
    const agent = AGENTS[name];
    const { event } = agent.sampleShellCall;
    const at = { agent, scope: "project", shown: "settings.json" } as const;
    test("blocks with words that name the file to edit, where the lines are fail-closed", async () => {
      for (const { command } of createRegistrations(at, "hookctl", { events: [event], failClosed: true })) {
        const { stdout, code } = await runWithout(command);
        expect(code).toBe(0);
        expect(stdout).toContain("remove the entries of hookctl from settings.json");
        expect(Object.keys(JSON.parse(stdout))).toEqual(Object.keys(agent.events[event]?.answers.deny?.("no") ?? {}));
      }
    });

    test("is known as one that install writes, in each style", () => {
      for (const program of ["hookctl", '"/a b/hookctl.js"']) {
        for (const [scope, failClosed] of STYLES) {
          for (const isOpenByChoice of [true, false]) {
            if (failClosed && isOpenByChoice) continue;
            const place = { ...at, scope };
            const style = { events: Object.keys(agent.events), failClosed, isOpenByChoice };
            for (const line of createRegistrations(place, program, style)) {
              expect(parseRegistration(line, place)?.program).toBe(program);
              expect(parseRegistration({ ...line, command: `${line.command}; touch x` }, place)).toBeNull();
              expect(parseRegistration({ ...line, command: `touch x; ${line.command}` }, place)).toBeNull();
            }
          }
        }
      }
    });
  },
);

test("install says what happens to colleagues, and names a place that is this machine's own", async () => {
  await using place = await workspace();
  const result = await runInProcess(place, "install claude");
  expect(result.stdout).toContain("If you commit .claude/settings.json: for colleagues without hookctl no hook runs");
  expect(result.stdout).toContain("It uses the path of hookctl on this machine: ");
  const own = await runInProcess(place, "install claude --scope user");
  expect(own.stdout).not.toContain("colleagues");
  expect(await place.read("home/.claude/settings.json")).not.toContain("command -v");
});

test.each([
  ["cursor", "Not yet tried with a real Cursor: the registration follows its documentation."],
  ["claude", "Tested with Claude Code 2.1."],
  ["pi", "load a project's extension only after you trusted the folder (/trust), or with --approve"],
])("install %s says what is known of it: %s", async (agent, words) => {
  await using place = await workspace();
  expect((await runInProcess(place, `install ${agent}`)).stdout).toContain(words);
});

describe("codex's login shell", () => {
  test("that does not find node starts it by the launcher, which names it", { tags: "slow" }, async () => {
    await using place = await workspace();
    await mkdir(join(place.dir, "bin"));
    for (const tool of ["sh", "env", "printf", "cat", "touch"])
      await symlink(`/usr/bin/${tool}`, `${place.dir}/bin/${tool}`);
    await place.write("home/.profile", `export PATH=${place.dir}/bin\n`);
    await runInProcess(place, "install codex", { env });
    expect(await place.read("project/.codex/hooks.json")).toContain('/home/.kodelet/hookctl\\" bridge');
    const { stdout } = await runInProcess(place, "doctor codex", { env });
    expect(stdout).toContain("✔ codex bridge: a test PreToolUse was blocked and allowed as expected\n");
  });
});

test.each(["install claude --scope project", "doctor claude", "init --yes --agents claude"])(
  "%s does not start the hookctl that a project brings, though its settings name it",
  async (call) => {
    await using place = await workspace();
    const at = { agent: AGENTS.claude, scope: "project", shown: ".claude/settings.json" } as const;
    const program = '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/hookctl';
    const [line] = createRegistrations(at, program, { events: ["PreToolUse"], failClosed: false });
    const handler = { type: "command", command: line?.command, timeout: 3600 };
    await place.write(FILE, JSON.stringify({ hooks: { PreToolUse: [{ hooks: [handler] }] } }));
    await place.write("project/node_modules/.bin/hookctl", `#!/bin/sh\ntouch ${place.dir}/ran\n`, 0o755);
    await runInProcess(place, call, { env });
    expect(await place.read("ran")).toBeNull();
  },
);
