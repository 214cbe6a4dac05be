import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../../../src/cli/command-table.ts";
import { parentAgent } from "../../../src/cli/prompt/require-person.ts";
import { updateRegistrations } from "../../../src/cli/update-registrations.ts";
import { findCandidates, hookFoldersIn } from "../../../src/discover/find-candidates.ts";
import { approve } from "../../../src/engine/approve-unseen.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { hooksAreOff } from "../../../src/engine/run-context.ts";
import { readTextFile } from "../../../src/fs/read-file.ts";
import { whyNotWritable } from "../../../src/fs/write-check.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import type { Candidate } from "../../../src/protocol/hook.ts";
import type { HostProblem, Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, ProblemError, type Result, unwrap } from "../../../src/protocol/result.ts";
import { takeSnapshot } from "../../../src/trust/review/review.ts";
import { type ScaffoldReport, scaffoldJson } from "../report/scaffold-text.ts";

/** The project in which files are created. */
interface ScaffoldSite {
  readonly context: RunContext;
  readonly options: CommonOptions;
  readonly host: Host;
}

/** A file to create, with its text in the report. */
interface ScaffoldFile extends NewFile {
  readonly event: string;
  readonly about: string;
}

/** Finds the project in which `new` creates files. */
export async function openSite({ options }: CommandLine<"new">, host: Host): Promise<ScaffoldSite> {
  const { context, loaded } = unwrap(await createRunContext(options, host, true));
  const { hasProject, projectDir } = context.scopes;
  if (!hasProject) throw new ProblemError({ code: "PROJECT_IS_HOME", path: projectDir });
  const [problem] = loaded.problems;
  if (problem !== undefined) throw new ProblemError(problem);
  return { context, options, host };
}

/** The files to create, and how to report them. */
interface ScaffoldInput {
  readonly hook: ScaffoldFile;
  readonly cases: ScaffoldFile;
  readonly textOf: (report: ScaffoldReport) => string;
}

/** Creates missing files, approves those that this call created, and reports both. */
export async function scaffold({ context, options, host }: ScaffoldSite, plan: ScaffoldInput): Promise<CommandResult> {
  const { projectDir } = context.scopes;
  const hook = unwrap(createFile(projectDir, plan.hook));
  if (hook === "different") return fail({ code: "USAGE_HOOK_EXISTS", path: plan.hook.path });
  // Cases that are there already are the user's own.
  const cases = createFile(projectDir, plan.cases);
  const fresh = hook === "created" ? [plan.hook.path] : [];
  const unapproved = await whyUnapproved(fresh, context, host);
  // Approving a hook starts it, to ask for its event.
  const isLeft = hooksAreOff(options, host) || unapproved !== null;
  const approved = isLeft ? ok([]) : await approveFresh(fresh, context);
  const report: ScaffoldReport = {
    project: projectDir,
    isAbove: projectDir !== context.scopes.folders[0],
    files: [
      { ...plan.hook, created: hook === "created" },
      ...(cases.ok ? [{ ...plan.cases, created: cases.value === "created" }] : []),
    ],
    approved: approved.ok ? approved.value : [],
    unapproved: unapproved ?? undefined,
  };
  const printed = print(options.json ? `${scaffoldJson(report)}\n` : plan.textOf(report), host);
  if (report.approved.length > 0) await updateRegistrations(context.scopes, options, host);
  if (!cases.ok) return cases;
  return approved.ok || !printed.ok ? printed : fail(approved.error);
}

/** Why the user must approve a new hook: an agent created it, or it would load other files. Null: approve it now. */
async function whyUnapproved(paths: readonly string[], context: RunContext, host: Host): Promise<string | null> {
  const { projectDir } = context.scopes;
  const fresh = candidatesAt(paths, context);
  const agent = fresh.length === 0 ? null : await parentAgent(host);
  if (agent !== null) return `this command was called by ${agent}, and only a person may approve`;
  const isOwn = (file: string): boolean => paths.includes(relative(projectDir, file));
  const foreign = fresh.flatMap((candidate) => {
    const { helpers = {}, files = {} } = takeSnapshot(candidate).evidence ?? {};
    const beside = Object.keys(helpers).map((name) => join(dirname(candidate.path), name));
    return [...beside, ...Object.keys(files).map((name) => resolve(projectDir, name))].filter((file) => !isOwn(file));
  });
  const [first] = foreign;
  return first === undefined ? null : `it could load ${relative(projectDir, first)}, which this command did not create`;
}

function candidatesAt(paths: readonly string[], { scopes: { projectDir } }: RunContext): readonly Candidate[] {
  const { candidates } = findCandidates(hookFoldersIn("project", projectDir));
  return candidates.filter(({ path }) => paths.includes(relative(projectDir, path)));
}

async function approveFresh(
  paths: readonly string[],
  context: RunContext,
): Promise<Result<readonly string[], Problem>> {
  const { projectDir } = context.scopes;
  const fresh = candidatesAt(paths, context);
  if (fresh.length === 0) return ok([]);
  closeInheritedOnFirstStart();
  const approved = await approve(fresh, context);
  return approved.ok ? ok(approved.value.map(({ path }) => relative(projectDir, path))) : approved;
}

/** A file to create unless its path exists. */
interface NewFile {
  /** Below the project, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

/** Created, or not because the path exists, with the same or another content. */
type CreateOutcome = "created" | "same" | "different";

/** Creates a file that is missing in a project; overwrites nothing and follows no link out of the project. */
function createFile(projectDir: string, file: NewFile): Result<CreateOutcome, HostProblem> {
  try {
    return ok(place(projectDir, file));
  } catch (error) {
    return fail(notWritten(file, error));
  }
}

function place(projectDir: string, { path, text, isExecutable }: NewFile): CreateOutcome {
  // Only the folders are checked: an existing file of any type stays.
  const cause = whyNotWritable({ kind: "project", folder: projectDir }, dirname(join(projectDir, path)));
  if (cause !== null) throw new Error(cause);
  makeFolders(projectDir, dirname(path));
  const target = join(projectDir, path);
  try {
    // `x`: a link in its place is not followed, not even one that leads nowhere.
    writeFileSync(target, text, { flag: "wx", mode: 0o644 });
  } catch (error) {
    if (errnoCode(error) === "EEXIST") return isSame(target, text) ? "same" : "different";
    // Half of it, or nothing: the disk may have had no room for its name.
    if (errnoCode(error) === "ENOSPC" || errnoCode(error) === "EDQUOT") rmSync(target, { force: true });
    throw error;
  }
  // Last: half a file never had the right to run.
  if (isExecutable) chmodSync(target, 0o755);
  return "created";
}

function makeFolders(projectDir: string, folders: string): void {
  let folder = projectDir;
  for (const name of folders.split("/")) {
    folder = join(folder, name);
    try {
      // Not writable for the group, regardless of the umask: a folder that others can change would be refused.
      mkdirSync(folder, { mode: 0o755 });
    } catch (error) {
      if (errnoCode(error) !== "EEXIST") throw error;
    }
  }
}

function isSame(path: string, text: string): boolean {
  try {
    return lstatSync(path).isFile() && readTextFile(path) === text;
  } catch {
    return false;
  }
}

function notWritten({ path }: NewFile, error: unknown): HostProblem {
  const { message } = error as Error;
  return { code: "FILE_NOT_WRITTEN", path, cause: errnoCode(error) ?? message };
}
