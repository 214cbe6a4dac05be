import { cpSync, rmSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { pathExists } from "../../src/fs/paths.ts";
import { readIfPresent } from "../../src/fs/read-file.ts";
import { writeFileAtomic } from "../../src/fs/write-file.ts";
import { repositoryOf } from "./cage-places.ts";
import { addedStarts } from "./git-config.ts";
import type { Cage } from "./prepare-cage.ts";

/** The part of a project that the mounts of the cage cannot hold, as it was before a call. */
interface Before {
  /** Closed files and folders that were not there. */
  readonly missing: readonly string[];
  /** The configuration of the repository, which git replaces as a whole; null if there is none. */
  readonly config: { readonly path: string; readonly text: string } | null;
}

const FILE = "before.json";

/** Writes down what a call must not change, before it starts. */
export function noteBefore({ closed, project }: Pick<Cage, "closed" | "project">, folder: string): void {
  const repository = repositoryOf(project);
  const path = repository === null ? null : join(repository, "config");
  // The hooks of a repository that the call makes are its own.
  const hooks = repository === null ? [] : [join(repository, "hooks")];
  const before: Before = {
    missing: [...closed, ...hooks].filter((one) => !pathExists(one)),
    config: path === null ? null : { path, text: textOf(path) },
  };
  writeFileAtomic(join(folder, FILE), JSON.stringify(before));
}

const textOf = (path: string): string => {
  const read = readIfPresent(path);
  return read.ok ? (read.value?.toString("utf8") ?? "") : "";
};

/** Takes away what a call created or set in spite of the cage; returns what that was, in words. */
export function undoChanges(folder: string, project: string): readonly string[] {
  const text = textOf(join(folder, FILE));
  if (text === "") return [];
  const { missing, config }: Before = JSON.parse(text);
  const appeared = missing.filter(pathExists);
  for (const path of appeared) {
    cpSync(path, join(folder, "taken", basename(path)), { recursive: true, verbatimSymlinks: true });
    rmSync(path, { recursive: true, force: true });
  }
  const added = config === null ? [] : addedStarts(config.text, textOf(config.path));
  if (config !== null && added.length > 0) writeFileAtomic(config.path, config.text, { mode: 0o644 });
  return [
    ...appeared.map((path) => `${relative(project, path)} was taken away`),
    ...added.map((setting) => `${setting.split("=")[0]} was taken out of git's configuration`),
  ];
}
