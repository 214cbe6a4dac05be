import { fail, ok, type Result } from "../protocol/result.ts";
import { decodeUtf8 } from "../protocol/text/text.ts";
import type { ListedFile } from "./pack-files.ts";

export interface TarFile extends ListedFile {
  readonly bytes: Buffer;
}

const BLOCK = 512;
const MOST_ENTRIES = 20_000;

interface Header {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
}

/** Lists the files of an uncompressed tar archive, without its first folder (`package/`). Nothing is written. */
export function readTar(archive: Buffer): Result<readonly TarFile[], string> {
  const files: TarFile[] = [];
  let longPath: string | null = null;
  let at = 0;
  for (let entries = 0; at + BLOCK <= archive.length; entries++) {
    if (entries > MOST_ENTRIES) return fail("it has too many entries");
    const header = readHeader(archive.subarray(at, at + BLOCK));
    if (header === null) return ok(files);
    if (typeof header === "string") return fail(header);
    const bytes = archive.subarray(at + BLOCK, at + BLOCK + header.size);
    if (bytes.length < header.size) return fail("it ends in the middle of a file");
    at += BLOCK + Math.ceil(header.size / BLOCK) * BLOCK;
    if (header.type === "x" || header.type === "L") {
      const named = header.type === "x" ? paxPath(bytes) : decodeUtf8(bytes)?.replace(/\0.*$/s, "");
      if (named === undefined) return fail("it has a header that cannot be read");
      longPath = named ?? longPath;
      continue;
    }
    // Comments on the whole archive.
    if (header.type === "g") continue;
    const path = longPath ?? header.path;
    longPath = null;
    if (header.type !== "5") files.push(fileOf(path, header, bytes));
  }
  return ok(files);
}

function fileOf(whole: string, { type, mode, size }: Header, bytes: Buffer): TarFile {
  const kind = ["0", "\0", ""].includes(type) ? "file" : type === "1" || type === "2" ? "link" : "device";
  const slash = whole.indexOf("/");
  const first = whole.slice(0, Math.max(0, slash));
  // Only a plain first folder is dropped: one that leads elsewhere must be seen.
  const path = slash > 0 && first !== ".." && first !== "." ? whole.slice(slash + 1) : whole;
  return { path, kind, size, isExecutable: (mode & 0o111) !== 0, bytes };
}

/** Null at the end of the archive; a text says why the header cannot be read. */
function readHeader(block: Buffer): Header | string | null {
  if (block.every((byte) => byte === 0)) return null;
  const sum = octal(block, 148, 8);
  const actual = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  const [size, mode] = [octal(block, 124, 12), octal(block, 100, 8)];
  if (sum !== actual || size === null || mode === null) return "it has a header that cannot be read";
  const [name, prefix] = [
    field(block, 0, 100),
    block.toString("latin1", 257, 262) === "ustar" ? field(block, 345, 155) : "",
  ];
  if (name === null || prefix === null) return "it has a name that is not UTF-8";
  const type = String.fromCharCode(block[156] ?? 0);
  return { path: prefix === "" ? name : `${prefix}/${name}`, type, mode, size };
}

const field = (block: Buffer, from: number, length: number): string | null => {
  const end = block.indexOf(0, from);
  return decodeUtf8(block.subarray(from, end === -1 || end > from + length ? from + length : end));
};

function octal(block: Buffer, from: number, length: number): number | null {
  const text = block
    .toString("latin1", from, from + length)
    .replace(/[\0 ]+$/, "")
    .trim();
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || "0", 8) : null;
}

/** The path in a pax header (`27 path=…\n`); null if it has none, undefined if it cannot be read. */
function paxPath(bytes: Buffer): string | null | undefined {
  let path: string | null = null;
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString("latin1", at, Math.max(at, space)));
    if (space === -1 || !Number.isInteger(length) || length < 5 || at + length > bytes.length) return undefined;
    const record = decodeUtf8(bytes.subarray(space + 1, at + length - 1));
    if (record === null) return undefined;
    // A size here would contradict the one in the header.
    if (record.startsWith("size=")) return undefined;
    if (record.startsWith("path=")) path = record.slice("path=".length);
    at += length;
  }
  return path;
}
