/** SHA-256 of a text in hex, loaded only for runs in which a value changed. */
export function valueHash(text: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex");
}
