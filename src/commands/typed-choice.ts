/** The choice that somebody typed, by its first letter or whole. Any other word is none: `abort` is not `always`. */
export function typedChoice<T extends string>(answer: string | null, choices: readonly T[]): T | null {
  const typed = answer?.trim().toLowerCase() ?? "";
  return choices.find((choice) => typed === choice || typed === choice[0]) ?? null;
}
