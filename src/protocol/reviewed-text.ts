/** The content of a file as a person can see it. */
export type FileContent =
  | { readonly kind: "text"; readonly text: string }
  /** `script`: its text all the same, where it begins like a script. */
  | { readonly kind: "binary"; readonly bytes: number; readonly sha256: string; readonly script: string | null }
  | { readonly kind: "unreadable" };

/** One of the files that an approval covers: as it is now, and as it was approved. */
export interface ReviewedText {
  readonly name: string;
  readonly path: string;
  readonly state: "same" | "new" | "changed" | "gone";
  readonly bytes: number;
  readonly now: FileContent;
  /** Null: it was not approved before, or the approved text was not kept. */
  readonly approved: FileContent | null;
}

/** The text to show; null for a file that has none. */
export function shownText(content: FileContent | null): string | null {
  if (content === null || content.kind === "unreadable") return null;
  return content.kind === "text" ? content.text : content.script;
}
