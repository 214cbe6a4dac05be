import type { Terminal } from "../../terminal.ts";

export interface ChoiceQuestion<T extends string> {
  /** What is shown before the question; once, however often it is asked. */
  readonly intro: string;
  readonly question: string;
  /** Each answer with what it does, in the words of its help. */
  readonly choices: Readonly<Record<T, string>>;
}

/** A terminal that has sent so many other lines is a program, or a text that was pasted. */
const MOST_TRIES = 20;

/**
 * Asks until the answer is one of these, by its first letter or whole. Nothing else counts as an answer: a typing error
 * must not be taken for a no. Null: the input has ended, or a signal came.
 */
export async function askChoice<T extends string>(
  terminal: Terminal,
  { intro, question, choices }: ChoiceQuestion<T>,
): Promise<T | null> {
  const names = Object.keys(choices) as T[];
  const prompt = `${question} ${names.map((name) => `[${name[0]}]${name.slice(1)}`).join(" ")} ? `;
  const help = names.map((name) => `  ${name[0]}  ${choices[name]}\n`).join("");
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const typed = (await terminal.ask((tries === 0 ? intro : help) + prompt))?.trim().toLowerCase();
    if (typed === undefined) return null;
    const chosen = names.find((name) => typed === name || typed === name[0]);
    if (chosen !== undefined) return chosen;
  }
  return null;
}
