/**
 * @typedef {object} Ground what every gate stands on
 * @property {string} bin the command under test
 * @property {(module: string) => Promise<any>} built a module of dist/
 * @property {number} scale
 * @property {number} seed
 */

/**
 * @typedef {object} Outcome
 * @property {boolean} isMet
 * @property {string} figures
 * @property {readonly string[]} notes what was found, what was left out and why
 */

/** @typedef {(ground: Ground) => Promise<Outcome>} Gate */

/** One line, with the notes indented below it. */
/** @param {string} name @param {Outcome} outcome @param {number} seconds */
export function gateText(name, { isMet, figures, notes }, seconds) {
  const line = `${isMet ? "✔" : "✖"} ${name.padEnd(8)} ${figures} (${seconds.toFixed(1)} s)\n`;
  return line + notes.map((note) => `    ${note}\n`).join("");
}

/** At most `width` of them at once, each told its number. */
/** @param {number} total @param {number} width @param {(index: number) => Promise<void>} task */
export async function inParallel(total, width, task) {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < total; index = next++) await task(index);
  };
  await Promise.all(Array.from({ length: Math.min(width, total) }, worker));
}
