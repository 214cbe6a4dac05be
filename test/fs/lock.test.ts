import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { lutimes, mkdir, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { removeAbandonedLock, takeLock, takeLockOrAwait } from "../../src/fs/lock.ts";
import { fileCallsDuring } from "../support/file-calls.ts";
import { workspace } from "../support/workspace.ts";

/** The lock of another process here: its name is ours with another number. */
async function lockOf(file: string, processId: number): Promise<void> {
  const own = await takeLock(file);
  const name = await readlink(file);
  own?.release();
  await symlink(name.replace(/#\d+#/, `#${processId}#`), file);
}

async function endedProcess(): Promise<number> {
  const child = spawn("true");
  await once(child, "close");
  return child.pid ?? 0;
}

test("the lock of a process that is gone is taken over at once", async () => {
  await using place = await workspace();
  const file = join(place.dir, "lock");
  await lockOf(file, await endedProcess());
  // A lock that is as young is only taken over because its holder is gone: that of a living one is waited for.
  const living = join(place.dir, "living");
  await lockOf(living, process.pid);
  const other = takeLock(living);
  const lock = await takeLock(file);
  expect(lock?.isOurs()).toBe(true);
  expect(await Promise.race([other, "still waits"])).toBe("still waits");
  await rm(living);
  (await other)?.release();
  lock?.release();
  expect(await readdir(place.dir)).toEqual(["home", "project"]);
});

const hasProc = existsSync("/proc/self/stat");

test.skipIf(!hasProc).each([
  ["another process that got its number", (name: string) => name.replace(/\d+$/, "1")],
  ["a process that names no start", (name: string) => name.replace(/#\d+$/, "")],
  ["the first process of the machine", (name: string) => name.replace(/#\d+#/, "#1#")],
])("a lock that was left to %s is taken over at once (needs /proc)", async (_of, renamed) => {
  await using place = await workspace();
  const [file, awaited] = [join(place.dir, "lock"), join(place.dir, "awaited")];
  const own = await takeLock(file);
  const name = renamed(await readlink(file));
  own?.release();
  for (const one of [file, awaited]) await symlink(name, one);
  expect((await takeLock(file, 0))?.isOurs()).toBe(true);
  vi.useFakeTimers();
  await takeLockOrAwait(awaited, 60_000).finally(() => vi.useRealTimers());
  expect(await readdir(place.dir)).toEqual(["home", "lock", "project"]);
});

test("the lock of a living process is waited for", async () => {
  await using place = await workspace();
  const file = join(place.dir, "lock");
  const first = await takeLock(file);
  const second = takeLock(file);
  expect(await Promise.race([second, new Promise((settle) => setTimeout(settle, 60, "waits"))])).toBe("waits");
  first?.release();
  expect((await second)?.isOurs()).toBe(true);
  expect(first?.isOurs()).toBe(false);
});

test("a lock of another machine, whose processes cannot be seen, is given up when it is old", async () => {
  await using place = await workspace();
  const file = join(place.dir, "lock");
  await symlink("elsewhere/pid:[1]#1#0", file);
  const waiting = takeLock(file);
  expect(await Promise.race([waiting, new Promise((settle) => setTimeout(settle, 60, "waits"))])).toBe("waits");
  const old = new Date(Date.now() - 11_000);
  await lutimes(file, old, old);
  expect((await waiting)?.isOurs()).toBe(true);
});

test.each([-11_000, 11_000, 1e9])(
  "a lock whose time is %i ms from now has no holder, though its process lives",
  async (awayMs) => {
    await using place = await workspace();
    const [file, awaited] = [join(place.dir, "lock"), join(place.dir, "awaited")];
    const time = new Date(Date.now() + awayMs);
    for (const one of [file, awaited]) {
      await lockOf(one, process.pid);
      await lutimes(one, time, time);
    }
    expect((await takeLock(file, 50))?.isOurs()).toBe(true);
    await takeLockOrAwait(awaited, 50);
    expect(await readdir(place.dir)).toEqual(["home", "lock", "project"]);
  },
);

test("who lost its lock lifts no other's", async () => {
  await using place = await workspace();
  const file = join(place.dir, "lock");
  const first = await takeLock(file);
  const old = new Date(Date.now() - 11_000);
  await lutimes(file, old, old);
  const second = await takeLock(file);
  first?.release();
  expect({ first: first?.isOurs(), second: second?.isOurs() }).toEqual({ first: false, second: true });
});

test("a lock that changed hands after its holder was found gone is not dropped", async () => {
  await using place = await workspace();
  const file = join(place.dir, "lock");
  await lockOf(file, await endedProcess());
  const gone = await readlink(file);
  const next = await takeLock(file);
  removeAbandonedLock(gone, file, "finder");
  expect(next?.isOurs()).toBe(true);
  next?.release();
  await symlink(gone, file);
  removeAbandonedLock(gone, file, "finder");
  expect(await readdir(place.dir)).toEqual(["home", "project"]);
});

test("20 at once in one process, and each has it alone", async () => {
  await using place = await workspace();
  let inside = 0;
  let most = 0;
  const work = async () => {
    const lock = await takeLock(join(place.dir, "lock"));
    most = Math.max(most, ++inside);
    await new Promise((settle) => setTimeout(settle, 1));
    inside--;
    lock?.release();
  };
  await Promise.all(Array.from({ length: 20 }, work));
  expect({ inside, most }).toEqual({ inside: 0, most: 1 });
});

test("where no lock can be made, the disk's own words come", async () => {
  await using place = await workspace();
  await expect(takeLock(join(place.dir, "no", "such", "folder"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a lock that is in use for longer than anybody is waited for is not waited for", async () => {
  await using place = await workspace();
  const file = join(place.dir, "lock");
  const first = await takeLock(file);
  expect(await takeLock(file, 50)).toBeNull();
  expect(first?.isOurs()).toBe(true);
});

test("a process that waits for long looks less and less often, because a crowd of them would slow the holder down", async () => {
  await using place = await workspace();
  const file = join(place.dir, "lock");
  const held = await takeLock(file);
  vi.useFakeTimers();
  const calls = await fileCallsDuring(async () => {
    const waiting = takeLock(file);
    await vi.advanceTimersByTimeAsync(9_000);
    held?.release();
    await vi.advanceTimersByTimeAsync(300);
    (await waiting)?.release();
  }).finally(() => vi.useRealTimers());
  const attempts = calls.filter(({ path }) => path === file).length;
  // Every 13 ms, as in the first moments, would be 700.
  expect(attempts).toBeGreaterThan(20);
  expect(attempts).toBeLessThan(200);
});

describe("work that needs to be done once", () => {
  test("who comes later waits for who does it, and does not do it", async () => {
    await using place = await workspace();
    const file = join(place.dir, "lock");
    const first = await takeLockOrAwait(file, Number.POSITIVE_INFINITY);
    expect(first?.isOurs()).toBe(true);
    const later = [1, 2, 3].map(() => takeLockOrAwait(file, Number.POSITIVE_INFINITY));
    expect(await Promise.race([...later, new Promise((settle) => setTimeout(settle, 60, "waits"))])).toBe("waits");
    first?.release();
    expect(await Promise.all(later)).toEqual([null, null, null]);
  });

  test("nobody waits longer than they want", async () => {
    await using place = await workspace();
    const file = join(place.dir, "lock");
    const first = await takeLockOrAwait(file, 0);
    expect(await takeLockOrAwait(file, 0)).toBeNull();
    expect(await takeLockOrAwait(file, 20)).toBeNull();
    expect(first?.isOurs()).toBe(true);
    first?.release();
  });

  test("nobody waits who is interrupted", async () => {
    await using place = await workspace();
    const file = join(place.dir, "lock");
    const first = await takeLockOrAwait(file, 0);
    let isInterrupted = false;
    const waiting = takeLockOrAwait(file, Number.POSITIVE_INFINITY, () => isInterrupted);
    isInterrupted = true;
    expect(await waiting).toBeNull();
    expect(first?.isOurs()).toBe(true);
    first?.release();
  });

  test("nobody waits for a process that is gone, and its lock is removed", async () => {
    await using place = await workspace();
    const file = join(place.dir, "lock");
    await lockOf(file, await endedProcess());
    expect(await takeLockOrAwait(file, Number.POSITIVE_INFINITY)).toBeNull();
    expect((await takeLockOrAwait(file, 0))?.isOurs()).toBe(true);
  });

  test.each<[title: string, make: (file: string) => Promise<unknown>]>([
    ["a file", (file) => writeFile(file, "")],
    ["a folder", (file) => mkdir(file)],
    [
      "an abandoned lock that cannot be removed",
      async (file) => {
        await lockOf(file, await endedProcess());
        await mkdir(`${file}.drop`);
      },
    ],
  ])("nobody waits for %s in its place", async (_, make) => {
    await using place = await workspace();
    const file = join(place.dir, "lock");
    await make(file);
    expect(await takeLockOrAwait(file, Number.POSITIVE_INFINITY)).toBeNull();
  });
});
