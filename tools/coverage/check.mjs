// Fails when a row of the coverage table names no test that passed. `node tools/coverage/check.mjs [REPORT [FOLDER]]`:
// the JSON report of the test run, and the folder of the rows.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DOCUMENTS, ROWS_FOLDER, readRows } from "./rows.mjs";

const [report = fileURLToPath(new URL("../../coverage/report.json", import.meta.url)), folder = ROWS_FOLDER] =
  process.argv.slice(2);

/** A test that some machines cannot make says so in its title: “(needs git)”, “(only root can …)”, “skipped, …”. */
const REASON = /\((needs|only) [^)]+\)|: skipped, /;

/** The report puts quotes around what comes from a table of tests; a row may leave them out. */
const bare = (/** @type {string} */ title) =>
  title
    .replaceAll(/["'`\\]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

/** @typedef {{ title: string, statuses: Set<string> }} Ended several files may have tests of the same title */

/** @returns {Map<string, Ended>} by bare title */
function endingsIn(/** @type {string} */ file) {
  const endings = new Map();
  for (const { assertionResults } of JSON.parse(readFileSync(file, "utf8")).testResults) {
    for (const { fullName, status } of assertionResults) {
      const before = endings.get(bare(fullName)) ?? { title: fullName.trim(), statuses: new Set() };
      endings.set(bare(fullName), { ...before, statuses: before.statuses.add(status) });
    }
  }
  return endings;
}

/** Passed, skipped for a reason that is told, or what is wrong. */
function judged(/** @type {Ended | undefined} */ ended) {
  if (ended === undefined) return "there is no such test";
  if (ended.statuses.has("failed")) return "its test failed";
  if (ended.statuses.has("passed")) return "passed";
  return REASON.test(ended.title) ? "skipped" : "its test was skipped, and its title does not say why";
}

/** The title that has most words in common, as a line below the one that was not found. */
function near(/** @type {string} */ wanted, /** @type {Map<string, Ended>} */ endings) {
  const words = wordsOf(wanted);
  const likeness = (/** @type {string} */ title) => {
    const others = wordsOf(title);
    return [...words].filter((word) => others.has(word)).length / (words.size + others.size);
  };
  const scored = [...endings.values()].map(({ title }) => ({ title, score: likeness(title) }));
  const [best] = scored.sort((one, other) => other.score - one.score);
  return best === undefined || best.score === 0 ? "" : `\n    nearest: ${best.title}`;
}

const wordsOf = (/** @type {string} */ text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu));

function check() {
  if (!existsSync(report)) return [`there is no report of a test run at ${report}: npm run coverage`];
  const endings = endingsIn(report);
  const faults = [];
  for (const document of Object.keys(DOCUMENTS)) {
    const { rows, faults: wrong } = readRows(document, folder);
    faults.push(...wrong);
    const counts = { passed: 0, skipped: 0 };
    for (const { kind, what, test } of rows) {
      const ended = endings.get(bare(test));
      const verdict = judged(ended);
      if (verdict === "passed" || verdict === "skipped") counts[verdict] += 1;
      else
        faults.push(`${document}.json ${kind} “${what}”: ${verdict}\n    ${test}${ended ? "" : near(test, endings)}`);
    }
    const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} wait for tests that this machine cannot make`;
    console.log(`${document}: ${counts.passed} of ${rows.length} rows are shown by tests that passed${skipped}`);
  }
  return faults;
}

const faults = check();
for (const fault of faults) console.error(`✖ ${fault}`);
if (faults.length > 0) {
  console.error(`faults in the coverage table: ${faults.length}`);
  process.exitCode = 1;
}
