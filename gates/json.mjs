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
