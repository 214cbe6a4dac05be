import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, copyFile } from "node:fs/promises";
import { hasScript } from "../support/on-terminal.ts";
import { PYTHON } from "./bubblewrap.ts";
import { describeProbes } from "./describe-probes.ts";
import { inWorkspace, type Probe } from "./probe.ts";

const forRoot = process.getuid?.() === 0 ? null : "only root can do it without a sandbox";

/** The hook itself says that the kernel let it; nothing of the host is changed by it. */
const says = (title: string, attempt: string, cannot: string | null = forRoot): Probe => ({
  title,
  attempt: `${attempt}\nsaid = "the kernel let it"`,
  arrange: async () => ({ escaped: (said) => said.includes("the kernel let it") }),
  cannot,
});

const CLONE_NEWNS = 0x20000;
const CLONE_NEWUSER = 0x10000000;
/** Makes changes of mounts the hook's own, so that the control does not touch the machine's. */
const OWN_MOUNTS = `
checked(libc.unshare(${CLONE_NEWNS}))
checked(libc.mount(b"none", b"/", None, 0x44000, None))
`;

/** Runs a line of Python on the host before the hook is started, to see whether the control can work. */
const hostAllows = (line: string): boolean =>
  spawnSync(PYTHON, ["-I", "-c", `import ctypes; libc = ctypes.CDLL(None); ${line}`]).status === 0;

const IO_URING_SETUP = `libc.syscall(425, 8, ctypes.byref(ctypes.create_string_buffer(120)))`;

/** The first block device of the machine. */
const DISK = `
disk = os.listdir("/sys/block")[0]
major, minor = read(f"/sys/block/{disk}/dev").split(":")
`;
const hasDisk = existsSync("/sys/block") && spawnSync("ls", ["/sys/block"], { encoding: "utf8" }).stdout.trim() !== "";

describeProbes("mounts, roots and namespaces", [
  says("mounts a file system", `${OWN_MOUNTS}checked(libc.mount(b"none", b"/mnt", b"tmpfs", 0, None))`),
  {
    title: "makes the read-only root writable again",
    attempt: `
try:
    ${OWN_MOUNTS.trim().replaceAll("\n", "\n    ")}
except OSError as error:
    said = str(error)
libc.mount(b"none", b"/", None, 0x1020, None)
libc.mount(b"none", host["dir"].encode(), None, 0x1020, None)
write(host["dir"] + "/out", "x")
`,
    arrange: async (place) => ({ escaped: () => existsSync(inWorkspace(place, "out")) }),
  },
  says("makes a namespace of mounts", `checked(libc.unshare(${CLONE_NEWNS}))`),
  says(
    "makes a namespace of users, in which it would be root",
    `checked(libc.unshare(${CLONE_NEWUSER}))`,
    hostAllows(`exit(libc.unshare(${CLONE_NEWUSER}) != 0)`) ? null : "no user namespaces here",
  ),
  says(
    "makes one with clone, as a new process",
    `
child = checked(libc.syscall(${process.arch === "arm64" ? 220 : 56}, ${CLONE_NEWUSER} | 17, 0, 0, 0, 0))
if child == 0:
    os._exit(0)
`,
    hostAllows(`exit(libc.unshare(${CLONE_NEWUSER}) != 0)`) ? null : "no user namespaces here",
  ),
  says(
    "enters a namespace",
    `
namespace = os.open("/proc/self/ns/mnt", os.O_RDONLY)
checked(libc.setns(namespace, ${CLONE_NEWNS}))
`,
  ),
  says("changes its root", `os.chroot("/usr")`),
  says(
    "opens a file by its handle, past all mounts",
    `
handle = ctypes.create_string_buffer(136)
struct.pack_into("I", handle, 0, 128)
mount = ctypes.c_int()
checked(libc.name_to_handle_at(-100, b"/etc/passwd", handle, ctypes.byref(mount), 0))
root = os.open("/etc", os.O_RDONLY)
os.read(checked(libc.open_by_handle_at(root, handle, 0)), 1)
`,
  ),
]);

describeProbes("devices", [
  says("reads the disk", `${DISK}os.close(os.open("/dev/" + disk, os.O_RDONLY))`, hasDisk ? forRoot : "no disk here"),
  {
    title: "makes a device node of the disk in a folder that was granted",
    attempt: `
${DISK.trim()}
path = host["dir"] + "/project/granted/node"
os.mknod(path, stat.S_IFBLK | 0o600, os.makedev(int(major), int(minor)))
os.close(os.open(path, os.O_RDONLY))
said = "opened"
`,
    arrange: async (place) => {
      await place.write("project/granted/file", "");
      return { escaped: (said) => said.includes("opened") };
    },
    sandbox: { write_paths: ["granted/"] },
    cannot: hasDisk ? forRoot : "no disk here",
  },
  ...["/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/net/tun", "/dev/vsock", "/dev/loop-control"].map((path) =>
    says(`opens ${path}`, `os.open("${path}", os.O_RDONLY)`, existsSync(path) ? forRoot : "not on this machine"),
  ),
  says(
    "sets the program that the kernel starts for a core dump",
    `os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))`,
  ),
  says(
    "presses a key of SysRq",
    `os.close(os.open("/proc/sysrq-trigger", os.O_WRONLY))`,
    existsSync("/proc/sysrq-trigger") ? forRoot : "not on this machine",
  ),
  says(
    "makes a control group",
    `
os.mkdir("/sys/fs/cgroup/hookctl-test")
os.rmdir("/sys/fs/cgroup/hookctl-test")
`,
    existsSync("/sys/fs/cgroup/cgroup.procs") ? forRoot : "no control groups here",
  ),
]);

const KEYRING = process.arch === "arm64" ? 219 : 250;

describeProbes("what processes share", [
  {
    title: "reads shared memory of System V",
    attempt: `said = ctypes.string_at(checked(libc.shmat(host["id"], None, 0o10000)), 20).decode()`,
    arrange: async () => {
      const script = `
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
id = libc.shmget(0, 100, 0o1600)
ctypes.memmove(libc.shmat(id, None, 0), b"canary in memory....", 20)
print(id)
`;
      const id = Number(spawnSync(PYTHON, ["-I", "-c", script], { encoding: "utf8" }).stdout);
      return {
        host: { id },
        escaped: (said) => said.includes("canary"),
        end: () => void spawnSync("ipcrm", ["-m", String(id)]),
      };
    },
  },
  says("reads the user's keys", `checked(libc.syscall(${KEYRING}, 0, -4, 0))`, null),
  says("sets the name of the machine", `socket.sethostname(socket.gethostname())`),
  says("sets the clock", `time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME))`),
  says(
    "loads a program into the kernel",
    `
checked(libc.syscall(${process.arch === "arm64" ? 280 : 321}, 0, struct.pack("IIII", 2, 4, 4, 1) + bytes(60), 76))
`,
  ),
  says(
    "opens an io_uring, which makes sockets past the filter",
    `checked(${IO_URING_SETUP})`,
    hostAllows(`exit(${IO_URING_SETUP} == -1)`) ? null : "no io_uring here",
  ),
  says("reads the log of the kernel", `checked(libc.klogctl(3, ctypes.create_string_buffer(100), 100))`),
]);

const NOBODY = 65_534;

/** A terminal of the host, on which a program waits for a line; escaped: it got one. */
const terminal: Probe["arrange"] = async () => {
  const child = spawn("script", ["-qec", "tty; read line; echo got $line", "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    shown += text;
  });
  await once(child.stdout, "data");
  const path = shown.trim();
  const appears = async (_said: string, patienceMs: number): Promise<boolean> => {
    for (let waitedMs = 0; waitedMs < patienceMs && !shown.includes("from the hook"); waitedMs += 20)
      await new Promise((resume) => setTimeout(resume, 20));
    return shown.includes("from the hook");
  };
  return { host: { path }, escaped: appears, end: () => void child.kill("SIGKILL") };
};

describeProbes("privileges", [
  {
    title: "gets the rights of another user from a setuid program",
    attempt: `said = subprocess.run([host["file"], "-c", "import os; print(os.geteuid())"], capture_output=True).stdout.decode()`,
    arrange: async (place) => {
      const file = inWorkspace(place, "setuid");
      await chmod(place.dir, 0o755);
      await copyFile(PYTHON, file);
      await chown(file, NOBODY, NOBODY);
      await chmod(file, 0o4755);
      return { host: { file }, escaped: (said) => said.includes(String(NOBODY)) };
    },
    cannot: forRoot,
  },
  {
    title: "writes on a terminal of the host",
    attempt: `open(host["path"], "w").write("from the hook")`,
    arrange: terminal,
    cannot: hasScript ? null : "needs script of util-linux",
  },
  {
    title: "types into a terminal of the host",
    attempt: `
import fcntl
terminal = os.open(host["path"], os.O_RDWR)
for key in b"from the hook\\n":
    fcntl.ioctl(terminal, 0x5412, bytes([key]))
`,
    arrange: terminal,
    cannot: hasScript ? forRoot : "needs script of util-linux",
  },
]);
