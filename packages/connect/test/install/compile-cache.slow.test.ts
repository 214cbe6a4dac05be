import { chmod, cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AS_USER, canSwitchUser, giveToUser, WHY_SKIPPED } from "../../../../test/support/as-user.ts";
import { runProgram, type Workspace, workspace } from "../../../../test/support/workspace.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const KEPT = `hot.cjs.${process.versions.v8}`;

type Hookctl = (words: string, env?: { readonly PATH: string }) => ReturnType<typeof runProgram>;

/** hookctl as a package manager installs it: without the compiled code of any V8. */
async function installed(place: Workspace, before: readonly string[] = []): Promise<Hookctl> {
  const home = join(place.dir, "an installed copy");
  await mkdir(home);
  for (const part of ["bin", "package.json", "docs", "hooks-examples"]) {
    await cp(join(root, part), join(home, part), { recursive: true });
  }
  const isCode = (path: string): boolean => !/\.cjs\../.test(path);
  await cp(join(root, "dist"), join(home, "dist"), { recursive: true, filter: isCode });
  await symlink(join(root, "node_modules"), join(home, "node_modules"));
  const program = join(home, "bin", "hookctl.js");
  const env = { PATH: process.env.PATH, HOME: place.home };
  return (words, more) =>
    runProgram([...before, process.execPath, program, ...words.split(" ")], {
      env: { ...env, ...more },
      cwd: place.project,
    });
}

const keptIn = async (place: Workspace): Promise<readonly string[]> =>
  (await readdir(join(place.dir, "an installed copy", "dist"))).filter((name) => /\.cjs\../.test(name));

describe("an installed package has no compiled code", () => {
  test.each(["init --yes", "install claude", "doctor"])("until `%s` keeps it, whole", async (words) => {
    await using place = await workspace();
    const hookctl = await installed(place);
    expect(await hookctl("list")).toMatchObject({ stderr: "", code: 0 });
    expect(await keptIn(place)).toEqual([]);
    // Without an agent doctor has a fault to tell.
    expect(await hookctl(words)).toMatchObject({ stderr: "", code: words === "doctor" ? 1 : 0 });
    const kept = await keptIn(place);
    expect(kept).toContain(KEPT);
    for (const name of kept) expect(name.endsWith(`.${process.versions.v8}`)).toBe(true);
    expect(await hookctl("list")).toMatchObject({ stderr: "", code: 0 });
  });

  test("what an older version left there is not taken for it, and is made anew", async () => {
    await using place = await workspace();
    const hookctl = await installed(place);
    await hookctl("install claude");
    expect(await keptIn(place)).toContain(`list.cjs.${process.versions.v8}`);
    const code = join(place.dir, "an installed copy", "dist", "list.cjs");
    const text = await readFile(code, "latin1");
    // Of the same length, which is all that V8 itself would look at.
    const newer = text.replaceAll("hookctl.list/1", "hookctl.list/2");
    expect(newer).not.toBe(text);
    await writeFile(code, newer);
    const result = await hookctl("list --json");
    expect(JSON.parse(result.stdout).schema).toBe("hookctl.list/2");
    await hookctl("doctor");
    expect((await readFile(`${code}.${process.versions.v8}`, "latin1")).startsWith(newer)).toBe(true);
  });

  test("and nothing that PATH finds in the project is started for it", async () => {
    await using place = await workspace();
    const hookctl = await installed(place);
    const canary = join(place.dir, "canary");
    for (const name of ["sh", "cat", "node"]) {
      const file = await place.write(`project/bin/${name}`, `#!/bin/sh\ntouch ${canary}\n`);
      await chmod(file, 0o755);
    }
    const env = { PATH: `${join(place.project, "bin")}:${process.env.PATH}` };
    expect(await hookctl("install claude", env)).toMatchObject({ code: 0 });
    expect(await keptIn(place)).toContain(KEPT);
    expect(await place.read("canary")).toBeNull();
  });

  test("and what only looks on keeps nothing", async () => {
    await using place = await workspace();
    const hookctl = await installed(place);
    await hookctl("install claude --dry-run");
    await hookctl("test");
    expect(await keptIn(place)).toEqual([]);
  });

  test.skipIf(!canSwitchUser)(`and goes without where nobody may write${WHY_SKIPPED}`, async () => {
    await using place = await workspace();
    const hookctl = await installed(place, AS_USER);
    const dist = join(place.dir, "an installed copy", "dist");
    await giveToUser(place);
    await chmod(dist, 0o555);
    const result = await hookctl("doctor");
    await chmod(dist, 0o755);
    expect(result).toMatchObject({ stderr: "", code: 1 });
    expect(result.stdout).toContain(
      "▲ speed: no compile cache for this version of Node: each call takes about 20 % longer\n" +
        `  As a user who may write to ${dist}, run once: hookctl doctor\n`,
    );
  });
});

interface Kept {
  readonly compiledFrom: (code: Uint8Array, kept: Uint8Array) => Uint8Array | undefined;
  readonly keptBytes: (code: Uint8Array, compiled: Uint8Array) => Uint8Array;
}

test("one wrong bit anywhere, or a missing end, and the code is compiled anew", async () => {
  const { compiledFrom }: Kept = createRequire(import.meta.url)(join(root, "bin/hookctl.js"));
  await using place = await workspace();
  const hookctl = await installed(place);
  await hookctl("install claude");
  const dist = join(place.dir, "an installed copy", "dist");
  const [code, whole] = [await readFile(join(dist, "hot.cjs")), await readFile(join(dist, KEPT))];
  const isTaken = (bytes: Uint8Array): boolean => compiledFrom(code, bytes) !== undefined;
  expect(isTaken(whole)).toBe(true);
  const flips = Array.from({ length: 240 }, (_, index) => Math.floor((index * whole.length * 8) / 240) + (index % 8));
  for (const bit of flips) {
    const spoilt = Buffer.from(whole);
    spoilt.writeUInt8(spoilt.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(isTaken(spoilt)).toBe(false);
  }
  for (const end of [0, 1, code.length, code.length + 1, whole.length - 1, whole.length - 2]) {
    expect(isTaken(whole.subarray(0, end))).toBe(false);
  }
});

test("a spoilt file is no reason to fail: each call is as without it", async () => {
  await using place = await workspace();
  const hookctl = await installed(place);
  await hookctl("install claude");
  const file = join(place.dir, "an installed copy", "dist", KEPT);
  const whole = await readFile(file);
  const result = await hookctl("list --json");
  for (const at of [0.3, 0.5, 0.7, 0.9]) {
    const spoilt = Buffer.from(whole);
    spoilt.fill(0xff, Math.floor(whole.length * at), Math.floor(whole.length * at) + 8);
    await writeFile(file, spoilt);
    expect(await hookctl("list --json")).toEqual(result);
  }
});
