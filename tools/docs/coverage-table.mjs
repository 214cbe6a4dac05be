import { DOCUMENTS, KINDS, readRows } from "../coverage/rows.mjs";
import { table } from "./table.mjs";

/** Every row of every document, by kind. */
export function coverageTable() {
  return Object.entries(DOCUMENTS)
    .map(([document, title]) => documentPart(document, title))
    .join("\n\n");
}

function documentPart(/** @type {string} */ document, /** @type {string} */ title) {
  const { rows, faults } = readRows(document);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const parts = Object.entries(KINDS).flatMap(([kind, heading]) => {
    const own = rows.filter((row) => row.kind === kind).map(({ what, where, test }) => [what, where, test].map(plain));
    return own.length === 0
      ? []
      : [`### ${title}: ${heading.toLowerCase()}\n\n${table(["what", "where", "test"], own)}`];
  });
  return [`## ${title}`, ...parts].join("\n\n");
}

/** `<hook>` outside of backticks would be taken for HTML. */
const plain = (/** @type {string} */ text) => text.replaceAll(/`[^`]*`|</g, (part) => (part === "<" ? "\\<" : part));
