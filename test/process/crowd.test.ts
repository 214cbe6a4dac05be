import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mayHaveLeftOrphans } from "../../src/process/adopted-processes.ts";
import { lastPid } from "../../src/process/proc.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { makeFifo } from "../support/fifo.ts";
import { fileCallsDuring } from "../support/file-calls.ts";
import { lifeline } from "../support/lifeline.ts";
import { toolCall } from "../support/payloads.ts";
import { request } from "../support/request.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const isLinux = process.platform === "linux";

interface Crowd {
  readonly pids: readonly string[];
  readonly end: () => Promise<unknown>;
}

/** Many processes of somebody else, which end with the stdin of the one that started them. */
async function startCrowd(count: number): Promise<Crowd> {
  const start = `exec 3<&0; i=0; while [ $i -lt ${count} ]; do cat <&3 >/dev/null & echo $!; i=$((i+1)); done; echo all; wait`;
  const child = spawn("sh", ["-c", start]);
  const ended = once(child, "close");
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  while (!text.includes("all")) await once(child.stdout, "data");
  const end = (): Promise<unknown> => {
    child.stdin.end();
    return ended;
  };
  return { pids: text.trim().split("\n").slice(0, -1), end };
}

// What another test leaves behind in this moment is a reason to look closer, so there is a second try.
test.runIf(isLinux)("the end of a hook looks at no process that others started meanwhile", { retry: 3 }, async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const go = makeFifo(join(place.dir, "go"));
  const file = await place.hook("waiter", `${life.hold}; read word < ${shellQuote(go)}; printf '{}'`);
  const outcome = runProcess(request(file));
  await life.held;
  const crowd = await startCrowd(150);
  const calls = await fileCallsDuring(async () => {
    writeFileSync(go, "on\n");
    expect(await outcome).toMatchObject({ termination: { kind: "exited", exitCode: 0 }, killedDescendants: 0 });
  });
  await crowd.end();
  expect(crowd.pids).toHaveLength(150);
  const opened = calls.map(({ path }) => path);
  expect(opened.filter((path) => path.startsWith("/proc"))).not.toEqual([]);
  expect(opened).not.toContain("/proc");
  expect(opened.filter((path) => crowd.pids.includes(path.split("/")[2] ?? ""))).toEqual([]);
});

const LEFT = [
  { title: "in its group", start: "env -i sleep 3000" },
  { title: "in a session of its own", start: "setsid sleep 3000" },
  { title: "whose parents have exited", start: "setsid sh -c '(sh -c \"setsid sleep 3000 &\" &) &'" },
];

test.runIf(isLinux).each(LEFT)(
  "beside many other processes a process is found that is left $title",
  async ({ start }) => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    const others = "i=0; while [ $i -lt 60 ]; do (exec true); i=$((i+1)); done";
    const file = await place.hook(
      "leaver",
      `${life.hold}; ${start} </dev/null >/dev/null 2>&1 & ${others}; printf '{}'`,
    );
    const outcome = await runProcess(request(file));
    expect(outcome.termination).toEqual({ kind: "exited", exitCode: 0 });
    expect(outcome.killedDescendants).toBeGreaterThan(0);
    expect(await life.released).toBe("held\n");
  },
);

// What descends from a hook is told from other processes by its session.
test.runIf(isLinux)("a hook leads a session of its own", async () => {
  await using place = await workspace();
  const session = `${shellQuote(place.dir)}/session`;
  await place.hook("leader", `cut -d' ' -f6 /proc/$$/stat > ${session}; echo $$ >> ${session}; ${printResponse({})}`);
  const { code } = await place.run(["run", "before_tool_call"], { stdin: toolCall() });
  expect(code).toBe(0);
  const [own, leader] = (await place.read("session"))?.trim().split("\n") ?? [];
  expect(own).toMatch(/^\d+$/);
  expect(own).toBe(leader);
});

test.runIf(isLinux)(
  "after a long run the clock tells what a hook left, because PIDs may have come past its own again",
  () => {
    const leave = "sleep 60 </dev/null >/dev/null 2>&1 & echo $!";
    const left = Number(spawnSync("sh", ["-c", `setsid sh -c ${shellQuote(leave)}`], { encoding: "utf8" }).stdout);
    try {
      // By its PID it would be older than the hook.
      const leader = lastPid() ?? 0;
      expect(left).toBeLessThanOrEqual(leader);
      expect(mayHaveLeftOrphans(leader, 60_000)).toBe(true);
    } finally {
      process.kill(left, "SIGKILL");
    }
  },
);
