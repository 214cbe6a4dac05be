import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { NATIVE } from "../../packages/agents/test/payloads.ts";
import { runInProcess } from "../support/in-process.ts";
import { pidIn } from "../support/pid.ts";
import { printResponse } from "../support/shell.ts";
import {
  HOOKCTL,
  HOOKCTL_PROGRAM,
  HOOKCTL_WORDS,
  runProgram,
  type Workspace,
  workspace,
} from "../support/workspace.ts";
import { CALL, CLOSED, DENY, LINE, testFewDescriptors } from "./few-descriptors.ts";

/** What hookctl can be in trouble with; each makes it and says what is different about the call. */
const troubles: {
  readonly title: string;
  readonly make?: (place: Workspace) => Promise<unknown>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly directory?: string;
  readonly says: string;
}[] = [
  { title: "a payload that is no JSON", stdin: "{", says: "payload" },
  { title: "an empty payload", stdin: "", says: "payload" },
  { title: "a payload without the event's fields", stdin: '{"hook_event_name":"PreToolUse"}', says: "tool_name" },
  {
    title: "settings that are cut short",
    make: (place) => place.write("home/.kodelet/hooks.json", '{"over'),
    says: "hooks.json",
  },
  {
    title: "settings that are no settings",
    make: (place) => place.write("home/.kodelet/hooks.json", "[]"),
    says: "hooks.json",
  },
  {
    title: "settings that were emptied",
    make: (place) => place.write("home/.kodelet/hooks.json", ""),
    says: "hooks.json",
  },
  { title: "no HOME", env: { HOME: undefined }, says: "HOME" },
  { title: "an empty HOME", env: { HOME: "" }, says: "HOME" },
  { title: "a relative HOME", env: { HOME: "home" }, says: "HOME" },
  { title: "a HOME that is not there", env: { HOME: "/no/such/home" }, says: "HOME" },
  { title: "a HOME through /proc", env: { HOME: "/proc/self/cwd" }, says: "HOME" },
  {
    title: "a store that is no store",
    make: (place) => place.write("home/.local/state/hookctl/trust.json", "{", 0o600),
    says: "trust.json",
  },
  {
    title: "a store that others may write to",
    make: (place) => place.write("home/.local/state/hookctl/trust.json", "{}", 0o666),
    says: "trust.json",
  },
  { title: "a store named in the project", env: { HOOKCTL_TRUST_STORE: "DIR/project/t.json" }, says: "t.json" },
  { title: "state in the project", env: { XDG_STATE_HOME: "DIR/project/s" }, says: "XDG_STATE_HOME" },
  { title: "settings in the project", env: { XDG_CONFIG_HOME: "DIR/project/s" }, says: "XDG_CONFIG_HOME" },
  { title: "a project that is not there", directory: "DIR/nowhere", says: "nowhere" },
];

describe("--fail-closed blocks in every trouble:", () => {
  test.each(troubles)("$title", async ({ make, env, stdin = CALL, directory, says }) => {
    await using place = await workspace();
    await make?.(place);
    const at = directory === undefined ? [] : ["-C", directory.replace("DIR", place.dir)];
    const result = await runInProcess(place, [...CLOSED, ...at].join(" "), { stdin, env: { ...env } });
    expect(result.code).toBe(0);
    expect(result.stdout).toContain(DENY);
    expect(result.stdout).toContain(says);
    expect(result.stderr).toContain(says);
    // The control: without it the call goes on, and so it does without the trouble.
    expect((await runInProcess(place, [...LINE, ...at].join(" "), { stdin, env: { ...env } })).stdout).not.toContain(
      DENY,
    );
  });

  test("nothing else is blocked", async () => {
    await using place = await workspace();
    expect(await runInProcess(place, CLOSED.join(" "), { stdin: CALL })).toEqual({ stdout: "", stderr: "", code: 0 });
  });

  test("settings of a project that cannot be used have no effect, not even this one", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks.json", '{"over');
    expect((await runInProcess(place, CLOSED.join(" "), { stdin: CALL })).stdout).not.toContain(DENY);
  });

  test("a working folder that is gone", async () => {
    await using place = await workspace();
    const gone = { cwd: "/(deleted working directory)" };
    expect((await runInProcess(place, CLOSED.join(" "), { stdin: CALL, host: gone })).stdout).toContain(DENY);
    expect((await runInProcess(place, LINE.join(" "), { stdin: CALL, host: gone })).stdout).not.toContain(DENY);
  });

  test("a fault of our own", async () => {
    await using place = await workspace();
    const host = { readStdin: () => Promise.reject(new RangeError("odd")) };
    const result = await runInProcess(place, CLOSED.join(" "), { host });
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("RangeError: odd") });
    expect(result.stdout).toContain(DENY);
  });

  test("a deadline that has passed before any hook could be asked", async () => {
    await using place = await workspace();
    const host = { elapsedMs: () => 3_599_000 };
    expect((await runInProcess(place, CLOSED.join(" "), { stdin: CALL, host })).stdout).toContain("DEADLINE_PASSED");
    expect((await runInProcess(place, LINE.join(" "), { stdin: CALL, host })).stdout).not.toContain(DENY);
  });

  test("a line that cannot be read, and an event that is not known, by the exit code", async () => {
    await using place = await workspace();
    expect(await runInProcess(place, "bridge nobody --fail-closed")).toMatchObject({ code: 2, stdout: "" });
    expect(await runInProcess(place, "bridge claude --fail-closed", { stdin: "{" })).toMatchObject({
      code: 2,
      stdout: "",
    });
  });
});

test.each([
  ["--fail-closed", DENY],
  ["", "did not end"],
])("stdin that never ends is waited for until the deadline: %s", { tags: "slow" }, async (flag, says) => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  const words = [...HOOKCTL, ...LINE, "--deadline", "1s", ...(flag === "" ? [] : [flag])];
  // A byte now and then must not keep it waiting either.
  const drip = `{ printf '{'; while :; do printf ' '; sleep 0.02; done; } | exec "$0" "$@"`;
  const result = await runProgram(["/bin/sh", "-c", drip, ...words], {
    cwd: place.project,
    env: place.env,
  });
  expect(result).toMatchObject({ code: 0, signal: null });
  expect(result.stdout).toContain(says);
});

/** A guard that tells when it is asked, and then takes its time. */
const slow = (place: Workspace, failOpen: boolean): string =>
  `#!/bin/sh
[ "$1" = hook ] && { echo '{"event":"before_tool_call","fail_open":${failOpen}}'; exit; }
cat >/dev/null; echo $$ > ${place.dir}/asked; exec sleep 60
`;

async function signalled(
  place: Workspace,
  words: readonly string[],
  signal: NodeJS.Signals,
  isReady: (processId: number) => Promise<boolean>,
  stdin: string | null = CALL,
) {
  const child: ChildProcess = spawn(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, ...words], {
    cwd: place.project,
    env: place.env,
  });
  const result = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (result.stdout += chunk));
  child.stderr?.on("data", (chunk) => (result.stderr += chunk));
  if (stdin === null) child.stdin?.write("{");
  else child.stdin?.end(stdin);
  while (!(await isReady(child.pid ?? 0))) await new Promise((resume) => setTimeout(resume, 10));
  child.kill(signal);
  const [code, endedBy] = await once(child, "close");
  return { ...result, code, endedBy };
}

/** hookctl handles signals; Node alone handles TERM and INT from its start, but not HUP. */
const handlesHangup = async (processId: number): Promise<boolean> => {
  const [, handled = "0"] = /^SigCgt:\t(\w+)$/m.exec(await readFile(`/proc/${processId}/status`, "utf8")) ?? [];
  return (BigInt(`0x${handled}`) & 1n) === 1n;
};

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

describe("a signal while something that may block has not decided", () => {
  test.each(
    SIGNALS.flatMap(
      (signal) =>
        [
          [signal, false],
          [signal, true],
        ] as const,
    ),
  )("%s, fail_open %s: blocks, and ends the hook", async (signal, failOpen) => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks/guard", slow(place, failOpen), 0o755);
    const result = await signalled(
      place,
      LINE,
      signal,
      async () => (await place.read("asked"))?.endsWith("\n") === true,
    );
    expect(result).toMatchObject({ code: 0, endedBy: null });
    expect(JSON.parse(result.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(result.stdout).toContain(signal);
    const hook = pidIn(await place.read("asked"));
    expect(() => process.kill(hook, 0)).toThrow("ESRCH");
  });

  test("an agent's other words", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks/guard", slow(place, false), 0o755);
    const line = ["bridge", "gemini", "--event", "BeforeTool"];
    const stdin = JSON.stringify(NATIVE.gemini.BeforeTool);
    const result = await signalled(place, line, "SIGTERM", async () => (await place.read("asked")) !== null, stdin);
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ decision: "deny" });
  });

  test("an observer cannot decide: the signal ends it as ever", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks/guard", slow(place, true), 0o755);
    await place.write("home/.kodelet/hooks.json", '{"overrides":{"guard":{"observe":true}}}');
    const result = await signalled(place, LINE, "SIGTERM", async () => (await place.read("asked")) !== null);
    expect(result).toMatchObject({ stdout: "", code: 143 });
  });

  // A little later it blocks in the agent's words, before that by its exit code.
  test.runIf(process.platform === "linux").each(SIGNALS)(
    "%s while stdin is read: --fail-closed blocks",
    async (signal) => {
      await using place = await workspace();
      const result = await signalled(place, CLOSED, signal, handlesHangup, null);
      expect([0, 2]).toContain(result.code);
      expect(result.code === 2 || result.stdout.includes(DENY)).toBe(true);
      expect(result.endedBy).toBeNull();
    },
  );
});

testFewDescriptors([21, 28]);
