import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, Word } from "../call.ts";
import { hasOption, optionValues, type ParsedOptions } from "../options.ts";

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

const below = (folder: Word, name: Word): Word => ({
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

/** How a program copies, moves or links sources to a target. */
export interface Transfer {
  readonly from: AccessKind;
  /** Options with which it also transfers folders, with everything in them; `always`: without any option. */
  readonly recursive?: string;
  /** Options with which it only shows its effect. */
  readonly trial?: string;
  /** Sources of which the content is transferred, not the folder with its name: all, or those that end in a slash. */
  readonly content?: "of all" | "of slash";
  /** True if a link may take the place of the target. */
  readonly isLink?: true;
}

const INTO = "-t --target-directory";

/**
 * The last operand, or the value of `-t`, is the target; the others are sources. If the target is a folder, which only the
 * disk knows, each source gets its own name in it.
 */
export function transferred(parsed: ParsedOptions, rule: Transfer): readonly NamedFile[] {
  const [folder] = optionValues(parsed, INTO);
  const target = folder ?? parsed.operands.at(-1);
  const sources = folder === undefined ? parsed.operands.slice(0, -1) : parsed.operands;
  const local = sources.filter(({ text }) => !isRemotePath(text));
  const read = files(rule.from, local);
  if (target === undefined || isRemotePath(target.text)) return read;
  const written = files("write", [target, ...inFolders([target], sources.map(lastPart))]);
  const { recursive = "", trial = "" } = rule;
  const isRecursive = (recursive === "always" || hasOption(parsed, recursive)) && !hasOption(parsed, trial);
  const more = rule.isLink === true ? linked(parsed, target) : isRecursive ? trees(target, sources, parsed, rule) : [];
  return [...read, ...written, ...more];
}

/** The folders below which a copy may write anything. */
function trees(target: Word, sources: readonly Word[], parsed: ParsedOptions, rule: Transfer): readonly NamedFile[] {
  const isTarget = hasOption(parsed, "-T --no-target-directory");
  const words = sources.flatMap((source) => {
    const name = lastPart(source);
    const isSlashed = rule.content === "of slash" && source.text.endsWith("/");
    if (isTarget || rule.content === "of all" || isSlashed || /^\.\.?$/.test(name.text)) return [target];
    return name.text.includes(UNKNOWN) ? [] : [below(target, name)];
  });
  return [...new Set(words)].map(contentOf);
}

/** A link takes the place of a folder by its name, or is made in it: certain with `-n` and `-T`, and with a final slash. */
function linked(parsed: ParsedOptions, target: Word): readonly NamedFile[] {
  if (hasOption(parsed, INTO) || parsed.operands.length < 2) return [];
  if (hasOption(parsed, "-n -T -h --no-dereference --no-target-directory")) return replaced(target);
  return target.text.endsWith("/") ? [] : [{ kind: "write", word: target, tree: "itself" }];
}

/** The last part of a path; `host:path` of another machine. */
const lastPart = (word: Word): Word => ({ ...word, text: /([^/:]+)\/*$/.exec(word.text)?.[1] ?? "." });

/** `host:path` of scp and rsync. */
const isRemotePath = (text: string): boolean => /^[^/]*:/.test(text);
