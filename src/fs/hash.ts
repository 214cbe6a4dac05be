import { readFileBytes } from "./read-file.ts";

/** SHA-256 of a regular file in hex; null if it cannot be read. */
export function fileSha256(path: string): string | null {
  try {
    return sha256Of(readFileBytes(path));
  } catch {
    return null;
  }
}

/** SHA-256 in hex. */
export const sha256Of = (content: string | Uint8Array): string => openHash().update(content).digest("hex");

interface Hash {
  readonly update: (content: string | Uint8Array) => Hash;
  readonly digest: (encoding: "hex") => string;
}

/** Loaded only when needed: `node:crypto` takes 3 ms, in the native executable 5, whose runtime has a hash that takes none. */
function openHash(): Hash {
  const { Bun: bun } = globalThis as { readonly Bun?: { readonly CryptoHasher: new (algorithm: string) => Hash } };
  if (bun !== undefined) return new bun.CryptoHasher("sha256");
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}
