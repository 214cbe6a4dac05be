import { release } from "node:os";
import { join } from "node:path";
import { disk } from "../../src/fs/disk.ts";
import { rootOnlyTest, writeCacheFile } from "../../src/fs/machine-folder.ts";
import { readOwnFile } from "../../src/fs/permissions.ts";
import { readTextFile } from "../../src/fs/read-file.ts";
import { type Interrupt, processRequest } from "../../src/process/process-request.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { ownValue } from "../../src/protocol/own-value.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";
import { truncate } from "../../src/protocol/text/text.ts";
import { bubblewrap } from "./bubblewrap.ts";
import type { Backend } from "./policy.ts";
import { sandboxExec } from "./sandbox-exec.ts";
import { seccompFilter } from "./seccomp.ts";

/** Options of the search for a backend. */
export interface BackendSearch {
  readonly platform: string;
  readonly architecture: string;
  /** Candidate paths of the backend; the first that exists is used. */
  readonly places: readonly string[];
  /** The folder of the cache with the working backend; null: none. */
  readonly cacheDir: string | null;
  readonly interrupt: Interrupt;
}

/** By platform. PATH is the caller's choice, and a repository may hold a program of this name. */
export const BACKEND_PLACES: Readonly<Record<string, readonly string[]>> = {
  linux: ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"],
  darwin: ["/usr/bin/sandbox-exec"],
};

/** The search on this machine. */
export const backendSearch = (cacheDir: string | null, interrupt: Interrupt): BackendSearch => ({
  platform: process.platform,
  architecture: process.arch,
  places: ownValue(BACKEND_PLACES, process.platform) ?? [],
  cacheDir,
  interrupt,
});

/** Finds the backend of this machine and starts a program in it as a test. A failure has the reason. */
export async function findBackend(search: BackendSearch): Promise<Result<Backend, string>> {
  const backend = installedBackend(search);
  if (!backend.ok) return backend;
  const state = search.cacheDir === null ? null : stateOf(backend.value.file);
  const cache = join(search.cacheDir ?? "", "sandbox.json");
  if (state !== null && isRemembered(cache, state)) return backend;
  const cause = await probe(backend.value, search.interrupt);
  if (cause !== null) return fail(cause);
  if (state !== null) remember(cache, state);
  return backend;
}

const ANY_GRANTS = { subprocess: true, unixSockets: false };

function installedBackend({ platform, architecture, places }: BackendSearch): Result<Backend, string> {
  if (platform !== "linux" && platform !== "darwin") return fail(`hookctl has none for ${platform}`);
  const file = places.find((path) => disk.existsSync(path));
  if (file === undefined) return fail(`${platform === "linux" ? "bwrap" : "sandbox-exec"} is not installed`);
  if (!rootOnlyTest()(file)) return fail(`${file} can be changed by users other than root`);
  if (platform === "darwin") return ok(sandboxExec(file));
  if (seccompFilter(ANY_GRANTS, architecture) === null)
    return fail(`hookctl has no system call filter for ${architecture}`);
  return ok(bubblewrap(file, (grants) => seccompFilter(grants, architecture) ?? new Uint8Array()));
}

/** Raised when the options of a start change, so that an older success is ignored. */
const VERSION = 2;

/** Identifies the backend, the kernel and the namespace in which a program was seen to start; null: not known. */
function stateOf(file: string): string | null {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = disk.statSync(file);
    const system = disk.existsSync("/proc/self/ns")
      ? [readTextFile("/proc/sys/kernel/random/boot_id").trim(), disk.readlinkSync("/proc/self/ns/user")]
      : [];
    return [VERSION, file, dev, ino, size, mtimeMs, ctimeMs, release(), process.getuid?.(), ...system].join(" ");
  } catch {
    return null;
  }
}

function isRemembered(cache: string, state: string): boolean {
  try {
    return JSON.parse(readOwnFile(cache)) === state;
  } catch {
    return false;
  }
}

function remember(cache: string, state: string): void {
  try {
    writeCacheFile(cache, JSON.stringify(state));
  } catch {
    // Read-only or full: the next call tries again.
  }
}

const PROBE_TIMEOUT_MS = 10_000;
const STARTED = "started";
const LONGEST_CAUSE = 200;

/** Starts a program inside. Returns why that failed, or null. */
async function probe({ file, wrap }: Backend, interrupt: Interrupt): Promise<string | null> {
  const closed = { ...ANY_GRANTS, network: false, places: [] };
  const { termination, stdout, stderr } = await runProcess(
    processRequest({
      file: "/bin/sh",
      args: ["-c", `echo ${STARTED}`],
      cwd: "/",
      env: {},
      interrupt,
      timeoutMs: PROBE_TIMEOUT_MS,
      stdoutLimitBytes: 1024,
      sandbox: (start) => wrap(start, closed),
    }),
  );
  const isEnded = termination.kind === "exited" && termination.exitCode === 0;
  if (isEnded && Buffer.from(stdout).toString("utf8").trim() === STARTED) return null;
  const ending = termination.kind === "not-started" ? termination.errno : termination.kind;
  const words = stderr.trim().split("\n").at(-1) || ending;
  return truncate(`${file} does not work here: ${words}`, LONGEST_CAUSE);
}
