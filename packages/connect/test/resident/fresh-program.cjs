"use strict";

// Answers calls as the bin/hookctl.js does that is its first argument: each call loads the program again, so nothing of it
// knows of an earlier call, in a twentieth of the time that a process takes. Only Node itself and libraries stay loaded.
const { createInterface } = require("node:readline");

const [bin = ""] = process.argv.slice(2);
const { partLoader } = /** @type {typeof import("../../../../bin/hookctl.js")} */ (require(bin));
const { pid } = process;
const row = { pid, group: 1, session: pid, parent: 0, terminal: "1", foreground: 1, started: 0, userId: 0, args: [] };
const person = { rows: new Map([[pid, row]]), isService: () => false, openTerminals: () => [] };

/** @param {{ argv: readonly string[], env: Record<string, string>, cwd: string, stdin: string }} call */
async function answered({ argv, env, cwd, stdin }) {
  const { main, createHost } = /** @type {typeof import("../../../../src/main.ts")} */ (partLoader().load("./hot.cjs"));
  const own = createHost(process);
  let stdout = "";
  const code = await main({
    ...own,
    ...{ argv, env, cwd, beganMs: own.elapsedMs() },
    isStdinTerminal: () => false,
    isStdoutTerminal: () => false,
    isStderrTerminal: () => false,
    isStdoutNull: () => false,
    interrupt: { raised: () => null, listen: () => () => undefined },
    readStdin: async () => ({ kind: "read", bytes: Buffer.from(stdin) }),
    readProcesses: async () => person,
    out: (text) => {
      stdout += text;
      return null;
    },
    err: () => undefined,
  });
  return { stdout, code: code !== 0 && argv.includes("--fail-closed") ? 2 : code };
}

/** One call a line, one answer a line. */
async function answerAll() {
  for await (const line of createInterface(process.stdin))
    process.stdout.write(`${JSON.stringify(await answered(JSON.parse(line)))}\n`);
}

void answerAll();
