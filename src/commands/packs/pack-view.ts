import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventsMentionedIn } from "../../discover/mentioned-events.ts";
import { compareFiles, type FileMarks, type FileState, marksOf } from "../../packs/lock.ts";
import { type Pack, type PackFile, type Pin, sourceText, type WantedPack } from "../../packs/pack.ts";
import { isPackHook, isPackSettings } from "../../packs/pack-files.ts";
import { packFolder } from "../../packs/placed-pack.ts";
import type { FileContent, ReviewedFile } from "../../protocol/approval.ts";
import { pluralize } from "../../report/text-style.ts";
import type { ReviewView } from "../../report/trust/review-text.ts";
import { contentOf } from "../../trust/review/reviewed-texts.ts";

/** A pack that is there already. */
export interface FormerPack extends WantedPack {
  readonly pin: Pin;
  readonly files: FileMarks;
}

/** Every file of a pack for a review: in full, or what differs from the pack that is there. */
export function packView(
  root: string,
  name: string,
  { pack, former }: { pack: Pack; former: FormerPack | null },
): ReviewView {
  const folder = packFolder(root, name);
  const marks = marksOf(pack.files);
  const states = compareFiles(former?.files ?? new Map(), marks);
  const files = states.map(({ path, state }): ReviewedFile => {
    const now = pack.files.find((file) => file.path === path) ?? null;
    return reviewedFile({ path, state, now, folder });
  });
  const hooks = pack.files.filter(isPackHook);
  const settings = pack.files.filter(isPackSettings);
  const texts = [...hooks, ...settings].map(({ bytes }) => bytes.toString("latin1"));
  return {
    name,
    path: folder,
    trust: former === null ? "untrusted" : "changed",
    waits: true,
    look: `a pack of ${pluralize(hooks.length, "hook")}${settings.length === 0 ? "" : " and settings"}, ${pluralize(pack.files.length, "file")}`,
    claims: eventsMentionedIn(texts.join("\n")),
    isSettings: false,
    main: summaryFile(pack, former, folder),
    files,
    changes: [],
    notCovered: [],
    missing: [],
    off: null,
  };
}

interface FileChange {
  readonly path: string;
  readonly state: FileState;
  readonly now: PackFile | null;
  readonly folder: string;
}

function reviewedFile({ path, state, now, folder }: FileChange): ReviewedFile {
  const file = join(folder, path);
  return {
    name: now !== null && isPackHook(now) ? `${path} (a hook)` : path,
    path: file,
    state,
    bytes: now?.bytes.length ?? 0,
    now: now === null ? { kind: "unreadable" } : contentOf(now.bytes),
    approved: state === "changed" ? contentAt(file) : null,
  };
}

function contentAt(file: string): FileContent | null {
  try {
    return contentOf(readFileSync(file));
  } catch {
    return null;
  }
}

/** Source, pin and files with their modes: the first of what a person sees, and of what an update changes. */
function summaryFile(pack: Pack, former: FormerPack | null, folder: string): ReviewedFile {
  const text = [...originLines(pack), ...fileLines(marksOf(pack.files))].join("\n");
  const before = former === null ? null : [...originLines(former), ...fileLines(former.files)].join("\n");
  const state = before === null ? "new" : before === text ? "same" : "changed";
  const approved = before === null ? null : { kind: "text" as const, text: before };
  return { name: folder, path: folder, state, bytes: text.length, now: { kind: "text", text }, approved };
}

const originLines = ({ source, revision, pin }: FormerPack | Pack): readonly string[] => [
  `source: ${sourceText(source)}`,
  ...(revision === null ? [] : [`revision: ${revision}`]),
  ...Object.entries(pin).map(([key, value]) => `${key}: ${value}`),
];

const fileLines = (files: FileMarks): readonly string[] =>
  [...files].map(([path, { isExecutable }]) => `${kindOf({ path, isExecutable })}: ${path}`);

function kindOf(file: Pick<PackFile, "path" | "isExecutable">): string {
  if (isPackSettings(file)) return "settings";
  if (isPackHook(file)) return "hook";
  return file.isExecutable ? "program" : "file";
}
