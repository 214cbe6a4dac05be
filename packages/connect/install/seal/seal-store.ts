import { dirname, join } from "node:path";
import type { Scopes } from "../../../../src/discover/scopes.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { disk } from "../../../../src/fs/disk.ts";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { isObject, objectOr } from "../../../../src/protocol/json/read.ts";
import { recordFile, type StoreLocation } from "../../../../src/trust/store/earlier-calls.ts";
import type { Protection } from "../../../agents/protection.ts";

export interface Seal {
  /** In milliseconds since 1970. */
  readonly sealedAtMs: number;
  /** What protects in each settings file, by path, as a person or a command of hookctl left it. */
  readonly files: Readonly<Record<string, { readonly agent: AgentName; readonly protection: Protection }>>;
}

/** The location of the user's seal, and the folders whose settings files apply in this call. */
export interface SealPlace extends StoreLocation {
  /** The project, and the outermost folder of it. Empty in HOME. */
  readonly projectDirs: readonly string[];
  readonly homeDir: string | null;
  readonly env: Host["env"];
}

export const sealPlace = (
  { hasProject, projectDir, rootDir, homeDir }: Scopes,
  { trustFile, userId, env }: Pick<SealPlace, "trustFile" | "userId" | "env">,
): SealPlace => ({
  projectDirs: hasProject ? [...new Set([projectDir, rootDir])] : [],
  homeDir,
  trustFile,
  userId,
  env,
});

/** What the last check of an agent's settings in a project found. The next calls do not need to read and parse them. */
export interface SealCheck {
  /** The seal that was compared, as `fileMark`. */
  readonly seal: string;
  /** The files that were checked, each with its `fileMark`. */
  readonly files: Readonly<Record<string, string>>;
  /** The protection of files without a seal when they were first seen. */
  readonly learned: Readonly<Record<string, Protection>>;
  /** The present weakenings. */
  readonly open: readonly string[];
  /** The weakenings for which a call was blocked. */
  readonly blocked: readonly string[];
  /** The guards that the user's settings had lost, as texts. They are a part of `open`. */
  readonly dropped: readonly string[];
  /** The weakenings that calls have restored since the seal. A second time only a person restores them. */
  readonly restored: readonly string[];
}

/** By agent and project, as `checkKey`. */
export type SealChecks = Readonly<Record<string, SealCheck>>;

export const sealFile = (trustFile: string): string => join(dirname(trustFile), SEAL_NAME);
export const checksFile = (trustFile: string): string => join(dirname(trustFile), CHECKS_NAME);
const [SEAL_NAME, CHECKS_NAME] = ["seal.json", "seal-checks.json"];
const SEAL = recordFile(SEAL_NAME, 1);
const CHECKS = recordFile(CHECKS_NAME, 1);

export const checkKey = (agent: string, projectDir: string): string => `${agent} ${projectDir}`;

/** A text that changes with each write of a file; empty if the file does not exist. Links are followed. */
export function fileMark(path: string): string {
  try {
    const stats = disk.statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? "" : [stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join(" ");
  } catch {
    return "?";
  }
}

/** Returns null if there is no seal, or if it cannot be used. */
export function readSeal(place: StoreLocation): Seal | null {
  const { sealedAtMs, files } = SEAL.read(place);
  return typeof sealedAtMs === "number" && isObject(files) ? { sealedAtMs, files: files as Seal["files"] } : null;
}

/** Throws disk errors. */
export const writeSeal: (trustFile: string, seal: Seal) => void = SEAL.write;

/** Throws disk errors. */
export const writeChecks = (trustFile: string, checks: SealChecks): void => CHECKS.write(trustFile, { checks });

/** Empty if the file cannot be used: then everything is checked again. */
export const readChecks = (trustFile: string, userId: number): SealChecks =>
  Object.fromEntries(
    Object.entries(objectOr(CHECKS.read({ trustFile, userId }).checks)).filter((entry): entry is [string, SealCheck] =>
      isCheck(entry[1]),
    ),
  );

/** The protection of files without a seal when an agent's settings in this project were last checked. */
export const learnedProtections = (agent: AgentName, { trustFile, userId, projectDirs }: SealPlace) =>
  (trustFile === null ? {} : readChecks(trustFile, userId))[checkKey(agent, projectDirs[0] ?? "")]?.learned ?? {};

function isCheck(value: unknown): value is SealCheck {
  const { seal, files, learned, ...lists } = Object(value);
  const isListed = [lists.open, lists.blocked, lists.dropped, lists.restored].every(Array.isArray);
  return typeof seal === "string" && [files, learned].every(isObject) && isListed;
}

/** True if neither the seal nor any of the files changed since a check, and the user's settings lost the same guards. */
export const isCurrent = (check: SealCheck, seal: string, dropped: readonly string[]): boolean =>
  check.seal === seal &&
  dropped.join("\n") === check.dropped.join("\n") &&
  Object.entries(check.files).every(([path, mark]) => fileMark(path) === mark);
