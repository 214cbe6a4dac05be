import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type TarEntry, tarOf } from "../../../test/support/npm-registry.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { filesInTarball, readTar } from "../fetch-npm.ts";

const archive = tarOf([
  { path: "package/hooks", type: "5" },
  { path: "package/hooks/guard", text: "#!/bin/sh\n", mode: 0o755 },
  { path: "pax", type: "x", text: "31 path=package/hooks/a-name.x\n" },
  { path: "package/cut", text: "y" },
]);

const refused: readonly (readonly [title: string, entry: TarEntry, cause: RegExp])[] = [
  ["a path that leads out", { path: "package/../../../../evil", text: "x" }, /leads out of the pack/],
  ["a path that leads out at once", { path: "../evil", text: "x" }, /leads out of the pack/],
  ["an absolute path", { path: "/tmp/evil", text: "x" }, /absolute|leads out/],
  ["a link", { path: "package/hooks/lib", type: "2", link: "/etc" }, /it is a link/],
  ["a hard link", { path: "package/hooks/lib", type: "1", link: "/etc/passwd" }, /it is a link/],
  ["a device", { path: "package/hooks/null", type: "3" }, /not a regular file/],
  ["a FIFO", { path: "package/hooks/fifo", type: "6" }, /not a regular file/],
  ["a name with an escape sequence", { path: "package/hooks/a\u001b[2J", text: "x" }, /unusual characters/],
  [
    "a long path in a header of its own",
    { path: "x", type: "x", text: "27 path=package/../../../e\n" },
    /leads out of the pack/,
  ],
  ["a file twice", { path: "package/hooks/guard", text: "x", mode: 0o755 }, /same name/],
];

describe("an npm package", () => {
  test.each(refused)("with %s is refused whole", (_title, entry, cause) => {
    const guard = { path: "package/hooks/guard", text: "#!/bin/sh\n", mode: 0o755 };
    // A header of a long path is about the entry after it.
    const tarball = gzipSync(tarOf([guard, entry, { path: "package/hooks/lib2", text: "x" }]));
    expect(filesInTarball(tarball, "npm:guards")).toMatchObject({
      ok: false,
      error: { code: "PACK_UNSAFE", cause: expect.stringMatching(cause) },
    });
  });

  test("that is no archive, or unpacks to more than is read, is refused", { tags: "slow" }, () => {
    for (const tarball of [Buffer.from("x"), gzipSync(Buffer.alloc(140 * 1024 * 1024))]) {
      expect(filesInTarball(tarball, "npm:guards")).toMatchObject({ ok: false, error: { code: "PACK_UNSAFE" } });
    }
  });
});

describe("a tar archive", () => {
  test("is read without its first folder, with execute bits and long names", () => {
    const read = readTar(archive);
    expect(read.ok && read.value.map(({ bytes, ...file }) => ({ ...file, text: bytes.toString() }))).toEqual([
      { path: "hooks/guard", kind: "file", isExecutable: true, size: 10, text: "#!/bin/sh\n" },
      { path: "hooks/a-name.x", kind: "file", isExecutable: false, size: 1, text: "y" },
    ]);
  });

  test("that is damaged is refused or read, and nothing throws", () => {
    const damage = fc.record({ at: fc.nat(archive.length - 1), byte: fc.nat(255), length: fc.nat(archive.length) });
    fc.assert(
      fc.property(damage, ({ at, byte, length }) => {
        const damaged = Buffer.from(archive.subarray(0, length));
        if (at < length) damaged[at] = byte;
        expect(typeof readTar(damaged).ok).toBe("boolean");
      }),
      propertyRuns(2000),
    );
  });

  test("whose entry is cut short is refused", () => {
    expect(readTar(archive.subarray(0, 1030))).toMatchObject({
      ok: false,
      error: expect.stringContaining("middle of a file"),
    });
  });
});
