import { randomInt } from "node:crypto";
import { chmod, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { test } from "vitest";
import { hookScript } from "./shell.ts";

export const mainScript = fileURLToPath(new URL("../../bin/hookctl.js", import.meta.url));

/** Another program to test in place of bin/hookctl.js; undefined: none. */
export const OTHER_BIN = process.env.HOOKCTL_BIN;

/** HOOKCTL_TEST_FRONT=1: the calls of `bridge` go through the front program, and a server answers them. */
export const IS_THROUGH_FRONT = OTHER_BIN === undefined && process.env.HOOKCTL_TEST_FRONT !== undefined;
const throughFront = fileURLToPath(new URL("through-front.sh", import.meta.url));

/** The words that start hookctl. */
export const HOOKCTL: readonly string[] =
  OTHER_BIN === undefined ? (IS_THROUGH_FRONT ? [throughFront] : [process.execPath, mainScript]) : [OTHER_BIN];
export const [HOOKCTL_PROGRAM = "", ...HOOKCTL_WORDS] = HOOKCTL;

/** Starts the bin/hookctl.js that follows it with a process table in which a person called. */
export const personScript = fileURLToPath(new URL("../../tools/as-person.cjs", import.meta.url));
/** The words that start hookctl as a person calls it; another program has no such way in. */
export const AS_PERSON = OTHER_BIN === undefined ? [process.execPath, personScript, mainScript] : HOOKCTL;
const FOR_PERSONS = [
  "trust",
  "untrust",
  "edit",
  "add",
  "update",
  "remove",
  "disable",
  "enable",
  "uninstall",
  "adopt",
  "seal",
  "restore",
  "config",
];
/** These words are also values of options. */
const RULE_COMMANDS = ["block", "ask", "allow"];

/** Tests have no terminal: commands for persons start with a process table in which a person called. */
export const programFor = (args: readonly string[]): readonly string[] =>
  RULE_COMMANDS.includes(args[0] ?? "") || args.some((arg) => FOR_PERSONS.includes(arg) || arg === "--fail-open")
    ? AS_PERSON
    : HOOKCTL;

/** For a test that loads a module of its own into hookctl, which only Node does. */
export const testOnNode = test.skipIf(OTHER_BIN !== undefined);

/** Far more than any call takes, also on a busy machine: no test measures time with it. */
export const HANG_TIMEOUT_MS = 120_000;

/** How a call of hookctl ended. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: string | null;
}

export interface HookOptions {
  /** Default `user`: such a hook needs no approval. */
  readonly scope?: "project" | "user";
  readonly mode?: number;
  /** What it prints when it is asked `hook`. Default `before_tool_call`. */
  readonly says?: string;
  /** A plugin `org@repo` that brings the hook. */
  readonly plugin?: string;
}

export interface CallOptions {
  /** Default: none, stdin ends at once. */
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the project. */
  readonly cwd?: string;
}

export interface Workspace extends AsyncDisposable {
  readonly dir: string;
  readonly home: string;
  readonly project: string;
  /** Writes an executable: lines for sh, or a whole file that begins with `#!` (or with anything, given `mode`). */
  readonly hook: (name: string, body: string, options?: HookOptions) => Promise<string>;
  /** Writes a file below the workspace, folders included, and gives its path. */
  readonly write: (path: string, text: string | Uint8Array, mode?: number) => Promise<string>;
  /** The text of a file below the workspace; null when there is none. */
  readonly read: (path: string) => Promise<string | null>;
  /** Starts hookctl with a clean environment and waits for its end. */
  readonly run: (args: readonly string[], options?: CallOptions) => Promise<CommandResult>;
  /** The environment that `run` gives. */
  readonly env: Readonly<Record<string, string>>;
}

/** Letters of which no word of the redactor can be made: a path with `key` in it loads the redactor, once in 500 paths of mkdtemp. */
const PLAIN_LETTERS = "bfghjlnqvz";

async function newFolder(parent: string): Promise<string> {
  const letters = Array.from({ length: 10 }, () => PLAIN_LETTERS[randomInt(PLAIN_LETTERS.length)]);
  const folder = join(await realpath(parent), `hookctl-test-${letters.join("")}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** A folder below the system's temporary one, with a home and a project of its own; gone when the test is over. */
export async function workspace(parent = tmpdir()): Promise<Workspace> {
  const dir = await newFolder(parent);
  const [home, project] = [join(dir, "home"), join(dir, "project")];
  await Promise.all([home, join(project, ".kodelet", "hooks")].map((folder) => mkdir(folder, { recursive: true })));
  const env = { HOME: home, PATH: "/usr/bin:/bin" };
  const write = async (path: string, text: string | Uint8Array, mode = 0o644): Promise<string> => {
    const file = resolve(dir, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await chmod(file, mode);
    return file;
  };
  return {
    ...{ dir, home, project, env, write },
    hook: (name, body, { scope = "user", mode = 0o755, says = "before_tool_call", plugin } = {}) => {
      const folder = plugin === undefined ? "hooks" : join("plugins", plugin, "hooks");
      return write(join(scope === "user" ? home : project, ".kodelet", folder, name), hookScript(body, says), mode);
    },
    read: (path) => readFile(resolve(dir, path), "utf8").catch(() => null),
    run: (args, options = {}) =>
      runProgram([...programFor(args), ...args], {
        cwd: project,
        ...options,
        env: { ...env, ...options.env },
      }),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** A warning that Node prints in a process under test is an error. */
export function failOnWarning(stderr: string): void {
  const [warning] = /^\(node:\d+\) .*Warning: .*$/m.exec(stderr) ?? [];
  if (warning !== undefined) throw new Error(warning);
}

/** Starts any program with exactly this environment. A program that still runs after HANG_TIMEOUT_MS has hung, and the test fails. */
export async function runProgram(
  [file = "", ...args]: readonly string[],
  options: CallOptions,
): Promise<CommandResult> {
  const result = await execa(file, args, {
    cwd: options.cwd ?? "/",
    env: { ...options.env },
    extendEnv: false,
    input: options.stdin ?? "",
    reject: false,
    stripFinalNewline: false,
    timeout: HANG_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  failOnWarning(result.stderr);
  return {
    stdout: result.stdout,
    stderr: result.stderr,
    code: result.exitCode ?? null,
    signal: result.signal ?? null,
  };
}
