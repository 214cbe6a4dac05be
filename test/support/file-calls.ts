import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { disk } from "../../src/fs/disk.ts";

const NOTED = ["existsSync", "openSync", "readdirSync", "symlinkSync"] as const;

interface FileCall {
  readonly name: (typeof NOTED)[number];
  readonly path: string;
}

/** The files and folders that are opened, listed, looked for or linked while some work is done in this process. */
export async function fileCallsDuring(work: () => Promise<unknown>): Promise<readonly FileCall[]> {
  const { existsSync, openSync, readdirSync, symlinkSync } = fs;
  const calls: FileCall[] = [];
  const noting = <T extends (...words: never[]) => unknown>(name: FileCall["name"], original: T) =>
    ((...words: never[]) => {
      // A link is named last.
      calls.push({ name, path: String(name === "symlinkSync" ? words[1] : words[0]) });
      return original(...words);
    }) as T;
  fs.existsSync = noting("existsSync", existsSync);
  fs.openSync = noting("openSync", openSync);
  fs.readdirSync = noting("readdirSync", readdirSync as (...words: never[]) => unknown) as typeof readdirSync;
  fs.symlinkSync = noting("symlinkSync", symlinkSync);
  syncBuiltinESMExports();
  const looks = { ...disk };
  Object.assign(disk, { existsSync: fs.existsSync, openSync: fs.openSync, readdirSync: fs.readdirSync });
  try {
    await work();
  } finally {
    Object.assign(disk, looks);
    Object.assign(fs, { existsSync, openSync, readdirSync, symlinkSync });
    syncBuiltinESMExports();
  }
  return calls;
}
