import { dirname, join } from "node:path";
import type { Scopes } from "../../../../src/discover/scopes.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { disk } from "../../../../src/fs/disk.ts";
import { writeFileAtomic } from "../../../../src/fs/write-file.ts";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { isObject, objectOr, type UncheckedObject } from "../../../../src/protocol/json/read.ts";
import { readTrustFile } from "../../../../src/trust/store/trust-store.ts";
import type { Protection } from "../../../agents/protection.ts";

/** What protects in a settings file, as a person or a command of hookctl left it. */
export interface SealedFile {
  readonly agent: AgentName;
  readonly protection: Protection;
}

export interface Seal {
  /** In milliseconds since 1970. */
  readonly sealedAtMs: number;
  /** By path. */
  readonly files: Readonly<Record<string, SealedFile>>;
}

/** The location of the user's seal, and the folders whose settings files apply in this call. */
export interface SealPlace {
  /** The project, and the outermost folder of it. Empty in HOME. */
  readonly projectDirs: readonly string[];
  readonly homeDir: string | null;
  /** The file of approvals, beside which the seal is stored; null if approvals cannot be stored. */
  readonly trustFile: string | null;
  readonly userId: number;
  readonly env: Host["env"];
}

/** The same of scopes and a context. */
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

/** What the last check of an agent's settings in a project found. It spares the next calls to read and parse them. */
export interface SealCheck {
  /** The seal that was compared, as `fileMark`. */
  readonly seal: string;
  /** The files that were looked at, each with its `fileMark`. */
  readonly files: Readonly<Record<string, string>>;
  /** The protection of files without a seal when they were first seen. */
  readonly learned: Readonly<Record<string, Protection>>;
  /** The weakenings that are there now. */
  readonly open: readonly string[];
  /** Those of them for which a call was blocked. */
  readonly blocked: readonly string[];
  /** The guards that the user's settings had lost, as texts. They are a part of `open`. */
  readonly dropped: readonly string[];
  /** Those that were restored at once since the seal. Another time is left to a person. */
  readonly restored: readonly string[];
}

/** By agent and project, as `checkKey`. */
export type SealChecks = Readonly<Record<string, SealCheck>>;

/** Beside the approvals, because they need the same protection. */
export const sealFile = (trustFile: string): string => join(dirname(trustFile), "seal.json");
export const checksFile = (trustFile: string): string => join(dirname(trustFile), "seal-checks.json");

export const checkKey = (agent: string, projectDir: string): string => `${agent} ${projectDir}`;

/** Changes with each write of a file; empty: there is none. Links are followed. */
export function fileMark(path: string): string {
  try {
    const stats = disk.statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? "" : [stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join(" ");
  } catch {
    return "?";
  }
}

const VERSION = 1;
const versioned = (content: object): string => JSON.stringify({ version: VERSION, ...content });

/** The content of a file that `versioned` wrote; empty if the file is missing or cannot be used. */
function readVersioned(path: string, userId: number): UncheckedObject {
  const text = readTrustFile(path, userId);
  try {
    const content = text.ok ? objectOr(JSON.parse(text.value ?? "{}")) : {};
    return content.version === VERSION ? content : {};
  } catch {
    return {};
  }
}

/** Returns null if there is no seal, or if it cannot be used. */
export function readSeal({ trustFile, userId }: Pick<SealPlace, "trustFile" | "userId">): Seal | null {
  const { sealedAtMs, files } = trustFile === null ? {} : readVersioned(sealFile(trustFile), userId);
  return typeof sealedAtMs === "number" && isObject(files) ? { sealedAtMs, files: files as Seal["files"] } : null;
}

/** Throws disk errors. */
export const writeSeal = (trustFile: string, seal: Seal): void => writeFileAtomic(sealFile(trustFile), versioned(seal));

export const checksText = (checks: SealChecks): string => versioned({ checks });

/** Empty if the file cannot be used: then everything is checked again. */
export const readChecks = (trustFile: string, userId: number): SealChecks =>
  Object.fromEntries(
    Object.entries(objectOr(readVersioned(checksFile(trustFile), userId).checks)).filter(
      (entry): entry is [string, SealCheck] => isCheck(entry[1]),
    ),
  );

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
