// Appends numbered lines to a record and says of each one that it was stored: node writer.mjs MODULE FILE NAME COUNT SEED ROTATE_AT
import { writeSync } from "node:fs";
import { randomFrom } from "../random.mjs";

const [module = "", file = "", name, count, seed, rotateAt] = process.argv.slice(2);
const { appendLine } = await import(module);
const random = randomFrom(Number(seed), name);

for (let index = 0; index < Number(count); index++) {
  // Mostly as long as real ones; now and then one that spans many pages.
  const length = random.chance(0.02) ? random.int(60_000) : random.int(900);
  const line = JSON.stringify({ name, index, length, pad: "x".repeat(length) });
  const cause = appendLine(file, line, Number(rotateAt));
  writeSync(1, cause === null ? `${index}\n` : `failed ${cause}\n`);
}
