// Appends numbered lines to a record and says of each one that it was stored: node writer.mjs MODULE FILE NAME COUNT SEED SIZE_LIMIT
import { writeSync } from "node:fs";
import { randomFrom } from "../random.mjs";

const [module = "", file = "", name, count, seed, sizeBytes] = process.argv.slice(2);
/** @type {typeof import("../../src/audit/append.ts")} */
const { appendLine } = await import(module);
const limits = { sizeBytes: Number(sizeBytes), days: null };
const random = randomFrom(Number(seed), name);

for (let index = 0; index < Number(count); index++) {
  // Mostly as long as real ones; now and then one that spans many pages.
  const length = random.chance(0.02) ? random.int(60_000) : random.int(900);
  const line = JSON.stringify({ name, index, length, pad: "x".repeat(length) });
  const cause = appendLine(file, line, limits);
  writeSync(1, cause === null ? `${index}\n` : `failed ${cause}\n`);
}
