import { readdirSync, statSync } from "node:fs";
import { isProcOurs, numbersIn, readProc, statFields } from "./proc.ts";

/** A process of this machine, or of this container. */
export interface ProcessRow {
  readonly pid: number;
  /** 0 if the parent is outside this container. */
  readonly parent: number;
  readonly group: number;
  /** The process that leads its session. */
  readonly session: number;
  /** Identifies its controlling terminal; empty if it has none. */
  readonly terminal: string;
  /** The process group that gets the keys typed on that terminal. */
  readonly foreground: number;
  /** When it started: a greater number is later. */
  readonly started: number;
  /** The real user ID, which does not change in a setuid program. */
  readonly userId: number;
  /** Its command line; empty if it cannot be read. */
  readonly args: readonly string[];
}

/** All processes that this one can see, by PID. */
export interface ProcessTable {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  /** True if the service manager started this process, so that it is nobody's orphan. */
  readonly isService: (pid: number) => boolean;
  /** The terminals that a process has open. */
  readonly openTerminals: (pid: number) => readonly string[];
}

/** The processes above this one, the nearest first. */
export function ancestorsOf(pid: number, { rows }: ProcessTable): readonly ProcessRow[] {
  const found: ProcessRow[] = [];
  let row = rows.get(rows.get(pid)?.parent ?? 0);
  // A table that was read while processes ended may contain a cycle of reused PIDs.
  while (row !== undefined && !found.includes(row)) {
    found.push(row);
    row = rows.get(row.parent);
  }
  return found;
}

/** Reads all processes: from /proc, or from `ps` where there is none (macOS). */
export function readProcessTable(): ProcessTable {
  if (!isProcOurs()) return tableOfPs(outputOfPs());
  const rows = new Map<number, ProcessRow>();
  for (const pid of numbersIn("/proc")) {
    const row = rowOf(pid);
    if (row !== null) rows.set(pid, row);
  }
  return { rows, isService: (pid) => isMainProcess(pid, rows), openTerminals };
}

/** The state and the command line of a process; null: it is gone. */
function rowOf(pid: number): ProcessRow | null {
  const fields = statFields(pid);
  const [, parent, group, session, terminal, foreground] = fields.map(Number);
  const userId = /^Uid:\t(\d+)/m.exec(readProc(`/proc/${pid}/status`).toString("latin1"))?.[1];
  if (parent === undefined || group === undefined || session === undefined || userId === undefined) return null;
  return {
    pid,
    parent,
    group,
    session,
    terminal: terminal === 0 ? "" : String(terminal),
    foreground: foreground ?? -1,
    started: Number(fields[19]),
    userId: Number(userId),
    args: readProc(`/proc/${pid}/cmdline`).toString("latin1").split("\0"),
  };
}

/** The oldest process in the control group of a service. An orphan stays in the group of the program that started it. */
function isMainProcess(pid: number, rows: ProcessTable["rows"]): boolean {
  const own = groupText(pid);
  const started = rows.get(pid)?.started ?? 0;
  if (!/^(?:0:|\d+:name=systemd):.*\.service$/m.test(own)) return false;
  return ![...rows.values()].some((row) => row.started < started && groupText(row.pid) === own);
}

const groupText = (pid: number): string => readProc(`/proc/${pid}/cgroup`).toString("latin1");

function openTerminals(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((name) => terminalAt(`${folder}/${name}`));
  } catch {
    return [];
  }
}

function terminalAt(path: string): readonly string[] {
  try {
    const stats = statSync(path);
    return stats.isCharacterDevice() ? [String(stats.rdev)] : [];
  } catch {
    return [];
  }
}

const PS_COLUMNS = "pid=,ppid=,pgid=,tpgid=,uid=,tty=,lstart=,command=";
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(-?\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;

function outputOfPs(): string {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  return spawnSync("/bin/ps", ["-axo", PS_COLUMNS], { encoding: "utf8", env: { LC_ALL: "C" } }).stdout ?? "";
}

/** The table in the output of `ps`, which does not name the leader of a session: it is the terminal's oldest process. */
export function tableOfPs(output: string): ProcessTable {
  const found = output.split("\n").flatMap((line) => {
    const [, pid, parent, group, foreground, userId, tty = "", started = "", command = ""] = PS_LINE.exec(line) ?? [];
    if (pid === undefined) return [];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group), foreground: Number(foreground) };
    const terminal = tty.startsWith("?") || tty === "-" ? "" : tty;
    const at = { terminal, started: Date.parse(started), userId: Number(userId) };
    return [{ ...numbers, ...at, session: 0, args: command.split(" ") }];
  });
  const leaderOf = new Map<string, (typeof found)[number]>();
  for (const row of found) {
    const before = leaderOf.get(row.terminal);
    const isOlder = before === undefined || row.started < before.started;
    if (isOlder || (row.started === before.started && row.pid < before.pid)) leaderOf.set(row.terminal, row);
  }
  const rows = new Map<number, ProcessRow>();
  for (const row of found) {
    rows.set(row.pid, { ...row, session: row.terminal === "" ? row.pid : (leaderOf.get(row.terminal)?.pid ?? 0) });
  }
  const isApplication = (pid: number): boolean => /^\/(?:System\/)?Applications\//.test(rows.get(pid)?.args[0] ?? "");
  return { rows, isService: isApplication, openTerminals: () => [] };
}
