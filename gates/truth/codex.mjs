import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** @import { Unchecked } from "../json.mjs" */

/** Codex stores it when a person trusts an entry; the entry runs only while it has this hash. */
/** @param {string} event as in Codex's keys, `pre_tool_use` @param {Unchecked} handler with the `matcher` of its group */
export function codexHash(event, { command, timeout = 600, matcher, statusMessage }) {
  // As JSON its keys are sorted, and what is not set is left out.
  const hooks = [{ async: false, command, statusMessage, timeout, type: "command" }];
  const text = JSON.stringify({ event_name: event, hooks, matcher });
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** The entries of a file, with the keys under which Codex keeps its trust of them. @param {string} file */
export function codexEntries(file) {
  return Object.entries(hooksIn(file)).flatMap(([event, groups]) => {
    const inKey = event.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase();
    return groups.flatMap((group, at) =>
      /** @type {Unchecked[]} */ (group.hooks ?? []).map((hook, index) => {
        const handler = { ...group, ...hook };
        return { file, event, handler, key: `${file}:${inKey}:${at}:${index}`, hash: codexHash(inKey, handler) };
      }),
    );
  });
}

/** @param {string} file @returns {Record<string, Unchecked[]>} */
function hooksIn(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).hooks ?? {};
  } catch {
    // A file that is not there, or that does not parse.
    return {};
  }
}
