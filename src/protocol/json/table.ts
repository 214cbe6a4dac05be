/**
 * The content of a JSON file as a table of type `T`. The compiler sees every text of such a file as `string`, so this is the one
 * place that trusts it: each build checks all tables with zod (`tools/tables.mjs`, `tools/table-schemas.mjs`).
 */
export const tableOf = <T>(json: unknown): T => json as T;

const lists = new Map<string, readonly string[]>();

/** The names in a text such as `-o --output`: tables and rules write options and programs as a command line does. */
export function namesIn(text: string): readonly string[] {
  const known = lists.get(text);
  if (known !== undefined) return known;
  const names = text === "" ? [] : text.split(" ");
  lists.set(text, names);
  return names;
}

export const nameSet = (text: string): ReadonlySet<string> => new Set(namesIn(text));
