// What a reply means, decided without any code of the project: JSON.parse, a token walk and the tables of the contract.
import { EVENTS, FAR_KEYS } from "./shapes.mjs";

/** @import { TargetKind } from "./shapes.mjs" */

/**
 * @typedef {object} Meaning
 * @property {"none" | "ask" | "block"} decision the strictest thing that it says
 * @property {boolean} isValid by the letter: then this decision is due; otherwise the reply may also fail, never pass
 */

const MOST_LEVELS = 64;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** @param {Uint8Array} bytes @param {string} event @returns {Meaning | null} null: no JSON object at all */
export function meaningOf(bytes, event) {
  const read = parsed(bytes);
  if (read === null || typeof read.value !== "object" || read.value === null || Array.isArray(read.value)) return null;
  const decision = blocks(read.value) ? "block" : asks(read.value) ? "ask" : "none";
  return { decision, isValid: isSound(read.text) && isWellTyped(read.value, EVENTS[event]) };
}

/** @param {Uint8Array} bytes */
function parsed(bytes) {
  try {
    const text = decoder.decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    return null;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** No key twice in one object, at any level, and not too deep. Only for text that JSON.parse took. */
/** @param {string} text @param {number} [mostLevels] */
export function isSound(text, mostLevels = MOST_LEVELS) {
  /** @type {(Set<string> | null)[]} */
  const open = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const keys = open.at(-1);
      const key = JSON.parse(last);
      if (keys?.has(key)) return false;
      keys?.add(key);
    } else last = token;
    if (open.length > mostLevels) return false;
  }
  return true;
}

/** @typedef {Readonly<Record<string, unknown>>} Bag */
/** @typedef {(value: unknown, bag: Bag, kind: TargetKind) => boolean} Check */

/** @type {Check} */
const isText = (value) => typeof value === "string";
/** @type {Check} */
const isFlag = (value) => typeof value === "boolean";
/** @param {unknown} value @returns {value is Bag} */
const isBag = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** @type {Check} */
const areTexts = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");
/** @param {string[]} words @returns {Check} */
const oneOf =
  (...words) =>
  (value) =>
    words.some((word) => word === value);
/** @type {Check} */
const isChange = (value, _bag, kind) =>
  kind === null || kind === "any" || (kind === "object" ? isBag(value) : typeof value === kind);
/** @param {Bag} bag @param {readonly string[]} keys each once and spelt right: beside them a block may be misspelt */
const hasOnly = (bag, keys) => Object.keys(bag).every((key) => keys.includes(key));
const NESTED = ["hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext", "decision"];
/** @type {Check} */
const isNestedVerdict = (value) =>
  isBag(value) &&
  hasOnly(value, NESTED) &&
  ("permissionDecision" in value ? oneOf("allow", "ask", "deny")(value.permissionDecision, {}, null) : true) &&
  (value.decision === undefined ||
    (isBag(value.decision) &&
      hasOnly(value.decision, ["behavior", "message"]) &&
      oneOf("allow", "deny")(value.decision.behavior, {}, null)));

/** @param {unknown} value @param {(given: unknown) => boolean} check */
const isNullOr = (value, check) => value === undefined || value === null || check(value);
const isFlagOrNull = (/** @type {unknown} */ value) => isNullOr(value, (given) => typeof given === "boolean");
/** @param {unknown} value */
const isPush = (value) =>
  isBag(value) &&
  typeof value.message === "string" &&
  value.message !== "" &&
  isFlagOrNull(value.wake) &&
  isFlagOrNull(value.push_when) &&
  isNullOr(value.session, (given) => typeof given === "string");
/** @type {Check} */
const isPatch = (value) =>
  isBag(value) &&
  Object.keys(value).every((key) => value[key] === null || ["set", "delete", "increment"].includes(key)) &&
  isNullOr(value.set, isBag) &&
  isNullOr(value.delete, (given) => areTexts(given, {}, null)) &&
  isNullOr(value.increment, (given) => isBag(given) && Object.values(given).every((by) => typeof by === "number"));

/** @type {Readonly<Record<string, Check>>} */
const KNOWN = {
  blocked: isFlag,
  reason: isText,
  input: isChange,
  output: isChange,
  message: (value, _bag, kind) => typeof value === "string" && kind === "string",
  follow_up_messages: areTexts,
  additional_context: areTexts,
  additional_context_mode: oneOf("append", "overwrite"),
  pushes: (value) => Array.isArray(value) && value.every(isPush),
  state: isPatch,
  push_when: () => true,
  wake: () => true,
  session: () => true,
  system_message: isText,
  metadata: isBag,
  warnings: areTexts,
  decision: oneOf("allow", "approve", "ask", "deny", "block"),
  action: (value, bag) =>
    oneOf("passThrough", "injectContext", "modify", "block", "continue", "reject")(value, bag, null) ||
    (oneOf("transform", "replace")(value, bag, null) && "value" in bag),
  modifiedInput: isChange,
  modifiedOutput: isChange,
  additionalContext: areTexts,
  priority: (value) => typeof value === "number",
  Reject: isText,
  Transform: isChange,
  Replace: isChange,
  Continue: () => true,
  value: () => true,
  continue: isFlag,
  stopReason: isText,
  systemMessage: isText,
  suppressOutput: isFlag,
  permissionDecision: oneOf("allow", "ask", "deny"),
  permissionDecisionReason: isText,
  hookSpecificOutput: isNestedVerdict,
};
const NAMES = Object.keys(KNOWN);

/** @param {string} key */
const nameOf = (key) =>
  Object.hasOwn(KNOWN, key) ? key : NAMES.find((name) => name.toLowerCase() === key.toLowerCase());

/** @param {Bag} bag @param {TargetKind} kind */
function isWellTyped(bag, kind) {
  const names = Object.keys(bag).map((key) => nameOf(key));
  const known = names.filter((name) => name !== undefined);
  if (new Set(known).size < known.length) return false;
  return Object.entries(bag).every(([key, value], index) => {
    const name = names[index];
    if (name === undefined) return FAR_KEYS.includes(key);
    return value === null ? name !== "action" && name !== "Reject" : KNOWN[name](value, bag, kind);
  });
}

/** @param {Bag} bag */
function blocks(bag) {
  return Object.entries(bag).some(([key, value]) => {
    const name = nameOf(key);
    if (name === "blocked") return value === true;
    if (name === "Reject") return typeof value === "string";
    if (name === "action") return value === "block" || value === "reject";
    if (name === "decision") return value === "deny" || value === "block";
    if (name === "permissionDecision") return value === "deny";
    if (key === "continue") return value === false;
    return name === "hookSpecificOutput" && isBag(value) && nests(value, "deny");
  });
}

/** @param {Bag} bag */
function asks(bag) {
  return Object.entries(bag).some(([key, value]) => {
    const name = nameOf(key);
    if (name === "decision" || name === "permissionDecision") return value === "ask";
    return name === "hookSpecificOutput" && isBag(value) && nests(value, "ask");
  });
}

/** @param {Bag} bag @param {string} word */
const nests = (bag, word) =>
  Object.entries(bag).some(([key, value]) => {
    const name = key.toLowerCase();
    if (name === "permissiondecision") return value === word;
    return name === "decision" && isBag(value) && value.behavior === word;
  });
