import type { Source } from "./hook.ts";

/** One state of one file and of all it may draw in: what an approval is bound to (SPEC 4). */
export interface Evidence {
  /** Where the file really lies, all links followed. */
  readonly realPath: string;
  /** SHA-256 of its content in hex, or the text of a settings entry; null when it cannot be read. */
  readonly sha256: string | null;
  /** Permission bits. */
  readonly mode: number;
  readonly owner: number;
  /** Path from the hooks folder -> SHA-256 of each file that the hook can load. */
  readonly helpers: Readonly<Record<string, string>>;
  /** The same for the files of the project that the hook names itself; an empty text: it does not exist. */
  readonly files: Readonly<Record<string, string>>;
}

/** A user's yes to one project hook. */
export interface Approval extends Evidence {
  readonly name: string;
  /** Where it was found, before links were followed. */
  readonly path: string;
  readonly source: Source;
  /** The project's folder at that time. */
  readonly project: string;
  /** In early approvals alone: the hooks beside it, which were no helpers where every other file was one. */
  readonly siblings?: Readonly<Record<string, string>>;
  /** What it printed when asked `hook`, trimmed; null when it gave no usable answer. */
  readonly said: string | null;
  readonly approvedAt: string;
}

/** All approvals and denials of one user. */
export interface Approvals {
  /** Where the hook stands -> approval. */
  readonly approved: Readonly<Record<string, Approval>>;
  /** Path -> since when. */
  readonly denied: Readonly<Record<string, string>>;
}

export const NO_APPROVALS: Approvals = { approved: {}, denied: {} };

/** The content of a file as a person can see it. */
export type FileContent =
  | { readonly kind: "text"; readonly text: string }
  /** `script`: its text all the same, where it begins like a script. */
  | { readonly kind: "binary"; readonly bytes: number; readonly sha256: string; readonly script: string | null }
  | { readonly kind: "unreadable" };

/** One of the files that an approval covers: as it is now, and as it was approved. */
export interface ReviewedFile {
  readonly name: string;
  readonly path: string;
  readonly state: "same" | "new" | "changed" | "gone";
  readonly bytes: number;
  readonly now: FileContent;
  /** Null: it was not approved before, or the approved text was not kept. */
  readonly approved: FileContent | null;
}

/** The text to show; null for a file that has none. */
export function contentText(content: FileContent | null): string | null {
  if (content === null || content.kind === "unreadable") return null;
  return content.kind === "text" ? content.text : content.script;
}
