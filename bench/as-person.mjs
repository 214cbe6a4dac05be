import { fileURLToPath } from "node:url";

/** The program that does it; its first argument is bin/hookctl.js. */
export const AS_PERSON = fileURLToPath(new URL("../tools/as-person.cjs", import.meta.url));
const FOR_PERSONS = ["trust", "untrust", "disable", "install", "init", "uninstall", "adopt"];

/**
 * The words that start hookctl with these arguments. A command for persons starts with a process table in which a person
 * called, because nobody types here; another program than bin/hookctl.js has no such way in.
 * @param {readonly string[]} bin @param {readonly string[]} words @returns {string[]}
 */
export function startWords([file = "", script, ...rest], words) {
  const isForPerson = script?.endsWith(".js") === true && words.some((word) => FOR_PERSONS.includes(word));
  return [file, ...(isForPerson ? [AS_PERSON] : []), ...(script === undefined ? [] : [script]), ...rest, ...words];
}
