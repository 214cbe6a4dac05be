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
export function sha256Of(content: string | Uint8Array): string {
  // Loaded only when needed: it takes 3 ms, and a cached identity already has its hash.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(content).digest("hex");
}
