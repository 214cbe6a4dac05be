import type { Word } from "../../command/call.ts";

/** The folders that find searches. */
export function findRoots(args: readonly Word[]): readonly Word[] {
  const roots: Word[] = [];
  for (const word of args) {
    if (/^-(?:[HLP]|O\d*|D.*)$/.test(word.text)) continue;
    if (/^[-(!]/.test(word.text)) break;
    roots.push(word);
  }
  return roots.length > 0 ? roots : [{ text: ".", source: ".", isGlob: false, printedBy: [] }];
}

interface Primary {
  readonly name: string;
  readonly value: string | null;
}

/** The tests and actions of find with their first value; words of programs that it starts are left out. */
export function findExpression(args: readonly Word[]): readonly Primary[] {
  const primaries: Primary[] = [];
  for (let at = 0; at < args.length; at++) {
    const name = args[at]?.text ?? "";
    if (!name.startsWith("-")) continue;
    const takes = /^-(?:exec|execdir|ok|okdir)$/.test(name) ? lengthOfProgram(args, at + 1) : VALUES(name);
    primaries.push({ name, value: takes > 0 ? (args[at + 1]?.text ?? null) : null });
    at += takes;
  }
  return primaries;
}

/** The number of words up to `;` or `{} +`. */
function lengthOfProgram(args: readonly Word[], from: number): number {
  const end = args.findIndex(
    ({ text }, at) => at >= from && (text === ";" || (text === "+" && args[at - 1]?.text === "{}")),
  );
  return end < 0 ? args.length - from : end - from + 1;
}

const VALUES = (name: string): number => (name === "-fprintf" ? 2 : TAKES_VALUE.test(name) ? 1 : 0);

const TAKES_VALUE =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[acm]?newer|newer..|[acm](?:time|min)|used|size|perm|user|group|uid|gid|inum|links|samefile|x?type|fstype|context|maxdepth|mindepth|regextype|printf|fprint0?|fls|files0-from)$/;

const NARROWS =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|[acm]?newer|newer..|[acm](?:time|min)|empty|size|perm|user|uid|inum|samefile)$/;

/** Narrow if it finds only some of the files, by name, age or another test than the type. */
export const narrow = (args: readonly Word[]): { readonly isNarrow?: true } =>
  findExpression(args).some(({ name, value }) => NARROWS.test(name) && value !== "*") ? { isNarrow: true } : {};
