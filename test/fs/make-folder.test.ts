import { existsSync } from "node:fs";
import { chmod, mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { placeClosedToUsers } from "../../src/fs/machine-folder.ts";
import { makeFolder, makePublicFolder } from "../../src/fs/write-file.ts";
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

test("what is for everybody can be entered by everybody, whatever the umask", async () => {
  await using place = await workspace();
  const before = process.umask(0o077);
  try {
    makePublicFolder(join(place.dir, "a", "b"));
  } finally {
    process.umask(before);
  }
  for (const path of ["a", "a/b"]) expect((await stat(join(place.dir, path))).mode & 0o777).toBe(0o755);
});

test("what is closed to others is found on the way to a path and below it", async () => {
  await using place = await workspace();
  const file = await place.write("a/b/c/file", "");
  for (const path of ["", "a", "a/b", "a/b/c"]) await chmod(join(place.dir, path), 0o755);
  const [folder, above] = [join(place.dir, "a/b"), join(place.dir, "a")];
  const found = placeClosedToUsers(folder);
  for (const [path, mode, where] of [
    [file, 0o711, file],
    [join(folder, "c"), 0o711, join(folder, "c")],
    [above, 0o710, above],
    [above, 0o711, null],
  ] as const) {
    const { mode: before } = await stat(path);
    await chmod(path, mode);
    expect(placeClosedToUsers(folder)).toBe(where ?? found);
    await chmod(path, before & 0o777);
  }
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
