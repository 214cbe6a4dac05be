import { disk } from "../../src/fs/disk.ts";
import { realPathOrNull } from "../../src/fs/paths.ts";
import { withRegularFile } from "../../src/fs/read-file.ts";
import { UNKNOWN } from "../../src/shell/unknown.ts";
import type { EditLoss, EditResult, FileAccess } from "../guards/command/files/file-access.ts";
import type { Examined } from "../guards/examine.ts";
import { applyEdit, type FileEdit, withUnixLines } from "../guards/file-edit.ts";
import type { OwnFile } from "../guards/guard.ts";
import { isPathOf } from "../guards/rules/filesystem/paths.ts";
import { isProfile, profileLosses } from "../guards/rules/self-protection/profiles.ts";
import { otherPaths } from "./other-paths.ts";

/**
 * The call with each file under every path by which guards know it, and with the effect of the call's edits on the files
 * that matter. Only those are read.
 */
export async function withFileFacts(examined: Examined, ownFiles: readonly OwnFile[]): Promise<Examined> {
  const files = examined.files.flatMap((file) => [
    file,
    ...otherPaths(file, ownFiles, examined.place).map((path) => ({ ...file, path })),
  ]);
  const results = new Map<string, EditResult>();
  for (const { path } of files.filter(isChange)) {
    if (results.has(path)) continue;
    const edits = files.filter((file) => isChange(file) && file.path === path).map(editOf);
    const result = await resultOf(path, edits, ownFiles, examined.place);
    if (result !== null) results.set(path, result);
  }
  return {
    ...examined,
    files: files.map((file) => withResult(file, results.get(file.path))),
    missing: missingOf(files),
  };
}

/** A file that is made for the first time overwrites nothing. */
const missingOf = (files: readonly FileAccess[]): ReadonlySet<string> =>
  new Set(
    files.flatMap(({ kind, path }) =>
      kind === "write" && isPathOf("unversioned", path, "") && realPathOrNull(path) === null ? [path] : [],
    ),
  );

const withResult = (file: FileAccess, result: EditResult | undefined): FileAccess =>
  result === undefined || !isChange(file) ? file : { ...file, result };

const isChange = ({ call, kind, path }: FileAccess): boolean =>
  call === null && (kind === "write" || kind === "delete" || kind === "use") && !path.includes(UNKNOWN);

/** A deleted file has no settings. */
const editOf = ({ kind, edit }: FileAccess): FileEdit =>
  kind === "delete" ? { oldText: null, newText: "" } : (edit ?? { oldText: null, newText: null });

/** Returns null if the file does not matter, its text is not known, or the edits do not apply to it. */
async function resultOf(
  path: string,
  edits: readonly FileEdit[],
  ownFiles: readonly OwnFile[],
  place: Examined["place"],
): Promise<EditResult | null> {
  const own = ownFiles.find((file) => file.path === path && file.isShared === true);
  const isStart = isProfile(path, place.home);
  if (own === undefined && !isStart && !isPathOf("personal", path, place.home)) return null;
  const present = textAt(path);
  const unknown = { isNew: false, isAddition: false, losses: [], isUnknown: true as const };
  if (present === undefined) return own === undefined ? null : unknown;
  const before = present ?? "";
  const after = edits.reduce<string | null>((now, edit) => (now === null ? null : applyEdit(now, edit)), before);
  if (after === null) return own !== undefined && before.includes("hookctl") ? unknown : null;
  const settings = own === undefined ? [] : await settingsLosses(own, before, after);
  const losses: readonly EditLoss[] = [
    ...(isStart ? profileLosses(before, after).map((text) => ({ decision: "ask" as const, text })) : []),
    ...settings,
  ];
  return { isNew: present === null, isAddition: isAddition(before, after), losses };
}

async function settingsLosses(own: OwnFile, before: string, after: string): Promise<readonly EditLoss[]> {
  const { lossesOfSettings } = await import("../agents/protection.ts");
  return lossesOfSettings({ agent: own.agent ?? "", path: own.path }, before, after);
}

/** Settings files and profiles are far smaller. */
const LONGEST = 2 ** 20;

/** The text of a file; null if there is no such file, undefined if it cannot be read or is too long. */
function textAt(path: string): string | null | undefined {
  try {
    if (disk.lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
    return withRegularFile(path, ({ descriptor, stats }) =>
      stats.size > LONGEST ? undefined : withUnixLines(disk.readFileSync(descriptor).toString("utf8")),
    );
  } catch {
    return realPathOrNull(path) === null ? null : undefined;
  }
}

/** True if each line of the first text is in the second, in the same order. */
function isAddition(before: string, after: string): boolean {
  const lines = after.split("\n");
  let at = -1;
  return before
    .trimEnd()
    .split("\n")
    .every((line) => {
      at = lines.indexOf(line, at + 1);
      return at >= 0;
    });
}
