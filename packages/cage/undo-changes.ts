import type { Stats } from "node:fs";
import { basename, join, relative } from "node:path";
import { isRealFolder, realPathOrSame, statOrNull } from "../../src/fs/paths.ts";
import { readIfPresent } from "../../src/fs/read-file.ts";
import { removeFile, writeFileAtomic } from "../../src/fs/write-file.ts";
import { type Interrupt, processRequest } from "../../src/process/process-request.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { stepsTo } from "./closed-paths.ts";
import { addedStarts } from "./git-config.ts";
import type { Cage } from "./prepare-cage.ts";

/** The part of a project that the mounts of the cage cannot hold, as it was before a call. */
interface Before {
  readonly project: string;
  readonly closed: readonly string[];
  /** What was taken away between the calls, which nobody has read yet. */
  readonly unread: readonly string[];
  /** What each closed path led to. */
  readonly identities: Readonly<Record<string, string | null>>;
  /** Files of git; null: missing. */
  readonly texts: Readonly<Record<string, string | null>>;
}

const FILE = "before.json";

/** Writes down what a call must not change, before it starts. */
export function noteBefore(
  { closed, project }: Pick<Cage, "closed" | "project">,
  record: string,
  unread: readonly string[] = [],
): void {
  const checked = [...closed.paths, ...closed.repositories];
  const paths = new Set(checked.flatMap((path) => stepsTo(project, path)));
  const before: Before = {
    project,
    closed: checked,
    unread,
    identities: Object.fromEntries([...paths].map((path) => [path, identityOf(path)])),
    texts: Object.fromEntries(closed.gitFiles.map((path) => [path, textOf(path)])),
  };
  writeFileAtomic(join(record, FILE), JSON.stringify(before));
}

const identityOf = (path: string): string | null => {
  const stats = statOrNull(path);
  return stats === null ? null : `${stats.dev}:${stats.ino}`;
};

const textOf = (path: string): string | null => {
  const read = readIfPresent(path);
  return read.ok ? (read.value?.toString("utf8") ?? null) : "";
};

/**
 * Takes away what a call created or set in spite of the cage; returns what that was, in words. `started` is a file that the
 * call wrote when it started; null: it started after the note.
 */
export async function undoChanges(
  record: string,
  started: Stats | null,
  interrupt: Interrupt,
): Promise<readonly string[]> {
  const file = join(record, FILE);
  const note = statOrNull(file);
  if (note === null) return [];
  const { project, closed, unread, identities, texts }: Before = JSON.parse(textOf(file) ?? "");
  removeFile(file);
  const startedMs = started?.mtimeMs ?? note.mtimeMs;
  if (startedMs < note.mtimeMs) return unread;
  const isOther = (path: string): boolean => ![null, identities[path]].includes(identityOf(path));
  /** Between the note and the start of the shell the agent itself may have written it: a permission that a person gave. */
  const isOfCall = (path: string): boolean =>
    started === null ||
    realPathOrSame(path) !== path ||
    stepsTo(project, path).some((step) => isOther(step) && (statOrNull(step)?.ctimeMs ?? 0) >= startedMs);
  /** A replaced folder or a new link goes as a whole; of a new folder, only what is closed. */
  const partOf = (path: string): string =>
    stepsTo(project, path).find((step) => isOther(step) && (identities[step] !== null || !isRealFolder(step))) ?? path;
  const taken = [...new Set(closed.filter((path) => isOther(path) && isOfCall(path)).map(partOf))];
  const inCage = (script: string, path: string, input = ""): Promise<unknown> =>
    runProcess(undoing(record, [script, "sh", path], input, interrupt));
  for (const path of taken) await inCage(TAKE_AWAY, path);
  const restored: string[] = [];
  for (const [path, before] of Object.entries(texts)) {
    const added = addedIn(path, before);
    if (added.length === 0) continue;
    await inCage(before === null ? TAKE_AWAY : RESTORE, path, before ?? "");
    const verb = textOf(path) === before ? "was" : "could not be";
    restored.push(`${added.join(", ")} ${verb} removed from git's configuration`);
  }
  return [
    ...unread,
    ...taken.map((path) => `${relative(project, path)} ${isOther(path) ? "could not be" : "was"} removed`),
    ...restored,
  ];
}

/** What a file of git starts now, by the names of its settings. */
function addedIn(path: string, before: string | null): readonly string[] {
  const now = textOf(path);
  if (basename(path) === "commondir") return now === null || now === before ? [] : ["commondir"];
  return addedStarts(before ?? "", now ?? "").map((setting) => setting.split("=")[0] ?? setting);
}

/** A copy stays in the /tmp of the session. The first step is the rename, because a large folder takes long. */
const TAKE_AWAY = `chmod u+rwx -- "\${1%/*}"
taken=\${1%/*}/.taken-$$
mv -- "$1" "$taken" && chmod -R u+rwX -- "$taken" && mv -- "$taken" "$(mktemp -d /tmp/taken-XXXXXX)/\${1##*/}" || rm -rf -- "$taken" "$1"`;
const RESTORE = `chmod u+rwx -- "\${1%/*}"; rm -rf -- "$1"; cat >"$1"`;

/**
 * Inside, because a call chooses what a path leads to: outside, a link to a file of the user would be followed, or a folder be
 * replaced by one while its files are removed.
 */
const undoing = (record: string, words: readonly string[], input: string, interrupt: Interrupt) =>
  processRequest({
    file: "/bin/sh",
    args: [join(record, "undo"), "/bin/sh", "-c", ...words],
    input,
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: LONGEST_UNDO_MS,
    stdoutLimitBytes: Number.POSITIVE_INFINITY,
    interrupt,
  });

const LONGEST_UNDO_MS = 60_000;
