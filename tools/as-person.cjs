"use strict";

// Starts a built bin/hookctl.js, the first argument, with a process table in which a person called it. For tests and gates,
// which have no terminal: the program itself takes the table from the system, and no variable changes that.
const [bin = ""] = process.argv.splice(2, 1);
process.argv[1] = bin;
const { partLoader, start } = /** @type {typeof import("../bin/hookctl.js")} */ (require(bin));

const { pid } = process;
const row = { pid, group: 1, session: pid, parent: 0, terminal: "1", foreground: 1, started: 0, userId: 0, args: [] };

start(() => {
  const parts = /** @type {typeof import("../src/main.ts")} */ (partLoader().load("./hot.cjs"));
  const table = { rows: new Map([[pid, row]]), isService: () => false, openTerminals: () => [] };
  const createHost = (/** @type {NodeJS.Process} */ own) => ({
    ...parts.createHost(own),
    readProcesses: async () => table,
  });
  return { ...parts, createHost };
});
