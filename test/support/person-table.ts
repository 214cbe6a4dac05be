import type { ProcessRow, ProcessTable } from "../../src/process/process-table.ts";

const ROW: Omit<ProcessRow, "pid"> = {
  parent: 1,
  group: 1,
  session: 1,
  terminal: "",
  foreground: -1,
  started: 100,
  userId: 1000,
  args: ["sh"],
};

/** A machine with these processes: each leads its group and its session unless it says otherwise. */
export function processTable(
  rows: readonly (Partial<ProcessRow> & { readonly pid: number })[],
  services: readonly number[] = [],
  openTerminals: Readonly<Record<number, readonly string[]>> = {},
): ProcessTable {
  const full = rows.map((row): ProcessRow => ({ ...ROW, group: row.pid, session: row.pid, ...row }));
  return {
    rows: new Map(full.map((row) => [row.pid, row])),
    isService: (pid) => services.includes(pid),
    openTerminals: (pid) => openTerminals[pid] ?? [],
  };
}

/** A shell that is the first process of a container, on the terminal of a person, and process 1 of tests in this process. */
export const PERSON_TABLE = processTable([{ pid: 1, parent: 0, terminal: "34816", foreground: 1, started: 1 }]);
