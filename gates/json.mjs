/** @typedef {Record<string, ReturnType<typeof JSON.parse>>} Unchecked an object of which nothing is known */

/** The value of a JSON text; undefined where it is none. @param {string} text @returns {unknown} */
export function jsonIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {unknown} value @returns {value is Unchecked} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The one JSON object in a text; null where there is more, or something else. @param {string} text */
export function objectIn(text) {
  const value = jsonIn(text);
  return isObject(value) ? value : null;
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
