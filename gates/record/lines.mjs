import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Found
 * @property {ReadonlyMap<string, number>} counts what a line is about -> how often it is there
 * @property {number} whole
 * @property {readonly string[]} broken lines that are no JSON, or not all of one
 */

/** Every line of a record, rotated files included. */
/** @param {string} folder @param {(line: any) => string} nameOf @returns {Found} */
export function linesIn(folder, nameOf) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const broken = [];
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
    const text = readFileSync(join(folder, name), "utf8");
    for (const line of text.split("\n").filter((one) => one !== "")) {
      const id = idOf(line, nameOf);
      if (id === null) broken.push(line);
      else counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    if (text !== "" && !text.endsWith("\n")) broken.push("a last line without an end");
  }
  return { counts, whole: [...counts.values()].reduce((sum, count) => sum + count, 0), broken };
}

/** @param {string} line @param {(line: any) => string} nameOf */
function idOf(line, nameOf) {
  try {
    return nameOf(JSON.parse(line));
  } catch {
    return null;
  }
}
