import { readFileSync } from "node:fs";

/** SHA-256 of a file in hex; null when it cannot be read. */
export function contentHash(path: string): string | null {
  try {
    return hashOf(readFileSync(path));
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
