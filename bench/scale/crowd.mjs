// Starts so many of the same call at once, each with the same stdin, and fails when one of them does.
//
//   crowd.mjs COUNT PROGRAM [ARGUMENT...]
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const [count = "0", program = "", ...words] = process.argv.slice(2);
const input = readFileSync(0);
const codes = await Promise.all(Array.from({ length: Number(count) }, start));
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;

/** @returns {Promise<number | null>} */
function start() {
  return new Promise((settle, reject) => {
    const child = spawn(program, words, { stdio: ["pipe", "ignore", "ignore"] });
    child.on("error", reject).on("close", settle);
    child.stdin.on("error", () => undefined).end(input);
  });
}
