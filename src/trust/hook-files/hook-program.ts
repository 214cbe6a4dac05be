import type { Candidate } from "../../protocol/hook.ts";
import { mayDropVariables, pythonsIn, startsPython } from "./python-text.ts";

/** The extensions that interpreters append to the name of what they load. */
export const ENDINGS = [
  "",
  ..."js mjs cjs json node ts mts cts tsx jsx rb so pm pl php lua py sh".split(" ").map((end) => `.${end}`),
];
/** The files that interpreters load for a folder. */
export const INDEX = ["package.json", ..."js mjs cjs json ts rb lua".split(" ").map((end) => `index.${end}`)];
/** Files that these runtimes read by themselves, in the folder of a script or above it. */
export const AUTOMATIC: readonly (readonly [runs: RegExp, names: readonly string[]])[] = [
  [/\b(?:node|tsx|ts-node|npx)\b|\.[cm]?[jt]s\b/, ["package.json"]],
  [/\b(?:tsx|ts-node|bun)\b/, ["tsconfig.json"]],
  [/\bbun\b/, ["bunfig.toml"]],
  [/\bdeno\b/, ["deno.json", "deno.jsonc"]],
];
export const JAVASCRIPT = /\b(?:node|bun|deno|tsx|ts-node|npx)\b/;
export const MOST_FILES = 5000;

/** The command of a declared hook, and the files that it names. */
export interface DeclaredCommand {
  readonly command: string;
  /** Where the command runs. */
  readonly folder: string;
  /** The project folder of its approval. */
  readonly project: string;
  readonly files: readonly string[];
}

/** The program of a hook: a declared command, or an executable, for which `declared` is null. */
export interface HookProgram extends Pick<Candidate, "path" | "realPath" | "source" | "projectDir"> {
  readonly declared: DeclaredCommand | null;
}

export interface LoadedFiles {
  readonly files: readonly string[];
  /** `package.json` -> its `type`, if that is the only field that matters. */
  readonly types: ReadonlyMap<string, string>;
}

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
