import { execa } from "execa";
import { expect, test } from "vitest";
import { lifeline } from "../support/lifeline.ts";
import { hasScript, hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { toolCall } from "../support/payloads.ts";
import {
  HANG_TIMEOUT_MS,
  HOOKCTL_PROGRAM,
  HOOKCTL_WORDS,
  mainScript,
  type Workspace,
  workspace,
} from "../support/workspace.ts";

const signals = [
  { signal: "SIGINT", code: 130 },
  { signal: "SIGTERM", code: 143 },
  { signal: "SIGHUP", code: 129 },
] as const;

const begin = (place: Workspace, args: readonly string[], input = toolCall()) =>
  execa(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, ...args], {
    cwd: place.project,
    env: place.env,
    extendEnv: false,
    input,
    reject: false,
    timeout: HANG_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });

test.each(signals)(
  "$signal to hookctl ends every group, writes the record and exits $code",
  async ({ signal, code }) => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await place.hook("1-slow", `${life.hold}; sleep 30 & sleep 30`);
    await place.hook("2-never", "printf '{}'");
    const running = begin(place, ["run", "before_tool_call", "-q"]);
    await life.held;
    running.kill(signal);
    const { exitCode, signal: by, stdout, stderr } = await running;
    expect({ exitCode, by, stdout, stderr }).toEqual({ exitCode: code, by: undefined, stdout: "", stderr: "" });
    expect(await life.released).toBe("held\n");
    const line = JSON.parse((await place.read("home/.local/state/hookctl/audit.jsonl")) ?? "") as object;
    expect(line).toMatchObject({
      // All hooks are open, so the chain itself would have gone on.
      decision: "continue",
      interrupted: signal,
      hooks: [
        { name: "1-slow", outcome: "failed", failure: "HOOK_INTERRUPTED" },
        { name: "2-never", outcome: "failed", failure: "HOOK_INTERRUPTED" },
      ],
    });
  },
);

test("a signal while hooks are asked for their event ends them too", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  await place.hook("slow", `#!/bin/sh\n${life.hold}; sleep 30 & sleep 30`);
  const running = begin(place, ["list"]);
  await life.held;
  running.kill("SIGINT");
  const { exitCode, stdout, stderr } = await running;
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 130, stdout: "", stderr: "" });
  expect(await life.released).toBe("held\n");
});

test("a hook that ignores TERM does not keep hookctl from ending", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  await place.hook("stubborn", `trap '' TERM INT HUP; ${life.hold}; while :; do sleep 30; done`);
  const running = begin(place, ["run", "before_tool_call", "-q"]);
  await life.held;
  running.kill("SIGTERM");
  expect((await running).exitCode).toBe(143);
  expect(await life.released).toBe("held\n");
});

test.each(signals)("$signal while the payload is awaited exits $code", async ({ signal, code }) => {
  await using place = await workspace();
  // By hookctl's own clock: its timer begins when it waits for the payload.
  const raise = `const later = setTimeout; globalThis.setTimeout = (...args) => {
    later(() => process.kill(process.pid, "${signal}"), 20);
    return later(...args);
  };`;
  const script = await place.write("raise.cjs", raise);
  const result = execa(process.execPath, [`--require=${script}`, mainScript, "run", "before_tool_call"], {
    cwd: place.project,
    env: place.env,
    extendEnv: false,
    reject: false,
    stdin: "pipe",
    timeout: HANG_TIMEOUT_MS,
  });
  const { exitCode, stdout, stderr } = await result;
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: code, stdout: "", stderr: "" });
});

test
  .skipIf(!hasScript)
  .each(["off git", "off git --for 10m", "uninstall --all", "log --purge --all", "untrust", "init", "new"])(
  "Ctrl-C at a question of %s ends with 130, without a message",
  async (line) => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", '{"guards":{"git":true}}');
    await place.hook("guard", ":", { scope: "project" });
    await place.run(["trust", "--yes"]);
    await place.run(["init", "claude", "--yes", "--guards", "git"]);
    const { shown, code } = await runOnTerminal(place, `${hookctl} ${line}`, []);
    expect({ code, shown }).toEqual({ code: 130, shown: expect.stringMatching(/\]\w*: (?:\^C)?\r\n$/) });
    expect(await place.read("home/.claude/settings.json")).toContain("bridge claude");
  },
);
