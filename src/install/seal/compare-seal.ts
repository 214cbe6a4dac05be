import type { AgentName } from "../../agents/agent.ts";
import { type Protection, type Weakening, weakeningText } from "../../agents/protection.ts";
import { checkKey, readChecks } from "./seal-checks.ts";
import {
  presentProtection,
  readSeal,
  type Seal,
  type SealPlace,
  sealWeakenings,
  type WatchedFile,
  watchedFiles,
} from "./sealed-files.ts";

/** A settings file that protects less than when it was sealed. */
export interface WeakenedFile {
  readonly file: WatchedFile;
  readonly sealed: Protection;
  readonly lost: readonly Weakening[];
}

export interface Comparison {
  readonly weakened: readonly WeakenedFile[];
  /** The protection of files that were never sealed, from now on. */
  readonly learned: Readonly<Record<string, Protection>>;
}

/** Compares agents' settings with the seal, and the files that are not sealed with what was `learned` of them. */
export function compareToSeal(
  files: readonly WatchedFile[],
  { seal, learned }: { readonly seal: Seal | null; readonly learned: Readonly<Record<string, Protection>> },
): Comparison {
  const present = files.map((file) => {
    const now = presentProtection(file);
    const sealed = seal?.files[file.path]?.protection ?? learned[file.path] ?? now;
    return { file, now, sealed };
  });
  return {
    weakened: present.flatMap(({ file, now, sealed }) => {
      const lost = now === null || sealed === null ? [] : sealWeakenings(file.agent, sealed, now);
      return sealed === null || lost.length === 0 ? [] : [{ file, sealed, lost }];
    }),
    learned: Object.fromEntries(
      present.flatMap(({ file, sealed }) =>
        sealed === null || seal?.files[file.path] !== undefined ? [] : [[file.path, sealed]],
      ),
    ),
  };
}

/** `~/.claude/settings.json: disableAllHooks stops the agent from running hooks` */
export const weakenedTexts = ({ file, lost }: WeakenedFile): readonly string[] =>
  lost.map((one) => `${file.path}: ${weakeningText(one)}`);

/** The files of these agents that protect less than their seal; nothing is recorded. */
export function weakenedFiles(agents: readonly AgentName[], place: SealPlace): readonly WeakenedFile[] {
  const { trustFile, userId, projectDirs } = place;
  const seal = readSeal(place);
  if (seal === null || trustFile === null) return [];
  const checks = readChecks(trustFile, userId);
  return agents.flatMap((agent) => {
    const { learned = {} } = checks[checkKey(agent, projectDirs[0] ?? "")] ?? {};
    return compareToSeal(watchedFiles(agent, place), { seal, learned }).weakened;
  });
}
