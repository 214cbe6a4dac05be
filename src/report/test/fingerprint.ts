import { createHash } from "node:crypto";

/** Names a failure. Made without its line and message, so that it stays the same one while its file changes. */
export const fingerprint = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
