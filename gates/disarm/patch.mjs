// Codex's patches, read as leniently as Codex reads them: a marker may have white space around it, the text a here-document.

/**
 * @typedef {object} Files
 * @property {(path: string) => string} read
 * @property {(path: string, text: string) => void} write
 * @property {(path: string) => void} remove
 */

const MARKER = /^\*\*\* (Add File|Delete File|Update File|Move to): (.+)$/;

/** Applies a patch. False if there is nothing in it to apply. @param {string} text @param {Files} files */
export function applyPatch(text, files) {
  const parts = /** @type {{ how: string, path: string, moved: string | null, lines: string[] }[]} */ ([]);
  for (const line of text.split("\n")) {
    const [, how, path] = MARKER.exec(line.trim()) ?? [];
    const last = parts.at(-1);
    if (how === "Move to" && last !== undefined) last.moved = path ?? null;
    else if (how !== undefined && path !== undefined) parts.push({ how, path, moved: null, lines: [] });
    else if (!line.trim().startsWith("***")) last?.lines.push(line);
  }
  for (const { how, path, moved, lines } of parts) {
    if (how === "Add File") files.write(path, textOf(lines, "+").join("\n"));
    if (how === "Update File") files.write(moved ?? path, updated(files.read(path), lines));
    if (how === "Delete File" || moved !== null) files.remove(path);
  }
  return parts.length > 0;
}

/** @param {readonly string[]} lines @param {string} marks */
const textOf = (lines, marks) => lines.filter((line) => marks.includes(line.charAt(0))).map((line) => line.slice(1));

/** @param {string} before @param {readonly string[]} lines */
function updated(before, lines) {
  const hunks = lines.join("\n").split(/^@@.*$/m);
  return hunks.reduce((text, hunk) => {
    const own = hunk.split("\n").filter((line) => line !== "");
    const [old, next] = [textOf(own, "- ").join("\n"), textOf(own, "+ ").join("\n")];
    return own.length === 0 ? text : text.replace(old, () => next);
  }, before);
}
