// Checks the tables of the agents' tools: a name that means two things would let a rule see one of them alone.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The faults of all tables in a built tree, as sentences. */
/** @param {string} dist */
export async function tableFaults(dist) {
  const load = (/** @type {string} */ path) => import(pathToFileURL(join(dist, path)).href);
  const [{ AGENTS }, { grok }, vocabulary] = await Promise.all([
    load("agents/agents.js"),
    load("agents/grok.js"),
    load("protocol/tools/vocabulary.js"),
  ]);
  const agents = [...Object.entries(AGENTS), ["grok", grok]];
  return agents.flatMap(([agent, { tools }]) =>
    Object.entries({ ...tools.borrowed?.(), ...tools.table }).flatMap(([name, rows]) =>
      [rows].flat().flatMap((row) => rowFaults(name, row, vocabulary).map((fault) => `${agent}, ${name}: ${fault}`)),
    ),
  );
}

/**
 * @param {string} name
 * @param {import("../src/protocol/tools/tool-table.ts").ToolRow} row
 * @param {typeof import("../src/protocol/tools/vocabulary.ts")} vocabulary
 */
function rowFaults(name, row, { PORTABLE_TOOLS, portableToolNamed, namesOfPortable, portableArguments }) {
  const { tool, claude, names = {}, conversions = {}, when = {}, edits } = row;
  const meant = portableToolNamed(name);
  const isOther = meant !== null && tool !== null && meant !== tool && !namesOfPortable(tool).includes(name);
  /** @type {readonly string[]} */
  const claudeNames = Object.values(PORTABLE_TOOLS).flatMap((one) => one.claude);
  const faults = isOther ? [`the name means ${meant}, the row ${tool}`] : [];
  if (tool === null) {
    const isUnknown = claude !== undefined && !claudeNames.includes(claude) && !["LS", "NotebookEdit"].includes(claude);
    if (isUnknown) faults.push(`Claude Code has no ${claude}`);
    if (meant !== null && claude === undefined) faults.push(`a tool of its own with the name of ${meant}`);
    return faults;
  }
  const taken = portableArguments(tool) ?? new Map();
  const targets = [...Object.values(names), ...Object.values(edits?.names ?? {})];
  for (const target of targets) if (!taken.has(target)) faults.push(`${tool} takes no ${target}`);
  for (const [key, target] of Object.entries(names)) {
    if (key !== target && taken.has(key) && !Object.values(names).includes(key))
      faults.push(`${key} is an argument of ${tool}, and here it means ${target}`);
    if (Object.hasOwn(when, key)) faults.push(`${key} both chooses the row and has a value`);
  }
  for (const key of Object.keys(conversions))
    if (!taken.has(names[key] ?? key)) faults.push(`${key} is converted into no argument of ${tool}`);
  return faults;
}
