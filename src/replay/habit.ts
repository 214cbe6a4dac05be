/** Programs whose first argument says what they do. */
const SUBCOMMAND = /^[a-z][a-z0-9-]*$/;
const PATH = /^(?:~|\.{0,2}\/|\/)|\//;
const MOST_WORDS = 6;

/**
 * The form of a command or path without its operands, so that one habit is one line: `git push --force …` for every
 * branch, `rm -rf …` for every folder, `…/.env` for every folder with such a file.
 */
export function habitOf(text: string): string {
  const [first = "", ...rest] = text.replace(/\s+/g, " ").trim().split(" ");
  if (rest.length === 0) return PATH.test(first) ? `…/${baseName(first)}` : first;
  const kept: string[] = [baseName(first)];
  for (const [index, word] of rest.entries()) {
    const isSubcommand = index === 0 && SUBCOMMAND.test(word);
    const shown = isSubcommand || word.startsWith("-") ? word.replace(/=.*$/, "=…") : "…";
    if (shown !== "…" || kept.at(-1) !== "…") kept.push(shown);
    if (kept.length === MOST_WORDS) break;
  }
  return kept.join(" ");
}

const baseName = (path: string): string => path.replace(/\/+$/, "").split("/").at(-1) ?? path;
