import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { signed } from "../../tools/native/sign.mjs";

const PAGE_BYTES = 4096;
const SIGNATURE_AT = 32 + 72 * 2;

/** An executable of macOS with two segments and a signature that does not fit, at its end. */
function executable(codeBytes: number, signatureBytes: number): Buffer {
  const file = Buffer.alloc(codeBytes + signatureBytes, "code");
  const words = (at: number, values: readonly number[]) =>
    values.forEach((value, index) => void file.writeUInt32LE(value, at + index * 4));
  const segment = (at: number, name: string, [start, bytes]: readonly [number, number]) => {
    words(at, [0x19, 72]);
    file.write(name.padEnd(16, "\0"), at + 8, "latin1");
    [start, bytes, start, bytes].forEach(
      (value, index) => void file.writeBigUInt64LE(BigInt(value), at + 24 + index * 8),
    );
  };
  words(0, [0xfeedfacf, 0x01000007, 3, 2, 3, 72 * 2 + 16, 0, 0]);
  segment(32, "__TEXT", [0, 1024]);
  segment(32 + 72, "__LINKEDIT", [1024, codeBytes + signatureBytes - 1024]);
  words(SIGNATURE_AT, [0x1d, 16, codeBytes, signatureBytes]);
  return file;
}

/** The pages whose hash is wrong, read as macOS reads a signature. */
function brokenPages(file: Buffer): readonly number[] {
  const blob = file.subarray(file.readUInt32LE(SIGNATURE_AT + 8));
  const directory = blob.subarray(blob.readUInt32BE(16));
  const [hashes, pages, codeBytes] = [16, 28, 32].map((at) => directory.readUInt32BE(at)) as [number, number, number];
  return Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const bytes = file.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, codeBytes));
    const hash = directory.subarray(hashes + page * 32, hashes + (page + 1) * 32);
    return !createHash("sha256").update(bytes).digest().equals(hash);
  });
}

describe("the signature of an executable for macOS", () => {
  test.each([
    ["a part of a page at its end", 3 * PAGE_BYTES + 48, 16],
    ["whole pages", 3 * PAGE_BYTES, 16],
    ["a longer signature before", 3 * PAGE_BYTES, 9000],
    ["less than a page", 1040, 0],
  ])("fits every byte before it: %s", (_, codeBytes, before) => {
    const file = signed(executable(codeBytes, before));
    expect(brokenPages(file)).toEqual([]);
    expect(file.readUInt32LE(SIGNATURE_AT + 8) + file.readUInt32LE(SIGNATURE_AT + 12)).toBe(file.length);
    const linkEdit = 32 + 72 + 24;
    const [, vmBytes, start, bytes] = [0, 8, 16, 24].map((at) => Number(file.readBigUInt64LE(linkEdit + at)));
    expect(Number(start) + Number(bytes)).toBe(file.length);
    expect(Number(vmBytes)).toBeGreaterThanOrEqual(Number(bytes));
    expect(signed(file)).toEqual(file);
  });

  test("tells of a byte that was changed after it", () => {
    const file = signed(executable(3 * PAGE_BYTES + 48, 16));
    file.writeUInt8(file.readUInt8(2 * PAGE_BYTES + 7) ^ 1, 2 * PAGE_BYTES + 7);
    expect(brokenPages(file)).toEqual([2]);
  });

  test.each([
    ["another format", Buffer.from("\x7fELF".padEnd(64)), "not an executable of macOS"],
    ["bytes after the signature", Buffer.concat([executable(4096, 16), Buffer.alloc(1)]), "not at the end"],
  ])("is refused for %s", (_, file, words) => {
    expect(() => signed(file)).toThrow(words);
  });
});
