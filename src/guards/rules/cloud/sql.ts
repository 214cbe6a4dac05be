/** What a statement of SQL destroys; null if nothing. Linear in the length of the text. */
export function sqlDestroys(text: string): string | null {
  for (const statement of bare(text).split(";")) {
    const found = effectOf(statement.trim().toUpperCase().split(/\s+/));
    if (found !== null) return found;
  }
  return null;
}

/** Objects that hold data, or access to it. Others, such as an index, are made again from the schema. */
const HOLDS_DATA: ReadonlySet<string> = new Set([
  ...["TABLE", "DATABASE", "SCHEMA", "TABLESPACE", "KEYSPACE", "COLLECTION", "OWNED", "USER", "ROLE", "WAREHOUSE"],
  ...["BUCKET", "STREAM", "STAGE", "DATASET"],
]);

/** `ALTER TABLE t DROP CONSTRAINT …` loses no data. */
const HOLDS_NONE: ReadonlySet<string> = new Set([
  ...[
    "CONSTRAINT",
    "INDEX",
    "DEFAULT",
    "NOT",
    "KEY",
    "FOREIGN",
    "PRIMARY",
    "IDENTITY",
    "EXPRESSION",
    "CHECK",
    "SYSTEM",
  ],
]);

const ALL_ROWS = "deletes all rows of a table";

function effectOf(words: readonly string[]): string | null {
  const [verb = "", object = ""] = words;
  switch (verb) {
    case "DROP":
      return HOLDS_DATA.has(object) ? `deletes a ${object.toLowerCase()} with its data` : null;
    case "TRUNCATE":
      return ALL_ROWS;
    case "ALTER": {
      const dropped = words[words.indexOf("DROP") + 1];
      const isLoss = object === "TABLE" && words.includes("DROP") && !HOLDS_NONE.has(dropped ?? "");
      return isLoss ? "deletes a column with its data" : null;
    }
    case "DELETE":
    case "WITH":
      return words.includes("DELETE") && words.includes("FROM") && isForAll(words, "DELETE") ? ALL_ROWS : null;
    case "UPDATE":
      return words.includes("SET") && isForAll(words, "SET") ? "overwrites all rows of a table" : null;
    default:
      return null;
  }
}

/** True if no condition follows, or one that always holds. */
function isForAll(words: readonly string[], verb: string): boolean {
  const where = words.indexOf("WHERE", words.indexOf(verb));
  return where < 0 || /^\(?(?:1=1|TRUE|1)\)?$/.test(words.slice(where + 1).join(""));
}

/** The text without comments, quoted texts and lines for the client (`\c`, `.mode`, `USE`, `GO`). */
function bare(text: string): string {
  let out = "";
  for (let at = 0; at < text.length; ) {
    const two = text.slice(at, at + 2);
    if (two === "--" || two === "/*") {
      at = endOf(text, at + 2, two === "--" ? "\n" : "*/");
      out += " ";
    } else if (text[at] === "'") {
      at = endOf(text, at + 1, "'");
      out += "''";
    } else out += text[at++];
  }
  return out.replace(/^[ \t]*(?:[\\.].*|go|use [^;\n]*)$/gim, ";");
}

function endOf(text: string, from: number, end: string): number {
  const at = text.indexOf(end, from);
  return at < 0 ? text.length : at + end.length;
}
