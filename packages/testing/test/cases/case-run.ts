import { type CommandOutput, runInProcess } from "../../../../test/support/in-process.ts";
import type { Workspace } from "../../../../test/support/workspace.ts";

/** The cases of a report, as `hookctl test --json` prints them. */
export interface CaseReport {
  readonly hook: string;
  readonly name: string;
  readonly passed: boolean;
  readonly message: string | null;
  readonly case_file: string;
  readonly case_line: number;
}

export interface CaseRunResult {
  readonly code: number;
  readonly stderr: string;
  readonly cases: readonly CaseReport[];
  readonly faults: readonly { readonly line?: number; readonly code: string; readonly message: string }[];
}

const USER_CASES = "home/.kodelet/tests/cases.yaml";

/** Writes a file of cases, calls `hookctl test --json` and gives what came of the cases. */
export async function runCases(
  place: Workspace,
  text: string,
  { file = USER_CASES, call = "test --json" }: { readonly file?: string; readonly call?: string } = {},
): Promise<CaseRunResult> {
  await place.write(file, text);
  return casesOf(await runInProcess(place, call));
}

export function casesOf({ stdout, stderr, code }: CommandOutput): CaseRunResult {
  const report = stdout === "" ? { hooks: [], case_faults: [] } : JSON.parse(stdout);
  const hooks: readonly { readonly name: string; readonly checks: readonly Omit<CaseReport, "hook">[] }[] =
    report.hooks;
  const cases = hooks.flatMap(({ name, checks }) =>
    checks.filter(({ case_file }) => case_file !== undefined).map((one) => ({ ...one, hook: name })),
  );
  return { code, stderr, cases, faults: report.case_faults };
}

/** Each case that did not pass, with its message. */
export const failures = ({ cases }: CaseRunResult): Readonly<Record<string, string | null>> =>
  Object.fromEntries(cases.filter(({ passed }) => !passed).map(({ name, message }) => [name, message]));
