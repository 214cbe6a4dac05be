// A signature for the executables of macOS, without an identity: what `codesign --sign -` writes. macOS kills a program whose
// signature does not fit its bytes, and Bun leaves that of its own build in a darwin-x64 executable.
import { createHash } from "node:crypto";

const MACHO_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const SEGMENT = 0x19;
const CODE_SIGNATURE = 0x1d;

const PAGE_BYTES = 4096;
const HASH_BYTES = 32;
const IDENTIFIER = "hookctl\0";
const DIRECTORY_BYTES = 88;
const BLOB_BYTES = 20;
/** Ad hoc, and signed by a linker: any other tool may replace it. */
const FLAGS = 0x20002;

/**
 * The executable with a signature of all its bytes, in place of the one that it has.
 * @param {Buffer} file
 */
export function signed(file) {
  const { signature, linkEdit } = placesIn(file);
  const codeBytes = file.readUInt32LE(signature + 8);
  const pages = Math.ceil(codeBytes / PAGE_BYTES);
  const directoryBytes = DIRECTORY_BYTES + IDENTIFIER.length + pages * HASH_BYTES;
  const signatureBytes = Math.ceil((BLOB_BYTES + directoryBytes) / 16) * 16;

  const result = Buffer.alloc(codeBytes + signatureBytes);
  file.copy(result, 0, 0, codeBytes);
  // The sizes are in the first page, which is signed as well.
  result.writeUInt32LE(signatureBytes, signature + 12);
  const linkEditBytes = BigInt(result.length) - result.readBigUInt64LE(linkEdit + 40);
  result.writeBigUInt64LE(((linkEditBytes + 0x3fffn) / 0x4000n) * 0x4000n, linkEdit + 32);
  result.writeBigUInt64LE(linkEditBytes, linkEdit + 48);

  const blob = result.subarray(codeBytes);
  bigEndian(blob, [0xfade0cc0, BLOB_BYTES + directoryBytes, 1, 0, BLOB_BYTES]);
  const directory = blob.subarray(BLOB_BYTES);
  const hashes = DIRECTORY_BYTES + IDENTIFIER.length;
  bigEndian(directory, [0xfade0c02, directoryBytes, 0x20400, FLAGS, hashes, DIRECTORY_BYTES, 0, pages, codeBytes]);
  // SHA-256, and pages of 2 ** 12 bytes.
  directory.set([HASH_BYTES, 2, 0, 12], 36);
  const text = segmentNamed(result, "__TEXT");
  directory.writeBigUInt64BE(result.readBigUInt64LE(text + 40), 64);
  directory.writeBigUInt64BE(result.readBigUInt64LE(text + 48), 72);
  // The main program, not a library.
  directory.writeBigUInt64BE(1n, 80);
  directory.write(IDENTIFIER, DIRECTORY_BYTES, "latin1");
  for (let page = 0; page < pages; page++) {
    const bytes = result.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, codeBytes));
    directory.set(createHash("sha256").update(bytes).digest(), hashes + page * HASH_BYTES);
  }
  return result;
}

/** Where the load commands of the signature and of the segment around it begin. @param {Buffer} file */
function placesIn(file) {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MACHO_64) throw new Error("not an executable of macOS");
  const signature = commandsIn(file).find(({ kind }) => kind === CODE_SIGNATURE)?.at;
  if (signature === undefined) throw new Error("the executable has no place for a signature");
  const end = file.readUInt32LE(signature + 8) + file.readUInt32LE(signature + 12);
  if (end !== file.length) throw new Error("the signature is not at the end of the executable");
  return { signature, linkEdit: segmentNamed(file, "__LINKEDIT") };
}

/** @param {Buffer} file @param {string} name */
function segmentNamed(file, name) {
  const isNamed = (/** @type {number} */ at) => file.toString("latin1", at + 8, at + 24).replace(/\0+$/, "") === name;
  const found = commandsIn(file).find(({ kind, at }) => kind === SEGMENT && isNamed(at));
  if (found === undefined) throw new Error(`the executable has no segment ${name}`);
  return found.at;
}

/** @param {Buffer} file */
function commandsIn(file) {
  const commands = [];
  let at = HEADER_BYTES;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    commands.push({ kind: file.readUInt32LE(at), at });
    at += file.readUInt32LE(at + 4);
  }
  return commands;
}

/** @param {Buffer} into @param {readonly number[]} words */
const bigEndian = (into, words) => words.forEach((word, index) => void into.writeUInt32BE(word, index * 4));
