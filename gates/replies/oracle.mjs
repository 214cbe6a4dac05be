// What a response means at least, decided without any code of the project: JSON.parse, and the words that stop an agent.

import { isObject, objectIn } from "../json.mjs";

/** @typedef {"none" | "ask" | "block"} Meaning the strictest thing that a plain reader finds in it */

/** @param {Uint8Array} bytes @returns {Meaning | null} null: no JSON object at all */
export function meaningOf(bytes) {
  // Bytes that are not UTF-8 become U+FFFD, as everywhere.
  const value = objectIn(new TextDecoder("utf-8").decode(bytes));
  if (value === null) return null;
  return blocks(value) ? "block" : asks(value) ? "ask" : "none";
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** No key twice in one object, at any level, and not too deep. Only for text that JSON.parse took. */
/** @param {string} text @param {number} mostLevels */
export function isSound(text, mostLevels) {
  const open = /** @type {(Set<string> | null)[]} */ ([]);
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
    return name === "hookspecificoutput" && isObject(value) && nests(value, "deny");
  });
}

/** @param {Bag} bag */
function asks(bag) {
  return Object.entries(bag).some(([key, value]) => {
    const name = nameOf(key);
    if (name === "decision" || name === "permissiondecision") return value === "ask";
    return name === "hookspecificoutput" && isObject(value) && nests(value, "ask");
  });
}

/** @param {Bag} bag @param {string} word */
const nests = (bag, word) =>
  Object.entries(bag).some(([key, value]) => {
    const name = key.toLowerCase();
    if (name === "permissiondecision") return value === word;
    return name === "decision" && isObject(value) && value.behavior === word;
  });
