import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { startInteractive } from "../../src/process/interactive-process.ts";
import { graceMsOf, runProcess } from "../../src/process/run-process.ts";
import { skippableTime } from "../support/clock.ts";
import { runMain } from "../support/in-process.ts";
import { type Lifeline, lifeline } from "../support/lifeline.ts";
import { toolCall } from "../support/payloads.ts";
import { pidIn } from "../support/pid.ts";
import { request } from "../support/request.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import {
  HANG_TIMEOUT_MS,
  HOOKCTL,
  HOOKCTL_PROGRAM,
  HOOKCTL_WORDS,
  type Workspace,
  workspace,
} from "../support/workspace.ts";

const isLinux = process.platform === "linux";
const again = (event: string): string => [...HOOKCTL, "run", event, "-q"].map(shellQuote).join(" ");
const STUBBORN = "trap '' TERM INT HUP";
const AFTER = JSON.stringify({
  ...JSON.parse(toolCall()),
  event: "after_tool_call",
  tool_output: "done",
});

/** An outer hook that calls hookctl, and an inner one that it asks then, which holds the lifeline and does not end. */
async function nested(place: Workspace, life: Lifeline, outer: string, inner = ""): Promise<void> {
  await place.hook("inner", `${inner}\n${life.hold}; sleep 30 & while :; do sleep 30; done`, {
    says: "after_tool_call",
  });
  const payload = await place.write("after.json", AFTER);
  await place.hook(
    "outer",
    outer.replace("NESTED", `${again("after_tool_call")} < ${shellQuote(payload)} >/dev/null 2>&1`),
  );
}

const begin = (place: Workspace, args: readonly string[]) =>
  execa(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, ...args], {
    cwd: place.project,
    env: place.env,
    extendEnv: false,
    input: toolCall(),
    reject: false,
    timeout: HANG_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });

const OUTERS = [
  { title: "waits for it", outer: "NESTED" },
  { title: "waits for it and ignores TERM", outer: `${STUBBORN}; NESTED` },
  { title: "left it in the background", outer: "NESTED & sleep 30" },
  { title: "gave it a session of its own", outer: "setsid NESTED & sleep 30" },
];

describe.runIf(isLinux)("the hooks of a run within a hook die with it", () => {
  test.each(OUTERS)("at the timeout of a hook that $title", async ({ outer }) => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await nested(place, life, outer, STUBBORN);
    using time = skippableTime();
    const running = runMain(place, ["run", "before_tool_call", "-q", "--timeout", "20s"], { stdin: toolCall() });
    await life.held;
    time.skip();
    expect(await running).toMatchObject({ code: 0, stdout: expect.stringContaining("exceeded its 20 s timeout") });
    expect(await life.released).toBe("held\n");
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("at %s to the outer hookctl", async (signal) => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await nested(place, life, "NESTED", STUBBORN);
    const running = begin(place, ["run", "before_tool_call", "-q"]);
    await life.held;
    running.kill(signal);
    await running;
    expect(await life.released).toBe("held\n");
  });

  test("when the hook itself was killed", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    const held = shellQuote(`${place.dir}/held`);
    await nested(
      place,
      life,
      `NESTED & while [ ! -e ${held} ]; do sleep 0.05; done; kill -9 $$`,
      `: > ${held}; ${STUBBORN}`,
    );
    const running = begin(place, ["run", "before_tool_call", "-q"]);
    await life.held;
    await running;
    expect(await life.released).toBe("held\n");
  });

  test("after a good answer of a hook that left it behind in a session of its own", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    const held = shellQuote(`${place.dir}/held`);
    const outer = `setsid NESTED & while [ ! -e ${held} ]; do sleep 0.05; done; ${printResponse({})}`;
    await nested(place, life, outer, `: > ${held}`);
    expect(await begin(place, ["run", "before_tool_call", "-q"])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("outer left"),
    });
    expect(await life.released).toBe("held\n");
  });
});

test("each run within a hook ends its own hooks sooner than it is ended itself", () => {
  const graces = ["run-0", "run-0/run-1", "run-0/run-1/run-2"].map((token) => graceMsOf({ token }));
  expect(graces).toEqual([500, 350, 200]);
});

describe.runIf(isLinux)("a process that left the group and holds no pipe", () => {
  const ESCAPE = "setsid sleep 30 </dev/null >/dev/null 2>&1 &";

  test("is ended after a good answer", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    const outcome = await runProcess(request(await place.hook("escaper", `${life.hold}; ${ESCAPE} printf '{}'`)));
    expect(outcome).toMatchObject({ termination: { kind: "exited", exitCode: 0 }, killedDescendants: 1 });
    expect(await life.released).toBe("held\n");
  });

  test("is ended though its parent has left too, and though many processes began meanwhile", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    const many = "i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i+1)); done";
    const body = `${life.hold}; (setsid sh -c '${ESCAPE}' &) ; ${many}; printf '{}'`;
    const outcome = await runProcess(request(await place.hook("escaper", body)));
    expect(outcome).toMatchObject({ termination: { kind: "exited", exitCode: 0 }, killedDescendants: 1 });
    expect(await life.released).toBe("held\n");
  });

  test("is ended with one that stayed in the group", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    const body = `${life.hold}; ${ESCAPE} sleep 30 >/dev/null 2>&1 & printf '{}'`;
    const outcome = await runProcess(request(await place.hook("escaper", body)));
    expect(outcome).toMatchObject({ termination: { kind: "exited", exitCode: 0 }, killedDescendants: 2 });
    expect(await life.released).toBe("held\n");
  });

  test("may go on where the hook says background: true", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    const file = await place.hook(
      "daemon",
      `${life.hold}; ${ESCAPE} echo $! > ${shellQuote(join(place.dir, "pid"))}; printf '{}'`,
    );
    const outcome = await runProcess(request(file, { mayLeaveProcesses: true }));
    expect(outcome).toMatchObject({ termination: { kind: "exited", exitCode: 0 }, killedDescendants: 0 });
    const pid = pidIn(await place.read("pid"));
    expect(process.kill(pid, 0)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  test("is ended when the conversation with its parent is over", async () => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    const file = await place.hook("server", `${life.hold}; ${ESCAPE} read -r word; echo "$word"`);
    const { input, timeoutMs, ...child } = request(file);
    let hear: (line: string) => void = () => undefined;
    const heard = new Promise<string>((settle) => {
      hear = settle;
    });
    const talk = startInteractive(child, (line) => hear(line));
    talk.writeLine("hello");
    expect(await heard).toBe("hello");
    await talk.close();
    expect(await life.released).toBe("held\n");
  });
});
