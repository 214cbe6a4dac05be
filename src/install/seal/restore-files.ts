import { dirname, join } from "node:path";
import { protectionOf, weakeningText } from "../../agents/protection.ts";
import { followLinks, realPathOrSame, statOrNull } from "../../fs/paths.ts";
import { readIfPresent } from "../../fs/read-file.ts";
import type { Host } from "../../host.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import { withoutRegistrations } from "../registrations-in-text.ts";
import { writeSettingsFiles } from "../settings-file/write-settings-files.ts";
import type { WeakenedFile } from "./compare-seal.ts";
import { restoredText } from "./restore-text.ts";
import { sealWeakenings, type WatchedFile } from "./sealed-files.ts";

/** What was done about a weakened file. */
export interface Restoration {
  readonly path: string;
  /** What was lost, as sentence parts. */
  readonly lost: readonly string[];
  /** Why it was not restored; null: it was. */
  readonly cause: string | null;
}

/** Merges what was lost into each file. A failed one does not stop the others. */
export const restoreFiles = (files: readonly WeakenedFile[], host: Host): readonly Restoration[] =>
  files.map((one) => ({ path: one.file.path, lost: one.lost.map(weakeningText), cause: restoreFile(one, host) }));

function restoreFile({ file, sealed }: WeakenedFile, host: Host): string | null {
  const { path, agent, format, root } = file;
  const managed = whyManaged(file);
  if (managed !== null) return managed;
  const read = readIfPresent(path);
  if (!read.ok) return read.error;
  const before = read.value?.toString("utf8") ?? null;
  const after = restoredText(before ?? "", file, sealed);
  const remaining = after === null ? [] : sealWeakenings(agent, sealed, protectionOf(agent, after, format));
  if (after === null || remaining.length > 0)
    return "it cannot be merged: edit the file by hand, or reinstall hookctl for that agent";
  const removeOurs = (text: string): string => {
    const left = withoutRegistrations(text, { agent: { name: agent }, format });
    return left.ok ? left.value : text;
  };
  const written = writeSettingsFiles([{ file: path, root, before, after, removeOurs }], "install", host);
  return written.ok ? null : explain(written.error).summary;
}

/** A manager of dotfiles keeps the content elsewhere, and would bring it back: a link, or a second name of the file. */
function whyManaged({ path, base }: WatchedFile): string | null {
  // A variable of the agent may lead out of the home directory. Folders above may be links: a home on another disk.
  const above = base !== null && path.startsWith(`${base}/`) ? base : dirname(dirname(path));
  const target = followLinks(path);
  if (target !== join(realPathOrSame(above), path.slice(above.length)))
    return `a link leads to ${target}: change it there, or where that file comes from`;
  const isShared = (statOrNull(path)?.nlink ?? 1) > 1;
  return isShared ? "the file has a second name (hard link): change it where it comes from" : null;
}
