import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seccompFilter } from "../../packages/sandbox/seccomp.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { type Decision, decide } from "./bpf.ts";

const EPERM = { errno: 1 };
const ENOSYS = { errno: 38 };

/** The kernel's headers, of which both kinds of machine have the generic one. */
const MACHINES = {
  x64: { audit: 0xc000003e, header: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h" },
  arm64: { audit: 0xc00000b7, header: "/usr/include/asm-generic/unistd.h" },
} as const;
type Machine = keyof typeof MACHINES;
const machines = Object.keys(MACHINES) as Machine[];

const filterFor = (machine: string, subprocess: boolean): Uint8Array => {
  const filter = seccompFilter({ subprocess, unixSockets: false }, machine);
  if (filter === null) throw new Error(`no filter for ${machine}`);
  return filter;
};

const call = (machine: Machine, subprocess: boolean, number: number, ...args: readonly (number | bigint)[]): Decision =>
  decide(filterFor(machine, subprocess), { architecture: MACHINES[machine].audit, number, args: args.map(BigInt) });

/** The names and numbers of the system calls that a header defines. */
function numbersIn(header: string): ReadonlyMap<string, number> {
  const lines = readFileSync(header, "utf8").matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm);
  return new Map([...lines].map(([, name = "", number]) => [name, Number(number)]));
}

const REFUSED = [
  ...["acct", "add_key", "adjtimex", "bpf", "chroot", "clock_adjtime", "clock_settime", "delete_module"],
  ...["fanotify_init", "finit_module", "init_module", "ioperm", "iopl", "kcmp", "kexec_file_load", "kexec_load"],
  ...["keyctl", "lookup_dcookie", "migrate_pages", "modify_ldt", "mount", "move_pages", "name_to_handle_at"],
  ...["nfsservctl", "open_by_handle_at", "perf_event_open", "pidfd_getfd", "pivot_root", "process_madvise"],
  ...["process_vm_readv", "process_vm_writev", "ptrace", "quotactl", "quotactl_fd", "reboot", "request_key"],
  ...["setdomainname", "sethostname", "setns", "settimeofday", "socket", "socketpair", "swapoff", "swapon", "syslog"],
  ...["umount2", "unshare", "uselib", "userfaultfd", "vhangup"],
];
const UNKNOWN = [
  ...["clone3", "fsconfig", "fsmount", "fsopen", "fspick", "io_uring_enter", "io_uring_register", "io_uring_setup"],
  ...["mount_setattr", "move_mount", "open_tree"],
];

describe.each(machines)("the filter for %s", (machine) => {
  const { header } = MACHINES[machine];

  /** Arguments of zero: no thread, no family of sockets that is open. */
  const refusedNames = (subprocess: boolean, expected: Decision): readonly string[] =>
    [...numbersIn(header)]
      .filter(([, number]) => JSON.stringify(call(machine, subprocess, number, 0, 0)) === JSON.stringify(expected))
      .map(([name]) => name)
      .sort();
  const known = (names: readonly string[]): readonly string[] => {
    const defined = numbersIn(header);
    return names.filter((name) => defined.has(name)).sort();
  };

  test.runIf(existsSync(header))("refuses exactly these calls of the kernel's header", () => {
    expect(refusedNames(true, EPERM)).toEqual(known(REFUSED));
    expect(refusedNames(true, ENOSYS)).toEqual(known(UNKNOWN));
  });

  test.runIf(existsSync(header))("with `subprocess: false` refuses the creation of processes too", () => {
    expect(refusedNames(false, EPERM)).toEqual(known([...REFUSED, "fork", "vfork", "clone"]));
    expect(refusedNames(false, ENOSYS)).toEqual(known(UNKNOWN));
  });

  test("is as the kernel takes it: whole instructions, at most 4096, no jump past the end", () => {
    for (const filter of [filterFor(machine, true), filterFor(machine, false)]) {
      expect(filter.byteLength % 8).toBe(0);
      expect(filter.byteLength / 8).toBeLessThanOrEqual(4096);
      const instructions = filter.byteLength / 8;
      const isJump = (at: number): boolean => ((filter[8 * at] ?? 0) & 7) === 5;
      const jumps = Array.from({ length: instructions }, (_, at) => at).filter(isJump);
      expect(jumps.length).toBeGreaterThan(50);
      for (const at of jumps)
        expect(at + 1 + Math.max(filter[8 * at + 2] ?? 0, filter[8 * at + 3] ?? 0)).toBeLessThan(instructions);
    }
  });

  test("kills a program of another architecture, whatever it calls", () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.nat(500), fc.boolean(), (architecture, number, subprocess) => {
        fc.pre(architecture !== MACHINES[machine].audit);
        expect(decide(filterFor(machine, subprocess), { architecture, number, args: [] })).toBe("kill");
      }),
      propertyRuns(1_000),
    );
    const i386 = { architecture: 0x40000003, number: 1, args: [] };
    expect(decide(filterFor(machine, true), i386)).toBe("kill");
  });

  test("knows no call that was added after the review, and none of x32", () => {
    fc.assert(
      fc.property(fc.integer({ min: 467, max: 0xffffffff }), fc.boolean(), (number, subprocess) => {
        expect(call(machine, subprocess, number)).toEqual(ENOSYS);
      }),
      propertyRuns(1_000),
    );
    const x32Socket = 0x40000000 + 41;
    expect(call(machine, true, x32Socket, 1, 1)).toEqual(ENOSYS);
  });

  test("the high half of an argument changes nothing, as the kernel does not read it", () => {
    const numbers = [16, 29, 41, 53, 56, 198, 199, 220];
    const low = fc.constantFrom(...[0, 1, 2, 3, 5, 10, 16, 17, 38, 40, 0x801, 0x5412, 0x10000, 0x10000000]);
    fc.assert(
      fc.property(
        ...[fc.constantFrom(...numbers), fc.tuple(low, low), fc.tuple(fc.nat(), fc.nat()), fc.boolean()],
        (number, args, high, subprocess) => {
          const wide = args.map((arg, index) => BigInt(arg) | (BigInt(high[index] ?? 0) << 32n));
          expect(call(machine, subprocess, number, ...wide)).toEqual(call(machine, subprocess, number, ...args));
        },
      ),
      propertyRuns(2_000),
    );
  });

  test("what is refused to a hook with subprocesses is refused without them", () => {
    const args = fc.array(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(470), args, (number, given) => {
        fc.pre(call(machine, true, number, ...given) !== "allow");
        expect(call(machine, false, number, ...given)).toEqual(call(machine, true, number, ...given));
      }),
      propertyRuns(2_000),
    );
  });
});

const CALLS = {
  x64: { socket: 41, socketpair: 53, ioctl: 16, clone: 56, execve: 59 },
  arm64: { socket: 198, socketpair: 199, ioctl: 29, clone: 220, execve: 221 },
} as const;
type CallName = keyof (typeof CALLS)["x64"];

const [STREAM, DATAGRAM, RAW, SEQPACKET] = [1, 2, 3, 5];
const CLOEXEC = 0x80000;
const [THREAD, VFORK] = [0x3d0f00, 0x4111];

describe.each(machines)("on %s", (machine) => {
  test.each<readonly [string, CallName, readonly number[], Decision, Decision]>([
    ["socket(AF_UNIX)", "socket", [1, STREAM], EPERM, EPERM],
    ["socket(AF_UNIX, datagram)", "socket", [1, DATAGRAM], EPERM, EPERM],
    ["socket(AF_INET)", "socket", [2, STREAM | CLOEXEC], "allow", "allow"],
    ["socket(AF_INET6)", "socket", [10, DATAGRAM], "allow", "allow"],
    ["socket(AF_NETLINK)", "socket", [16, RAW], "allow", "allow"],
    ["socket(AF_PACKET)", "socket", [17, RAW], EPERM, EPERM],
    ["socket(AF_ALG)", "socket", [38, SEQPACKET], EPERM, EPERM],
    ["socket(AF_VSOCK)", "socket", [40, STREAM], EPERM, EPERM],
    ["socketpair of streams", "socketpair", [1, STREAM | CLOEXEC], "allow", "allow"],
    ["socketpair of packets in order", "socketpair", [1, SEQPACKET], "allow", "allow"],
    ["socketpair of datagrams, which can be sent to any path", "socketpair", [1, DATAGRAM], EPERM, EPERM],
    ["socketpair of raw sockets, which are datagrams here", "socketpair", [1, RAW | CLOEXEC], EPERM, EPERM],
    ["socketpair of another family", "socketpair", [30, STREAM], EPERM, EPERM],
    ["TIOCSTI", "ioctl", [0, 0x5412], EPERM, EPERM],
    ["TIOCLINUX", "ioctl", [0, 0x541c], EPERM, EPERM],
    ["TCGETS", "ioctl", [0, 0x5401], "allow", "allow"],
    ["a thread", "clone", [THREAD], "allow", "allow"],
    ["fork", "clone", [17], "allow", EPERM],
    ["vfork", "clone", [VFORK], "allow", EPERM],
    ["a user namespace", "clone", [0x10000000 | 17], EPERM, EPERM],
    ["a thread with a network namespace", "clone", [0x40000000 | THREAD], EPERM, EPERM],
    ["execve, with which bubblewrap starts the hook", "execve", [], "allow", "allow"],
  ])("%s", (_title, name, args, withSubprocesses, without) => {
    expect(call(machine, true, CALLS[machine][name], ...args)).toEqual(withSubprocesses);
    expect(call(machine, false, CALLS[machine][name], ...args)).toEqual(without);
  });
});

test.each(["arm", "ia32", "riscv64", "ppc64", "toString", ""])("there is no filter for %j", (architecture) => {
  expect(seccompFilter({ subprocess: true, unixSockets: false }, architecture)).toBeNull();
});
