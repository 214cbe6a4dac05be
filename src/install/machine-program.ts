import { dirname } from "node:path";
import { rootOnlyFault } from "../fs/machine-folder.ts";
import { realPathOrSame } from "../fs/paths.ts";
import type { HostProblem } from "../protocol/problem.ts";
import { HOOKCTL_FILE, inQuotes } from "./install-target.ts";

/** Node and hookctl by their paths: the `#!` line of hookctl would search Node on the user's PATH. */
export const machineProgram = (): string =>
  `${inQuotes(realPathOrSame(process.execPath))} ${inQuotes(realPathOrSame(HOOKCTL_FILE))}`;

/** Why the machine's settings cannot start this hookctl: somebody beside root could replace it. Null: nobody can. */
export function machineProgramFault(): HostProblem | null {
  const script = realPathOrSame(HOOKCTL_FILE);
  for (const path of [realPathOrSame(process.execPath), dirname(dirname(script))]) {
    const cause = rootOnlyFault(path);
    if (cause !== null) return { code: "AGENT_PROGRAM_UNSAFE", path, cause };
  }
  return null;
}
