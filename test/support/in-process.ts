import { loadGuards } from "../../packages/guard-hooks/load-guards.ts";
import type { Host } from "../../src/engine/host.ts";
import { main } from "../../src/main.ts";
import { PERSON_TABLE } from "./person-table.ts";
import {
  type CallOptions,
  type CommandResult,
  type HookOptions,
  IS_THROUGH_FRONT,
  type Workspace,
  workspace,
} from "./workspace.ts";

/** What a person, a program and a script get to see of one call. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** What lies in the workspace before the call. */
export interface Fixture {
  readonly hooks?: readonly (readonly [name: string, body: string, options?: HookOptions])[];
  /** Path below the workspace -> text; what is no text is written as JSON. */
  readonly files?: Readonly<Record<string, unknown>>;
  /** The same for files that may be executed; written as they are. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** One call and all that it tells: a row of a table. `DIR` stands for the workspace in what it says and in `env`. */
export interface Row extends Fixture, InProcessOptions, CommandOutput {
  readonly title: string;
  readonly call: string;
}

export interface InProcessOptions {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly host?: Partial<Host>;
}

/** Long after any file of a test was written: what hooks answer is remembered at once. */
const LATER_MS = Date.UTC(2100, 0, 1);

/** Calls `main` in this process with a host of the test's own: nothing of it but the hooks and the disk is real. */
export async function runInProcess(
  place: Workspace,
  args: string,
  options: InProcessOptions = {},
): Promise<CommandOutput> {
  const { stdin = "", env = {}, host = {} } = options;
  const argv = args.split(" ").filter((word) => word !== "");
  const fixed = { nowMs: () => LATER_MS, random: () => 0.5, ...host };
  const isThroughFront = IS_THROUGH_FRONT && argv[0] === "bridge" && options.host === undefined;
  const call = { argv, stdin, env: withDir(env, place) };
  const { stdout, stderr, code } = isThroughFront
    ? await place.run(argv, call)
    : await callMain(place, { ...call, host: fixed });
  return { stdout: normalized(stdout, place), stderr: normalized(stderr, place), code: code ?? -1 };
}

/** The same call as `place.run`, without a process of its own: for tests of words and rules, a tenth of the time. */
export async function runMain(
  place: Workspace,
  argv: readonly string[],
  { cwd = place.project, ...options }: CallOptions = {},
): Promise<CommandResult> {
  if (IS_THROUGH_FRONT && argv[0] === "bridge") return await place.run(argv, { cwd, ...options });
  const elapsedMs = () => performance.now();
  const output = await callMain(place, { argv, ...options, host: { cwd, elapsedMs, beganMs: elapsedMs() } });
  return { ...output, signal: null };
}

interface MainCall extends CallOptions {
  readonly argv: readonly string[];
  readonly host: Partial<Host>;
}

async function callMain(place: Workspace, { argv, env, host, stdin = "" }: MainCall): Promise<CommandOutput> {
  const result = { stdout: "", stderr: "" };
  const bytes = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  const code = await main({
    argv,
    env: { ...place.env, ...env },
    cwd: place.project,
    platform: "linux",
    userId: process.getuid?.() ?? -1,
    processId: 1,
    isStdinTerminal: () => false,
    isStdoutTerminal: () => false,
    isStderrTerminal: () => false,
    isStdoutNull: () => false,
    stdoutColumns: () => null,
    stderrColumns: () => null,
    stdoutRows: () => null,
    readStdin: async () => ({ kind: "read", bytes }),
    out: (text) => {
      result.stdout += text;
      return null;
    },
    err: (text) => {
      result.stderr += text;
    },
    nowMs: Date.now,
    elapsedMs: () => 0,
    beganMs: 0,
    random: Math.random,
    interrupt: { raised: () => null, listen: () => () => undefined },
    loadGuards,
    openTerminal: async () => null,
    readProcesses: async () => PERSON_TABLE,
    systemPrograms: "/nonexistent",
    ...host,
  });
  await expectSchema(argv, result.stdout);
  return { ...result, code };
}

/** Commands and options whose stdout is a protocol, a file, a script or a text with `--json` too, or lines that a test wrote. */
const NO_ANSWER =
  /^(?:bridge|completion|edit|help|log|payload|schema|serve|why)$|^(?:--print|--case|--help|-h|--version|-V)(?:=|$)/;

/** Whatever a test calls: an answer with a key that its schema lacks, or without one, fails it. */
async function expectSchema(argv: readonly string[], stdout: string): Promise<void> {
  const isAnswer = argv.includes("--json") && !argv.some((word) => NO_ANSWER.test(word));
  if (isAnswer && !/^(?:\{"schema":"hookctl\..*\}\n)*$/.test(stdout)) throw new Error(`no schema: ${stdout}`);
  const [, name = ""] = /^\{"schema":"(hookctl\.[a-z-]+\/\d+)".*\}\n$/.exec(stdout) ?? [];
  // Tests write lines of the audit log by hand, with the members that they need.
  if (name === "" || name === "hookctl.record/1" || name === "hookctl.why/1") return;
  const { OUTPUT_SCHEMAS } = await import("../../packages/authoring/output-schemas.ts");
  // JSON has 1e400, and JavaScript reads it as Infinity.
  const answer: unknown = JSON.parse(stdout, (_key, value) => (value === Number.POSITIVE_INFINITY ? 0 : value));
  const checked = OUTPUT_SCHEMAS[name]?.safeParse(answer);
  if (checked?.success !== true) throw new Error(`${name}: ${checked?.error.message ?? "no schema"}\n${stdout}`);
}

/** Puts the scene into a workspace. */
async function writeFixture(place: Workspace, { hooks = [], files = {}, programs = {} }: Fixture): Promise<void> {
  for (const [name, body, options] of hooks) await place.hook(name, body, options);
  for (const [path, text] of Object.entries(programs)) await place.write(path, text, 0o755);
  for (const [path, content] of Object.entries(files)) {
    await place.write(path, typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** Sets the scene of a row, makes its call and gives what it told. */
export async function runRow(row: Row): Promise<CommandOutput> {
  await using place = await workspace();
  await writeFixture(place, row);
  return await runInProcess(place, row.call, row);
}

/** What a row expects. */
export const expectedOutput = ({ stdout, stderr, code }: Row): CommandOutput => ({ stdout, stderr, code });

/** Lines of a story, each with its end. */
export const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

const withDir = (env: NonNullable<InProcessOptions["env"]>, { dir }: Workspace): NonNullable<InProcessOptions["env"]> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value?.replace(/^DIR/, dir)]));

/** Without what differs from call to call: the folder, and how long hooks took. */
const normalized = (text: string, { dir }: Workspace): string =>
  text
    .replaceAll(dir, "DIR")
    .replaceAll(/[░█]{20} +\d+ ms/g, "BAR")
    .replaceAll(/"duration_ms":[\d.]+/g, '"duration_ms":0');
