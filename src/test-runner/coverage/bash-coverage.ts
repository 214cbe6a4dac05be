import { shellParser } from "../../shell/load-parser.ts";
import { nodesIn } from "../mutate/parse-command.ts";
import type { LineCoverage } from "./line-coverage.ts";

/** Read by bash before a script (`BASH_ENV`): each command that runs is written to a file with its place. */
export const BASH_PROBE = `[[ \${BASH_VERSINFO[0]} -ge 5 ]] || return 0
exec {HOOKCTL_TRACE}>>"$HOOKCTL_COVERAGE"
BASH_XTRACEFD=$HOOKCTL_TRACE
PS4='+hookctl \${BASH_SOURCE} \${LINENO} '
unset BASH_ENV
set -x
`;

/** Nested commands have a longer prefix: bash repeats its first character. */
const PLACE = /^\++hookctl (.*?) (\d+) /gm;

/** Null: bash understands the script, but this parser does not. */
export function bashCoverage(source: string, trace: string, file: string): LineCoverage | null {
  const all = commandLines(source);
  if (all === null) return null;
  const places = [...trace.matchAll(PLACE)].filter(([, where]) => where === file);
  return { all, reached: new Set(places.map(([, , line]) => Number(line)).filter((line) => all.has(line))) };
}

/** Where a command begins, whatever it is part of: a branch that is not taken has at least one. */
function commandLines(source: string): ReadonlySet<number> | null {
  const script = shellParser().parse(source);
  if ((script.errors ?? []).length > 0) return null;
  const commands = nodesIn(script).all.filter(({ type }) => type === "Command");
  return new Set(commands.map(({ pos }) => lineAt(source, pos)));
}

const lineAt = (source: string, pos: number): number => source.slice(0, pos).split("\n").length;
