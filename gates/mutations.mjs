// Puts deliberate faults into a copy of the tree and runs the tests that should notice. A survivor is a promise without
// a test. Restartable: what is known of a fault is kept, until its file, its tests or the table changes.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import fastGlob from "fast-glob";
import { readOptions } from "../tools/read-options.mjs";
import { entry } from "./entry.mjs";
import { inParallel } from "./gate.mjs";
import { readMutations } from "./mutations/read-mutations.mjs";

/** @import { Mutation } from "./mutations/read-mutations.mjs" */

const HELP = `Usage: npm run mutations -- [options]

Puts deliberate faults into a copy of the tree and runs the tests that should notice. Exit 1 when a fault survives, 70
when the table does not fit the code any more.

  --only ID,…    these faults only
  --list         the faults and whether their text still stands in the code
  --near         only the tests that the table names, not all that look at guards from outside
  --width N      copies that work at once (default 2)
  --state FILE   where results are kept (default in the system's temporary folder)
  --help         this text
`;
const EXIT = { met: 0, survived: 1, usage: 64, stale: 70 };
const HUNG_MS = 15 * 60_000;
/** Where the tests of a fault do not notice, these may: they look at guards from outside. */
const FURTHER = ["packages/guards/test", "test/cli", "packages/agents/test", "packages/connect/test", "test/commands"];
const LEFT_OUT = new Set(["node_modules", ".git", "dist", "coverage"]);
const root = fileURLToPath(new URL("..", import.meta.url));

/** Test files that fail in the tree as it is. @type {Set<string>} */
const unsound = new Set();
/** Test files that were run without a fault. @type {Set<string>} */
const known = new Set();

const values = readOptions(HELP, {
  only: { type: "string" },
  list: { type: "boolean", default: false },
  near: { type: "boolean", default: false },
  width: { type: "string", default: "2" },
  state: { type: "string", default: join(tmpdir(), "hookctl-mutations.json") },
});
const ids = values.only?.split(",");
const chosen = readMutations().filter(({ id }) => ids?.includes(id) ?? true);
process.exitCode = chosen.length === 0 ? EXIT.usage : await held();

async function held() {
  const stale = chosen.filter(({ file, text }) => !textOf(file).includes(text));
  for (const { id, file, text } of stale) process.stdout.write(`✖ ${id} ${file} does not say any more: ${text}\n`);
  if (values.list) for (const { id, promise } of chosen) process.stdout.write(`${id}  ${promise}\n`);
  if (values.list || stale.length > 0) return stale.length > 0 ? EXIT.stale : EXIT.met;
  const survivors = await tried();
  process.stdout.write(`${survivors.length === 0 ? "✔" : "✖"} ${chosen.length} faults: ${survivors.length} survived\n`);
  return survivors.length === 0 ? EXIT.met : EXIT.survived;
}

/** @param {string} file */
function textOf(file) {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** @returns {Promise<readonly Mutation[]>} those that no test noticed */
async function tried() {
  const results = existsSync(values.state) ? JSON.parse(readFileSync(values.state, "utf8")) : {};
  const keys = new Map(chosen.map((mutation) => [mutation.id, keyOf(mutation)]));
  const resultOf = (/** @type {Mutation} */ { id }) => results[keys.get(id) ?? ""];
  const open = chosen.filter((mutation) => resultOf(mutation) === undefined);
  const copies = open.length === 0 ? [] : Array.from({ length: Number(values.width) }, copied);
  const free = [...copies];
  await inParallel(open.length, copies.length, async (index) => {
    const copy = free.pop() ?? entry(copies, 0);
    const mutation = entry(open, index);
    results[keys.get(mutation.id) ?? ""] = await noticedBy(mutation, copy);
    writeFileSync(values.state, JSON.stringify(results, null, 1));
    free.push(copy);
  });
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  for (const one of unsound) process.stdout.write(`▲ ${one} fails without a fault, and was left out\n`);
  for (const mutation of chosen) {
    const by = resultOf(mutation);
    process.stdout.write(`${by === null ? "✖" : "✔"} ${mutation.id} ${mutation.promise}: ${by ?? "survived"}\n`);
  }
  return chosen.filter((mutation) => resultOf(mutation) === null);
}

/** A result counts for this fault, in this text, with these tests. @param {Mutation} mutation */
function keyOf(mutation) {
  const files = mutation.tests.flatMap(testFiles).map((file) => readFileSync(join(root, file), "utf8"));
  const parts = [JSON.stringify(mutation), textOf(mutation.file), ...files];
  return `${mutation.id} ${createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 16)}`;
}

/** The test files whose path begins so. @param {string} start @returns {readonly string[]} */
function testFiles(start) {
  return fastGlob.sync("{test,packages/*/test}/**/*.test.ts", { cwd: root }).filter((file) => file.startsWith(start));
}

function copied() {
  const copy = mkdtempSync(join(tmpdir(), "hookctl-mutations-"));
  // Some tests call hookctl as another user.
  chmodSync(copy, 0o755);
  cpSync(root, copy, {
    recursive: true,
    // By its whole path: src/ has a folder of such a name, too.
    filter: (path) => !LEFT_OUT.has(relative(root, path)),
  });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** The first test that notices; null: none does. @param {Mutation} mutation @param {string} copy */
async function noticedBy({ file, text, replacement, tests }, copy) {
  const path = join(copy, file);
  const before = readFileSync(path, "utf8");
  const first = tests.flatMap(testFiles);
  const further = FURTHER.flatMap(testFiles).filter((one) => !first.includes(one));
  for (const files of values.near ? [first] : [first, further]) {
    for (;;) {
      const sound = files.filter((one) => !unsound.has(one));
      writeFileSync(
        path,
        before.replace(text, () => replacement),
      );
      const failed = await failedIn(sound, copy);
      writeFileSync(path, before);
      if (failed.length === 0) break;
      // A test file that fails without the fault as well notices nothing.
      const noticed = [];
      for (const one of failed) {
        const isFile = sound.includes(one);
        const isSound = known.has(one) || (await failedIn(isFile ? [one] : sound.slice(0, 1), copy)).length === 0;
        if (isSound) noticed.push(one);
        else if (isFile) unsound.add(one);
        else throw new Error(`Without a fault, too, ${one} fails in the copy of the tree`);
        known.add(one);
      }
      if (noticed[0] !== undefined) return noticed[0];
    }
  }
  return null;
}

/** The test files that fail. @param {readonly string[]} files @param {string} copy @returns {Promise<readonly string[]>} */
async function failedIn(files, copy) {
  if (files.length === 0) return [];
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const options = ["--reporter=json", `--outputFile=${report}`, "--bail=1", "--maxWorkers=1"];
  const child = spawn(process.execPath, [vitest, "run", ...files, ...options], {
    cwd: copy,
    env: { ...process.env, HOOKCTL_TEST_PROPERTIES: "full" },
    stdio: "ignore",
    timeout: HUNG_MS,
  });
  const code = await new Promise((settle) => child.once("close", settle));
  if (code === 0) return [];
  if (!existsSync(report)) return code === null ? ["it hung"] : ["the build"];
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  const failed = testResults
    .filter((/** @type {{ status: string }} */ { status }) => status === "failed")
    .map((/** @type {{ name: string }} */ { name }) => relative(copy, name));
  return failed.length === 0 ? ["the build"] : failed;
}
