import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "../support/workspace.ts";

const SRC = fileURLToPath(new URL("../fixtures/hostile", import.meta.url));

/** A repository and a home of one case's own, with the file that a started hook writes. */
export interface Sandbox extends AsyncDisposable {
  readonly dir: string;
  readonly repo: string;
  readonly home: string;
  readonly canary: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs lines of sh in the repository. */
  readonly shell: (lines: readonly string[]) => Promise<void>;
  /** Replaces @CANARY@ and @TOOL@ in the hooks, because hooks do not inherit the environment that would name them. */
  readonly fillPlaceholders: (tool: string) => Promise<void>;
}

export async function openSandbox(): Promise<Sandbox> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "hookctl-hostile-")));
  const [repo, home, canary] = [join(dir, "repo"), join(dir, "home"), join(dir, "canary")];
  const hooks = join(repo, ".kodelet", "hooks");
  for (const folder of [hooks, home]) await mkdir(folder, { recursive: true, mode: 0o755 });
  await chmod(dir, 0o755);
  const env = { PATH: process.env.PATH ?? "", HOME: home, LANG: "C.UTF-8" };
  const shellEnv = { ...env, SRC, REPO: repo, REPO_HOOKS: hooks, CANARY: canary };
  return {
    ...{ dir, repo, home, canary, env },
    shell: async (lines) => {
      for (const line of lines) {
        const { code, stderr } = await runProgram(["/bin/sh", "-c", line], { cwd: repo, env: shellEnv });
        if (code !== 0) throw new Error(`set-up failed: ${line}\n${stderr}`);
      }
    },
    fillPlaceholders: async (tool) => {
      for (const { name, isFile } of await entriesOf(hooks)) {
        if (isFile) await fill(join(hooks, name), { CANARY: canary, TOOL: tool });
      }
    },
    [Symbol.asyncDispose]: async () => {
      spawnSync("chmod", ["-R", "u+w", dir]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const entriesOf = async (folder: string) =>
  (await readdir(folder, { withFileTypes: true })).map((entry) => ({ name: entry.name, isFile: entry.isFile() }));

const LARGEST_SCRIPT_BYTES = 64 * 1024;

async function fill(path: string, values: Readonly<Record<string, string>>): Promise<void> {
  const { size } = await stat(path);
  if (size === 0 || size > LARGEST_SCRIPT_BYTES) return;
  const text = await readFile(path, "latin1");
  const filled = text.replace(/@(CANARY|TOOL)@/g, (whole, name: string) => values[name] ?? whole);
  if (filled !== text) await writeFile(path, filled, "latin1");
}

/** Live processes that a hook of this sandbox left over: by command line, directory or environment. */
export async function processesOf({ dir }: Sandbox): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  const belongs = await Promise.all(pids.map((pid) => isOf(dir, pid)));
  return pids.filter((_pid, index) => belongs[index]);
}

async function isOf(dir: string, pid: number): Promise<boolean> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, "latin1").catch(() => "");
  const [status, ...traces] = await Promise.all([
    ...["stat", "cmdline", "environ"].map(read),
    readlink(`/proc/${pid}/cwd`).catch(() => ""),
  ]);
  const isZombie = /\) Z /.test(status ?? "");
  return !isZombie && traces.some((trace) => trace.includes(dir));
}

const HOLD_OPEN = 'import sys, time\nf = open(sys.argv[1], "r+b")\nprint("held", flush=True)\ntime.sleep(600)';

/** Another process that has the file open for writing. */
export async function holdOpen(path: string): Promise<ChildProcess> {
  const holder = spawn("python3", ["-c", HOLD_OPEN, path], { stdio: ["ignore", "pipe", "ignore"], cwd: "/" });
  await once(holder.stdout, "data");
  return holder;
}
