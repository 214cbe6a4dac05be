/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** @param {readonly string[]} items */
export const list = (items) => items.map((item) => `- ${item.replaceAll("\n", " ")}`).join("\n");

const cell = (/** @type {string} */ text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

export const code = (/** @type {string} */ text) => `\`${text}\``;
export const codes = (/** @type {readonly string[]} */ texts) => texts.map(code).join(", ");
