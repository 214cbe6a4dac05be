// Settings -> text: JSON, or YAML in block and flow style.

/** @import { Random } from "../random.mjs" */

/** @param {Random} random @param {unknown} config @param {string} place */
export function written(random, config, place) {
  const mark = random.chance(0.03) ? "\ufeff" : "";
  if (place.endsWith("package.json"))
    return mark + json(random, { name: "p", hookctl: config, dependencies: { hookctl: "^1.0.0" } });
  return mark + (place.endsWith(".json") || random.chance(0.2) ? json(random, config) : block(random, config, 0));
}

/** @param {Random} random @param {unknown} value */
function json(random, value) {
  const text = JSON.stringify(value, null, random.pick([0, 0, 2, "\t"])) ?? "null";
  // A key may be written in escapes: it is the same key.
  return random.chance(0.05) ? text.replaceAll('"hook', () => random.pick(['"hook', '"\\u0068ook'])) : text;
}

/** @param {Random} random @param {unknown} value @param {number} depth @returns {string} */
function block(random, value, depth) {
  const pad = "  ".repeat(depth);
  if (typeof value !== "object" || value === null || random.chance(0.15) || isEmpty(value))
    return `${flow(random, value)}\n`;
  if (Array.isArray(value)) {
    return `\n${value.map((item) => `${pad}- ${block(random, item, depth + 1).replace(/^\n\s*/, "")}`).join("")}`;
  }
  const lines = Object.entries(value).map(
    ([key, item]) => `${pad}${scalar(random, key)}: ${block(random, item, depth + 1)}`,
  );
  return depth === 0 ? lines.join("") : `\n${lines.join("")}`;
}

/** @param {object} value */
const isEmpty = (value) => Object.keys(value).length === 0;

/** @param {Random} random @param {unknown} value @returns {string} */
function flow(random, value) {
  return typeof value === "string" ? scalar(random, value) : JSON.stringify(value);
}

/** Plain where YAML takes it for a text. @param {Random} random @param {string} text */
function scalar(random, text) {
  const isPlain = /^[a-z_]{3,}$/.test(text) && !["null", "true", "false", "yes", "off"].includes(text);
  return isPlain && random.chance(0.7) ? text : JSON.stringify(text);
}
