/** What a file tool does with the text of one file. */
export interface FileEdit {
  /** The text that the tool replaces; null if there is none, or if it is not known. */
  readonly oldText: string | null;
  /** The text that the tool writes; null if it is not known. */
  readonly newText: string | null;
  /** True if it replaces each occurrence. */
  readonly isEverywhere?: boolean;
  /** It inserts its text after this line. */
  readonly afterLine?: number;
  /** The lines of a patch for this file, with `+`, `-` or a space before each. */
  readonly lines?: readonly string[];
}

/** The text after an edit; null if the edit does not apply to this text, or if its effect is not known. */
export function applyEdit(text: string, edit: FileEdit): string | null {
  const { oldText, newText, afterLine, lines, isEverywhere = false } = edit;
  if (lines !== undefined) return applyHunks(text, lines);
  if (newText === null) return null;
  if (afterLine !== undefined) return inserted(text, newText, afterLine);
  // Agents take an empty old text for the whole file.
  if (oldText === null || oldText === "") return withUnixLines(newText);
  return replaced(text, withUnixLines(oldText), { newText, isEverywhere });
}

export const withUnixLines = (text: string): string => text.replace(/\r\n/g, "\n");

function inserted(text: string, added: string, afterLine: number): string {
  const lines = text.split("\n");
  return [...lines.slice(0, afterLine), added, ...lines.slice(afterLine)].join("\n");
}

function replaced(
  text: string,
  oldText: string,
  { newText, isEverywhere }: { readonly newText: string; readonly isEverywhere: boolean },
): string | null {
  const put = (): string => withUnixLines(newText);
  if (text.includes(oldText)) return isEverywhere ? text.replaceAll(oldText, put) : text.replace(oldText, put);
  const similar = similarPattern(oldText);
  return similar?.test(text) === true ? text.replace(similar, put) : null;
}

/** Some agents find a text whose white space or quotation marks differ. */
function similarPattern(oldText: string): RegExp | null {
  const parts = oldText.trim().split(/\s+/);
  if (oldText.length > LONGEST_SIMILAR || parts[0] === "") return null;
  const quoted = parts.map((part) =>
    part
      .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
      .replace(/["“”]/g, '["“”]')
      .replace(/['‘’]/g, "['‘’]"),
  );
  return new RegExp(quoted.join("\\s+"));
}

const LONGEST_SIMILAR = 4000;

/** As agents apply a patch: each hunk is searched from the end of the one before, by its text. */
function applyHunks(text: string, lines: readonly string[]): string | null {
  const isNew = lines.every((line) => line === "" || line.startsWith("+"));
  if (isNew && text === "")
    return lines
      .filter((line) => line !== "")
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  let file = text.split("\n");
  let from = 0;
  for (const hunk of hunksIn(lines)) {
    const at = positionOf(hunk.before, file, from);
    if (at === null) return null;
    file = [...file.slice(0, at), ...hunk.after, ...file.slice(at + hunk.before.length)];
    from = at + hunk.after.length;
  }
  return file.join("\n");
}

interface Hunk {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

function hunksIn(lines: readonly string[]): readonly Hunk[] {
  const hunks: { before: string[]; after: string[] }[] = [];
  for (const line of lines) {
    if (/^\s*(?:@@|\*\*\* |\\ No newline|diff |index |old mode|new mode)/.test(line) || hunks.length === 0)
      hunks.push({ before: [], after: [] });
    if (!/^[-+ ]/.test(line) && line !== "") continue;
    const hunk = hunks.at(-1);
    if (!line.startsWith("+")) hunk?.before.push(line.slice(1));
    if (!line.startsWith("-")) hunk?.after.push(line.slice(1));
  }
  return hunks.filter(({ before, after }) => before.join("") !== "" || after.join("") !== "").map(withoutEmptyEnd);
}

/** The empty line at the end of a patch's text is none of the file. */
function withoutEmptyEnd({ before, after }: Hunk): Hunk {
  const isEmpty = before.at(-1) === "" && after.at(-1) === "";
  return isEmpty ? { before: before.slice(0, -1), after: after.slice(0, -1) } : { before, after };
}

/**
 * Where the lines are in a file, exactly or but for the white space around them; text without context is appended. Null
 * if they are nowhere, or at several positions, of which agents choose one in different ways.
 */
function positionOf(before: readonly string[], file: readonly string[], from: number): number | null {
  if (before.length === 0) return file.at(-1) === "" ? file.length - 1 : file.length;
  for (const form of [(line: string) => line, (line: string) => line.trim()]) {
    const isAt = (at: number): boolean => before.every((line, index) => form(line) === form(file[at + index] ?? "\0"));
    const positions = file
      .map((_, at) => at)
      .filter((at) => form(file[at] ?? "") === form(before[0] ?? "") && isAt(at));
    const later = positions.filter((at) => at >= from);
    const [first, second] = later.length > 0 ? later : positions;
    if (first !== undefined) return second === undefined ? first : null;
  }
  return null;
}
