import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { parentAgent } from "../../../src/cli/prompt/require-person.ts";
import { updateRegistrations } from "../../../src/cli/update-registrations.ts";
import { findCandidates, hookFoldersIn } from "../../../src/discover/find-candidates.ts";
import { approve } from "../../../src/engine/approve-unseen.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import { hooksAreOff, type RunContext } from "../../../src/engine/run-context.ts";
import { readTextFile } from "../../../src/fs/read-file.ts";
import { whyNotWritable } from "../../../src/fs/write-check.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { EVENT_ROWS } from "../../../src/protocol/event.ts";
import type { Candidate } from "../../../src/protocol/hook.ts";
import { attempt, fail, ok, ProblemError, unwrap } from "../../../src/protocol/result.ts";
import { takeSnapshot } from "../../../src/trust/review/review.ts";
import { type NewReport, newJson, newText } from "../report/new-text.ts";
import { hookPath, readHookOrder } from "./hook-order.ts";
import { blockingArgument, caseFile, type HookOrder, hookText, LANGUAGES } from "./hook-template.ts";

/** Creates a working hook for an event, with test cases, and approves it. On a terminal it asks for what is missing. */
export async function newHook(line: CommandLine<"new">, host: Host): Promise<CommandResult> {
  // First what no answer changes.
  const { projectDir } = (await contextInProject(line, host)).scopes;
  return create(await readHookOrder(line, projectDir, host), line, host);
}

/** Fails outside a project, and for settings with a problem. */
async function contextInProject({ options }: CommandLine<"new">, host: Host): Promise<RunContext> {
  const { context, loaded } = unwrap(await createRunContext(options, host, true));
  const { hasProject, projectDir } = context.scopes;
  if (!hasProject) throw new ProblemError({ code: "PROJECT_IS_HOME", path: projectDir });
  const [problem] = loaded.problems;
  if (problem !== undefined) throw new ProblemError(problem);
  return context;
}

async function create(order: HookOrder, line: CommandLine<"new">, host: Host): Promise<CommandResult> {
  const { name, event, language, text } = order;
  const { options } = line;
  const context = await contextInProject(line, host);
  const { projectDir, folders } = context.scopes;
  const path = hookPath(name);
  const hook = createFile(projectDir, path, { text: hookText(order), isExecutable: true });
  if (hook === "different") return fail({ code: "USAGE_HOOK_EXISTS", path });
  const casePath = `.kodelet/tests/${name.slice(0, name.length - LANGUAGES[language].ending.length)}.yaml`;
  // Cases that are there already are the user's own.
  const cases = await attempt(() => createFile(projectDir, casePath, { text: caseFile(order), isExecutable: false }));
  const found = findCandidates(hookFoldersIn("project", projectDir)).candidates;
  const fresh = hook === "created" ? found.filter((candidate) => relative(projectDir, candidate.path) === path) : [];
  const unapproved = await whyUnapproved(fresh, projectDir, host);
  // Approving a hook starts it, to ask for its event.
  const isApproving = fresh.length > 0 && !hooksAreOff(options, host) && unapproved === null;
  if (isApproving) closeInheritedOnFirstStart();
  const approved = isApproving ? await approve(fresh, context) : ok([]);
  const { connectedAgents } = await import("../../connect/doctor/agent-checks.ts");
  const report: NewReport = {
    project: projectDir,
    isAbove: projectDir !== folders[0],
    name,
    event,
    files: [
      { path, isCreated: hook === "created", about: language },
      ...(cases.ok ? [{ path: casePath, isCreated: cases.value === "created", about: "its test cases" }] : []),
    ],
    approved: approved.ok ? approved.value.map((one) => relative(projectDir, one.path)) : [],
    unapproved,
    trialField: blockingArgument(EVENT_ROWS[event], text),
    isConnected: connectedAgents(options, host).length > 0,
  };
  const printed = print(options.json ? `${newJson(report)}\n` : newText(report), host);
  if (report.approved.length > 0) await updateRegistrations(context.scopes, options, host);
  if (!cases.ok) return cases;
  return approved.ok || !printed.ok ? printed : fail(approved.error);
}

/** Why the user must approve the new hook: an agent created it, or it would load other files. Null if it can be approved now. */
async function whyUnapproved(fresh: readonly Candidate[], projectDir: string, host: Host): Promise<string | null> {
  const [candidate] = fresh;
  if (candidate === undefined) return null;
  const agent = await parentAgent(host);
  if (agent !== null) return `this command was called by ${agent}, and only a person may approve`;
  const { helpers = {}, files = {} } = takeSnapshot(candidate).evidence ?? {};
  const beside = Object.keys(helpers).map((name) => join(dirname(candidate.path), name));
  const loaded = [...beside, ...Object.keys(files).map((name) => resolve(projectDir, name))];
  const foreign = loaded.find((file) => file !== candidate.path);
  if (foreign === undefined) return null;
  return `it could load ${relative(projectDir, foreign)}, which this command did not create`;
}

interface FileContent {
  readonly text: string;
  readonly isExecutable: boolean;
}

/** Created, or not because the path exists, with the same or another content. */
type CreateOutcome = "created" | "same" | "different";

/** Creates a file that is missing in a project; overwrites nothing and follows no link out of the project. */
function createFile(projectDir: string, path: string, { text, isExecutable }: FileContent): CreateOutcome {
  const target = join(projectDir, path);
  const notWritten = (cause: string) => new ProblemError({ code: "FILE_NOT_WRITTEN", path, cause });
  try {
    // Only the folders are checked: an existing file of any type stays.
    const cause = whyNotWritable({ kind: "project", folder: projectDir }, dirname(target));
    if (cause !== null) throw notWritten(cause);
    makeFolders(projectDir, dirname(path));
    // `x`: a link in its place is not followed, not even one that leads nowhere.
    writeFileSync(target, text, { flag: "wx", mode: 0o644 });
    // Last: half a file never had the right to run.
    if (isExecutable) chmodSync(target, 0o755);
    return "created";
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const code = errnoCode(error);
    if (code === "EEXIST") return isSame(target, text) ? "same" : "different";
    // Half of it, or nothing: the disk may have had no room for its name.
    if (code === "ENOSPC" || code === "EDQUOT") rmSync(target, { force: true });
    throw notWritten(code ?? String(error));
  }
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
