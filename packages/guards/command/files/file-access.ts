import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { FileEdit } from "../../file-edit.ts";
import type { Call } from "../call.ts";
import { resolvePath } from "../paths.ts";
import { accessRules } from "./access-rules.ts";
import type { AccessKind, NamedFile } from "./named-file.ts";

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
  /** The texts of a file tool of the agent; null for a program. */
  readonly edit: FileEdit | null;
  /** What a file has that is written as a whole; only where that was read. */
  readonly replaced?: string | null;
  /** Present if the file was read and the edit applied to its text. */
  readonly result?: EditResult;
}

/** The effect of the call's edits on the text of one file. */
export interface EditResult {
  /** True if there was no such file. */
  readonly isNew: boolean;
  /** True if all lines of the file stay in their order. */
  readonly isAddition: boolean;
  /** What the new text no longer protects, each as a part of a sentence. */
  readonly losses: readonly EditLoss[];
  /** True if the file has entries of hookctl, or cannot be read, and the edit does not fit its text. */
  readonly isUnknown?: true;
}

export interface EditLoss {
  readonly decision: "block" | "ask";
  readonly text: string;
}

/** The files that a call and its redirections read, change or delete. None for a call on another machine. */
export function fileAccessesOf(call: Call): readonly FileAccess[] {
  if (call.isRemote) return [];
  const redirected = call.redirections.map(
    ({ kind, target }): NamedFile => ({ kind: kind === "read" ? "read" : "write", word: target }),
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
