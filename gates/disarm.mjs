// Attempts to take the protection away, carried out in a container when nobody stops them, and what protects after each.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ATTEMPTS, FAMILIES } from "./disarm/attempts.mjs";
import { containerWords, noContainer } from "./disarm/container.mjs";
import { GAPS } from "./disarm/gaps.mjs";
import { ORDINARY } from "./disarm/ordinary.mjs";
import { isDrawn } from "./gate.mjs";
import { ended } from "./scene.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */
/** @import { Attempt, Row } from "./disarm/attempts.mjs" */
/** @import { Step } from "./disarm/steps.mjs" */

/** @typedef {{ readonly failure: string } | { readonly ordinary: Step, readonly decision: string, readonly text: string } | { readonly family: string, readonly sabotage: string } | Row} Line */

const CONTAINERS = 4;
const MOST_FALSE_ALARMS = 2;
const OUTCOMES = ["blocked", "asked", "seen", "harmless", "gap", "EFFECT", "void"];

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function disarm({ scale }) {
  const missing = noContainer();
  if (missing !== null) return { isMet: true, figures: `SKIPPED: ${missing}`, notes: [] };
  const named = process.env.HOOKCTL_DISARM;
  const attempts = ATTEMPTS.filter(({ id }, at) => (named === undefined ? isDrawn(at, scale) : id.includes(named)));
  const ordinary = ORDINARY.filter((_, at) => named === undefined && isDrawn(at, scale));
  const containers = Array.from({ length: CONTAINERS }, (_, at) => inContainer(at, attempts, ordinary));
  const lines = (await Promise.all(containers)).flat();
  const rows = lines.flatMap((line) => ("outcome" in line ? [{ ...line, outcome: judged(line) }] : []));
  const failures = lines.flatMap((line) => ("failure" in line ? [line.failure] : []));
  const unseen = lines.flatMap((line) =>
    "sabotage" in line && line.sabotage === "harmless" ? [`sabotage not noticed: ${line.family}`] : [],
  );
  const alarms = lines.flatMap((line) =>
    "ordinary" in line && line.decision !== "allowed"
      ? [`${line.decision} without need: ${JSON.stringify(line.ordinary)}`]
      : [],
  );
  const withOutcome = (/** @type {string} */ wanted) => rows.filter(({ outcome }) => outcome === wanted);
  const effects = withOutcome("EFFECT");
  const lost = attempts.length - rows.length;
  return {
    isMet: failures.length + unseen.length + effects.length + lost === 0 && alarms.length <= MOST_FALSE_ALARMS,
    figures: `${rows.length} attempts to disarm: ${effects.length} take effect; ${ordinary.length} ordinary calls: ${alarms.length} stopped without need`,
    notes: [
      ...failures,
      ...unseen,
      ...(lost > 0 ? [`${lost} attempts without a result`] : []),
      ...table(rows),
      ...effects.map(({ id, detail }) => `EFFECT ${JSON.stringify(id)} then ${detail}`),
      ...alarms,
      ...withOutcome("void").map(({ id, detail }) => `void ${JSON.stringify(id)} ${detail.slice(0, 100)}`),
      ...rows
        .filter(() => named !== undefined)
        .map(({ id, outcome, detail }) => `${outcome} ${JSON.stringify(id)} ${detail}`),
    ],
  };
}

/** A gap counts only while the docs name it. @param {Row} row */
function judged({ outcome, gap }) {
  if (outcome !== "effect") return outcome;
  if (gap === undefined) return "EFFECT";
  const { page, sentence } = GAPS[gap];
  const text = readFileSync(new URL(`../${page}`, import.meta.url), "utf8").replace(/\s+/g, " ");
  return text.includes(sentence) ? "gap" : "EFFECT";
}

/** @param {number} at @param {readonly Attempt[]} attempts @param {readonly Step[]} ordinary @returns {Promise<readonly Line[]>} */
async function inContainer(at, attempts, ordinary) {
  const folder = mkdtempSync(join(tmpdir(), "hookctl-disarm-"));
  const isMine = (/** @type {unknown} */ _, /** @type {number} */ index) => index % CONTAINERS === at;
  const families = Object.entries(FAMILIES).filter(isMine);
  const input = JSON.stringify({
    ...{ attempts: attempts.filter(isMine), ordinary: ordinary.filter(isMine) },
    sabotages: Object.fromEntries(families.map(([family, { sabotage }]) => [family, sabotage])),
  });
  const [file = "", ...args] = containerWords(folder);
  const { stdout, stderr, code } = await ended({ file, args, cwd: "/", env: { PATH: process.env.PATH }, input });
  rmSync(folder, { recursive: true });
  const lines = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  return code === 0 ? lines : [...lines, { failure: `a container ended with ${code}: ${stderr.slice(-500)}` }];
}

/** @param {readonly Row[]} rows */
function table(rows) {
  const line = (/** @type {readonly (string | number)[]} */ cells) =>
    cells.map((cell) => String(cell).padStart(9)).join("");
  const counts = (/** @type {readonly Row[]} */ some) => [
    some.length,
    ...OUTCOMES.map((outcome) => some.filter((row) => row.outcome === outcome).length),
  ];
  const families = [...new Set(rows.map(({ family }) => family))];
  const of = (/** @type {string} */ family) => counts(rows.filter((row) => row.family === family));
  return [
    ["family", "tried", ...OUTCOMES],
    ...families.map((family) => [family, ...of(family)]),
    ["ALL", ...counts(rows)],
  ].map(line);
}
