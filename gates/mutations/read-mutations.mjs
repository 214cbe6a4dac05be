import { readFileSync } from "node:fs";
import { entry } from "../entry.mjs";

/**
 * @typedef {object} Mutation
 * @property {string} id
 * @property {string} promise what does not hold any more
 * @property {string} file its path in the repository
 * @property {string} text stands in the file; the first occurrence is replaced
 * @property {string} replacement
 * @property {readonly string[]} tests paths of test files or folders that are run first
 */

const START = /^(= [A-Z]+|@ \S+|[A-Z]\d+) (.+)$/;

/** Reads the deliberate faults from faults.txt, which describes its form. @returns {readonly Mutation[]} */
export function readMutations() {
  const groups = /** @type {Record<string, readonly string[]>} */ ({});
  const mutations = /** @type {Mutation[]} */ ([]);
  let place = { file: "", tests: /** @type {readonly string[]} */ ([]) };
  const [, ...lines] = readFileSync(new URL("faults.txt", import.meta.url), "utf8").split(/\n(?=[=@+-] |[A-Z]\d+ )/);
  for (const line of lines) {
    const [, start = "", rest = ""] = START.exec(line.trimEnd()) ?? [];
    const mark = line.charAt(0);
    const tests = rest.split(" ").flatMap((test) => groups[test] ?? [test]);
    if (mark === "=") groups[start.slice(2)] = tests;
    else if (mark === "@") place = { file: start.slice(2), tests };
    else if (start !== "") mutations.push({ id: start, promise: rest, ...place, text: "", replacement: "" });
    else
      addLine(entry(mutations, mutations.length - 1), mark === "-" ? "text" : "replacement", line.slice(2).trimEnd());
  }
  return mutations;
}

/** @param {Mutation} mutation @param {"text" | "replacement"} key @param {string} line */
function addLine(mutation, key, line) {
  mutation[key] += mutation[key] === "" ? line : `\n${line}`;
}
