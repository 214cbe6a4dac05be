// What a settings file says, read without any code of the project, held against what was made of it.
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { isSound } from "../json.mjs";

const SCHEMES = ["command", "block", "ask", "inject", "shell_exec"];
const CONFIG_LEVELS = 64;

/** @typedef {Readonly<Record<string, unknown>>} Bag */
/** @typedef {{ readonly entries: readonly object[], readonly overrides: object }} Made */
/** @typedef {{ readonly code: string, readonly entry?: string, readonly key?: string }} Told a problem of an entry that is not used */

/** What stands in the file; `{ fault }` when it cannot be read. @param {Buffer} bytes @param {string} place */
export function saidIn(bytes, place) {
  const text = bytes.toString("utf8");
  try {
    const isJson = place.endsWith(".json");
    const bare = isJson ? text.replace(/^\ufeff/, "") : text;
    if (bare.trim() === "") return { value: undefined };
    const value = isJson ? JSON.parse(bare) : parse(bare);
    if (isJson && !isSound(bare, CONFIG_LEVELS)) return { fault: "a key twice, or too deep" };
    return { value: place.endsWith("package.json") ? memberOf(value, "hookctl") : value };
  } catch (error) {
    // A package.json that is broken is none of our business unless it speaks of hookctl, and not as something installed.
    const isForeign = place.endsWith("package.json") && !/hookctl(?!"\s*:\s*")/.test(text);
    return { fault: String(error), isForeign };
  }
}

/** @param {unknown} value @param {string} key @returns {unknown} */
const memberOf = (value, key) =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

/**
 * What was accepted but does not stand in the file, or stands in it and was lost without a word; null when the account is
 * right.
 * @param {unknown} said @param {Made} made @param {readonly Told[]} told
 */
export function lostFrom(said, made, told) {
  const [hooks, overrides] = [memberOf(said, "hooks"), memberOf(said, "overrides")];
  const entries = hooks === undefined ? [] : entriesOf(Object(hooks), told);
  if (made.entries.length !== entries.length) return `${entries.length} entries, ${made.entries.length} accepted`;
  const isLost = (/** @type {Bag} */ entry, /** @type {number} */ index) =>
    !isDeepStrictEqual(withoutCase(entry), withoutCase(plain(made.entries[index] ?? {})));
  const lost = entries.findIndex(isLost);
  if (lost >= 0) return `entry ${JSON.stringify(entries[lost])} became ${JSON.stringify(made.entries[lost])}`;
  const wanted = Object.entries(overrides ?? {}).map(([name, override]) => [name, timeless(override)]);
  const got = Object.entries(made.overrides).map(([name, override]) => [name, timeless(override)]);
  return isDeepStrictEqual(wanted, got) ? null : `overrides ${JSON.stringify(wanted)} became ${JSON.stringify(got)}`;
}

/** Those that must have been accepted. @param {readonly Bag[] | Readonly<Record<string, readonly Bag[]>>} hooks @param {readonly Told[]} told */
function entriesOf(hooks, told) {
  /** @type {readonly (readonly [at: string, on: unknown, entry: Bag])[]} */
  const all = Array.isArray(hooks)
    ? hooks.map((entry, index) => [`hooks[${index}]`, entry?.on, entry])
    : Object.entries(hooks)
        .filter(([on]) => !told.some(({ entry, key }) => entry === "hooks" && key === on))
        .flatMap(([on, list]) => list.map((/** @type {Bag} */ entry) => /** @type {const} */ (["", on, entry])));
  const counts = /** @type {Map<unknown, number>} */ (new Map());
  return all.flatMap(([at, on, entry]) => {
    counts.set(on, (counts.get(on) ?? 0) + 1);
    if (told.some((one) => one.entry === at || one.entry === `${at}.on`)) return [];
    const scheme = SCHEMES.find((key) => Object.hasOwn(entry, key)) ?? "";
    const { [scheme]: value, on: _on, ...rest } = entry;
    return { name: `${on}#${counts.get(on)}`, files: [], ...timeless(rest), on, scheme, value };
  });
}

/**
 * As Reyn does it, the event in a list counts in any case and with spaces around it. Entries without a name are numbered
 * by it.
 */
/** @param {Bag} entry */
function withoutCase({ on, name, ...rest }) {
  const folded = (/** @type {unknown} */ text) => String(text).trim().toLowerCase();
  return { ...rest, on: folded(on), name: String(name).startsWith(`${on}#`) ? folded(name) : name };
}

/** An entry as it was accepted, without what tells where it stands. @param {object} declared */
function plain(declared) {
  const { event: _event, ...entry } = /** @type {Bag} */ (declared);
  return timeless(entry);
}

/** A duration is told in other words. @param {unknown} bag @returns {Bag} */
const timeless = (bag) => ({
  ...Object(bag),
  ...(Object.hasOwn(Object(bag), "timeout") ? { timeout: "a duration" } : {}),
});
