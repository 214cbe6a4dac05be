import { expect, test } from "vitest";
import { runProcess } from "../../src/process/run-process.ts";
import { lifeline } from "../support/lifeline.ts";
import { request } from "../support/request.ts";
import { workspace } from "../support/workspace.ts";

const isLinux = process.platform === "linux";

test("a hook that hangs is stopped, with the children it left behind", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("slow", `${life.hold}; sleep 3000 & sleep 3000`);
  const outcome = await runProcess(request(file, { timeoutMs: 300 }));
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: 300 });
  expect(await life.released).toBe("held\n");
});

test.runIf(isLinux)("the children that were ended with a hook are counted", async () => {
  await using place = await workspace();
  const file = await place.hook("slow", "sleep 3000 & sleep 3000 & wait");
  const outcome = await runProcess(request(file, { timeoutMs: 300 }));
  expect(outcome).toMatchObject({ termination: { kind: "timed-out" }, killedDescendants: 2 });
});

test("a hook that ignores TERM is killed after the grace", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("stubborn", `trap '' TERM; ${life.hold}; while :; do sleep 3000; done`);
  const outcome = await runProcess(request(file, { timeoutMs: 200 }));
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: 200 });
  expect(await life.released).toBe("held\n");
});

test("TERM comes first, so that a hook can clean up; it has timed out all the same", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("tidy", `trap 'echo tidied >&9; exit 0' TERM; ${life.hold}; sleep 3000 & wait`);
  const outcome = await runProcess(request(file, { timeoutMs: 300 }));
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: 300 });
  expect(await life.released).toBe("held\ntidied\n");
});

test("a hook that has stopped itself is ended at its limit", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("stopped", `${life.hold}; kill -STOP $$`);
  const outcome = await runProcess(request(file, { timeoutMs: 200 }));
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: 200 });
  expect(await life.released).toBe("held\n");
});

test.runIf(isLinux)("at the limit a descendant in a session of its own is ended too", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("runaway", `${life.hold}; setsid sleep 3000 & sleep 3000`);
  const outcome = await runProcess(request(file, { timeoutMs: 300 }));
  expect(outcome.termination).toEqual({ kind: "timed-out", afterMs: 300 });
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
