/** Rows of a table, each with its names, which are joined by a separator that no name contains. */
export type NamedRows<Row> = readonly (readonly [names: string, row: Row])[];

const MOST_KNOWN = 1_000;
const LONGEST_KNOWN = 100;

/**
 * Finds the rows of a name. The table is made at the first search and has no index, because most processes search for
 * the few programs of one command. Results are cached for processes that live longer.
 */
export function rowFinder<Row>(separator: " " | "|", make: () => NamedRows<Row>): (name: string) => readonly Row[] {
  let table: NamedRows<Row> | null = null;
  const known = new Map<string, readonly Row[]>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    table ??= make();
    const rows = rowsNamed(name, separator, table);
    if (known.size >= MOST_KNOWN) known.clear();
    if (name.length <= LONGEST_KNOWN) known.set(name, rows);
    return rows;
  };
}

function rowsNamed<Row>(name: string, separator: string, table: NamedRows<Row>): readonly Row[] {
  // A name with the separator in it would match two neighbouring names of a row.
  if (name === "" || name.includes(separator)) return [];
  const wanted = separator + name + separator;
  const rows: Row[] = [];
  for (const [names, row] of table) if ((separator + names + separator).includes(wanted)) rows.push(row);
  return rows;
}
