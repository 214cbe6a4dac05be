import { type Call, UNKNOWN, type Word } from "./call.ts";
import { startInner } from "./follow-wrapper.ts";
import type { Started } from "./run-command.ts";
import type { ShellState } from "./shell-state.ts";

/** Tests that a starting point itself hardly passes. */
const NARROWING: ReadonlySet<string> = new Set([
  ...["-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-size", "-empty", "-mtime", "-mmin"],
  ...["-newer", "-atime", "-ctime", "-amin", "-cmin", "-mindepth", "-inum", "-links", "-perm", "-user"],
]);

/** The programs of `find … -exec`, for what it may find; and what it prints. */
export function followFind(call: Call, started: Started): readonly ShellState[] | null {
  const { args } = call;
  const found = foundBy(args);
  for (const [at, { text }] of args.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) continue;
    const end = args.findIndex((word, index) => index > at && (word.text === ";" || isPlus(word, args[index - 1])));
    const words = args.slice(at + 1, end === -1 ? undefined : end);
    const isInFolder = text.endsWith("dir");
    for (const path of isInFolder ? [`./${UNKNOWN}`] : found) {
      const state = { ...started.state, folder: isInFolder ? null : started.state.folder };
      startInner(
        call,
        words.map((word) => withPath(word, path)),
        { ...started, state, level: "program" },
      );
    }
  }
  const isPrinting = args.some(({ text }) => text === "-print0");
  const output = found.join("\n") + (isPrinting ? "\n" : "\n");
  return [{ ...started.state, output: started.state.output + output, status: "either" }];
}

const isPlus = (word: Word, before: Word | undefined): boolean => word.text === "+" && before?.text === "{}";

const withPath = (word: Word, path: string): Word =>
  word.text.includes("{}") ? { ...word, text: word.text.split("{}").join(path) } : word;

/** The paths that find may find: its starting points, and names below them. */
export function foundBy(args: readonly Word[]): readonly string[] {
  const first = args.findIndex(({ text }) => !/^-(?:[HLP]|O\d*|D)$/.test(text));
  const rest = first === -1 ? [] : args.slice(first);
  const end = rest.findIndex(({ text }) => /^[-(!]/.test(text));
  const starts = (end === -1 ? rest : rest.slice(0, end)).map(({ text }) => text);
  const isNarrow = rest.some(({ text }) => NARROWING.has(text)) || hasType(rest, "f");
  return (starts.length === 0 ? ["."] : starts).flatMap((start) => {
    const below = `${start.replace(/\/$/, "")}/${UNKNOWN}`;
    return isNarrow ? [below] : [start, below];
  });
}

const hasType = (args: readonly Word[], type: string): boolean =>
  args.some(({ text }, at) => text === type && args[at - 1]?.text === "-type");
