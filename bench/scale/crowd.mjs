// Starts so many of the same call at once, each with the same file as stdin: through a pipe the calls would wait for this
// program, which gets little time among them. If one fails, it writes how to a file, and fails.
//
//   crowd.mjs COUNT FAULTS STDIN FORGOTTEN PROGRAM [ARGUMENT...]
//
// FORGOTTEN is a file that is removed before; empty: none.
import { spawn } from "node:child_process";
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";

const [count = "0", faultsFile = "", stdin = "", forgotten = "", program = "", ...words] = process.argv.slice(2);
if (forgotten !== "") rmSync(forgotten, { force: true });
const faults = (await Promise.all(Array.from({ length: Number(count) }, start))).filter((fault) => fault !== null);
if (faults.length > 0) {
  writeFileSync(faultsFile, `${faults.length} of ${count} calls: ${[...new Set(faults)].join("; ")}`);
  process.exitCode = 1;
}

/** @returns {Promise<string | null>} how it failed */
function start() {
  return new Promise((settle) => {
    const input = openSync(stdin, "r");
    const child = spawn(program, words, { stdio: [input, "ignore", "pipe"] });
    closeSync(input);
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    child.on("error", ({ message }) => settle(message));
    child.on("close", (code, signal) => settle(code === 0 ? null : `${signal ?? `exit ${code}`} ${said.trim()}`));
  });
}
