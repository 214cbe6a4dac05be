import { isUtf8 } from "node:buffer";

/** UTF-8 bytes as text, one byte order mark taken away; null when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null;
  // Not TextDecoder: its first use loads as much code as all of this program's payload reading.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
