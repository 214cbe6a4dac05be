// Replies as hooks of all dialects print them, drawn from tables of our own: nothing here comes from src/.
import { entry } from "../entry.mjs";

/** @import { Random } from "../random.mjs" */

/** @typedef {"object" | "string" | "any" | null} TargetKind what a new value must be at an event; null: nothing changes */

/** @type {Readonly<Record<string, TargetKind>>} */
export const EVENTS = {
  before_tool_call: "object",
  user_message_send: "string",
  after_tool_call: "any",
  permission_request: "object",
  agent_stop: null,
  session_start: null,
};

/** Unknown keys that nobody could take for a deciding one; some of them are traps for a careless reader. */
export const FAR_KEYS = ["trace_id", "x-note", "zzz", "", "__proto__", "constructor", "toString", "hasOwnProperty"];
const NEAR_KEYS = ["block", "blockd", "is_blocked", "descision", "acton", "deny", "rejct", "permisionDecision"];

/** @typedef {[key: string, value: unknown]} Member */

/** @type {readonly Member[]} */
const BLOCKS = [
  ["blocked", true],
  ["action", "block"],
  ["action", "reject"],
  ["Reject", "no rm here"],
  ["decision", "deny"],
  ["decision", "block"],
  ["permissionDecision", "deny"],
  ["continue", false],
  ["hookSpecificOutput", { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" }],
  ["hookSpecificOutput", { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: "no" } }],
];

/** @type {readonly Member[]} */
const OPENINGS = [
  ["blocked", false],
  ["action", "passThrough"],
  ["action", "continue"],
  ["action", "injectContext"],
  ["decision", "allow"],
  ["decision", "ask"],
  ["permissionDecision", "ask"],
  ["permissionDecision", "allow"],
  ["Continue", null],
  ["continue", true],
  ["hookSpecificOutput", { permissionDecision: "allow" }],
];

/** @type {readonly Member[]} */
const COMPANIONS = [
  ["reason", "touches\u0007 \u202e /etc \ud83d\ude00"],
  ["follow_up_messages", ["go on", ""]],
  ["additional_context", ["a", "b"]],
  ["additional_context_mode", "overwrite"],
  ["additionalContext", ["c"]],
  ["pushes", [{ message: "m", wake: false }]],
  ["state", { set: { a: 1 }, increment: { n: 2 }, delete: ["b"] }],
  ["system_message", "s"],
  ["systemMessage", "s"],
  ["stopReason", "r"],
  ["permissionDecisionReason", "r"],
  ["suppressOutput", true],
  ["metadata", { k: [1, { deep: 1e21 }], "\u2028": "\\" }],
  ["warnings", ["w"]],
  ["priority", 20],
  ["value", { v: 1 }],
  ["push_when", true],
  ["wake", false],
  ["session", "s2"],
];

/** @type {Readonly<Record<string, readonly unknown[]>>} */
const TARGETS = { object: [{}, { command: "ls" }], string: ["text"], any: [{ a: 1 }, "text", 5], none: [{}] };
const CHANGE_KEYS = ["input", "output", "modifiedInput", "modifiedOutput", "Transform", "Replace"];
const JUNK = [
  null,
  true,
  false,
  0,
  -1,
  Infinity,
  "",
  "true",
  "deny",
  "block",
  [],
  {},
  [[]],
  ["x", 1],
  { blocked: true },
];

/** One reply's members, in an order of their own; with an event's right kind of new value most of the time. */
/** @param {Random} random @param {TargetKind} kind @returns {Member[]} */
export function drawMembers(random, kind) {
  const members = /** @type {Member[]} */ ([]);
  if (random.chance(0.7)) members.push(random.pick(BLOCKS));
  if (random.chance(0.4)) members.push(random.pick(OPENINGS));
  for (let count = random.int(4); count > 0; count--) members.push(random.pick(COMPANIONS));
  if (random.chance(0.3)) members.push([random.pick(CHANGE_KEYS), random.pick(entry(TARGETS, kind ?? "none"))]);
  if (random.chance(0.2)) members.push([random.pick(FAR_KEYS), random.pick(JUNK)]);
  if (random.chance(0.05)) members.push([random.pick(NEAR_KEYS), random.pick(JUNK)]);
  if (random.chance(0.15)) spoilOne(random, members);
  return random.shuffled(members);
}

/** A value of any type, or a key in odd case. @param {Random} random @param {Member[]} members */
function spoilOne(random, members) {
  if (members.length === 0) return;
  const at = random.int(members.length);
  const [key, value] = entry(members, at);
  if (random.chance(0.5)) members[at] = [key, random.pick(JUNK)];
  else
    members[at] = [
      random.pick([key.toUpperCase(), key.toLowerCase(), `${key[0]?.toUpperCase()}${key.slice(1)}`]),
      value,
    ];
}

/** A good block with one to three keys beside it: foreign ones, malformed ones, some in odd case. */
/** @param {Random} random @returns {Member[]} */
export function drawBlock(random) {
  const beside = [...OPENINGS, ...COMPANIONS].map(([key]) => key).concat(CHANGE_KEYS, FAR_KEYS, NEAR_KEYS);
  /** @type {Member[]} */
  const members = [random.pick(BLOCKS)];
  for (let count = 1 + random.int(3); count > 0; count--) members.push([random.pick(beside), random.pick(JUNK)]);
  if (random.chance(0.2)) spoilKey(random, members);
  return random.shuffled(members);
}

/** @param {Random} random @param {Member[]} members */
function spoilKey(random, members) {
  const at = 1 + random.int(members.length - 1);
  const [key, value] = entry(members, at);
  members[at] = [random.pick([key.toUpperCase(), `${key}s`, `is_${key}`]), value];
}
