import type { ParsedCommand } from "./parse-command.ts";
import type { Random } from "./random.ts";

/** One way to write a command differently, so that it starts the same programs with the same arguments. */
export interface RespellingKind {
  /** Public: reports name it. */
  readonly name: string;
  /** True if a harmless command stays harmless in it: a guard that blocks it then raises a false alarm. */
  readonly isHarmless: boolean;
  /** Null if the command cannot be written so. */
  readonly respell: (command: ParsedCommand, random: Random) => string | null;
}

/** A harmless command may be written so, too. */
export const harmless = (name: string, respell: RespellingKind["respell"]): RespellingKind => ({
  ...{ name, respell },
  isHarmless: true,
});

/** A guard may object to a harmless command that is written so, because it hides or wraps what is started. */
export const devious = (name: string, respell: RespellingKind["respell"]): RespellingKind => ({
  ...{ name, respell },
  isHarmless: false,
});
