import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/**
 * @typedef {{ fullName: string, status: string, failureMessages: string[] }} Test
 * @typedef {{ name: string, status: string, message: string, assertionResults: Test[] }} TestFile
 */

/** A message may bring colours and lines of its own, and a log is read line by line. @param {string} text */
const firstLine = (text) => (stripVTControlCharacters(text).trim().split(/\r?\n/, 1)[0] ?? "").slice(0, 300);

/** A file that could not be loaded has no test to name. @param {TestFile} file @returns {[string, string][]} */
function failuresOf(file) {
  const place = relative(process.cwd(), file.name);
  const failed = file.assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0) return file.status === "failed" ? [[place, firstLine(file.message)]] : [];
  return failed.map(({ fullName, failureMessages }) => [
    `${place} > ${firstLine(fullName)}`,
    firstLine(failureMessages[0] ?? ""),
  ]);
}

/** Where a run was ended, its report is missing, empty or cut off. @param {string} path @returns {TestFile[]} */
function filesOf(path) {
  if (!existsSync(path)) return [];
  try {
    return JSON.parse(readFileSync(path, "utf8")).testResults;
  } catch {
    return [];
  }
}

const failures = new Map(process.argv.slice(2).flatMap(filesOf).flatMap(failuresOf));
for (const [test, message] of failures) console.log(`✖ ${test}: ${message}`);
