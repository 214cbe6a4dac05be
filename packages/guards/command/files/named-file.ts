import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, Word } from "../call.ts";

/** `use`: a program or tool whose effect on the file is not known has it as an argument. */
export type AccessKind = "read" | "write" | "delete" | "mode" | "use";

/** A file as a word of a call, before its path is resolved. */
export interface NamedFile {
  readonly kind: AccessKind;
  readonly word: Word;
  /** `content`: anything below it may be written, under names that the command does not tell. `itself`: it may be replaced. */
  readonly tree?: "content" | "itself";
}

/** The files that a program has as its arguments. */
export type AccessRule = (call: Call) => readonly NamedFile[];

export const files = (kind: AccessKind, words: readonly Word[]): readonly NamedFile[] =>
  words.map((word) => ({ kind, word }));

export const contentOf = (word: Word): NamedFile => ({ kind: "write", word, tree: "content" });

/** The old file is gone, and its replacement is from elsewhere. */
export const replaced = (word: Word): readonly NamedFile[] => [
  { kind: "write", word },
  { kind: "write", word, tree: "itself" },
  { kind: "delete", word },
];

export const below = (folder: Word, name: Word): Word => ({
  ...folder,
  text: `${folder.text}/${name.text}`,
  isGlob: folder.isGlob || name.isGlob,
});

/** Files in folders, as far as their names are known. */
export const inFolders = (folders: readonly Word[], names: readonly Word[]): readonly Word[] =>
  folders
    .filter(({ text }) => !text.startsWith(UNKNOWN))
    .flatMap((folder) => names.filter(isKnownName).map((name) => below(folder, name)));

/** False for `.` and `*`, which may be anything, and for a name that is known only at run time. */
export const isKnownName = ({ text }: Word): boolean => !/^(?:\.\.?|\*+)$/.test(text) && !text.includes(UNKNOWN);
