import { type Call, UNKNOWN, type Word } from "../call.ts";
import { resolvePath } from "../paths.ts";
import { accessRules } from "./access-table.ts";

/** `use`: a program or tool whose effect on the file is not known has it as an argument. */
export type AccessKind = "read" | "write" | "delete" | "mode" | "use";

/** A file that a tool call reads, changes or deletes. */
export interface FileAccess extends Pick<NamedFile, "tree"> {
  readonly kind: AccessKind;
  /** Absolute and normalized; each part that is known only at run time is `UNKNOWN`. A glob stays a glob. */
  readonly path: string;
  readonly isGlob: boolean;
  /** The path as written. */
  readonly source: string;
  /** The program that does it; null for a file tool of the agent. */
  readonly call: Call | null;
  /** The text that a file tool of the agent replaces and writes, as far as the call names it; null: not known. */
  readonly edit: { readonly oldText: string | null; readonly newText: string | null } | null;
  /** What a file has that is written as a whole; only where that was read. */
  readonly replaced?: string | null;
}

/** A file as a word of a call, before its path is resolved. */
export interface NamedFile {
  readonly kind: AccessKind;
  readonly word: Word;
  /** `content`: anything below it may be written, under names that the command does not tell. `itself`: it may be replaced. */
  readonly tree?: "content" | "itself";
}

/** The files that a call and its redirections read, change or delete. None for a call on another machine. */
export function fileAccessesOf(call: Call): readonly FileAccess[] {
  if (call.isRemote) return [];
  const redirected = call.redirections.map(
    ({ kind, target }): NamedFile => ({
      kind: kind === "read" ? "read" : "write",
      word: target,
    }),
  );
  return [...accessRules(call), ...redirected].flatMap((file) => accessOf(file, call));
}

function accessOf({ kind, word, tree }: NamedFile, call: Call): readonly FileAccess[] {
  if (word.text === "" || word.text === "-") return [];
  const path = resolvePath(word, call);
  const { isGlob, source } = word;
  const below = tree === undefined ? {} : { tree };
  return [{ kind, ...below, path: path === "" ? UNKNOWN : path, isGlob, source, call, edit: null }];
}
