import { code, codes, table } from "./table.mjs";

/** Contracts whose events have hookctl's own names, and which of them they have. The others are columns of the catalogue. */
const OWN_NAMES = {
  kodelet: ["before_tool_call", "after_tool_call", "user_message_send", "agent_stop", "turn_end"],
  reyn: [
    ...["session_start", "session_end", "turn_start", "turn_end"],
    ...["skill_start", "skill_end", "task_start", "task_end"],
  ],
};

export const CONTRACTS = ["kodelet", "basecoat", "reyn", "agenthook"];

/** @returns {readonly (readonly [event: string, names: readonly string[]])[]} */
function namesIn(/** @type {string} */ contract, events) {
  const own = OWN_NAMES[contract];
  if (own !== undefined) return own.map((name) => [name, [name]]);
  return Object.entries(events).flatMap(([name, { aliases }]) =>
    aliases[contract] === undefined ? [] : [[name, aliases[contract]]],
  );
}

/** The events of one contract: its names, what a block does and what a change replaces. */
export function contractEvents(/** @type {string} */ contract, events) {
  const rows = namesIn(contract, events).map(([name, names]) => {
    const { phase, onBlock, target } = events[name];
    const here = Object.hasOwn(OWN_NAMES, contract) ? [] : [codes(names)];
    return [
      ...here,
      `[${code(name)}](events.md#${name})`,
      phase,
      onBlock,
      target === null ? "" : codes([target].flat()),
    ];
  });
  const first = Object.hasOwn(OWN_NAMES, contract) ? ["event"] : ["name there", "event"];
  return table([...first, "phase", "a block", "a change replaces"], rows);
}

/** What stands in the payloads of one contract: the base, the fields of its events, and the names that it adds. */
export function contractFields(/** @type {string} */ contract, { events, base, added }) {
  const fields = namesIn(contract, events).flatMap(([event]) => rowsOf(events[event].fields, code(event)));
  const rows = [...rowsOf(base, "all"), ...joined(fields), ...rowsOf(added[contract] ?? {}, "added for its hooks")];
  return table(["field", "events", "kind", "what it is"], rows);
}

const rowsOf = (fields, /** @type {string} */ where) =>
  Object.entries(fields).map(([name, { kind, isRequired, about }]) => [
    isRequired ? `**${code(name)}**` : code(name),
    where,
    kind,
    about,
  ]);

/** One row for a field that means the same at several events. */
function joined(/** @type {readonly (readonly string[])[]} */ rows) {
  const events = new Map();
  for (const [name, event, ...rest] of rows) {
    const key = JSON.stringify([name, rest]);
    events.set(key, [...(events.get(key) ?? []), event]);
  }
  return [...events].map(([key, where]) => {
    const [name, rest] = JSON.parse(key);
    return [name, where.join(", "), ...rest];
  });
}
