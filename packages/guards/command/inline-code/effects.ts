import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { GLOBBED } from "../script/shell-state.ts";
import { type CodeValue, isKnown, narrowed, textOf } from "./code-values.ts";
import type { Run } from "./run.ts";

/** Starts the command line that does the same as a function. A value with several texts is one command line for each. */
export function startEffect({ effects }: Run, effect: readonly string[], args: readonly CodeValue[]): void {
  if (args.length === 0) return;
  const lists = effect.map((word): CodeValue => {
    const value = /^[12]$/.test(word) ? (args[Number(word) - 1] ?? { texts: [UNKNOWN], isList: false }) : null;
    return value ?? { texts: [word], isList: true };
  });
  const several = lists.findIndex(({ texts, isList }) => !isList && texts.length > 1);
  for (const one of lists[several]?.texts ?? [""])
    effects.startWords(withTree(lists.flatMap((value, at) => (at === several ? [one] : value.texts))));
}

/** Deleting all files below a folder, in all its folders: `find folder -name x -delete`. */
function withTree(words: readonly string[]): readonly string[] {
  const path = words.at(-1) ?? "";
  // Each file gets a name of its own.
  if (words[0] === "mv" && path.includes(UNKNOWN)) return words.map(narrowed);
  const at = path.indexOf("**");
  if (words[0] !== "rm" || !path.startsWith(GLOBBED) || at === -1) return words;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const test = /^\*+$/.test(name) ? [] : ["-name", name.includes(UNKNOWN) ? `*${UNKNOWN}` : name];
  return ["find", path.slice(1, at).replace(/(?!^)\/$/, "") || ".", ...test, "-delete"];
}

/** Starts a program of the arguments: `run("rm x")`, `run(["rm", "x"])`, `spawn("rm", ["x"])`, `system("rm", "x")`. */
export function runProgram({ effects }: Run, [first, second, ...rest]: readonly CodeValue[]): void {
  if (first === undefined) return;
  if (first.isList) {
    // The name of the module may be before the program.
    effects.startWords(first.texts);
    return;
  }
  if (second?.isList === true && (second.texts.length > 0 || !/\s/.test(textOf(first)))) {
    effects.startWords([textOf(first), ...second.texts]);
    return;
  }
  const program = textOf(first);
  const isList = second !== undefined && isKnown(second) && /^[\w./-]+$/.test(program);
  if (isList) effects.startWords([program, textOf(second), ...rest.filter(isKnown).map(textOf)]);
  else for (const text of first.texts) effects.runText(text);
}

/** The mode of `open`: without one a file is read. Perl writes it before the path. */
export function openFile({ effects, language }: Run, args: readonly CodeValue[]): void {
  const [path = "", mode = "r", third = ""] = args.map(textOf);
  const perl =
    language.names === "perl"
      ? (/^\s*(\+?[<>|]{1,2}|-\||\|-)\s*(.*)$/s.exec(mode) ?? /^\s*(>>?)\s*(.*)$/s.exec(path))
      : null;
  if (perl?.[1]?.includes("|") === true) effects.runText(perl[2] || third);
  else if (perl !== null)
    effects.startWords([perl[1]?.includes(">") === true ? "tee" : "cat", perl[2] || third || UNKNOWN]);
  else if (path === "") return;
  else if (mode.startsWith("a")) effects.startWords(["tee", "-a", path]);
  else if (/^(?:[wx]b?t?\+?|r\+)/.test(mode)) effects.startWords(["tee", path]);
  else if (/^r?b?t?$/.test(mode) || mode === UNKNOWN) effects.startWords(["cat", path]);
}
