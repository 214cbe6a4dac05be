import type { OptionsOf } from "../../cli/command-table.ts";
import type { UsageProblem } from "../../protocol/problem.ts";

type LogOptions = OptionsOf<"log">;
type Names = Partial<Record<keyof LogOptions, string>>;

/** They choose which runs are listed. */
const OF_LIST: Names = {
  ...{ isFollowing: "--follow", since: "--since", until: "--until", project: "--project", event: "--event" },
  ...{ decision: "--decision", session: "--session", grep: "--grep", last: "--last", only: "--hook" },
};
const OF_PURGE: Names = { before: "--before", isAll: "--all", isPayloads: "--payloads", yes: "--yes" };

/** Options that do not go together. An ignored one would list, or remove, other runs than were meant. */
export function misfitOf(options: LogOptions): UsageProblem | null {
  const { isPurge, caseOf, isFollowing, until } = options;
  const [listing, purging] = [givenOf(OF_LIST, options), givenOf(OF_PURGE, options)];
  if (isPurge && listing !== null) return problem(`--purge knows no ${listing}.`, "hookctl log --purge --before 7d");
  if (isPurge && caseOf !== null) return problem("--purge and --case cannot be combined.", "hookctl log --help");
  if (!isPurge && purging !== null) return problem(`${purging} needs --purge.`, "hookctl log --purge --before 7d");
  if (caseOf !== null && listing !== null) return problem(`--case knows no ${listing}.`, "hookctl log --case RUN");
  if (!isFollowing || until === null) return null;
  return problem("--follow has no end, so it cannot be combined with --until.", "hookctl log --follow --since 1h");
}

function givenOf(names: Names, options: LogOptions): string | null {
  const found = Object.entries(names).find(([key]) => isGiven(options[key as keyof LogOptions]));
  return found?.[1] ?? null;
}

const isGiven = (value: LogOptions[keyof LogOptions]): boolean => value !== null && value !== false;

const problem = (detail: string, tryThis: string): UsageProblem => ({ code: "USAGE_WRONG_WORDS", detail, tryThis });
