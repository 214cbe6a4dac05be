import { dirname } from "node:path";
import { rootOnlyTest } from "../fs/machine-folder.ts";
import type { ProcessEnvironment } from "./filter-environment.ts";

const PROGRAM_FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/**
 * The environment of the machine's hooks. Nothing in it is the user's choice: a program in their PATH, a module below
 * their HOME or a language in which `I` is no capital `i` could decide for the hook.
 */
export function machineEnvironment(
  caller: ProcessEnvironment,
  folder: string,
  envAllow: readonly string[],
): Record<string, string> {
  const isRootOnly = rootOnlyTest();
  const folders = [...new Set([...PROGRAM_FOLDERS, dirname(process.execPath)])].filter(isRootOnly);
  const allowed = envAllow.flatMap((name): [string, string][] => {
    const value = caller[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(allowed),
    PATH: folders.join(":"),
    HOME: folder,
    LANG: "C.UTF-8",
    PYTHONNOUSERSITE: "1",
  };
}
