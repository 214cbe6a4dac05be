import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The four documents that hookctl unites, and the file with the rows of each. */
export const DOCUMENTS = {
  kodelet: "kodelet, ADR 021",
  basecoat: "Base Coat",
  reyn: "Reyn",
  agenthook: "AgentHook v2",
};

export const KINDS = {
  capability: "Capabilities",
  event: "Events",
  field: "Fields",
  default: "Defaults",
  rule: "Rules",
};

/** @typedef {{ kind: keyof typeof KINDS, what: string, where: string, test: string }} Row */

export const ROWS_FOLDER = fileURLToPath(new URL(".", import.meta.url));

/**
 * The rows of one document, and what is wrong with its file.
 * @param {string} document @param {string} folder @returns {{ rows: readonly Row[], faults: readonly string[] }}
 */
export function readRows(document, folder = ROWS_FOLDER) {
  const name = `${document}.json`;
  const file = join(folder, name);
  if (!existsSync(file)) return { rows: [], faults: [`${name} is not there`] };
  const read = parsed(readFileSync(file, "utf8"));
  if (!Array.isArray(read) || read.length === 0)
    return { rows: [], faults: [`${name} is no list of rows, or has none`] };
  const whole = read.filter((row) => missingOf(row) === null);
  const partial = read.flatMap((row, index) => {
    const missing = missingOf(row);
    return missing === null ? [] : [`${name} row ${index + 1}: ${missing}`];
  });
  return { rows: whole, faults: [...partial, ...repeated(whole).map((words) => `${name}: two rows say ${words}`)] };
}

function parsed(/** @type {string} */ text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What a row lacks, in words; null when it is whole. */
function missingOf(/** @type {Record<string, unknown>} */ row) {
  const empty = ["kind", "what", "where", "test"].find(
    (key) => typeof row?.[key] !== "string" || row[key].trim() === "",
  );
  if (empty !== undefined) return `no "${empty}"`;
  return Object.hasOwn(KINDS, String(row.kind)) ? null : `"${row.kind}" is no kind: ${Object.keys(KINDS).join(", ")}`;
}

function repeated(/** @type {readonly Row[]} */ rows) {
  const said = rows.map(({ kind, what, where }) => `${kind} “${what}” (${where})`);
  return [...new Set(said.filter((words, index) => said.indexOf(words) !== index))];
}
