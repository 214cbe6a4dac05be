import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import type { Style } from "../../../src/report/text-style.ts";

/** What `hookctl seal` accepted, and what it seals from now on. */
export interface SealReport {
  /** The settings files that call hookctl. */
  readonly sealed: readonly string[];
  readonly accepted: readonly string[];
}

export function sealText({ sealed, accepted }: SealReport, style: Style): string {
  if (sealed.length === 0) return "• No agent's settings call hookctl here. To connect one: hookctl init\n";
  const lines = accepted.map((text) => `  accepted: ${escapeControls(text)}\n`);
  const names = sealed.map((path) => `  ${escapeControls(path)}\n`);
  return `${lines.join("")}${style.good("✔")} Sealed ${pluralize(sealed.length, "settings file")} (calls report what they lose from now on):\n${names.join("")}`;
}

export const sealJson = (report: SealReport): string => printableJson({ schema: "hookctl.seal/1", ...report });

/** A weakened settings file, after the attempt to restore it. */
export interface RestoredFile {
  readonly path: string;
  /** As sentence parts. */
  readonly lost: readonly string[];
  /** Why it was not restored; null if it was restored. */
  readonly cause: string | null;
}

export function restoreText(files: readonly RestoredFile[], style: Style): string {
  if (files.length === 0)
    return "• Nothing to restore: your agents' settings are unchanged since hookctl recorded (sealed) them\n";
  return files
    .map(({ path, lost, cause }) => {
      const head = cause === null ? `${style.good("✔")} Restored` : `${style.bad("✖")} Not restored:`;
      const why = cause === null ? "" : `  ${escapeControls(cause)}\n`;
      return `${head} ${escapeControls(path)}\n${lost.map((text) => `  ${escapeControls(text)}\n`).join("")}${why}`;
    })
    .join("");
}

export const restoreJson = (files: readonly RestoredFile[]): string =>
  printableJson({ schema: "hookctl.restore/1", files: files.map((one): JsonRecord => ({ ...one })) });
