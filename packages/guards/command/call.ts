/** A word of a command after quotes, variables and substitutions were resolved as far as possible. */
export interface Word {
  /** Its value. Each part that is known only at run time is `UNKNOWN`. */
  readonly text: string;
  /** The text in the command. */
  readonly source: string;
  /** True if the shell replaces `*`, `?` or `[` in it by names of files. */
  readonly isGlob: boolean;
  /** The calls whose output is part of it: `$(…)`, `<(…)`. */
  readonly printedBy: readonly Call[];
}

/** A word of plain text. */
export const plainWord = (text: string, source = text): Word => ({ text, source, isGlob: false, printedBy: [] });

export interface Redirection {
  readonly kind: "read" | "write" | "append";
  readonly target: Word;
  /** The descriptor before the operator: 2 for `2> log`, null for `> file`. */
  readonly descriptor: number | null;
}

/** Where the standard input of a call comes from. */
export type Input =
  | { readonly kind: "none" }
  | { readonly kind: "file"; readonly file: Word }
  /** A here-document or here-string. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "pipe"; readonly from: readonly Call[] };

/** How a call was found inside another one: `sudo rm`, `bash -c "rm"`, `$(rm)`, `xargs rm`. */
export type Relation = "wrapper" | "shell text" | "substitution" | "input" | "inline code" | "remote";

/** One program that a command starts. A command with several possible values has one call for each of them. */
export interface Call {
  /**
   * The program's name without its folder: `rm` for `/bin/rm`, `\rm`, `command rm`. It may contain `UNKNOWN`. Builtins of the
   * shell are calls too. Empty: redirections without a program (`> file`), or of a loop, a group, a condition.
   */
  readonly program: string;
  /** The program as a word, including its folder. */
  readonly name: Word;
  readonly args: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly input: Input;
  /** The working directory; null if it is known only at run time. */
  readonly folder: string | null;
  /** Variables set for this call, and those that the shell exported before it. */
  readonly variables: ReadonlyMap<string, string>;
  /** The call that starts this one; null at the top. */
  readonly parent: { readonly call: Call; readonly relation: Relation } | null;
  /** True if it runs on another machine or in a container, so that its paths are not on this one. */
  readonly isRemote: boolean;
  /** True if it is in `$(…)`, `<(…)` or `{ …; } > file`, so that its output is not shown directly. */
  readonly isCaptured: boolean;
  /** True in a loop without an end, and in a loop in the background. */
  readonly isRepeated: boolean;
  /** The text in the command, on one line. */
  readonly source: string;
}

/** What a command starts, in the order of the text. */
export interface CommandAnalysis {
  readonly text: string;
  readonly calls: readonly Call[];
  /** Parts that were not followed. */
  readonly gaps: readonly CommandGap[];
  /** Files whose text it runs or uses and that is not known, if there are any. */
  readonly unread?: readonly string[];
}

/** `fork bomb`: a function that starts itself more than once or in the background, an endless loop that starts jobs. */
export type GapKind = "syntax" | "size" | "depth" | "recursion" | "fork bomb" | "reference";

export interface CommandGap {
  readonly kind: GapKind;
  readonly source: string;
  readonly why: string;
}

/** Facts about the machine for an analysis. Paths are absolute, without links. */
export interface CommandPlace {
  readonly folder: string;
  readonly home: string;
  /** The folder of the project: the root of its repository, else the innermost project folder. */
  readonly project: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The texts of files that earlier calls of the agent wrote, by their paths. */
  readonly scripts?: ReadonlyMap<string, string>;
}
