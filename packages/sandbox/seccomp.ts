import { tableOf } from "../../src/protocol/json/table.ts";
import table from "./syscalls.json" with { type: "json" };

/** The grants of a hook that affect system calls. */
export interface SyscallGrants {
  /** False: the hook cannot start processes. Threads and replacing itself (`execve`) are still allowed. */
  readonly subprocess: boolean;
  readonly unixSockets: boolean;
}

/** Numbers of a system call on x64 and arm64; null where it does not exist. */
type SyscallNumbers = readonly [x64: number | null, arm64: number | null];

/**
 * System calls with any arguments: `forbidden` are refused with EPERM; `hidden` are reported as unknown, so that programs use the
 * older call, whose arguments a filter can see.
 */
const SYSCALLS =
  tableOf<
    Readonly<Record<"forbidden" | "hidden", readonly { readonly calls: Readonly<Record<string, SyscallNumbers>> }[]>>
  >(table);

/** Higher numbers were not reviewed (467 is `open_tree_attr`); the calls of the x32 ABI begin at 2^30. */
const LAST_REVIEWED = 466;

const SOCKET: SyscallNumbers = [41, 198];
const SOCKETPAIR: SyscallNumbers = [53, 199];
const IOCTL: SyscallNumbers = [16, 29];
const CLONE: SyscallNumbers = [56, 220];
const FORKS: readonly SyscallNumbers[] = [
  [57, null],
  [58, null],
];

/** IPv4, IPv6 and netlink belong to the network namespace. Others, such as AF_UNIX and AF_VSOCK, may reach the host. */
const OPEN_FAMILIES = [2, 10, 16];
const AF_UNIX = 1;
const SOCKET_TYPE_MASK = 0xf;
/** SOCK_STREAM and SOCK_SEQPACKET stay connected to each other; a datagram socket can be sent anywhere. */
const CONNECTED_TYPES = [1, 5];
/** TIOCSTI and TIOCLINUX type into a terminal. */
const TYPING_REQUESTS = [0x5412, 0x541c];
const CLONE_THREAD = 0x00010000;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NAMESPACES = 0x7e020000;

const EPERM = 1;
const ENOSYS = 38;

/** One `struct sock_filter` of classic BPF. */
interface Instruction {
  readonly code: number;
  readonly jumpIfTrue: number;
  readonly jumpIfFalse: number;
  readonly operand: number;
}

const LOAD = 0x20;
const AND = 0x54;
const RETURN = 0x06;
const JUMP = { equal: 0x15, atLeast: 0x35, anyBit: 0x45 } as const;

const statement = (code: number, operand: number): Instruction => ({ code, jumpIfTrue: 0, jumpIfFalse: 0, operand });

const allow = [statement(RETURN, 0x7fff0000)];
const killProcess = [statement(RETURN, 0x80000000)];
const failWith = (errno: number): readonly Instruction[] => [statement(RETURN, 0x00050000 + errno)];

/** Each body ends with a return, so the next instruction is reached only if the condition is false. */
const when = (condition: keyof typeof JUMP, operand: number, body: readonly Instruction[]): readonly Instruction[] => [
  { code: JUMP[condition], jumpIfTrue: 0, jumpIfFalse: body.length, operand },
  ...body,
];

const unlessEqual = (operand: number, body: readonly Instruction[]): readonly Instruction[] => [
  { code: JUMP.equal, jumpIfTrue: body.length, jumpIfFalse: 0, operand },
  ...body,
];

/** Offsets in `struct seccomp_data`. */
const loadNumber = statement(LOAD, 0);
const loadArchitecture = statement(LOAD, 4);
/** The low half: all arguments that are checked here are 32 bits wide, and the kernel ignores the rest. */
const loadArgument = (index: number): Instruction => statement(LOAD, 16 + 8 * index);

const allowEach = (values: readonly number[]): readonly Instruction[] =>
  values.flatMap((value) => when("equal", value, allow));

const socketRule = ({ unixSockets }: SyscallGrants): readonly Instruction[] => [
  loadArgument(0),
  ...allowEach(unixSockets ? [AF_UNIX, ...OPEN_FAMILIES] : OPEN_FAMILIES),
  ...failWith(EPERM),
];

/** Node and Python connect themselves to their children with a pair. */
const socketPairRule = ({ unixSockets }: SyscallGrants): readonly Instruction[] => [
  ...[loadArgument(0), ...unlessEqual(AF_UNIX, failWith(EPERM))],
  ...(unixSockets ? allow : []),
  ...[loadArgument(1), statement(AND, SOCKET_TYPE_MASK), ...allowEach(CONNECTED_TYPES), ...failWith(EPERM)],
];

const ioctlRule = [
  loadArgument(1),
  ...TYPING_REQUESTS.flatMap((request) => when("equal", request, failWith(EPERM))),
  ...allow,
];

const cloneRule = ({ subprocess }: SyscallGrants): readonly Instruction[] => [
  loadArgument(0),
  ...when("anyBit", CLONE_NAMESPACES, failWith(EPERM)),
  ...(subprocess ? allow : [...when("anyBit", CLONE_THREAD, allow), ...failWith(EPERM)]),
];

type Rule = readonly [call: SyscallNumbers, body: readonly Instruction[]];

function rulesFor(grants: SyscallGrants): readonly Rule[] {
  const rulesOf = (kind: keyof typeof SYSCALLS, errno: number) =>
    SYSCALLS[kind].flatMap(({ calls }) => Object.values(calls).map((call): Rule => [call, failWith(errno)]));
  return [
    ...rulesOf("forbidden", EPERM),
    ...rulesOf("hidden", ENOSYS),
    ...(grants.subprocess ? [] : FORKS.map((call): Rule => [call, failWith(EPERM)])),
    [SOCKET, socketRule(grants)],
    [SOCKETPAIR, socketPairRule(grants)],
    [IOCTL, ioctlRule],
    [CLONE, cloneRule(grants)],
  ];
}

/** Values of `process.arch`, the kernel's names for them, and their column in the tables above. */
const ARCHITECTURES: ReadonlyMap<string, { readonly audit: number; readonly column: 0 | 1 }> = new Map([
  ["x64", { audit: 0xc000003e, column: 0 }],
  ["arm64", { audit: 0xc00000b7, column: 1 }],
]);

/**
 * The filter for `bwrap --seccomp`; null if this architecture (`process.arch`) has none. A program of another
 * architecture, such as 32-bit code on x64, is killed with SIGSYS at its first system call.
 */
export function seccompFilter(grants: SyscallGrants, architecture: string): Uint8Array | null {
  const target = ARCHITECTURES.get(architecture);
  if (target === undefined) return null;
  const { audit, column } = target;
  const rules = rulesFor(grants).flatMap(([call, body]) => {
    const number = call[column];
    return number === null ? [] : when("equal", number, body);
  });
  return encode([
    ...[loadArchitecture, ...unlessEqual(audit, killProcess)],
    ...[loadNumber, ...when("atLeast", LAST_REVIEWED + 1, failWith(ENOSYS))],
    ...rules,
    ...allow,
  ]);
}

/** Both architectures are little-endian. */
function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [index, { code, jumpIfTrue, jumpIfFalse, operand }] of program.entries()) {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, jumpIfTrue);
    bytes.setUint8(index * 8 + 3, jumpIfFalse);
    bytes.setUint32(index * 8 + 4, operand, true);
  }
  return new Uint8Array(bytes.buffer);
}
