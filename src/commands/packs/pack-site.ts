import { type CommandResult, print, reportProblem, withProblem } from "../../cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../../cli/command-table.ts";
import { refuseAgent, requirePerson } from "../../cli/prompt/require-person.ts";
import { stdoutStyle } from "../../cli/stream-style.ts";
import { createRunContext } from "../../engine/create-run-context.ts";
import type { RunContext } from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { updateRegistrations } from "../../install/update-registrations.ts";
import { type Lock, readLockFile } from "../../packs/lock.ts";
import type { PackRoot } from "../../packs/place-pack.ts";
import type { FetchContext } from "../../packs/run-program.ts";
import { signalExitCode } from "../../protocol/exit-code.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { type PackReport, packsJson, packsText } from "../../report/pack-text.ts";

/** The location of the packs of a call, and its context. */
export interface PackSite {
  readonly scope: "project" | "user";
  readonly root: PackRoot;
  readonly lock: Lock;
  readonly fetch: FetchContext;
  readonly context: RunContext;
  readonly options: CommonOptions & { readonly yes?: boolean; readonly force: boolean };
  readonly host: Host;
}

type PackCommand = "add" | "update" | "remove";

/** Finds the packs of the project, or with `--scope user` those of the user. Only a person may change them. */
export async function openPackSite(line: CommandLine<PackCommand>, host: Host): Promise<Result<PackSite, Problem>> {
  const { options } = line;
  // Without a source, add fetches what the lock file pins.
  const isRestoring = line.command === "add" && line.args.length === 0 && !("yes" in options && options.yes);
  const refusal = await (isRestoring ? refuseAgent(host) : requirePerson(host));
  if (refusal !== null) return fail(refusal);
  const scope = options.scope ?? "project";
  const started = await createRunContext({ ...options, trust: false }, host, false);
  if (!started.ok) return started;
  const { context } = started.value;
  const root = rootOf(scope, context);
  if (!root.ok) return root;
  const lock = readLockFile(root.value.folder);
  if (!lock.ok) return lock;
  const { env, interrupt, scopes } = context;
  const fetch = { env, interrupt, root: root.value.folder, projectDir: scopes.projectDir, homeDir: scopes.homeDir };
  return ok({ scope, root: root.value, lock: lock.value, fetch, context, options, host });
}

function rootOf(scope: PackSite["scope"], { scopes, userId }: RunContext): Result<PackRoot, Problem> {
  const { homeDir, projectDir, hasProject } = scopes;
  if (scope === "project") {
    if (!hasProject) return fail({ code: "PROJECT_IS_HOME", path: projectDir });
    return ok({ folder: projectDir, write: { kind: "project", folder: projectDir } });
  }
  if (homeDir === null)
    return fail({ code: "PROJECT_MISSING", path: "~/.kodelet", cause: "HOME is not an existing absolute folder" });
  return ok({ folder: homeDir, write: { kind: "user", userId } });
}

/** The command that does the same to one pack, to be typed next. */
export const packCommand = (site: PackSite, words: string): string =>
  `hookctl ${words}${site.scope === "user" ? " --scope user" : ""}`;

/** Prints what became of each pack. The first problem ends the command; the others are reported before it. */
export async function reportPacks(
  { options, host, context }: PackSite,
  results: readonly Result<PackReport, Problem>[],
): Promise<CommandResult> {
  const reports = results.flatMap((one) => (one.ok ? [one.value] : []));
  const problems = results.flatMap((one) => (one.ok ? (one.value.problem ?? []) : one.error));
  const [problem = null, ...others] = problems;
  const text = results.length === 0 ? NOTHING : packsText(reports, await stdoutStyle(options, host));
  // With --json a problem is the answer, where there is no other.
  const json = reports.length === 0 && problem !== null ? "" : `${packsJson(reports, problems)}\n`;
  const printed = print(options.json ? json : text, host);
  // A changed pack may handle other events.
  if (reports.some(({ action }) => action !== "unchanged"))
    await updateRegistrations(context.scopes, { ...options, trust: false }, host);
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  for (const other of others) await reportProblem(other, host);
  return withProblem(problem, printed);
}

const NOTHING = "No packs were added yet. Add one: hookctl add owner/repo\n";
