import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rootOnlyFault } from "../../src/fs/machine-folder.ts";
import { AS_USER, canSwitchUser, WHY_SKIPPED } from "./as-user.ts";
import { hookScript } from "./shell.ts";
import {
  type CallOptions,
  type CommandResult,
  mainScript,
  OTHER_BIN,
  programFor,
  runProgram,
  type Workspace,
} from "./workspace.ts";

const IN_NAMESPACE = ["unshare", "--mount", "--propagation", "private"];

/** What the programs of these tests need of this machine's `/etc`: to copy all of it takes longer than most tests. */
const READ_BY_PROGRAMS = ["passwd", "group", "nsswitch.conf", "ld.so.cache", "localtime", "profile", "alternatives"];

/** Why the machine's folder cannot be tried here; empty: it can. */
export const WHY_NO_MACHINE = whyNot();

const unsafePart = (OTHER_BIN === undefined ? [process.execPath, dirname(dirname(mainScript))] : [OTHER_BIN])
  .map(rootOnlyFault)
  .find((cause) => cause !== null);
/** Why this hookctl cannot be registered for the whole machine; empty: it can. */
export const WHY_NOT_INSTALLED =
  WHY_NO_MACHINE || (unsafePart == null ? "" : `: skipped, a user could replace this hookctl: ${unsafePart}`);

function whyNot(): string {
  if (process.platform !== "linux") return ": skipped, needs mount namespaces";
  if (process.getuid?.() !== 0) return ": skipped, only root can set up a machine's folder";
  if (!canSwitchUser) return WHY_SKIPPED;
  const [file = "", ...args] = [...IN_NAMESPACE, "mount", "--bind", "/tmp", "/etc"];
  return spawnSync(file, args).status === 0 ? "" : ": skipped, mount namespaces are not permitted here";
}

/** An `/etc` and a `/var/cache` for the calls of one test; those of this machine stay as they are. */
export interface Machine extends AsyncDisposable {
  /** `/etc` as the calls see it. */
  readonly etc: string;
  readonly cache: string;
  /** Writes a file below /etc as root. */
  readonly write: (path: string, text: string, mode?: number) => Promise<string>;
  /** Writes a hook of the machine; it answers with these lines of sh. */
  readonly hook: (name: string, body: string, says?: string) => Promise<string>;
  /** Starts hookctl as somebody who is not root. */
  readonly runAsUser: (place: Workspace, args: readonly string[], options?: CallOptions) => Promise<CommandResult>;
  readonly runAsRoot: (place: Workspace, args: readonly string[], options?: CallOptions) => Promise<CommandResult>;
  /** Starts any words there as root. */
  readonly start: (words: readonly string[], options?: CallOptions) => Promise<CommandResult>;
}

export async function machine(): Promise<Machine> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "hookctl-machine-")));
  await chmod(dir, 0o755);
  const [etc, cache] = [join(dir, "etc"), join(dir, "cache")];
  await Promise.all([etc, cache].map((folder) => mkdir(folder)));
  spawnSync("cp", ["-a", ...READ_BY_PROGRAMS.map((name) => join("/etc", name)), etc]);
  const write = async (path: string, text: string, mode = 0o644): Promise<string> => {
    const file = join(etc, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, text);
    await chmod(file, mode);
    return file;
  };
  const mounts = `mount --bind "$0/etc" /etc && mount --bind "$0/cache" /var/cache && exec "$@"`;
  const start: Machine["start"] = (words, options = {}) =>
    runProgram([...IN_NAMESPACE, "/bin/sh", "-c", mounts, dir, ...words], {
      ...options,
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...options.env },
    });
  const hookctl =
    (before: readonly string[]) =>
    (place: Workspace, args: readonly string[], options: CallOptions = {}) =>
      start([...before, ...programFor(args), ...args], {
        cwd: place.project,
        ...options,
        env: { ...place.env, ...options.env },
      });
  return {
    ...{ etc, cache, write, start },
    hook: (name, body, says = "before_tool_call") => write(`hookctl/hooks/${name}`, hookScript(body, says), 0o755),
    runAsUser: hookctl(AS_USER),
    runAsRoot: hookctl([]),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}
