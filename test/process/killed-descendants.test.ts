import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { headAndTail, limitedBuffer } from "../../src/process/bounded-output.ts";
import { runProcess, startChild } from "../../src/process/run-process.ts";
import { makeFifo } from "../support/fifo.ts";
import { parseRunJson } from "../support/json-output.ts";
import { lifeline } from "../support/lifeline.ts";
import { toolCall } from "../support/payloads.ts";
import { request } from "../support/request.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const isLinux = process.platform === "linux";
const answered = { kind: "exited", exitCode: 0 };

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a hook's life ends with its answer: a child in the background is ended", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("starter", `${life.hold}; sleep 3000 >/dev/null 2>&1 & printf '{}'`);
  const outcome = await runProcess(request(file));
  expect(outcome.termination).toEqual(answered);
  expect(Buffer.from(outcome.stdout).toString()).toBe("{}");
  expect(await life.released).toBe("held\n");
});

test("a child in the background is ended that holds no pipe and has an empty environment", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("starter", `${life.hold}; env -i sleep 3000 >/dev/null 2>&1 & printf '{}'`);
  const outcome = await runProcess(request(file));
  expect(outcome.termination).toEqual(answered);
  expect(await life.released).toBe("held\n");
});

test("a child that holds the hook's stdout does not keep the answer", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("holder", `${life.hold}; sleep 3000 & printf '{}'`);
  const outcome = await runProcess(request(file));
  expect(outcome.termination).toEqual(answered);
  expect(Buffer.from(outcome.stdout).toString()).toBe("{}");
  expect(await life.released).toBe("held\n");
});

test.runIf(isLinux)("a process that left the group and still holds a pipe is found and ended", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("escaper", `${life.hold}; setsid sleep 3000 & printf '{}'`);
  const outcome = await runProcess(request(file));
  expect(outcome).toMatchObject({ termination: answered, killedDescendants: 1 });
  expect(await life.released).toBe("held\n");
});

test.runIf(isLinux)("hooks that end together each count their own processes, and no others", async () => {
  await using place = await workspace();
  const one = await place.hook("one", "setsid sleep 3000 & printf '{}'");
  const two = await place.hook("two", "setsid sleep 3000 & sleep 3000 & sleep 3000 & sleep 3000");
  const runs = Array.from({ length: 6 }, (_, index) =>
    runProcess(request(index % 2 === 0 ? one : two, { timeoutMs: index % 2 === 0 ? 10_000 : 1_000 })),
  );
  const outcomes = await Promise.all(runs);
  expect(outcomes.map(({ killedDescendants }) => killedDescendants)).toEqual([1, 4, 1, 4, 1, 4]);
});

test.runIf(isLinux)("an escaped process is found by its token behind a large environment", async () => {
  await using place = await workspace();
  const file = await place.hook("escaper", "setsid sleep 3000 & printf '{}'");
  const wanted = request(file);
  const large = Object.fromEntries(["A", "B"].map((name) => [name, "x".repeat(100_000)]));
  const outcome = await runProcess({ ...wanted, env: { ...large, ...wanted.env } });
  expect(outcome).toMatchObject({ termination: answered, killedDescendants: 1 });
});

test.runIf(isLinux)("a chain of processes, each of which starts the next and ends, is caught up with", async () => {
  await using place = await workspace();
  const link = await place.hook("link", `[ "$1" = 0 ] && exec sleep 3000; setsid "$0" $(( $1 - 1 )) &`);
  const file = await place.hook("first", `${shellQuote(link)} 300 </dev/null >/dev/null 2>&1 & printf '{}'`);
  for (let run = 0; run < 10; run++) {
    await using life = await lifeline(place.dir);
    const holder = await place.hook("holder", `${life.hold}; . ${shellQuote(file)}`);
    expect((await runProcess(request(holder))).termination).toEqual(answered);
    expect(await life.released).toBe("held\n");
  }
});

test("background: true lets a child go on after the answer", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const go = makeFifo(join(place.dir, "go"));
  const body = `${life.hold}; (read word < ${shellQuote(go)}; echo "$word" >&9) >/dev/null 2>&1 & printf '{}'`;
  const file = await place.hook("daemon", body);
  const outcome = await runProcess(request(file, { mayLeaveProcesses: true }));
  expect(outcome).toMatchObject({ termination: answered, killedDescendants: 0 });
  await using handle = await open(go, "w");
  await handle.write("alive\n");
  expect(await life.released).toBe("held\nalive\n");
});

test.runIf(isLinux)("the warning about what a hook left behind names the hook and the count", async () => {
  await using place = await workspace();
  const body = `sleep 3000 >/dev/null 2>&1 & sleep 3000 >/dev/null 2>&1 & ${printResponse({})}`;
  await place.hook("starter", body);
  const result = await place.run(["run", "before_tool_call", "--json"], { stdin: toolCall() });
  const warning = "starter left 2 processes running; killed (background: true allows it)";
  expect(parseRunJson(result)).toMatchObject({ decision: "continue", warnings: [warning] });
  expect(result).toMatchObject({ code: 0, signal: null, stderr: expect.stringContaining(warning) });
});

test("a hook that says background: true is not warned about", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const go = makeFifo(join(place.dir, "go"));
  const body = `${life.hold}; (read word < ${shellQuote(go)}; echo "$word" >&9) >/dev/null 2>&1 & ${printResponse({})}`;
  await place.hook("daemon", body, { says: '{"event":"before_tool_call","background":true}' });
  const result = await place.run(["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
  await using handle = await open(go, "w");
  await handle.write("alive\n");
  expect(await life.released).toBe("held\nalive\n");
});

test("a limit that passes while a leftover holds the pipe does not take back an answer that was given in time", async () => {
  await using place = await workspace();
  const file = await place.hook("quick", "sleep 3000 & echo $$");
  const lines: string[] = [];
  const output = { ...limitedBuffer(1024), add: (chunk: Buffer) => void lines.push(chunk.toString()) };
  const child = startChild({ ...request(file), hasStdin: false }, { stdout: output, stderr: headAndTail() });
  while (lines.length === 0 || isAlive(Number(lines.join("")))) await new Promise((resume) => setImmediate(resume));
  child.terminate({ kind: "timed-out", afterMs: 1 }, 0);
  expect((await child.outcome).termination).toEqual({ kind: "exited", exitCode: 0 });
});
