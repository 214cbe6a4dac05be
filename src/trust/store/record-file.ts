import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { disk } from "../../fs/disk.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import { objectOr } from "../../protocol/json/read.ts";
import { readTrustFile, type TrustStorePaths } from "./trust-store.ts";

export type StoreLocation = Pick<TrustStorePaths, "trustFile" | "userId">;

/** A JSON file beside the approvals, because it needs the same protection. */
export interface RecordFile {
  /** True if anything was recorded. Reads no file. */
  readonly exists: (trustFile: string | null) => boolean;
  /** The content; empty without a file, and for a file that is broken or of another version. */
  readonly read: (location: StoreLocation) => Readonly<Record<string, unknown>>;
  /** Throws disk errors. */
  readonly write: (trustFile: string, content: object) => void;
  /** Like `write`, but ignores disk errors: the next call tries again. */
  readonly tryWrite: (trustFile: string, content: object) => void;
  readonly remove: (trustFile: string) => void;
}

export function recordFile(name: string, version: number, olderVersions: readonly number[] = []): RecordFile {
  const pathBeside = (trustFile: string): string => join(dirname(trustFile), name);
  const write: RecordFile["write"] = (trustFile, content) =>
    writeFileAtomic(pathBeside(trustFile), JSON.stringify({ version, ...content }));
  return {
    exists: (trustFile) => trustFile !== null && disk.existsSync(pathBeside(trustFile)),
    read: ({ trustFile, userId }) => {
      const text = trustFile === null ? null : readTrustFile(pathBeside(trustFile), userId);
      if (text === null || !text.ok || text.value === null) return {};
      try {
        const content = objectOr(JSON.parse(text.value));
        return [version, ...olderVersions].some((known) => known === content.version) ? content : {};
      } catch {
        return {};
      }
    },
    write,
    tryWrite: (trustFile, content) => {
      try {
        write(trustFile, content);
      } catch {
        // The disk is full or read-only.
      }
    },
    remove: (trustFile) => rmSync(pathBeside(trustFile), { force: true }),
  };
}
