import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256Of } from "../../src/fs/hash.ts";

/** Stands for the hash of the native executable's runtime, which notes what it was given. */
class Hasher {
  readonly #hash = createHash("sha256");
  static made = 0;
  constructor(algorithm: string) {
    expect(algorithm).toBe("sha256");
    Hasher.made++;
  }
  update(content: string | Uint8Array): this {
    this.#hash.update(content);
    return this;
  }
  digest(encoding: "hex"): string {
    return this.#hash.digest(encoding);
  }
}

test.each(["", "a\ud800b", "é".repeat(1000), new Uint8Array([0, 255]), Buffer.from("abcdef").subarray(2, 4)])(
  "a hash is SHA-256 in hex, made by the runtime's own hash where it has one (%#)",
  (content) => {
    const expected = createHash("sha256").update(content).digest("hex");
    expect(sha256Of(content)).toBe(expected);
    Object.assign(globalThis, { Bun: { CryptoHasher: Hasher } });
    try {
      const before = Hasher.made;
      expect(sha256Of(content)).toBe(expected);
      expect(Hasher.made).toBe(before + 1);
    } finally {
      Reflect.deleteProperty(globalThis, "Bun");
    }
  },
);
