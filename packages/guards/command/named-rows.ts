const MOST_KNOWN = 1_000;
const LONGEST_KNOWN = 100;

/**
 * Finds the rows of a name in a table whose keys are one or more names, separated by spaces. The table has no index, because
 * most processes search for the few programs of one command. Results are cached for processes that live longer.
 */
export function rowFinder<Row>(table: Readonly<Record<string, Row>>): (name: string) => Row | undefined {
  const known = new Map<string, Row | undefined>();
  return (name) => {
    if (known.has(name)) return known.get(name);
    const row = rowNamed(name, table);
    if (known.size >= MOST_KNOWN) known.clear();
    if (name.length <= LONGEST_KNOWN) known.set(name, row);
    return row;
  };
}

function rowNamed<Row>(name: string, table: Readonly<Record<string, Row>>): Row | undefined {
  // A name with a space in it would match two neighbouring names of a key.
  if (name === "" || name.includes(" ")) return undefined;
  const wanted = ` ${name} `;
  for (const names in table) if (` ${names} `.includes(wanted)) return table[names];
  return undefined;
}
