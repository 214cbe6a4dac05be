import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { closeSignal } from "../../packages/sdk/library/close-signal.ts";
import { type IdentifyContext, identify } from "../../src/discover/identify.ts";
import { openIdentityCache } from "../../src/discover/identity-cache.ts";
import { takeLock } from "../../src/fs/lock.ts";
import type { Candidate } from "../../src/protocol/hook.ts";
import { type CommandOutput, runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { UNDISTURBED } from "../support/request.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
/** Long after the hooks were written. */
const NOW_MS = Date.now() + 3_600_000;

/** Hooks that note in `starts` that they were asked for their events. */
async function noting(
  place: Workspace,
  count: number,
  answer = "echo before_tool_call",
): Promise<readonly Candidate[]> {
  const noted = `#!/bin/sh\necho "$0" >> ${shellQuote(join(place.dir, "starts"))}\n${answer}\n`;
  const names = Array.from({ length: count }, (_, index) => `h${index}`);
  return Promise.all(names.map(async (name) => candidateOf(name, await place.hook(name, noted))));
}

async function candidateOf(name: string, path: string): Promise<Candidate> {
  const { dev, ino, size, mtimeMs, ctimeMs, mode, uid, gid } = await stat(path);
  const stamp = {
    device: dev,
    inode: ino,
    size,
    modifiedMs: mtimeMs,
    changedMs: ctimeMs,
    mode,
    owner: uid,
    group: gid,
  };
  return { name, path, realPath: path, source: "user", projectDir: null, rank: 0, stamp, entry: null };
}

/** As a process of its own has it: what is cached is known from the file alone. */
const contextOf = (place: Workspace, wanted: Partial<IdentifyContext> = {}): IdentifyContext => ({
  cache: openIdentityCache(join(place.dir, "cache", "identities.json"), NOW_MS),
  nowMs: NOW_MS,
  environmentOf: () => ({ PATH: "/usr/bin:/bin" }),
  cwd: place.dir,
  recheckTrust: () => null,
  sandboxOf: async () => ({ ok: true, value: null }),
  interrupt: UNDISTURBED,
  claimTimeoutMs: ALWAYS,
  ...wanted,
});

const startsIn = async (place: Workspace): Promise<number> =>
  ((await place.read("starts")) ?? "").split("\n").length - 1;

test("of many calls at the same time one starts each unknown hook, and all know what it declares", async () => {
  await using place = await workspace();
  const hooks = await noting(place, 5);
  const calls = await Promise.all(Array.from({ length: 20 }, () => identify(hooks, contextOf(place))));
  for (const identified of calls) {
    expect(identified).toHaveLength(5);
    for (const { identity } of identified)
      expect(identity).toMatchObject({ ok: true, value: { events: ["before_tool_call"] } });
  }
  expect(await startsIn(place)).toBe(5);
});

test("a hook that declares nothing is started by each call, after one wait", async () => {
  await using place = await workspace();
  const hooks = await noting(place, 1, "exit 3");
  const calls = await Promise.all([1, 2, 3].map(() => identify(hooks, contextOf(place))));
  expect(calls.map(([identified]) => identified?.identity.ok)).toEqual([false, false, false]);
  expect(await startsIn(place)).toBe(3);
});

test("who has waited long enough starts the hooks itself", async () => {
  await using place = await workspace();
  const hooks = await noting(place, 2);
  await place.write("cache/identities.json", "{}");
  const other = await takeLock(join(place.dir, "cache", "identities.json.lock"));
  const identified = await identify(hooks, contextOf(place, { claimTimeoutMs: 20 }));
  expect(identified.map(({ identity }) => identity.ok)).toEqual([true, true]);
  expect(other?.isOurs()).toBe(true);
  other?.release();
});

test("an interrupt ends the wait, and no hook is started", async () => {
  await using place = await workspace();
  const hooks = await noting(place, 2);
  await place.write("cache/identities.json", "{}");
  const other = await takeLock(join(place.dir, "cache", "identities.json.lock"));
  const signal = closeSignal();
  const identified = identify(hooks, contextOf(place, { interrupt: signal.interrupt }));
  signal.close();
  expect((await identified).map(({ identity }) => identity.ok)).toEqual([false, false]);
  expect(await startsIn(place)).toBe(0);
  other?.release();
});

test("nobody waits where nothing can be cached: a young file, no cache folder, or nothing unknown", async () => {
  await using place = await workspace();
  const hooks = await noting(place, 2);
  await identify(hooks, contextOf(place));
  const other = await takeLock(join(place.dir, "cache", "identities.json.lock"));
  const known = await identify(hooks, contextOf(place));
  const nowMs = Date.now();
  const cache = openIdentityCache(join(place.dir, "cache", "identities.json"), nowMs);
  const young = await identify(hooks, contextOf(place, { cache, nowMs }));
  const unwritable = openIdentityCache(join(await place.write("file", ""), "identities.json"), NOW_MS);
  const uncached = await identify(hooks, contextOf(place, { cache: unwritable }));
  expect([known, young, uncached].flat().map(({ identity }) => identity.ok)).toEqual(Array(6).fill(true));
  other?.release();
});

test("a call waits for the one that identifies its hooks, but not for the one that started it", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  const cache = join(place.home, ".cache", "hookctl");
  await mkdir(cache, { recursive: true });
  const other = await takeLock(join(cache, "identities.json.lock"));
  const run = (depth: string): Promise<CommandOutput> =>
    runInProcess(place, "run before_tool_call", { stdin: toolCall(), env: { HOOKCTL_DEPTH: depth } });
  const [beside, nested] = [run("0"), run("1")];
  const first = await Promise.race([beside.then(() => "beside"), nested.then(() => "nested")]);
  other?.release();
  expect(first).toBe("nested");
  expect((await Promise.all([beside, nested])).map(({ code }) => code)).toEqual([0, 0]);
});
