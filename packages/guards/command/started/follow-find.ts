import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import { type Call, plainWord, type Word } from "../call.ts";
import type { ShellState } from "../script/shell-state.ts";
import { startInner } from "../start.ts";
import { foundBy, pathsBelow, searchOf } from "./find-expression.ts";

/** Follows the programs of `find … -exec` with the paths that it may find, and the output of find. */
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
  const output = `${found.join("\n")}\n`;
  return [{ ...started.state, output: started.state.output + output, status: "either" }];
}

const isPlus = (word: Word, before: Word | undefined): boolean => word.text === "+" && before?.text === "{}";

const withPath = (word: Word, path: string): Word =>
  word.text.includes("{}") ? { ...word, text: word.text.split("{}").join(path) } : word;

/** Follows the programs of `fd … -x` with the paths that it may find. */
export function followFd(call: Call, started: Started): readonly ShellState[] | null {
  const { args } = call;
  const at = args.findIndex(({ text }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text));
  const { roots, isNarrow } = searchOf(call);
  const found = pathsBelow(
    roots.map(({ text }) => text),
    isNarrow === true,
  );
  if (at === -1) {
    const output = `${started.state.output + found.join("\n")}\n`;
    return [{ ...started.state, output, status: "either" }];
  }
  const end = args.findIndex(({ text }, index) => index > at && text === ";");
  const words = args.slice(at + 1, end === -1 ? undefined : end);
  return found.flatMap((path) => startInner(call, withFound(words, path), { ...started, level: "program" }));
}

const MARK = /\{(?:\/\/?|\.|\/\.)?\}/g;

/** Without a mark, the path is the last argument. */
function withFound(words: readonly Word[], path: string): readonly Word[] {
  const filled = words.map((word) => ({ ...word, text: word.text.replace(MARK, () => path) }));
  const isFilled = filled.some(({ text }, index) => text !== words[index]?.text);
  return isFilled ? filled : [...filled, plainWord(path, "…")];
}
