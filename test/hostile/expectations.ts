import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { classify } from "./adapter.mjs";
import type { Case } from "./cases.ts";
import type { Sandbox } from "./sandbox.ts";

/** How the tool ended, and what it left behind. */
export interface Observation {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly hung: boolean;
  readonly leftOver: number;
  readonly memoryMb: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const STEERS_TERMINAL = /[\x1b\x9b\u202a-\u202e\u2066-\u2069]/;
const STACK_TRACE = /\n\s+at .+:\d+:\d+\)?/;

/** One line for each expectation that is not met. */
export async function problemsOf(one: Case, seen: Observation, sandbox: Sandbox): Promise<readonly string[]> {
  const output = seen.stdout + seen.stderr;
  const problems = [
    ...(seen.hung ? ["it hung"] : []),
    ...(seen.leftOver > 0 ? [`${seen.leftOver} processes are left over`] : []),
    ...(STACK_TRACE.test(output) ? ["it printed a stack trace"] : []),
    ...answerProblems(one, seen),
    ...outputProblems(one, output, seen),
    ...(await fileProblems(one, sandbox)),
  ];
  return problems.length === 0 ? [] : [...problems, output.slice(0, 2_000)];
}

function answerProblems({ command = "run", expected }: Case, seen: Observation): readonly string[] {
  const { exit_class, decision, hooks, active = [], passed = [], failed = [] } = classify(command, seen);
  const statuses = hooks.map(({ status }) => status);
  const kinds = hooks.filter(({ status }) => status === "error").map(({ kind }) => kind ?? "none");
  return [
    ...wants("exit", expected.exit === "any" ? undefined : [expected.exit], [exit_class]),
    ...wants("decision", expected.decision, [decision]),
    ...wants("hook status", expected.hookStatus, statuses),
    ...(kinds.length > 0 ? wants("error kind", expected.errorKind, kinds) : []),
    ...lacks("active", expected.active, active),
    ...lacks("passed", expected.passed, passed),
    ...lacks("failed", expected.failed, failed),
    ...(expected.notActive ?? []).filter((name) => active.includes(name)).map((name) => `${name} is active`),
    ...wants("active hooks", numberOf(expected.activeCount), [String(active.length)]),
  ];
}

const numberOf = (count: number | undefined): readonly string[] | undefined =>
  count === undefined ? undefined : [String(count)];

/** One of the wanted is among the given. */
const wants = (name: string, wanted: readonly string[] | undefined, given: readonly string[]): readonly string[] =>
  wanted === undefined || wanted.some((one) => given.includes(one)) ? [] : [`${name} is ${given}, wanted ${wanted}`];

const lacks = (name: string, wanted: readonly string[] = [], given: readonly string[]): readonly string[] =>
  wanted.filter((one) => !given.includes(one)).map((one) => `${one} is not ${name}`);

function outputProblems({ expected }: Case, output: string, { memoryMb }: Observation): readonly string[] {
  const { outputNamesOneOf = [], isTerminalSafe = false, maxMemoryMb = Number.POSITIVE_INFINITY } = expected;
  const names = outputNamesOneOf.length === 0 || outputNamesOneOf.some((text) => output.includes(text));
  return [
    ...(names ? [] : [`the output names none of ${outputNamesOneOf}`]),
    ...(isTerminalSafe && STEERS_TERMINAL.test(output) ? ["the output steers the terminal"] : []),
    ...(memoryMb > maxMemoryMb ? [`it took ${memoryMb} MB of memory`] : []),
  ];
}

async function fileProblems({ expected }: Case, { dir, canary }: Sandbox): Promise<readonly string[]> {
  const { mustNotExist = [], maxCanaryLines = Number.POSITIVE_INFINITY } = expected;
  const there = mustNotExist.filter((path) => existsSync(join(dir, path)));
  const lines = (await readFile(canary, "utf8").catch(() => "")).split("\n").length - 1;
  return [
    ...there.map((path) => `${path} exists`),
    ...(lines > maxCanaryLines ? [`a hook was started ${lines} times`] : []),
  ];
}
