import { AUTOMATIC, JAVASCRIPT } from "./hook-program.ts";
import { mayDropVariables, pythonsIn, startsPython } from "./python-text.ts";

/** The texts of a hook that start programs: they choose the interpreter of its other files. Each is searched once. */
export class Starters {
  /** Each Python that they start, with its options. */
  readonly pythons = new Set<string>();
  startsPython = false;
  startsJavaScript = false;
  /** One may start Python without PYTHONSAFEPATH and PYTHONPYCACHEPREFIX. */
  mayDropVariables = false;
  private readonly seen = new Set<string>();
  private readonly runners = new Set<RegExp>();

  add(text: string): void {
    if (this.seen.has(text)) return;
    this.seen.add(text);
    for (const python of pythonsIn(text)) this.pythons.add(python);
    this.startsPython ||= startsPython(text);
    this.startsJavaScript ||= JAVASCRIPT.test(text);
    this.mayDropVariables ||= mayDropVariables(text);
    for (const [runs] of AUTOMATIC) if (runs.test(text)) this.runners.add(runs);
  }

  /** True if one of them matches this pattern of `AUTOMATIC`. */
  readonly matches = (runs: RegExp): boolean => this.runners.has(runs);
}
