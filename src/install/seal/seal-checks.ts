import { dirname, join } from "node:path";
import type { Protection } from "../../agents/protection.ts";
import { disk } from "../../fs/disk.ts";
import { isObject } from "../../protocol/json/read.ts";
import { readTrustFile } from "../../trust/store/trust-store.ts";

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

export const checksText = (checks: SealChecks): string => JSON.stringify({ version: VERSION, checks });

/** Empty if the file cannot be used: then everything is checked again. */
export function readChecks(trustFile: string, userId: number): SealChecks {
  const text = readTrustFile(checksFile(trustFile), userId);
  if (!text.ok || text.value === null) return {};
  try {
    const { version, checks } = Object(JSON.parse(text.value));
    return version === VERSION && isObject(checks)
      ? Object.fromEntries(Object.entries(checks).filter((entry): entry is [string, SealCheck] => isCheck(entry[1])))
      : {};
  } catch {
    return {};
  }
}

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
