import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProgram } from "../../src/fs/paths.ts";
import { removeTree } from "../../src/fs/remove-tree.ts";
import { userEnvironment, withSearchPath } from "../../src/process/filter-environment.ts";
import { signalGroup } from "../../src/process/kill-descendants.ts";
import type { Interrupt } from "../../src/process/process-request.ts";
import { errnoCode } from "../../src/protocol/errno.ts";
import { fail, ok, ProblemError, type Result } from "../../src/protocol/result.ts";

/** The context in which packs are fetched. */
export interface FetchContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that holds `.kodelet`: folder sources are relative to it. */
  readonly root: string;
  /** Programs in it are not started. */
  readonly projectDir: string;
  readonly homeDir: string | null;
  readonly interrupt: Interrupt;
}

export interface ProgramCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly input?: string;
  /** Variables in addition to those of the user. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stdoutLimitBytes?: number;
}

const TIMEOUT_MS = 5 * 60_000;
const STDOUT_LIMIT_BYTES = 16 * 1024 * 1024;
const STDERR_LIMIT_BYTES = 1024 * 1024;
/** After the exit, for output that is still in the pipe: a password cache or a shared connection of ssh may hold it open. */
const DRAIN_MS = 100;

/** Runs git or npm to its end. Returns its output; the error is the last line that explains the failure. */
export async function runProgram(
  name: "git" | "npm",
  { args, cwd, input, variables, stdoutLimitBytes = STDOUT_LIMIT_BYTES }: ProgramCall,
  context: FetchContext,
): Promise<Result<Buffer, string>> {
  const env = environmentFor(name, context);
  const file = (env.PATH ?? "")
    .split(":")
    .map((folder) => join(folder, name))
    .find(isProgram);
  if (file === undefined) return fail(`${name} is not in PATH`);
  const { execa } = await import("execa");
  const interrupted = new AbortController();
  const stopListening = context.interrupt.listen(() => interrupted.abort());
  if (context.interrupt.raised() !== null) return fail(`${name} was interrupted`);
  const started = execa(file, args, {
    cwd,
    env: { ...env, ...variables },
    extendEnv: false,
    ...(input === undefined ? { stdin: "ignore" } : { input }),
    encoding: "buffer",
    stripFinalNewline: false,
    maxBuffer: { stdout: stdoutLimitBytes, stderr: STDERR_LIMIT_BYTES },
    timeout: TIMEOUT_MS,
    forceKillAfterDelay: 500,
    cancelSignal: interrupted.signal,
    // A session without a terminal: neither git nor ssh can prompt, and all that they start can be killed together.
    detached: true,
    cleanup: false,
    reject: false,
  });
  started.once("exit", () =>
    setTimeout(() => [started.stdout, started.stderr].map((pipe) => pipe?.destroy()), DRAIN_MS),
  );
  const ended = await started;
  stopListening();
  if (!ended.failed) return ok(Buffer.from(ended.stdout));
  // After a success a password cache may stay, which belongs to the user.
  if (started.pid !== undefined) signalGroup(started.pid, "SIGKILL");
  if (ended.timedOut) return fail(`${name} took more than ${TIMEOUT_MS / 60_000} minutes`);
  if (ended.isMaxBuffer) return fail(`${name} printed more than ${stdoutLimitBytes} bytes`);
  if (ended.exitCode === undefined)
    return fail(started.pid === undefined ? `${name}: ${ended.code}` : `${name} was interrupted`);
  return fail(reasonIn(Buffer.from(ended.stderr).toString("utf8")) ?? `${name} exited with ${ended.exitCode}`);
}

/** Variables with which a user configures access to servers: keys, passwords, certificates. */
const CONNECTION =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|SSL_\w+|HTTP_\w+|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM)$/;

/** The user's environment, without variables that point git at another repository or change what it runs. */
function environmentFor(name: "git" | "npm", { env, projectDir, homeDir }: FetchContext): Record<string, string> {
  const isForeign = (key: string): boolean => name === "git" && key.startsWith("GIT_") && !CONNECTION.test(key);
  const variables = Object.entries(userEnvironment(env)).filter(([key]) => !isForeign(key));
  return withSearchPath(Object.fromEntries(variables), { projectDir, homeDir, pathAllow: [] });
}

/** The error of git or npm, without the advice and log paths that follow it. */
function reasonIn(stderr: string): string | null {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const at = lines.findIndex((line) => /^fatal:|^npm error (?!(?:code|syscall|errno|address|port|type) )/.test(line));
  // git reports only that ssh failed; the reason is in the output of ssh.
  const isVague = lines[at]?.includes("Could not read from remote repository") === true && at > 0;
  const reason = lines[isVague ? at - 1 : at] ?? lines.at(-1);
  return reason?.replace(/^(?:fatal|npm error|error):? /, "").replace(/\.$/, "") ?? null;
}

/** Creates a folder that only the user can enter, passes it to `use` and removes it. */
export async function withScratchFolder<T>(source: string, use: (folder: string) => Promise<T>): Promise<T> {
  let folder: string;
  try {
    folder = mkdtempSync(join(tmpdir(), "hookctl-pack-"));
  } catch (error) {
    const cause = `no folder can be created in ${tmpdir()}: ${errnoCode(error) ?? "unknown"}`;
    throw new ProblemError({ code: "PACK_NOT_FETCHED", source, cause });
  }
  try {
    return await use(folder);
  } finally {
    removeTree(folder);
  }
}
