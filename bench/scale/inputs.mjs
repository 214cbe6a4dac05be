// Large payloads, commands and settings.

/** @param {number} n */
export const wide = (n) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`field${index}`, index]));

/** @param {number} n */
export const deep = (n) => `{"value":${"[".repeat(n)}${"]".repeat(n)}}`;

export const numbered = (/** @type {string} */ word, /** @type {number} */ n) =>
  Array.from({ length: n }, (_, index) => word + index).join(" ");
export const assignments = (/** @type {number} */ n) =>
  Array.from({ length: n }, (_, index) => `v${index + 1}="$v${index}/x"`).join("\n");
export const nested = (/** @type {number} */ n) => `${"echo $(".repeat(n)}ls${")".repeat(n)}`;
export const allowed = (/** @type {number} */ n) =>
  Array.from({ length: n }, (_, index) => `git push --force origin b${index} *`);
export const protectedPaths = (/** @type {number} */ n) =>
  Array.from({ length: n }, (_, index) => `secret/**/f${index}*`);

/** Overrides with their names. @param {number} n */
export const overridden = (n) => Array.from({ length: n }, (_, index) => [`guard-${index}`, { timeout: "5s" }]);
