import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeTreeQuietly } from "../../../src/fs/remove-tree.ts";
import { isAllowedVariable, isLoader } from "../../../src/process/filter-environment.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import type { ScratchInvoker } from "../scratch/invoke-in-scratch.ts";
import { copyTree, moveHook, PROJECT_LIMITS } from "../scratch/worker.ts";
import type { TestCase } from "./test-case.ts";

/** Hooks and their invocation, in the project, environment and session of a case. */
export interface Stage {
  readonly hooks: readonly Hook[];
  readonly invoker: ScratchInvoker;
}

/**
 * Calls a function with the stage of one case and removes its folder afterwards. Fails with the reason if the stage
 * cannot be made.
 */
export async function withStage<T>(
  one: TestCase,
  { hooks, invoker }: Stage,
  body: (stage: Stage) => Promise<T>,
): Promise<Result<T, string>> {
  // Created only when a hook or the case writes to it: creating it takes as long as a small hook.
  // A hook cannot predict the folder of the next case.
  const dir = join(dirname(invoker.cwd), `case-${Math.random().toString(36).slice(2)}`);
  try {
    const project = layOut(one.files, hooks, { from: invoker.cwd, to: join(dir, basename(invoker.cwd)) });
    if (!project.ok) return project;
    const { cwd } = project.value;
    const envAllow = isWordOfTester(one, invoker) ? Object.keys(one.env).filter((name) => !isLoader(name)) : [];
    const staged = invoker.with({ cwd, env: one.env, envAllow, sessionsDir: join(dir, "sessions") });
    const lost = lostVariable(one, hooks, staged);
    if (lost !== null) return fail(lost);
    return ok(await body({ hooks: project.value.hooks, invoker: staged }));
  } catch (error) {
    return fail(`its files cannot be written: ${errnoCode(error) ?? String(error)}`);
  } finally {
    removeTreeQuietly(dir);
  }
}

/** A case with files has a separate project: a copy if the hooks run in a copy, else a new folder. */
function layOut(
  files: TestCase["files"],
  hooks: readonly Hook[],
  { from, to }: { readonly from: string; readonly to: string },
): Result<{ readonly cwd: string; readonly hooks: readonly Hook[] }, string> {
  if (Object.keys(files).length === 0) return ok({ cwd: from, hooks });
  const isCopy = hooks.some((hook) => hook.entry !== null && moveHook(hook, from, to) !== hook);
  mkdirSync(dirname(to), { mode: 0o700 });
  if (isCopy) copyTree({ from, to, without: to }, PROJECT_LIMITS);
  else mkdirSync(to);
  for (const [path, text] of Object.entries(files)) {
    const fault = writeNew(to, path, text);
    if (fault !== null) return fail(`${path}: ${fault}`);
  }
  return ok({ cwd: to, hooks: hooks.map((hook) => moveHook(hook, from, to)) });
}

/** A copied project may have links, and its files may be those that were approved. */
function writeNew(project: string, path: string, text: string): string | null {
  const parts = path.split("/");
  for (const depth of parts.keys()) {
    const stats = lstatSync(join(project, ...parts.slice(0, depth + 1)), { throwIfNoEntry: false });
    if (stats === undefined) break;
    if (stats.isSymbolicLink()) return "it leads through a link of the project";
    if (depth === parts.length - 1) return "the project has this file, and a case does not replace it";
  }
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text, { flag: "wx" });
  return null;
}

/** Naming the project for this call allows its cases to set variables with which a hook's program may start others. */
const isWordOfTester = ({ isFromOthers, isFromPack }: TestCase, { context }: ScratchInvoker): boolean =>
  !isFromOthers || (context.options.isTrustedForOneCall && !isFromPack);

/** A variable that a run would filter out: the case would test something else than it says. */
function lostVariable(one: TestCase, hooks: readonly Hook[], invoker: ScratchInvoker): string | null {
  const { envAllow } = invoker.context.settings;
  const started = hooks.filter(({ kind }) => kind !== "guard" && kind !== "rule");
  for (const [name, value] of Object.entries(one.env)) {
    // Variables set by others must not decide how the user's own hooks start their programs.
    const isAllowed = isWordOfTester(one, invoker) || isAllowedVariable(name, envAllow);
    const arrives = started.every((hook) => invoker.environmentOf(hook)[name] === value);
    if (!isAllowed || !arrives) return `${name} is not passed to the hook; env_allow in the user's settings allows it`;
  }
  return null;
}
