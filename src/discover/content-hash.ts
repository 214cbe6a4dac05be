import { readFileSync } from "node:fs";

/** SHA-256 of a file in hex; null when it cannot be read. */
export function contentHash(path: string): string | null {
  // Loaded when it is needed: a remembered hook brings its hash along (3 ms).
  const { createHash } = process.getBuiltinModule("node:crypto");
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return null;
  }
}
