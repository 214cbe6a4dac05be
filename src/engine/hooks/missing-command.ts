import { entryFolder } from "../../fs/paths.ts";
import { interpreterFault } from "../../process/outcome-problem.ts";
import { type Candidate, type Hook, withRefusal } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { findMissingProgram } from "../../trust/hook-files/missing-program.ts";
import * as checks from "../approval-checks.ts";
import { hookEnvironments } from "../hook-environment.ts";
import type { RunContext } from "../run-context.ts";

/** Returns a function that says why the command of a declared hook cannot start; null: nothing that it names is missing. */
export function missingCommands(context: RunContext): (hook: Candidate | Hook) => HookProblem | null {
  const environmentOf = hookEnvironments(context, checks);
  return (hook) => {
    const { name, path, entry } = hook;
    if (entry === null) return null;
    const searchPath = environmentOf(hook).PATH ?? "";
    const faultOf = (file: string): string | null => interpreterFault(file, () => searchPath);
    const projectDir = hook.projectDir ?? context.scopes.projectDir;
    const missing = findMissingProgram(entry, { projectDir, searchPath, faultOf });
    const place = { file: entry.file, folder: entryFolder(entry) };
    return missing === null ? null : { code: "HOOK_COMMAND_MISSING", hook: name, path, ...missing, ...place };
  };
}

/** Refuses ready hooks whose command is missing. Not used in a run: parsing a command costs more than starting it. */
export function withMissingCommands(hooks: readonly Hook[], context: RunContext): readonly Hook[] {
  const missing = missingCommands(context);
  return hooks.map((hook) => {
    const problem = hook.state === "ready" ? missing(hook) : null;
    return problem === null ? hook : withRefusal(hook, problem);
  });
}
