import type { Source } from "./hook.ts";

/** One state of a file and of the files it can load. An approval is bound to it. */
export interface Evidence {
  /** The path of the file with all symbolic links resolved. */
  readonly realPath: string;
  /** SHA-256 of its content in hex, or the canonical text of a settings entry; null if it cannot be read. */
  readonly sha256: string | null;
  /** Permission bits. */
  readonly mode: number;
  readonly owner: number;
  /** SHA-256 of each file that the hook can load, by its path from the hooks folder. */
  readonly helpers: Readonly<Record<string, string>>;
  /** Hashes of the project's files that the hook names itself; an empty text: the file does not exist. */
  readonly files: Readonly<Record<string, string>>;
}

/** A user's approval of one hook. */
export interface Approval extends Evidence {
  readonly name: string;
  /** The path before symbolic links were resolved. */
  readonly path: string;
  readonly source: Source;
  /** The project's folder when it was approved. */
  readonly project: string;
  /** Only in approvals of early versions: the other hooks of its folder, which were no helpers. */
  readonly siblings?: Readonly<Record<string, string>>;
  /** Its output when started with `hook`, trimmed; null if it was invalid. */
  readonly said: string | null;
  readonly approvedAt: string;
}

/** All approvals and denials of one user. */
export interface Approvals {
  /** Approvals by approval key. */
  readonly approved: Readonly<Record<string, Approval>>;
  /** Time of each denial, by path. */
  readonly denied: Readonly<Record<string, string>>;
}

export const NO_APPROVALS: Approvals = { approved: {}, denied: {} };

/** The content of a file as a person can see it. */
export type FileContent =
  | { readonly kind: "text"; readonly text: string }
  /** `script` is its text if it begins like a script. */
  | { readonly kind: "binary"; readonly bytes: number; readonly sha256: string; readonly script: string | null }
  | { readonly kind: "unreadable" };

/** A file that an approval covers: its current and its approved state. */
export interface ReviewedFile {
  readonly name: string;
  readonly path: string;
  readonly state: "same" | "new" | "changed" | "gone";
  readonly bytes: number;
  readonly now: FileContent;
  /** Null if it was not approved before, or its approved text was not stored. */
  readonly approved: FileContent | null;
}

/** The text to show; null if there is none. */
export function contentText(content: FileContent | null): string | null {
  if (content === null || content.kind === "unreadable") return null;
  return content.kind === "text" ? content.text : content.script;
}
