import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { PYTHON } from "./bubblewrap.ts";
import { describeProbes } from "./describe-probes.ts";
import type { Probe, Scene } from "./probe.ts";

const CANARY = "canary-of-the-host";

interface Victim {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly host: { readonly pid: number };
}

/** Another program of the same user, with a canary in its environment, its arguments and its memory; answers a line. */
async function victim(): Promise<Victim> {
  const script = `
import ctypes, sys, time
memory = ctypes.create_string_buffer(b"${CANARY} in memory")
print(hex(ctypes.addressof(memory)), flush=True)
sys.stdin.readline()
print("unharmed", flush=True)
time.sleep(3000)
`;
  const child = spawn(PYTHON, ["-I", "-c", script, CANARY], {
    env: { VICTIM: CANARY },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [address] = await once(child.stdout, "data");
  return { child, host: { pid: child.pid ?? 0, ...{ address: String(address).trim() } } };
}

/** Escaped: the hook says the canary. */
const reads = (title: string, attempt: string): Probe => ({
  title,
  attempt,
  arrange: async () => {
    const { child, host } = await victim();
    return { host, escaped: (said) => said.includes(CANARY), end: () => void child.kill("SIGKILL") };
  },
});

/** Dead, dying or stopped. */
function isHarmed(pid: number): boolean {
  try {
    return /^State:\s+[tTXZ]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}

/** A signal takes effect before its process runs on, so what answers afterwards got none. */
async function wasHarmed({ child, host }: Victim): Promise<boolean> {
  let hasAnswered = false;
  child.stdout.once("data", () => {
    hasAnswered = true;
  });
  child.stdin.on("error", () => {}).write("\n");
  while (!hasAnswered && !isHarmed(host.pid)) await delay(10);
  return !hasAnswered;
}

/** Escaped: the victim is dead, or does not go on. */
const harms = (title: string, attempt: string): Probe => ({
  title,
  attempt,
  arrange: async () => {
    const one = await victim();
    return { host: one.host, escaped: () => wasHarmed(one), end: () => void one.child.kill("SIGKILL") };
  },
});

/** Escaped: hookctl, or whoever started it, was killed, so that nobody heard the hook's answer. */
const killsItsCaller = (title: string, attempt: string): Probe => ({
  title,
  attempt,
  arrange: async () => ({ escaped: (said) => said.startsWith("exit") }),
});

const SECRET_OF_THE_CALL: Scene["env"] = { NODE_OPTIONS: "--no-deprecation", LD_LIBRARY_PATH: `/nowhere/${CANARY}` };

/** Says the canary if it is found, and nothing of the other processes of the machine. */
const searchProcesses = (file: string): string => `
for one in [entry for entry in os.listdir("/proc") if entry.isdigit()]:
    try:
        if "${CANARY}" in read(f"/proc/{one}/${file}"):
            said = "${CANARY}"
    except OSError:
        pass
`;

describeProbes("other processes", [
  reads("reads the environment of a program", `said = read(f"/proc/{host['pid']}/environ")`),
  reads("reads the arguments of a program", `said = read(f"/proc/{host['pid']}/cmdline")`),
  reads("searches all of /proc for it", searchProcesses("cmdline")),
  reads(
    "reads the memory of a program",
    `
with open(f"/proc/{host['pid']}/mem", "rb") as memory:
    memory.seek(int(host["address"], 16))
    said = memory.read(40).decode(errors="replace")
`,
  ),
  reads(
    "reads it with process_vm_readv",
    `
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

buffer = ctypes.create_string_buffer(40)
local = Piece(ctypes.addressof(buffer), 40)
remote = Piece(int(host["address"], 16), 40)
checked(libc.process_vm_readv(host["pid"], ctypes.byref(local), 1, ctypes.byref(remote), 1, 0))
said = buffer.raw.decode(errors="replace")
`,
  ),
  {
    title: "reads the variables of hookctl that hooks do not get",
    attempt: searchProcesses("environ"),
    arrange: async () => ({ env: SECRET_OF_THE_CALL, escaped: (said) => said.includes(CANARY) }),
  },
  {
    title: "walks to the host's root by the root of another process",
    attempt: `said = read(f"/proc/{host['pid']}/root{host['dir']}/elsewhere/note")`,
    arrange: async (place) => {
      const { child, host } = await victim();
      await place.write("elsewhere/note", CANARY);
      return { host, escaped: (said) => said.includes(CANARY), end: () => void child.kill("SIGKILL") };
    },
  },
  harms("kills a program by its id", `os.kill(host["pid"], signal.SIGKILL)`),
  harms("stops a program", `os.kill(host["pid"], signal.SIGSTOP)`),
  harms(
    "kills a program by a descriptor of it",
    `signal.pidfd_send_signal(os.pidfd_open(host["pid"]), signal.SIGKILL)`,
  ),
  harms("attaches to a program with ptrace", `checked(libc.ptrace(16, host["pid"], 0, 0)); time.sleep(1)`),
  killsItsCaller("kills its parent", `os.kill(os.getppid(), signal.SIGKILL); time.sleep(1)`),
  killsItsCaller(
    "kills hookctl by the peer of its stdin",
    `
SO_PEERCRED = 17
pid = struct.unpack("3i", socket.socket(fileno=os.dup(0)).getsockopt(socket.SOL_SOCKET, SO_PEERCRED, 12))[0]
if pid == 0:
    raise OSError("the peer has no number here")
os.kill(pid, signal.SIGKILL)
time.sleep(1)
`,
  ),
  killsItsCaller(
    "kills hookctl by a descriptor of the peer of its stdin",
    `
SO_PEERPIDFD = 77
descriptor = socket.socket(fileno=os.dup(0)).getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD)
signal.pidfd_send_signal(descriptor, signal.SIGKILL)
time.sleep(1)
`,
  ),
]);
