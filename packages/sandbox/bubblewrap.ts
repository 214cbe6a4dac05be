import { constants } from "node:os";
import { isRealFolder } from "../../src/fs/paths.ts";
import type { ProgramStart } from "../../src/process/process-request.ts";
import { type Termination, TOKEN_VARIABLE } from "../../src/process/process-request.ts";
import { ownValue } from "../../src/protocol/own-value.ts";
import { type Backend, inMountOrder, type Place, type SandboxPolicy } from "./policy.ts";

/** bubblewrap. It reads its options from a pipe: their number is not limited, and other users do not see them. */
export const bubblewrap = (file: string, seccomp: (policy: SandboxPolicy) => Uint8Array): Backend => ({
  name: "bubblewrap",
  file,
  wrap: (start, policy) => ({
    file,
    // The descriptors of the two inputs and of the report.
    args: ["--args", "3", "--seccomp", "4", "--json-status-fd", "5", "--", start.file, ...start.args],
    // A variable must not change what bubblewrap itself does or loads; the token finds its processes.
    env: TOKEN_VARIABLE in start.env ? { [TOKEN_VARIABLE]: start.env[TOKEN_VARIABLE] ?? "" } : {},
    cwd: "/",
    inputs: [nulSeparated(bubblewrapOptions(start, policy)), seccomp(policy)],
    monitor: { readExit, firstInside },
  }),
});

const nulSeparated = (options: readonly string[]): Uint8Array =>
  new TextEncoder().encode(options.map((option) => `${option}\0`).join(""));

/** Flags without a value. */
const FLAGS = "--unshare-user-try --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try".split(" ");

/** The options for a policy, without the program. */
export const policyOptions = ({ network, places }: SandboxPolicy): readonly string[] => [
  ...FLAGS,
  ...(network ? [] : ["--unshare-net"]),
  "--cap-drop",
  "ALL",
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  // Settings of the kernel are files in /proc, and root may write them without any capability.
  "--remount-ro",
  "/proc",
  ...inMountOrder(places).flatMap(mountOptions),
  // A file that is left in a hidden folder would be lost, and the program would not know.
  ...[...hiddenFolders(places), "/dev"].flatMap((path) => ["--remount-ro", path]),
];

function bubblewrapOptions({ cwd, env, mayLeaveProcesses }: ProgramStart, policy: SandboxPolicy): readonly string[] {
  return [
    ...(mayLeaveProcesses ? [] : ["--die-with-parent"]),
    ...policyOptions(policy),
    "--clearenv",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    cwd,
  ];
}

function mountOptions({ path, access, from }: Place): readonly string[] {
  if (access === "read" || (access === "hidden" && from !== undefined)) return ["--ro-bind", from ?? path, path];
  if (access === "write" || from !== undefined) return ["--bind", from ?? path, path];
  return access === "own" || isRealFolder(path) ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

const hiddenFolders = (places: readonly Place[]): readonly string[] =>
  places.flatMap(({ path, access, from }) =>
    access === "hidden" && from === undefined && isRealFolder(path) ? [path] : [],
  );

/** bubblewrap reports an exit only of a program that it has started. */
function readExit(report: string, _: number, stderr: string): Termination {
  const code = /"exit-code": (\d+)/.exec(report)?.[1];
  if (code === undefined) return { kind: "not-started", errno: startFault(stderr) };
  const signal = SIGNALS.get(Number(code) - SIGNAL_OFFSET);
  return signal === undefined ? { kind: "exited", exitCode: Number(code) } : { kind: "signalled", signal };
}

function firstInside(report: string): number | null {
  const pid = /"child-pid": (\d+)/.exec(report)?.[1];
  return pid === undefined ? null : Number(pid);
}

/** As a shell does, bubblewrap exits with 128 + the signal that killed its program. */
const SIGNAL_OFFSET = 128;
/** Some numbers have two names; Node uses the first. */
const SIGNALS: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name] as const),
);

function startFault(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.startsWith("bwrap: "));
  const last = lines.at(-1) ?? "bwrap exited without a message";
  const words = /^bwrap: execvp .*: (.*)$/s.exec(last)?.[1];
  return words === undefined ? `its sandbox did not start: ${last}` : (ownValue(ERRNO_OF_WORDS, words) ?? words);
}

/** The texts of libc, which bubblewrap prints in place of an errno. */
const ERRNO_OF_WORDS: Readonly<Record<string, string>> = {
  "No such file or directory": "ENOENT",
  "Permission denied": "EACCES",
  "Exec format error": "ENOEXEC",
  "Text file busy": "ETXTBSY",
  "Argument list too long": "E2BIG",
  "Resource temporarily unavailable": "EAGAIN",
  "Cannot allocate memory": "ENOMEM",
};
