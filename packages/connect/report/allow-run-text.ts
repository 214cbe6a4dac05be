import { isInside } from "../../../src/fs/paths.ts";
import { type JsonRecord, type JsonValue, printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { displayPath, type PathContext } from "../../../src/report/display-path.ts";

type AllowingRule =
  | { readonly subject: string; readonly match: string }
  | { readonly guard: string; readonly match: string };

/** A recorded run that is allowed from now on, with the rules that do it. */
export interface AllowedRun {
  readonly runId: string;
  readonly call: string;
  /** The rules of guards that stopped it: `git/discard-changes`. */
  readonly stoppedBy: readonly string[];
  readonly rules: readonly AllowingRule[];
  readonly scope: "global" | "here" | "project";
  /** The project of the run. */
  readonly project: string;
  readonly file: string;
  readonly also: {
    readonly calls: readonly string[];
    readonly respellings: { readonly tried: number; readonly allowed: number };
  };
  readonly testCase: JsonRecord;
  /** The file to which the test case was added; null if there is no place for it. */
  readonly caseFile: string | null;
}

const MOST_CALLS = 5;
const WHERE = { global: "for you everywhere", here: "for you in this project", project: "in this project" } as const;
const shown = (text: string): string => truncateEscaped(text, 200);

export function allowedRunText(allowed: AllowedRun, paths: PathContext): string {
  const { runId, call, stoppedBy, rules, scope, project, file, also, testCase, caseFile } = allowed;
  const isElsewhere = scope !== "global" && !isInside(project, paths.cwd);
  const where = isElsewhere ? `in ${displayPath(project, paths)}` : WHERE[scope];
  const inProject = isElsewhere ? ` -C ${shellQuote(project)}` : "";
  const { tried, allowed: respelled } = also.respellings;
  const others = also.calls.slice(0, MOST_CALLS).map((one) => `  ${shown(one)}\n`);
  const rest = also.calls.length - others.length;
  const testText = printableJson({ cases: [testCase] });
  return [
    `Run ${runId} (${stoppedBy.join(", ")}): ${shown(call)}\n`,
    ...rules.map((rule) => `✔ allow ${shown(rule.match)}, ${where}${ofGuard(rule)} (${displayPath(file, paths)})\n`),
    also.calls.length === 0
      ? "It lets no other recorded call pass.\n"
      : `It also lets ${pluralize(also.calls.length, "other recorded call")} pass:\n`,
    ...others,
    ...(rest > 0 ? [`  and ${rest} more\n`] : []),
    ...(tried === 0
      ? []
      : [`Of ${tried} other spellings tried, ${respelled} pass, too; the others are still stopped.\n`]),
    caseFile === null ? `As a test case:\n${testText}\n` : `✔ test case: ${displayPath(caseFile, paths)}\n`,
    ...(scope === "project" ? ["The change has no effect until you approve it: hookctl trust\n"] : []),
    ...rules.map(({ match }) => `Remove it: hookctl${inProject} rules remove ${shown(shellQuote(match))}\n`),
  ].join("");
}

const ofGuard = (rule: AllowingRule): string => ("guard" in rule ? ` by the guard ${rule.guard}` : "");

/** `hookctl.allow/1`; without `rules` nothing had to be allowed. */
export function allowedRunJson(allowed: Pick<AllowedRun, "runId" | "call" | "rules"> & Partial<AllowedRun>): string {
  const { runId, call, stoppedBy, rules, scope, file, also, testCase, caseFile } = allowed;
  return printableJson({
    schema: "hookctl.allow/1",
    run: runId,
    call,
    stopped_by: stoppedBy,
    scope,
    file,
    rules: rules.map((rule): JsonValue => ({ ...rule })),
    other_calls: also?.calls,
    respellings: also === undefined ? undefined : { ...also.respellings },
    case: testCase,
    case_file: caseFile,
  });
}
