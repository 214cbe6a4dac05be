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
export const sha256Of = (content: string | Uint8Array): string =>
  // Loaded only when needed: `node:crypto` takes 3 ms.
  process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");
