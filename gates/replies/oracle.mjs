// What a response means at least, decided without any code of the project: JSON.parse, and the words that stop an agent.

/** @typedef {"none" | "ask" | "block"} Meaning the strictest thing that a plain reader finds in it */

const decoder = new TextDecoder("utf-8");

/** @param {Uint8Array} bytes @returns {Meaning | null} null: no JSON object at all */
export function meaningOf(bytes) {
  const value = parsed(bytes);
  if (!isBag(value)) return null;
  return blocks(value) ? "block" : asks(value) ? "ask" : "none";
}

/** Bytes that are not UTF-8 become U+FFFD, as everywhere. */
/** @param {Uint8Array} bytes @returns {unknown} */
function parsed(bytes) {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return null;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** No key twice in one object, at any level, and not too deep. Only for text that JSON.parse took. */
/** @param {string} text @param {number} mostLevels */
export function isSound(text, mostLevels) {
  /** @type {(Set<string> | null)[]} */
  const open = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const keys = open.at(-1);
      const key = JSON.parse(last);
      if (keys?.has(key)) return false;
      keys?.add(key);
    } else last = token;
    if (open.length > mostLevels) return false;
  }
  return true;
}

/** @typedef {Readonly<Record<string, unknown>>} Bag */

/** @param {unknown} value @returns {value is Bag} */
const isBag = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The keys that an exact spelling takes from others that differ in case alone. */
const EXACT = ["Continue", "continue"];

/** @param {string} key */
const nameOf = (key) => (EXACT.includes(key) ? key : key.toLowerCase());

/** @param {Bag} bag */
function blocks(bag) {
  return Object.entries(bag).some(([key, value]) => {
    const name = nameOf(key);
    if (name === "blocked") return value === true;
    if (name === "reject") return typeof value === "string";
    if (name === "action") return value === "block" || value === "reject";
    if (name === "decision") return value === "deny" || value === "block";
    if (name === "permissiondecision") return value === "deny";
    if (key === "continue") return value === false;
    return name === "hookspecificoutput" && isBag(value) && nests(value, "deny");
  });
}

/** @param {Bag} bag */
function asks(bag) {
  return Object.entries(bag).some(([key, value]) => {
    const name = nameOf(key);
    if (name === "decision" || name === "permissiondecision") return value === "ask";
    return name === "hookspecificoutput" && isBag(value) && nests(value, "ask");
  });
}

/** @param {Bag} bag @param {string} word */
const nests = (bag, word) =>
  Object.entries(bag).some(([key, value]) => {
    const name = key.toLowerCase();
    if (name === "permissiondecision") return value === word;
    return name === "decision" && isBag(value) && value.behavior === word;
  });
