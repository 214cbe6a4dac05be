import { raise } from "../faults.ts";
import { Undefined } from "../values/value.ts";

/** More than any message needs; a loop that does not end stops here, in well under a second. */
const MOST_STEPS = 1_000_000;

/** What a rendering knows beside its values. */
export class Environment {
  /** An undefined value may only be asked for with `is defined` and `default`. Otherwise it prints as nothing. */
  readonly isStrict: boolean;
  /** From 0 up to 1, for `random`. */
  readonly random: () => number;
  isAutoescaped = false;
  private steps = 0;

  constructor({ isStrict, random }: Pick<Environment, "isStrict" | "random">) {
    this.isStrict = isStrict;
    this.random = random;
  }

  step(): void {
    this.steps += 1;
    if (this.steps > MOST_STEPS) raise("LimitError", `it takes more than ${MOST_STEPS} steps`);
  }

  undefined(message: string): Undefined {
    return new Undefined(message, this.isStrict);
  }
}
