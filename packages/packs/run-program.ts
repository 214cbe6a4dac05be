import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProgram } from "../../src/fs/paths.ts";
import { removeTree } from "../../src/fs/remove-tree.ts";
import { userEnvironment, withSearchPath } from "../../src/process/filter-environment.ts";
import { type Interrupt, processRequest } from "../../src/process/process-request.ts";
import { runProcess } from "../../src/process/run-process.ts";
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

/** Runs git or npm to its end. Returns its output; the error is the last line that explains the failure. */
export async function runProgram(
  name: "git" | "npm",
  { args, cwd, input, variables, stdoutLimitBytes = STDOUT_LIMIT_BYTES }: ProgramCall,
  context: FetchContext,
): Promise<Result<Buffer, string>> {
  const env = environmentFor(name, context);
  const file = findProgram(name, env.PATH ?? "");
  if (file === null) return fail(`${name} is not in PATH`);
  const { termination, stdout, stderr } = await runProcess(
    processRequest({
      file,
      args,
      cwd,
      input: input ?? null,
      env: { ...env, ...variables },
      timeoutMs: TIMEOUT_MS,
      stdoutLimitBytes,
      // A password cache that git starts belongs to the user.
      mayLeaveProcesses: true,
      interrupt: context.interrupt,
    }),
  );
  if (termination.kind === "exited" && termination.exitCode === 0) return ok(Buffer.from(stdout));
  if (termination.kind === "exited") return fail(reasonIn(stderr) ?? `${name} exited with ${termination.exitCode}`);
  if (termination.kind === "timed-out") return fail(`${name} took more than ${TIMEOUT_MS / 60_000} minutes`);
  if (termination.kind === "too-much-output") return fail(`${name} printed more than ${stdoutLimitBytes} bytes`);
  return fail(termination.kind === "not-started" ? `${name}: ${termination.errno}` : `${name} was interrupted`);
}

/** The user's environment, without variables that point git at another repository or change what it runs. */
function environmentFor(name: "git" | "npm", { env, projectDir, homeDir }: FetchContext): Record<string, string> {
  const own = userEnvironment(env);
  const kept = Object.entries(own).filter(([key]) => !(name === "git" && isForeign(key)));
  return withSearchPath(Object.fromEntries(kept), { projectDir, homeDir, pathAllow: [] });
}

/** Variables with which a user configures access to servers: keys, passwords, certificates. */
const CONNECTION =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|SSL_\w+|HTTP_\w+|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM)$/;
const isForeign = (key: string): boolean => key.startsWith("GIT_") && !CONNECTION.test(key);

function findProgram(name: string, path: string): string | null {
  const files = path.split(":").map((folder) => join(folder, name));
  return files.find(isProgram) ?? null;
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
  const folder = scratchFolder(source);
  try {
    return await use(folder);
  } finally {
    removeTree(folder);
  }
}

function scratchFolder(source: string): string {
  try {
    return mkdtempSync(join(tmpdir(), "hookctl-pack-"));
  } catch (error) {
    const cause = `no folder can be created in ${tmpdir()}: ${errnoCode(error) ?? "unknown"}`;
    throw new ProblemError({ code: "PACK_NOT_FETCHED", source, cause });
  }
}
