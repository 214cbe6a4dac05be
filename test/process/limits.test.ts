import { expect, test } from "vitest";
import type { ProcessOutcome } from "../../src/process/process-request.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { skippableTime } from "../support/clock.ts";
import { type Lifeline, lifeline } from "../support/lifeline.ts";
import { request } from "../support/request.ts";
import { shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const isLinux = process.platform === "linux";
const LIMIT_MS = 60_000;

/** Runs a hook whose time is over as soon as it is at work. */
async function endedAtItsLimit(file: string, life: Lifeline): Promise<ProcessOutcome> {
  using time = skippableTime();
  const outcome = runProcess(request(file, { timeoutMs: LIMIT_MS }));
  await life.held;
  time.skip();
  return await outcome;
}

test("a hook that hangs is stopped, with the children it left behind", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("slow", `(${life.hold}; sleep 3000) & sleep 3000`);
  const outcome = await endedAtItsLimit(file, life);
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: LIMIT_MS });
  expect(await life.released).toBe("held\n");
});

test.runIf(isLinux)("the children that were ended with a hook are counted", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("slow", `sleep 3000 & sleep 3000 & ${life.hold}; wait`);
  const outcome = await endedAtItsLimit(file, life);
  expect(outcome).toMatchObject({ termination: { kind: "timed-out" }, killedDescendants: 2 });
});

test("a hook that ignores TERM is killed after the grace", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("stubborn", `trap '' TERM; ${life.hold}; while :; do sleep 3000; done`);
  const outcome = await endedAtItsLimit(file, life);
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: LIMIT_MS });
  expect(await life.released).toBe("held\n");
});

test("TERM comes first, so that a hook can clean up; it has timed out all the same", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("tidy", `trap 'echo tidied >&9; exit 0' TERM; ${life.hold}; sleep 3000 & wait`);
  const outcome = await endedAtItsLimit(file, life);
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: LIMIT_MS });
  expect(await life.released).toBe("held\ntidied\n");
});

test("a hook that has stopped itself is ended at its limit", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("stopped", `${life.hold}; kill -STOP $$`);
  const outcome = await endedAtItsLimit(file, life);
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: LIMIT_MS });
  expect(await life.released).toBe("held\n");
});

test.runIf(isLinux)("at the limit a descendant in a session of its own is ended too", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("runaway", `setsid sh -c ${shellQuote(`${life.hold}; sleep 3000`)} & sleep 3000`);
  const outcome = await endedAtItsLimit(file, life);
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: LIMIT_MS });
  expect(await life.released).toBe("held\n");
});

test("an interrupt ends the whole group of a running hook", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("slow", `${life.hold}; sleep 3000 & sleep 3000`);
  let raise: (signal: string) => void = () => undefined;
  const interrupt = {
    raised: () => null,
    listen: (onInterrupt: (signal: string) => void) => {
      raise = onInterrupt;
      return () => undefined;
    },
  };
  const outcome = runProcess(request(file, { interrupt }));
  await life.held;
  raise("SIGINT");
  expect((await outcome).termination).toEqual({ kind: "interrupted", signal: "SIGINT" });
  expect(await life.released).toBe("held\n");
});
