import { AUTOMATIC, JAVASCRIPT } from "./hook-program.ts";
import { isPython } from "./python-search.ts";

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

/** True if a text starts a Python program. */
export const startsPython = (text: string): boolean => /\b(?:python|pypy)[\d.]*\b/.test(text);

const PYTHON_WORD = /[^\s"'`();&|=]*\b(?:python|pypy)[\d.]*(?=[\s"'`;&|)]|$)(?:["']?[ \t]+-\w+)*/g;

/** Each Python that a text starts, with its options. */
const pythonsIn = (text: string): readonly string[] =>
  text.startsWith("#!") && isPython("", text)
    ? []
    : [...text.matchAll(PYTHON_WORD)].map(([word]) => word.replace(/["']/g, ""));

/** True if a text may start Python without PYTHONSAFEPATH and PYTHONPYCACHEPREFIX. */
const mayDropVariables = (text: string): boolean =>
  /\bPYTHON(?:SAFEPATH|PYCACHEPREFIX)\b/.test(text) ||
  /\benv\b[^\n;|&]*\s-(?:[\s-]|\w*i)/.test(text) ||
  /\b(?:python|pypy)[\d.]*["']?(?:[ \t]+-\w+)*[ \t]+-\w*[EI]/.test(text);
