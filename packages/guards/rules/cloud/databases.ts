import { nameSet } from "../../../../src/protocol/json/table.ts";
import type { Call } from "../../command/call.ts";
import { parseOptions } from "../../command/options.ts";
import { inputTexts } from "../command-rules.ts";

const SQL_CLIENTS = nameSet(
  "psql pgcli mysql mariadb mycli sqlite3 sqlite litecli duckdb sqlcmd mssql-cli clickhouse-client clickhouse cqlsh snowsql snow usql trino presto hive beeline spark-sql impala-shell cockroach turso wrangler bq sqlplus isql tsql db2 prisma heroku vsql pscale",
);

const MONGO_CLIENTS = nameSet("mongosh mongo");
const REDIS_CLIENTS = nameSet("redis-cli valkey-cli keydb-cli");

/** What a database client destroys by its arguments or input, and the statement; null if nothing. */
export function databaseLoss(call: Call): DatabaseLoss | null {
  const { program, args } = call;
  if (REDIS_CLIENTS.has(program)) return lossOf(redisLoss(call), null);
  const destroys = SQL_CLIENTS.has(program) ? sqlDestroys : MONGO_CLIENTS.has(program) ? mongoDestroys : null;
  if (destroys === null || args.some(({ text }) => text === ":memory:")) return null;
  const texts = [...args.flatMap(({ text }) => valuesIn(text)), ...(inputTexts(call.input) ?? [])];
  return texts.map((text) => lossOf(destroys(text), text)).find((loss) => loss !== null) ?? null;
}

interface DatabaseLoss {
  readonly effect: string;
  /** The statement without what is said in several ways. */
  readonly targets?: readonly string[];
}

function lossOf(effect: string | null, text: string | null): DatabaseLoss | null {
  if (effect === null || text === null) return effect === null ? null : { effect };
  const statement = text.replace(/\b(?:IF EXISTS|CASCADE|RESTRICT|ONLY|TABLE|PUBLIC\.)\b|["'`[\];]/gi, " ");
  return { effect, targets: [statement.replace(/\s+/g, " ").trim().toLowerCase()] };
}

/** A word, and the option value that it may contain: `-cSQL`, `--command=SQL`. */
const valuesIn = (text: string): readonly string[] =>
  text.startsWith("-") ? [text.slice(2), text.slice(text.indexOf("=") + 1)] : [text];

const mongoDestroys = (text: string): string | null =>
  /\.(?:dropDatabase|drop)\s*\(|\.(?:deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?\)/.test(text)
    ? "deletes a collection or database"
    : null;

const REDIS_OPTIONS = { values: "-h -p -s -a -u -r -i -n -d -D --user --pass --cacert --cert --key" };

/** The command of Redis is the first operand, or each line of the input. */
function redisLoss(call: Call): string | null {
  const { operands } = parseOptions(call.args, REDIS_OPTIONS);
  const isScript = operands.some(({ text }) =>
    /call\(\s*["'](?:flush(?:all|db)\b|del["'].*(?:keys|scan)|unlink["'].*(?:keys|scan))|["']keys["'].*call\(\s*["'](?:del|unlink)["']/is.test(
      text,
    ),
  );
  const isLoss =
    /^flush(?:all|db)$/i.test(operands[0]?.text ?? "") ||
    inputTexts(call.input)?.some((text) => /^\s*flush(?:all|db)\b/im.test(text));
  return isScript || isLoss ? "deletes all keys" : null;
}

/** What an SQL statement destroys; null if nothing. Takes time linear in the length of the text. */
export function sqlDestroys(text: string): string | null {
  const statements = bare(text).split(";");
  const effects = statements.map((statement) => effectOf(statement.trim().toUpperCase().split(/\s+/)));
  return effects.find((effect) => effect !== null) ?? null;
}

/** Objects that hold data, or access to data. Other objects, for example an index, are made again from the schema. */
const HOLDS_DATA = nameSet(
  "TABLE DATABASE SCHEMA TABLESPACE KEYSPACE COLLECTION OWNED USER ROLE WAREHOUSE BUCKET STREAM STAGE DATASET",
);

/** `ALTER TABLE t DROP CONSTRAINT …` loses no data. */
const HOLDS_NONE = nameSet("CONSTRAINT INDEX DEFAULT NOT KEY FOREIGN PRIMARY IDENTITY EXPRESSION CHECK SYSTEM");

const GRANTS_ALL = /^GRANT (?:ALL\b.* ON \*(?:\.\*)? |(?:.*\W)?(?:SUPERUSER|SUPER|SYSADMIN|ACCOUNTADMIN|DBA)\b)/;

const ALL_ROWS = "deletes all rows of a table";

function effectOf(words: readonly string[]): string | null {
  const [verb = "", object = ""] = words;
  switch (verb) {
    case "DROP":
      if (words.includes("CASCADE") && !HOLDS_DATA.has(object)) return "deletes what depends on it, too";
      return HOLDS_DATA.has(object) ? `deletes a ${object.toLowerCase()} with its data` : null;
    case "TRUNCATE":
      return ALL_ROWS;
    case "GRANT":
      return GRANTS_ALL.test(words.join(" ")) ? "gives a user all rights" : null;
    case "ALTER": {
      if (/^(?:ROLE|USER|LOGIN)$/.test(object) && words.includes("SUPERUSER")) return "gives a user all rights";
      if (words.includes("DELETE") && isForAll(words, "DELETE")) return ALL_ROWS;
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
