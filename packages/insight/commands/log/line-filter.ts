import { resolve } from "node:path";
import { isInRange } from "../../../../src/audit/read.ts";
import type { OptionsOf } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { callerOf, findCallerScopes } from "../../../../src/engine/user-paths.ts";
import { isInside, realPathOrSame } from "../../../../src/fs/paths.ts";
import type { LoggedLine, LoggedRun } from "../../../../src/protocol/logged-run.ts";
import { globMatches } from "../../../../src/protocol/match.ts";
import { ProblemError } from "../../../../src/protocol/result.ts";

/** The options that select lines of the audit log; a command has some of them. */
type FilterOptions = Pick<OptionsOf<"log">, "since" | "only" | "project" | "directory"> &
  Partial<Pick<OptionsOf<"log">, "until" | "event" | "session" | "decision" | "grep">>;

/** The lines that the options select. */
export interface LineFilter {
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
  readonly isRunWanted: (run: LoggedRun) => boolean;
  /** True for a selected run or pause; shell commands are selected with their run. */
  readonly isWanted: (line: LoggedLine) => boolean;
}

export function readLineFilter(options: FilterOptions, host: Host): LineFilter {
  const isMatch = readGrep(options.grep ?? null);
  const sinceMs = options.since?.(host.nowMs()).startMs ?? null;
  const untilMs = options.until?.(host.nowMs()).endMs ?? null;
  if (sinceMs !== null && untilMs !== null && sinceMs > untilMs) {
    const tryThis = "hookctl log --since 2d --until 1d";
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail: "--since is later than --until.", tryThis });
  }
  const isInProject = projectFilter(options, host);
  const range = { sinceMs, untilMs };
  const isRunWanted = (run: LoggedRun): boolean =>
    isInRange(run, range) &&
    fits(options.event, run.event) &&
    fits(options.session, run.session) &&
    fits(options.decision === "allow" ? "continue" : options.decision, run.decision) &&
    isInProject(run.project) &&
    (options.only === null || hasHook(run, options.only)) &&
    isMatch(textsOf(run));
  const isPauseWanted = options.event == null && options.session == null && options.decision == null;
  const isWanted = (line: LoggedLine): boolean => {
    if (line.kind === "run") return isRunWanted(line);
    if (line.kind === "shell" || !isPauseWanted || !isInRange(line, range)) return false;
    if (line.kind === "purge") return options.only === null && options.project === null && isMatch([line.by]);
    const isOfHook = options.only === null || globMatches(options.only, line.hook);
    return isOfHook && (line.project === null || isInProject(line.project)) && isMatch([line.hook, line.by]);
  };
  return { ...range, isRunWanted, isWanted };
}

const fits = (wanted: string | null | undefined, found: string | null): boolean => wanted == null || wanted === found;

/** A skipped hook had no part in the run. */
const hasHook = ({ hooks, decidedBy }: LoggedRun, glob: string): boolean =>
  hooks.some(({ name, outcome }) => outcome !== "skipped" && globMatches(glob, name)) ||
  (decidedBy !== null && globMatches(glob, decidedBy));

/** The texts that `--grep` searches. Of the hooks only the one that decided: `--hook` selects by the others. */
function textsOf(run: LoggedRun): readonly string[] {
  const { event, tool, call, decision, decidedBy, reason, project, agent, session, runId, warnings } = run;
  const texts = [tool, call, reason, event, decision, decidedBy, project, agent, session, runId];
  return [...texts.filter((text) => text !== null), ...warnings];
}

/** In characters. */
const LONGEST_SEARCHED = 10_000;

/** A text, or `/expression/` and `/expression/i`. */
function readGrep(grep: string | null): (texts: readonly string[]) => boolean {
  if (grep === null) return () => true;
  const [, source, flag] = /^\/(.+)\/(i?)$/s.exec(grep) ?? [];
  if (source === undefined) return (texts) => texts.some((text) => text.includes(grep));
  try {
    const expression = new RegExp(source, flag);
    return (texts) => texts.some((text) => expression.test(text.slice(0, LONGEST_SEARCHED)));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new ProblemError({ code: "USAGE_BAD_VALUE", flag: "--grep", value: grep, detail });
  }
}

/** The project of a folder, and the projects below the folder. It need not exist any more. */
function projectFilter({ project: folder, directory }: FilterOptions, host: Host) {
  if (folder === null) return () => true;
  const dir = realPathOrSame(resolve(host.cwd, directory ?? ".", folder));
  const scopes = findCallerScopes(callerOf(host, dir));
  const own = scopes.ok && scopes.value.hasProject ? scopes.value.projectDir : null;
  return (project: string | null): boolean => project !== null && (project === own || isInside(dir, project));
}
