import type { Call } from "../../command/call.ts";
import { parseOptions } from "../../command/options.ts";
import { sqlDestroys } from "./sql.ts";

const SQL_CLIENTS: ReadonlySet<string> = new Set([
  ...["psql", "pgcli", "mysql", "mariadb", "mycli", "sqlite3", "sqlite", "litecli", "duckdb", "sqlcmd", "mssql-cli"],
  ...["clickhouse-client", "clickhouse", "cqlsh", "snowsql", "snow", "usql", "trino", "presto", "hive", "beeline"],
  ...["spark-sql", "impala-shell", "cockroach", "turso", "wrangler", "bq", "sqlplus", "isql", "tsql", "db2", "prisma"],
  ...["heroku", "vsql", "pscale"],
]);

const MONGO_CLIENTS: ReadonlySet<string> = new Set(["mongosh", "mongo"]);
const REDIS_CLIENTS: ReadonlySet<string> = new Set(["redis-cli", "valkey-cli", "keydb-cli"]);

/** What a client of a database is told to destroy by its arguments or its input; null if nothing. */
export function databaseLoss(call: Call): string | null {
  const { program, args } = call;
  if (REDIS_CLIENTS.has(program)) return redisLoss(call);
  const destroys = lossOf(program);
  if (destroys === null || args.some(({ text }) => text === ":memory:")) return null;
  const texts = [...args.flatMap(({ text }) => valuesIn(text)), ...inputOf(call)];
  for (const text of texts) {
    const effect = destroys(text);
    if (effect !== null) return effect;
  }
  return null;
}

function lossOf(program: string): ((text: string) => string | null) | null {
  if (SQL_CLIENTS.has(program)) return sqlDestroys;
  return MONGO_CLIENTS.has(program) ? mongoDestroys : null;
}

/** A word, and what may be the value of an option in it: `-cSQL`, `--command=SQL`. */
const valuesIn = (text: string): readonly string[] =>
  text.startsWith("-") ? [text.slice(2), text.slice(text.indexOf("=") + 1)] : [text];

/** A here-document, or what the programs before it in the pipeline were given to print. */
function inputOf({ input }: Call): readonly string[] {
  if (input.kind === "text") return [input.text];
  if (input.kind !== "pipe") return [];
  return input.from.flatMap((from) => {
    const words = from.args.map(({ text }) => text);
    const isPrinter = from.program === "echo" || from.program === "printf";
    return isPrinter ? [words.join(" "), ...words] : inputOf(from);
  });
}

const mongoDestroys = (text: string): string | null =>
  /\.(?:dropDatabase|drop)\s*\(|\.(?:deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?\)/.test(text)
    ? "deletes a collection or database"
    : null;

const REDIS_OPTIONS = {
  values: [
    "-h",
    "-p",
    "-s",
    "-a",
    "-u",
    "-r",
    "-i",
    "-n",
    "-d",
    "-D",
    "--user",
    "--pass",
    "--cacert",
    "--cert",
    "--key",
  ],
};

/** The command of Redis is the first operand, or each line of the input. */
function redisLoss(call: Call): string | null {
  const { operands } = parseOptions(call.args, REDIS_OPTIONS);
  const isScript = operands.some(({ text }) => /call\(\s*["']flush(?:all|db)\b/i.test(text));
  const isLoss =
    /^flush(?:all|db)$/i.test(operands[0]?.text ?? "") ||
    inputOf(call).some((text) => /^\s*flush(?:all|db)\b/im.test(text));
  return isScript || isLoss ? "deletes all keys" : null;
}
