import { UNKNOWN } from "../call.ts";

/** A part of a word after expansion. */
export interface Piece {
  readonly text: string;
  /** True if white space in it separates fields. */
  readonly isSplit: boolean;
  /** True if `*` in it stands for names of files. */
  readonly isGlob: boolean;
  /** True if a field remains even if it is empty. */
  readonly isQuoted: boolean;
  /** True if a new field begins before it: the elements of `"$@"`. */
  readonly isNew?: true;
}

export interface Field {
  readonly text: string;
  readonly isGlob: boolean;
}

const MOST_FIELDS = 1000;

/** Splits the pieces of a word into fields, with the separators of `IFS`. */
export function fieldsOf(pieces: readonly Piece[], ifs: string = " \t\n"): readonly Field[] {
  const fields: Field[] = [];
  let open: { text: string; isGlob: boolean } | null = null;
  const close = () => {
    if (open !== null && fields.length < MOST_FIELDS) fields.push(open);
    open = null;
  };
  const add = (text: string, isGlob: boolean) => {
    open ??= { text: "", isGlob: false };
    open.text += text;
    open.isGlob ||= isGlob && /[*?[]/.test(text);
  };
  for (const piece of pieces) {
    if (piece.isNew === true) close();
    const parts = piece.isSplit ? splitFields(piece.text, ifs) : [piece.text];
    for (const [at, text] of parts.entries()) {
      if (at > 0) close();
      if (text !== "" || piece.isQuoted) add(text, piece.isGlob);
    }
  }
  close();
  return fields;
}

/** Fields of a value; the first and the last are empty if a separator is there. */
function splitFields(text: string, ifs: string): readonly string[] {
  const separators = ifs.includes(UNKNOWN) ? " \t\n" : ifs;
  if (separators === "" || text.length === 0) return [text];
  if (separators === " \t\n") return /[ \t\n]/.test(text) ? text.split(/[ \t\n]+/) : [text];
  const chars = separators.replace(/[\\\]^-]/g, "\\$&");
  return text.split(new RegExp(`[${chars}]`));
}
