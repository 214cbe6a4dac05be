import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NO_IDENTITY_CACHE, openIdentityCache } from "../../src/discover/identity-cache.ts";
import { isSettled } from "../../src/fs/disk.ts";
import type { Candidate, FileStamp } from "../../src/protocol/hook.ts";
import { workspace } from "../support/workspace.ts";

const NOW_MS = 1_000_000;
const STAMP: FileStamp = {
  device: 1,
  inode: 2,
  size: 3,
  modifiedMs: 4,
  changedMs: 5,
  mode: 0o100755,
  owner: 6,
  group: 7,
};
const file = (name: string, stamp: Partial<FileStamp> = {}): Candidate => ({
  ...{
    name,
    path: `/hooks/${name}`,
    realPath: `/hooks/${name}`,
    source: "user",
    projectDir: null,
    rank: 0,
    entry: null,
  },
  stamp: { ...STAMP, ...stamp },
});
const ANSWER = { answer: "before_tool_call", hash: "abc" };

test("what was kept is there in the next call", async () => {
  await using place = await workspace();
  const path = join(place.dir, "cache", "identities.json");
  const memory = openIdentityCache(path, NOW_MS);
  memory.set(file("a"), ANSWER);
  memory.set(file("constructor"), { answer: "agent_stop", hash: null });
  memory.save();
  const next = openIdentityCache(path, NOW_MS);
  expect(["a", "constructor", "b", "__proto__", "toString"].map((name) => next.get(file(name)))).toEqual([
    ANSWER,
    { answer: "agent_stop", hash: null },
    ...[null, null, null],
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("nothing is written without an answer", async () => {
  await using place = await workspace();
  const memory = openIdentityCache(join(place.dir, "identities.json"), NOW_MS);
  expect(memory.get(file("a"))).toBeNull();
  memory.save();
  expect(await place.read("identities.json")).toBeNull();
});

describe("an answer counts for the very same file only", () => {
  const changes: readonly Partial<FileStamp>[] = [
    { device: 9 },
    { inode: 9 },
    { size: 9 },
    { modifiedMs: 9 },
    { changedMs: 9 },
    { mode: 0o100700 },
  ];
  test.each(changes)("%j", async (change) => {
    await using place = await workspace();
    const memory = openIdentityCache(join(place.dir, "identities.json"), NOW_MS);
    memory.set(file("a"), ANSWER);
    expect(memory.get(file("a"))).toEqual(ANSWER);
    expect(memory.get(file("a", change))).toBeNull();
  });
});

test("a file younger than 2 s is not remembered", () => {
  const ages = [0, 1999, 2000, 5000].map((ageMs) => isSettled(file("a", { changedMs: NOW_MS - ageMs }).stamp, NOW_MS));
  expect(ages).toEqual([false, false, true, true]);
});

const damages = [
  "",
  "[]",
  "null",
  '{"version":0,"hooks":{}}',
  '{"version":1,"hooks":[]}',
  '{"version":1,"hooks":{"/hooks/a":["1:2:3:4:5:33261",7,"abc"]}}',
  '{"version":1,"hooks":{"/hooks/a":["1:2:3:4:5:33261"]}}',
];
test.each(damages)("a damaged memory is no memory: %j", async (text) => {
  await using place = await workspace();
  const path = await place.write("identities.json", text);
  const memory = openIdentityCache(path, NOW_MS);
  expect(memory.get(file("a"))).toBeNull();
  memory.set(file("a"), ANSWER);
  memory.save();
  expect(openIdentityCache(path, NOW_MS).get(file("a"))).toEqual(ANSWER);
});

test("at most 5,000 answers are kept, the newest", async () => {
  await using place = await workspace();
  const path = join(place.dir, "identities.json");
  const memory = openIdentityCache(path, NOW_MS);
  for (let index = 0; index <= 5000; index++) memory.set(file(`h${index}`), ANSWER);
  memory.save();
  const next = openIdentityCache(path, NOW_MS);
  expect(["h0", "h1", "h5000"].map((name) => next.get(file(name)))).toEqual([null, ANSWER, ANSWER]);
});

test("a place that cannot be written to is no fault", async () => {
  await using place = await workspace();
  const memory = openIdentityCache(join(await place.write("file", ""), "identities.json"), NOW_MS);
  memory.set(file("a"), ANSWER);
  expect(memory.save).not.toThrow();
});

test("without a memory nothing is remembered", () => {
  NO_IDENTITY_CACHE.set(file("a"), ANSWER);
  NO_IDENTITY_CACHE.save();
  expect(NO_IDENTITY_CACHE.get(file("a"))).toBeNull();
});
