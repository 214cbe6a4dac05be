import { existsSync } from "node:fs";
import { mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../../src/fs/write-file.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

test("what is missing on the way is made for its owner alone", async () => {
  await using place = await workspace();
  const folder = join(place.dir, "a", "b", "c");
  makeFolder(folder);
  makeFolder(folder);
  for (const path of [join(place.dir, "a"), folder]) expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test("a file or a link to nowhere in its place is the caller's trouble", async () => {
  await using place = await workspace();
  await place.write("file", "");
  expect(() => makeFolder(join(place.dir, "file", "below"))).toThrow("ENOTDIR");
  await symlink(join(place.dir, "nowhere"), join(place.dir, "link"));
  expect(() => makeFolder(join(place.dir, "link", "below"))).toThrow("ENOENT");
  await mkdir(join(place.dir, "nowhere"));
  makeFolder(join(place.dir, "link", "below"));
  expect(existsSync(join(place.dir, "nowhere", "below"))).toBe(true);
});

// Below /proc a folder is there, takes nothing, and answers as if it were not there.
describe.skipIf(!existsSync("/proc/self"))("where no folder can be made (needs /proc)", () => {
  test.each(["XDG_STATE_HOME", "XDG_CACHE_HOME"])("a block is given all the same: %s", async (variable) => {
    await using place = await workspace();
    await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
    const env = { [variable]: "/proc/nothing" };
    const result = await place.run(["run", "before_tool_call", "-q"], { stdin: toolCall(), env });
    expect(result).toMatchObject({ code: 2, signal: null, stderr: "" });
    expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true, reason: "no" });
  });
});
