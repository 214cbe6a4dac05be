import type { CodeValue } from "./code-values.ts";
import type { Syntax, Token } from "./tokens.ts";

/** A scripting language. */
export interface Language extends Syntax {
  /** Its name. */
  readonly names: string;
  /** The operator that joins two texts. Default: `+`. */
  readonly concatenates?: string;
  /** True if arguments may follow a function without brackets. */
  readonly bareCalls?: true;
  /** Functions that run a text as code of the same language, separated by spaces. */
  readonly evaluates?: string;
}

/** What code does beside computing values. */
export interface Effects {
  /** Starts a program with its arguments, or does the same as that program: `rm file`. */
  readonly startWords: (words: readonly string[]) => void;
  readonly runText: (text: string) => void;
  readonly tooDeep: () => void;
}

/** A function of the code itself. */
export interface CodeFunction {
  readonly parameters: readonly string[];
  readonly from: number;
  readonly to: number;
  /** The tokens to which the positions refer. */
  readonly tokens: readonly Token[];
}

/** The state in which code is followed. */
export interface Run {
  readonly language: Language;
  readonly tokens: readonly Token[];
  readonly effects: Effects;
  readonly home: string;
  readonly folder: string;
  readonly environment: (name: string) => string | undefined;
  readonly variables: Map<string, CodeValue>;
  readonly functions: Map<string, CodeFunction>;
  readonly called: Set<string>;
  /** Modules whose names are all imported. */
  readonly wild: string[];
  /** Functions of the evaluation that other files call: no file needs to import another one in a circle. */
  readonly evaluator: {
    readonly expression: (run: Run, end: number) => CodeValue;
    readonly runTo: (run: Run, end: number) => void;
    readonly runCode: (run: Run) => void;
  };
  /** The index of the next token. */
  at: number;
  depth: number;
  brackets: number;
  /** The column of the condition around the statement, if there is one. */
  branch: number | null;
  /** The values that a function among the arguments gets. */
  given: readonly CodeValue[];
  returned: CodeValue[];
  /** The tokens of functions that may still be followed again. */
  readonly budget: { tokens: number };
}
