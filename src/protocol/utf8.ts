import { isUtf8 } from "node:buffer";

/** UTF-8 bytes as text, one byte order mark taken away; null when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  return isUtf8(bytes) ? textOf(bytes) : null;
}

/** The same for any bytes: each that is not UTF-8 becomes U+FFFD. */
export function decodeLoosely(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  return { text: textOf(bytes), isUtf8: isUtf8(bytes) };
}

function textOf(bytes: Uint8Array): string {
  // Not TextDecoder: its first use loads as much code as all of this program's payload reading.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
