import { type CommandResult, print, reportProblem, withProblem } from "../../../src/cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../../../src/cli/command-table.ts";
import { parentAgent, requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { contextWithoutTrust } from "../../../src/cli/review/stored-decisions.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import { updateRegistrations } from "../../../src/cli/update-registrations.ts";
import type { Host } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { signalExitCode } from "../../../src/protocol/exit-code.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { attempt, ok, ProblemError, type Result, unwrap } from "../../../src/protocol/result.ts";
import { type Lock, readLockFile } from "../lock.ts";
import type { PackRoot } from "../place-pack.ts";
import { type PackReport, packsJson, packsText } from "../report/pack-text.ts";
import type { FetchContext } from "../run-program.ts";

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

/** Finds the packs of the project, or with `--scope user` those of the user. Only a person may change them. */
export async function openPackSite(line: CommandLine<"add" | "update" | "remove">, host: Host): Promise<PackSite> {
  const { options } = line;
  // Without a source, add fetches what the lock file pins.
  const isRestoring = line.command === "add" && line.args.length === 0 && !("yes" in options && options.yes);
  const isReading = line.command === "update" && "dryRun" in options && options.dryRun;
  // What was decided before is restored without proof of a person, but not by an agent.
  if (!isReading && (!isRestoring || (await parentAgent(host)) !== null)) await requirePerson(host);
  const scope = options.scope ?? "project";
  const { context } = await contextWithoutTrust(options, host);
  const root = rootOf(scope, context);
  const lock = unwrap(readLockFile(root.folder));
  return { scope, root, lock, fetch: { ...context, ...context.scopes, root: root.folder }, context, options, host };
}

function rootOf(scope: PackSite["scope"], { scopes, userId }: RunContext): PackRoot {
  const { homeDir, projectDir, hasProject } = scopes;
  if (scope === "project") {
    if (!hasProject) throw new ProblemError({ code: "PROJECT_IS_HOME", path: projectDir });
    return { folder: projectDir, write: { kind: "project", folder: projectDir } };
  }
  if (homeDir !== null) return { folder: homeDir, write: { kind: "user", userId } };
  const cause = "HOME is not an existing absolute folder";
  throw new ProblemError({ code: "PROJECT_MISSING", path: "~/.kodelet", cause });
}

/** The command that does the same to one pack, to be typed next. */
export const packCommand = (site: PackSite, words: string): string =>
  `hookctl ${words}${site.scope === "user" ? " --scope user" : ""}`;

/**
 * Changes one pack after another and prints the result of each. The first problem ends the command; the others are reported
 * before it.
 */
export async function changePacks<T>(
  { options, host, context }: PackSite,
  packs: Iterable<T>,
  change: (pack: T) => Promise<PackReport>,
): Promise<CommandResult> {
  const results: Result<PackReport, Problem>[] = [];
  for (const pack of packs) results.push(await attempt(() => change(pack)));
  const reports = results.flatMap((result) => (result.ok ? [result.value] : []));
  const problems = results.flatMap((result) => (result.ok ? (result.value.problem ?? []) : result.error));
  const [problem = null, ...others] = problems;
  const text = results.length === 0 ? NO_PACKS : packsText(reports, await stdoutStyle(options, host));
  // With --json a problem is the answer, where there is no other.
  const json = reports.length === 0 && problem !== null ? "" : `${packsJson(reports, problems)}\n`;
  const printed = print(options.json ? json : text, host);
  // A changed pack may handle other events.
  if (reports.some(({ action }) => action !== "unchanged" && action !== "outdated"))
    await updateRegistrations(context.scopes, { ...options, trust: false }, host);
  const signal = host.interrupt.raised();
  if (signal !== null) return ok(signalExitCode(signal));
  for (const other of others) await reportProblem(other, host);
  return withProblem(problem, printed);
}

const NO_PACKS = "No packs were added yet. Add one: hookctl add owner/repo\n";
