import type { Terminal } from "../../engine/host.ts";

export interface ChoiceQuestion<T extends string> {
  /** Shown once before the question, even if it is repeated. */
  readonly intro: string;
  readonly question: string;
  /** Each answer with its help text. */
  readonly choices: Readonly<Record<T, string>>;
  /** A few words behind an answer whose name does not say what it does. */
  readonly notes?: Readonly<Record<string, string>>;
}

/** More invalid lines come from a program, or from pasted text. */
const MOST_TRIES = 20;

/**
 * Asks until one of the choices is typed, whole or by its first letter. After a typing error it asks again, so that the
 * error is not read as a no. Returns null if the input ends or a signal arrives.
 */
export async function askChoice<T extends string>(
  terminal: Pick<Terminal, "ask">,
  { intro, question, choices, notes = {} }: ChoiceQuestion<T>,
): Promise<T | null> {
  const names = Object.keys(choices) as T[];
  const noteOf = (name: string): string => (notes[name] === undefined ? "" : ` (${notes[name]})`);
  const prompt = `${question} ${names.map((name) => `[${name[0]}]${name.slice(1)}${noteOf(name)}`).join(" ")}: `;
  const help = names.map((name) => `  ${name[0]}  ${choices[name]}\n`).join("");
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const typed = (await terminal.ask((tries === 0 ? intro : help) + prompt))?.trim().toLowerCase();
    if (typed === undefined) return null;
    const chosen = names.find((name) => typed === name || typed === name[0]);
    if (chosen !== undefined) return chosen;
  }
  return null;
}
