import { existsSync, readFileSync } from "node:fs";
import { exponentOf, isTooSteep, sizeText } from "../../bench/scale/scale.mjs";
import { list, table } from "./table.mjs";

/** @import { Growth, ScaleReport } from "../../bench/scale/scale.mjs" */

const SAVED = new URL("../../bench/scale.json", import.meta.url);

/** @returns {ScaleReport | null} null before the first run */
function savedScale() {
  return existsSync(SAVED) ? JSON.parse(readFileSync(SAVED, "utf8")) : null;
}

/** How calls grow with what is around them. */
export function scale(saved = savedScale()) {
  if (saved === null) return "Not measured yet.";
  const faults = saved.growths.filter(({ fault }) => fault !== null);
  const loads = saved.load.map((value) => value.toFixed(1)).join(" to ");
  return [
    `\`npm run bench -- --scale\` on ${saved.date} UTC, load ${loads}; rounds: ${saved.rounds}.`,
    table(["what grows to 4n", "call", "CPU at n", "at 4n", "n:2n:4n", "grows with"], saved.growths.map(growthLine)),
    ...(faults.length === 0 ? [] : [list(faults.map(({ scale, what, fault }) => `${scale}, ${what}: ${fault}`))]),
  ].join("\n\n");
}

/** @param {Growth} growth */
function growthLine({ scale, what, sizes, cpuMs, fault }) {
  const title = [`${sizeText(sizes.at(-1) ?? 0)} ${scale}`, what];
  if (cpuMs.length === 0) return [...title, "", "", "", `**not measured**: ${fault}`];
  const exponent = exponentOf(cpuMs);
  const [first = Number.NaN] = cpuMs;
  const steps = cpuMs.map((cost) => Number((cost / first).toFixed(2))).join(":");
  const costs = [first, cpuMs.at(-1) ?? Number.NaN].map((cost) => `${Number(cost.toPrecision(3))} ms`);
  const steep = isTooSteep({ exponent }) ? "**" : "";
  return [...title, ...costs, steps, exponent === null ? "less than n" : `${steep}n^${exponent.toFixed(2)}${steep}`];
}
