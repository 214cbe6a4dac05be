/** Bun hands each variable of this prefix to its engine, whose options end a guard without an answer or replace its code. */
const PREFIX = "BUN_JSC_";
/** Compared with NUL, which no variable's name can contain. */
const REPLACED = PREFIX.indexOf("J");

/** The code compares the characters one by one: a string to search for is not there. So far after one comes the next. */
const MOST_BYTES_BETWEEN = 32;

/**
 * Makes an executable of Bun deaf for the variables of its engine. It must compare with the prefix in one place.
 *
 * @param {Buffer} bytes @param {string} cpu
 */
export function unhearEngine(bytes, cpu) {
  const found = cpu === "arm64" ? comparisonsOnArm(bytes) : comparisonsOnX64(bytes);
  const [place] = found;
  if (place === undefined || found.length > 1)
    throw new Error(`Bun compares with ${PREFIX} in ${found.length} places: it may read it in another way now`);
  // On both the character is an immediate operand: a byte of its own, and the bits from the tenth on.
  if (cpu === "arm64") bytes.writeUInt32LE((bytes.readUInt32LE(place) & ~(0xfff << 10)) >>> 0, place);
  else bytes[place] = 0;
}

/** `cmpb $0x4a, 4(%r14)`: the position and the character are the last two bytes. @param {Buffer} bytes */
function comparisonsOnX64(bytes) {
  /** @type {number[]} */
  const found = [];
  const wanted = (/** @type {number} */ index) => Buffer.from([index, PREFIX.charCodeAt(index)]);
  for (let at = bytes.indexOf(wanted(1)); at !== -1; at = bytes.indexOf(wanted(1), at + 1)) {
    const places = follow(2, at, (index, after) => {
      const next = bytes.subarray(after + 2, after + 2 + MOST_BYTES_BETWEEN).indexOf(wanted(index));
      return next === -1 ? null : after + 2 + next;
    });
    const place = places[REPLACED - 2];
    if (places.length === PREFIX.length - 2 && place !== undefined) found.push(place + 1);
  }
  return found;
}

/** `cmp w8, #0x4a`, for any register. @param {Buffer} bytes */
function comparisonsOnArm(bytes) {
  /** @type {number[]} */
  const found = [];
  const isWanted = (/** @type {number} */ index, /** @type {number} */ at) =>
    (bytes.readUInt32LE(at) & 0xfffffc1f) >>> 0 === (0x7100001f | (PREFIX.charCodeAt(index) << 10)) >>> 0;
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    if (!isWanted(0, at)) continue;
    const places = follow(1, at, (index, after) => {
      const end = Math.min(after + MOST_BYTES_BETWEEN, bytes.length - 4);
      for (let next = after + 4; next <= end; next += 4) if (isWanted(index, next)) return next;
      return null;
    });
    const place = places[REPLACED - 1];
    if (places.length === PREFIX.length - 1 && place !== undefined) found.push(place);
  }
  return found;
}

/**
 * The places of the characters from `first` on, each found after the one before.
 *
 * @param {number} first @param {number} from @param {(index: number, after: number) => number | null} findNext
 */
function follow(first, from, findNext) {
  const places = [];
  for (let index = first, after = from; index < PREFIX.length; index++) {
    const next = findNext(index, after);
    if (next === null) return places;
    places.push(next);
    after = next;
  }
  return places;
}
