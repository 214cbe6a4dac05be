import { renameSync } from "node:fs";
import { dirname } from "node:path";
import { disk } from "../../fs/disk.ts";
import { takeLock } from "../../fs/lock.ts";
import { pathExists } from "../../fs/paths.ts";
import { writableByOthers } from "../../fs/permissions.ts";
import { NOT_REGULAR, withRegularFile } from "../../fs/read-file.ts";
import { makeFolder, writeFileAtomic } from "../../fs/write-file.ts";
import { type Approval, type Approvals, NO_APPROVALS } from "../../protocol/approval.ts";
import { errnoCode } from "../../protocol/errno.ts";
import { SOURCES } from "../../protocol/hook.ts";
import { isObject } from "../../protocol/json/read.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { GROUP_OR_WORLD_WRITABLE } from "../../protocol/unsafe-path.ts";

/** Where the approvals of the user are stored. */
export interface TrustStorePaths {
  readonly userId: number;
  /** Null if approvals cannot be stored. */
  readonly trustFile: string | null;
  /** The default store, where another one was chosen. */
  readonly unusedDefaultTrustFile: string | null;
  /** Why there is no `trustFile`. */
  readonly trustFileProblem: { readonly path: string; readonly cause: string } | null;
  /** True if approvals do not apply, but denials do. */
  readonly areOnlyDenials?: boolean;
}

/** The user's approvals as one call sees them: the file is read at most once, when it is first needed. */
export interface TrustStore {
  readonly approvals: () => Result<Approvals, string>;
  /**
   * True if something in a folder may have been approved, or if the store cannot be read. Searches the text without
   * parsing it: what was approved elsewhere must not slow down a call without hooks.
   */
  readonly mayHaveApprovalsIn: (folder: string) => boolean;
}

export function openTrustStore(paths: TrustStorePaths): TrustStore {
  const { trustFile, userId } = paths;
  let text: Result<string | null, string> | null = null;
  let approvals: Result<Approvals, string> | null = null;
  const readText = (file: string): Result<string | null, string> => {
    text ??= readTrustFile(file, userId);
    return text;
  };
  return {
    approvals: () => {
      approvals ??= trustFile === null ? fail(whyNotStored(paths)) : usable(readText(trustFile), paths);
      return paths.areOnlyDenials && approvals.ok ? ok({ ...approvals.value, approved: {} }) : approvals;
    },
    mayHaveApprovalsIn: (folder) => {
      if (paths.areOnlyDenials) return false;
      if (trustFile === null) return true;
      const read = readText(trustFile);
      if (!read.ok) return true;
      return read.value === null ? existsInDefault(paths) : read.value.includes(JSON.stringify(folder));
    },
  };
}

/** Why approvals cannot be stored. */
export const whyNotStored = ({ trustFileProblem }: Pick<TrustStorePaths, "trustFileProblem">): string =>
  trustFileProblem?.cause ?? "";

const existsInDefault = ({ unusedDefaultTrustFile }: TrustStorePaths): boolean =>
  unusedDefaultTrustFile !== null && pathExists(unusedDefaultTrustFile);

/** A store that was chosen and does not exist must not hide the approvals in the default one. */
const usable = (text: Result<string | null, string>, paths: TrustStorePaths): Result<Approvals, string> =>
  text.ok && text.value === null && existsInDefault(paths)
    ? fail(`it does not exist, but ${paths.unusedDefaultTrustFile} does`)
    : parseApprovals(text);

const STORE_VERSION = 1;

/**
 * Reads what the user has approved and denied; without a file nothing is. The error says why an existing store cannot
 * be used: any hook could have been an approved guard then, so callers must not treat this as an empty store.
 */
export const readApprovals = (file: string, userId: number): Result<Approvals, string> =>
  parseApprovals(readTrustFile(file, userId));

function parseApprovals(text: Result<string | null, string>): Result<Approvals, string> {
  if (!text.ok || text.value === null) return text.ok ? ok(NO_APPROVALS) : text;
  try {
    const found: unknown = JSON.parse(text.value);
    return isStoredApprovals(found)
      ? ok({ approved: found.approvals, denied: found.denials })
      : fail("it was written by another version");
  } catch {
    return fail("it is not JSON");
  }
}

/** The text of a file beside the store; null if there is none. Nobody but the user or root may have written it. */
export function readTrustFile(file: string, userId: number): Result<string | null, string> {
  try {
    // Most users have approved nothing, and a thrown error takes longer than this check.
    if (disk.statSync(file, { throwIfNoEntry: false }) === undefined) return ok(null);
    return withRegularFile(file, ({ descriptor, stats }) => {
      if (stats.uid !== userId && stats.uid !== 0) return fail(`it belongs to another user (uid ${stats.uid})`);
      if (writableByOthers(userId)(stats)) return fail(`it ${GROUP_OR_WORLD_WRITABLE}`);
      return ok(disk.readFileSync(descriptor, "utf8"));
    });
  } catch (error) {
    const code = errnoCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? ok(null) : fail(code ?? NOT_REGULAR);
  }
}

/** The form of the store's file. */
interface StoredApprovals {
  readonly version: number;
  readonly approvals: Approvals["approved"];
  readonly denials: Approvals["denied"];
}

function isStoredApprovals(value: unknown): value is StoredApprovals {
  if (!isObject(value) || value.version !== STORE_VERSION) return false;
  const { approvals, denials } = value;
  return isObject(approvals) && isObject(denials) && Object.values(approvals).every(isApproval) && isTexts(denials);
}

function isApproval(value: unknown): value is Approval {
  if (!isObject(value)) return false;
  const { said, sha256, siblings } = value;
  return (
    ["name", "path", "realPath", "project", "approvedAt"].every((key) => typeof value[key] === "string") &&
    ["mode", "owner"].every((key) => typeof value[key] === "number") &&
    isTextOrNull(said) &&
    isTextOrNull(sha256) &&
    SOURCES.some((source) => source === value.source) &&
    (siblings === undefined || isTexts(siblings)) &&
    isTexts(value.helpers) &&
    isTexts(value.files)
  );
}

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";

const isTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((text) => typeof text === "string");

export interface ChangeContext {
  readonly userId: number;
  readonly nowMs: () => number;
}

/**
 * Reads, changes and writes the store under a lock: two concurrent changes both survive, and a process that is killed
 * leaves the old store or the new one. An unreadable store is renamed, so that nothing in it is lost. `change` returns
 * null to leave the store as it is.
 */
export async function changeApprovals(
  file: string,
  change: (approvals: Approvals) => Approvals | null,
  { userId, nowMs }: ChangeContext,
): Promise<Result<Approvals | null, string>> {
  try {
    makeFolder(dirname(file));
    const lock = await takeLock(`${file}.lock`);
    if (lock === null) return fail(`${file}.lock is held by another process`);
    try {
      const before = readApprovals(file, userId);
      const after = change(before.ok ? before.value : NO_APPROVALS);
      if (after === null) return ok(null);
      const beforeRename = (): void => {
        // A process that was stopped for long may have lost the lock: it must not overwrite a denial written since.
        if (!lock.isOurs()) throw new Error("another process took over its lock");
        if (!before.ok) renameSync(file, `${file}.broken-${nowMs()}`);
      };
      writeFileAtomic(file, storeText(after), { isFlushed: true, beforeRename });
      return ok(after);
    } finally {
      lock.release();
    }
  } catch (error) {
    return fail(errnoCode(error) ?? (error instanceof Error ? error.message : String(error)));
  }
}

const storeText = ({ approved, denied }: Approvals): string =>
  `${JSON.stringify({ version: STORE_VERSION, approvals: approved, denials: denied }, null, 1)}\n`;
