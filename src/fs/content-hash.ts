import { readRegularBytes } from "./read-regular.ts";

/** SHA-256 of a regular file in hex; null when it cannot be read. */
export function contentHash(path: string): string | null {
  try {
    return hashOf(readRegularBytes(path));
  } catch {
    return null;
  }
}

/** SHA-256 in hex. */
export function hashOf(content: string | Uint8Array): string {
  // Loaded when it is needed: a remembered hook brings its hash along (3 ms).
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(content).digest("hex");
}
