/**
 * An entry of a table or a list that must be there.
 * @template T
 * @param {Readonly<Record<string, T>> | readonly T[]} table
 * @param {string | number} key
 * @returns {T}
 */
export function entry(table, key) {
  const found = /** @type {Readonly<Record<string | number, T>>} */ (table)[key];
  if (found === undefined) throw new RangeError(`no entry ${key}`);
  return found;
}
