import { pathExists } from "../../fs/paths.ts";
import type { Approvals } from "../../protocol/approval.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { parseApprovals, readTrustFile } from "./read-approvals.ts";

/** Where the approvals of the user are stored. */
export interface TrustStorePaths {
  readonly userId: number;
  /** Null: approvals cannot be stored. */
  readonly trustFile: string | null;
  /** The default store, where another one was chosen. */
  readonly unusedDefaultTrustFile: string | null;
  /** Why there is no `trustFile`. */
  readonly trustFileProblem: { readonly path: string; readonly cause: string } | null;
  /** True if approvals do not count, but denials do. */
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
    ? fail(`it is not there, but ${paths.unusedDefaultTrustFile} is`)
    : parseApprovals(text);
