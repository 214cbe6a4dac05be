import { basename, delimiter, isAbsolute, join } from "node:path";
import { pathExists, realPathOrSame } from "../fs/paths.ts";
import type { SupportsSafePath } from "../trust/hook-files/python-search.ts";
import { hookEnvironments } from "./hook-environment.ts";
import { lazy, memoize } from "./memoize.ts";
import type { RunContext } from "./run-context.ts";

/** The first Python 3 minor version that supports PYTHONSAFEPATH. */
const FIRST_SAFE = 11;

/** Decides by the file name of the program, links followed, such as `python3.12`: nothing is started to find out. */
export function safePathSupport(context: RunContext): SupportsSafePath {
  const path = lazy(() => hookEnvironments(context)(ANY_PROJECT_HOOK).PATH ?? "");
  const isSafe = memoize((program: string) => {
    const found = isAbsolute(program) ? program : join(folderOf(program, path()) ?? "/nowhere", program);
    const minor = /^python3\.(\d+)$/.exec(basename(realPathOrSame(found)))?.[1];
    return minor !== undefined && Number(minor) >= FIRST_SAFE;
  });
  return (text) => {
    const line = /^#!\s*([^\n]*)/.exec(text)?.[1] ?? "python3";
    // With these options Python ignores its environment variables.
    if (/\s-\w*E/.test(line)) return false;
    const words = line.split(/\s+/).filter((word) => !/^-|=/.test(word));
    return isSafe((basename(words[0] ?? "") === "env" ? words[1] : words[0]) ?? "python3");
  };
}

const ANY_PROJECT_HOOK = { name: "", path: "", source: "project", entry: null, projectDir: null } as const;

const folderOf = (program: string, path: string): string | undefined =>
  path.split(delimiter).find((folder) => isAbsolute(folder) && pathExists(join(folder, program)));
