import { readFileBytes } from "./read-file.ts";

/** SHA-256 of a regular file in hex; null when it cannot be read. */
export function fileSha256(path: string): string | null {
  try {
    return sha256Of(readFileBytes(path));
  } catch {
    return null;
  }
}

/** SHA-256 in hex. */
export function sha256Of(content: string | Uint8Array): string {
  // Loaded when it is needed: a remembered hook brings its hash along (3 ms).
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(content).digest("hex");
}
