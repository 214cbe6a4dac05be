import type { Respelling } from "../test-report.ts";
import { ARGUMENT_KINDS } from "./argument-kinds.ts";
import { type ParsedCommand, parseCommand } from "./parse-command.ts";
import { type Random, seededRandom } from "./random.ts";
import { type RespellingKind, TABLE_KINDS } from "./respelling-kinds.ts";

/** Every kind of respelling: kinds for words before kinds for the whole command. */
export const RESPELLING_KINDS: readonly RespellingKind[] = [...ARGUMENT_KINDS, ...TABLE_KINDS];

const LONGEST = 8_000;
/** How often each kind is tried alone: most produce several forms. */
const ROUNDS = 4;

/**
 * Respells a command: in each kind alone, then in combinations. The same command always gives the same list. `isHarmless`:
 * only respellings in which a harmless command stays harmless.
 */
export function respell(
  command: string,
  { most, isHarmless }: { readonly most: number; readonly isHarmless: boolean },
): readonly Respelling[] {
  const parsed = parseCommand(command);
  const kinds = RESPELLING_KINDS.filter((kind) => !isHarmless || kind.isHarmless);
  if (parsed === null || parsed.commands.length === 0) return [];
  const random = seededRandom(command);
  const found = new Map<string, Respelling>();
  const add = (chosen: readonly RespellingKind[]): void => {
    const one = apply(parsed, chosen, random);
    if (one !== null && one.command !== command && !found.has(one.command)) found.set(one.command, one);
  };
  for (let round = 0; round < ROUNDS && found.size < most * SINGLE_SHARE; round++)
    for (const kind of kinds) add([kind]);
  for (let left = most * 4; left > 0 && found.size < most; left--) add(combination(kinds, random));
  return [...found.values()].slice(0, most);
}

const SINGLE_SHARE = 0.6;

/** Two or three kinds in the order of the table. */
function combination(kinds: readonly RespellingKind[], random: Random): readonly RespellingKind[] {
  const positions = Array.from({ length: 2 + random.below(2) }, () => random.below(kinds.length)).sort((a, b) => a - b);
  return positions.flatMap((position) => kinds[position] ?? []);
}

/** Kinds that cannot be applied are left out; null if nothing is left, or a result that cannot be parsed. */
function apply(command: ParsedCommand, kinds: readonly RespellingKind[], random: Random): Respelling | null {
  let current = command;
  const applied: string[] = [];
  for (const { name, respell: spelling } of kinds) {
    const text = spelling(current, random);
    if (text === null || text === current.text || text.length > LONGEST) continue;
    const next = parseCommand(text);
    if (next === null) return null;
    current = next;
    applied.push(name);
  }
  return applied.length === 0 ? null : { command: current.text, kinds: applied };
}
