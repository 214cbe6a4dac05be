import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { createHost } from "../../src/host.ts";

/** As much of a process as a host takes at once. */
const host = (over: object = {}): NodeJS.Process =>
  Object.assign(new EventEmitter(), {
    ...{ argv: ["node", "hookctl", "run", "agent_stop"], env: { A: "1" }, platform: "linux", pid: 7 },
    ...{ cwd: () => "/work", getuid: () => 1000, uptime: () => 0.5 },
    ...over,
  }) as unknown as NodeJS.Process;

test("a command's host is built from its process alone", () => {
  const { argv, env, cwd, userId, processId } = createHost(host());
  expect({ argv, env, cwd, userId, processId }).toEqual({
    ...{ argv: ["run", "agent_stop"], env: { A: "1" }, cwd: "/work", userId: 1000, processId: 7 },
  });
});

test("a call began when its process did", () => {
  const { elapsedMs, beganMs } = createHost(host());
  expect(elapsedMs() - beganMs).toBeGreaterThanOrEqual(500);
  expect(beganMs).toBeLessThan(elapsedMs());
});

test("a working directory that was deleted is a folder nowhere", () => {
  const cwd = () => {
    throw new Error("ENOENT: uv_cwd");
  };
  expect(createHost(host({ cwd })).cwd).toBe("/(deleted working directory)");
});

describe("a signal", () => {
  test("is left to the system while nobody needs to know", () => {
    const own = host();
    createHost(own);
    expect(own.listenerCount("SIGINT")).toBe(0);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s reaches everybody who listens, also later", (signal) => {
    const own = host();
    const { interrupt } = createHost(own);
    const heard: string[] = [];
    interrupt.listen((name) => heard.push(`gone ${name}`))();
    interrupt.listen((name) => heard.push(`first ${name}`));
    expect([interrupt.raised(), own.listenerCount(signal)]).toEqual([null, 1]);
    own.emit(signal, signal);
    interrupt.listen((name) => heard.push(`late ${name}`));
    expect(interrupt.raised()).toBe(signal);
    expect(heard).toEqual([`first ${signal}`, `late ${signal}`]);
  });
});
