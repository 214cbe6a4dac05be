import { structuredPatch } from "diff";
import { contentText, type FileContent, type ReviewedFile } from "../../protocol/approval.ts";
import type { TrustState } from "../../protocol/hook.ts";
import { printableJson } from "../../protocol/json/write.ts";
import { pluralize } from "../../protocol/text/count.ts";
import { escapeControls, truncateEscaped } from "../../protocol/text/text.ts";
import { mentionText, type Style, sourceRows, TRUST_LABELS } from "../text-style.ts";

/** A hook or a settings file as shown to a person who may approve it. */
export interface ReviewView {
  readonly name: string;
  readonly path: string;
  readonly trust: TrustState;
  /** The item is pending: a yes would approve it. */
  readonly waits: boolean;
  /** Interpreter, lines, bytes. */
  readonly look: string;
  /** Event names its text mentions. */
  readonly claims: readonly string[];
  /** A settings file, and not a hook. */
  readonly isSettings: boolean;
  readonly main: ReviewedFile;
  /** The other files that the approval covers. */
  readonly files: readonly ReviewedFile[];
  /** Descriptions of the differences from the approved state. */
  readonly changes: readonly string[];
  /** Parts of a declared command whose files cannot be found, so that the approval does not cover them. */
  readonly notCovered: readonly string[];
  /** Programs that a declared command starts and that do not exist. */
  readonly missing: readonly string[];
  /** Files outside the project to which a declared command redirects its output. */
  readonly writesOutside: readonly string[];
  /** Why the hook is paused; null if it is enabled. */
  readonly off: string | null;
}

const MOST_NAMES = 20;
/** How many rows are shown before the person asks for the rest. */
export const SCREEN_ROWS = 80;

/**
 * The text of each new file and the differences of each changed one, cut after `rows` rows; `hiddenLines` is the number of
 * lines that are cut.
 */
export function reviewText(view: ReviewView, style: Style, rows = Number.POSITIVE_INFINITY) {
  const [name, path] = [truncateEscaped(view.name, 60), truncateEscaped(view.path, 160)];
  const look = truncateEscaped(view.look, 140);
  const label = TRUST_LABELS[view.trust];
  const isOneRow = style.breakCode(`${name}   ${path}   ${" ".repeat(label.length)}`).length === 1;
  const changes = view.changes.map((one) => truncateEscaped(one, 120)).join(", ");
  const head = [
    isOneRow
      ? `${style.strong(name)}   ${path}   ${style.bad(label)}\n`
      : `${sourceRows("", name, style, style.strong).join("\n")}\n${ownRows(path, style)}  ${style.bad(label)}\n`,
    ownRows(view.isSettings ? look : `${look}; ${mentionText(view.claims)}`, style),
    view.off === null ? "" : ownRows(view.off, style, style.warn),
    changes === "" ? "" : ownRows(`changed: ${changes}`, style),
    rowsUnder("writes outside the project", view.writesOutside, style),
  ].join("");
  const isAsApproved = view.main.state === "same" && view.changes.length > 0;
  const main = isAsApproved ? ["  its own text is unchanged\n"] : rowsOf(view.main, style);
  const others = view.files
    .filter(({ state }) => state !== "same")
    .flatMap((file) => [headingOf(file, view, style), ...rowsOf(file, style)]);
  const all = [...main, ...others];
  const hiddenLines = Math.max(0, all.length - rows);
  const more = hiddenLines === 0 ? "" : `  … ${pluralize(hiddenLines, "more line")}\n`;
  const missingNote = "The hook fails without it. A file that appears in the project later must be approved.";
  const foot = [
    fileNames(view, style),
    rowsUnder("missing", view.missing, style, missingNote),
    rowsUnder("not covered", view.notCovered, style, 'Name such files in "files", and the approval covers them.'),
  ].join("");
  return { text: `${head}${all.slice(0, rows).join("")}${more}${foot}`, hiddenLines };
}

/** The same for a program, each text whole: `hookctl.trust/1`. */
export function reviewJson(views: readonly ReviewView[]): string {
  const hooks = views.map(({ main, files, notCovered, writesOutside, isSettings, off, ...view }) => ({
    ...view,
    is_settings: isSettings,
    disabled_reason: off ?? undefined,
    not_covered: notCovered,
    writes_outside: writesOutside,
    text: contentText(main.now),
    helpers: files.map(({ name, bytes }) => ({ name, bytes })),
    approved_text: main.state === "changed" ? contentText(main.approved) : null,
    files: files.map(({ name, path, state, bytes, now, approved }) => {
      return { name, path, state, bytes, text: contentText(now), approved_text: contentText(approved) };
    }),
  }));
  return printableJson({ schema: "hookctl.trust/1", hooks });
}

/** Before the first approval every file is new, so the state is not shown. */
const headingOf = ({ name, state }: ReviewedFile, { trust }: ReviewView, style: Style): string =>
  ownRows(`file ${truncateEscaped(name, 120)}${trust === "untrusted" ? "" : ` (${state})`}:`, style);

/** A line that begins with a word of hookctl, so that it is no line of a file. */
const ownRows = (text: string, style: Style, dress?: (text: string) => string): string =>
  indented(sourceRows("", text, style, dress)).join("");
const indented = (rows: readonly string[]): readonly string[] => rows.map((row) => `  ${row}\n`);

function fileNames({ files }: ReviewView, style: Style): string {
  if (files.length === 0) return "";
  const shown = files
    .slice(0, MOST_NAMES)
    .map(({ name, bytes }) => `${truncateEscaped(name, 80)} (${pluralize(bytes, "byte")})`);
  const rest = files.length - shown.length;
  return ownRows(`files: ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`, style);
}

function rowsUnder(word: string, items: readonly string[], style: Style, note = ""): string {
  if (items.length === 0) return "";
  const rows = items.slice(0, MOST_NAMES).map((one) => ownRows(`${word}: ${truncateEscaped(one, 160)}`, style));
  const rest = items.length - rows.length;
  return `${rows.join("")}${rest > 0 ? `  … and ${rest} more\n` : ""}${note === "" ? "" : `  ${note}\n`}`;
}

/** The whole text of a new file, or the differences of a changed one. */
function rowsOf({ now, approved, state }: ReviewedFile, style: Style): readonly string[] {
  if (state === "gone") return ["  the file was deleted\n"];
  const [before, text] = [contentText(approved), contentText(now)];
  if (state !== "changed" || text === null) return [...contentRows(now, style)];
  if (before === null)
    return ["  The approved text was not saved; this is the complete new text.\n", ...contentRows(now, style)];
  const hunks = diffHunks(before, text);
  if (hunks === null) {
    const words = `Too many changes to show: ${pluralize(lineCount(before), "line")} before, ${lineCount(text)} now.`;
    return [`  ${words} This is the complete new text.\n`, ...contentRows(now, style)];
  }
  return hunks.flatMap(({ line, lines }) => [
    `  ${style.faint(`line ${line}`)}\n`,
    ...lines.flatMap((one) => changedRows(one, style)),
  ]);
}

function contentRows(content: FileContent, style: Style): readonly string[] {
  if (content.kind === "unreadable") return ["  (it cannot be read)\n"];
  const text = contentText(content);
  const lines = text === null ? [] : text.replace(/\n$/, "").split("\n");
  const rows = indented(lines.flatMap((line) => sourceRows(`${style.faint("│")} `, line, style)));
  if (content.kind === "text") return rows;
  return [ownRows(`binary file, ${pluralize(content.bytes, "byte")}, sha256 ${content.sha256}`, style), ...rows];
}

function changedRows(line: string, style: Style): readonly string[] {
  const sign = line[0] ?? " ";
  // The marker of diff for "No newline at end of file".
  if (sign === "\\") return [`  ${style.faint(escapeControls(line))}\n`];
  const dress = sign === "+" ? style.good : sign === "-" ? style.bad : style.faint;
  return indented(sourceRows(`${sign} `, line.slice(1), style, dress));
}

/** Changed lines with their context, each with its sign (`+`, `-` or a space); `line` is the number of the first in the new text. */
interface Hunk {
  readonly line: number;
  readonly lines: readonly string[];
}

/** The search takes this many edits times the number of lines at most, so large texts are searched less far. */
const MOST_STEPS = 5_000_000;
const MOST_EDITS = 2000;
const FEWEST_EDITS = 50;

/** The differences between two texts, or null if there are too many; in a time that grows with their length alone. */
export function diffHunks(before: string, now: string): readonly Hunk[] | null {
  const affordable = Math.floor(MOST_STEPS / (lineCount(before) + lineCount(now) + 1));
  const maxEditLength = Math.min(MOST_EDITS, Math.max(FEWEST_EDITS, affordable));
  const patch = structuredPatch("", "", before, now, "", "", { context: 3, maxEditLength });
  // Where neither text, or each, ends with a newline, its absence is no difference.
  const isShown = (line: string): boolean => !line.startsWith("\\") || before.endsWith("\n") !== now.endsWith("\n");
  return patch?.hunks.map(({ newStart, lines }) => ({ line: newStart, lines: lines.filter(isShown) })) ?? null;
}

/** A line break at the end ends the last line and begins none. */
export function lineCount(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
