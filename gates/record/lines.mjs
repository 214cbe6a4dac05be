import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Found
 * @property {ReadonlyMap<string, number>} counts what a line is about -> how often it is there
 * @property {number} whole
 * @property {readonly string[]} broken lines that are no JSON, not all of one, or a last line without an end
 */

/** Every line of a record, rotated files included. */
/** @param {string} folder @param {(line: Readonly<Record<string, unknown>>) => string} nameOf @returns {Found} */
export function linesIn(folder, nameOf) {
  const counts = /** @type {Map<string, number>} */ (new Map());
  const broken = [];
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
    const text = readFileSync(join(folder, name), "utf8");
    const lines = text.split("\n");
    const last = lines.length - 1;
    for (const [index, line] of lines.entries()) {
      if (line === "") continue;
      const id = index === last ? null : idOf(line, nameOf);
      if (id === null) broken.push(line);
      else counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return { counts, whole: [...counts.values()].reduce((sum, count) => sum + count, 0), broken };
}

/** @param {string} line @param {(line: Readonly<Record<string, unknown>>) => string} nameOf */
function idOf(line, nameOf) {
  try {
    return nameOf(JSON.parse(line));
  } catch {
    return null;
  }
}
