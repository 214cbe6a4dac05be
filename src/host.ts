import { fstatSync, statSync } from "node:fs";
import type { Host } from "./engine/host.ts";
import { writeAll } from "./fs/write-all.ts";
import { callerVariables } from "./process/filter-environment.ts";
import { type Interrupt, monotonicMs } from "./process/process-request.ts";
import { TERMINATION_SIGNALS } from "./protocol/exit-code.ts";
import { readStdin } from "./stdin.ts";

/** Creates the host of a command from the process that `bin/hookctl.js` passes. */
export function createHost(nodeProcess: NodeJS.Process): Host {
  const { interrupt, hold } = interruptOf(nodeProcess);
  return {
    argv: nodeProcess.argv.slice(2),
    env: callerVariables(nodeProcess.env),
    cwd: workingDirectory(nodeProcess),
    platform: nodeProcess.platform,
    userId: nodeProcess.getuid?.() ?? -1,
    processId: nodeProcess.pid,
    isStdinTerminal: () => isDevice(0) && nodeProcess.stdin.isTTY === true,
    isStdoutTerminal: () => isDevice(1) && nodeProcess.stdout.isTTY === true,
    isStderrTerminal: () => isDevice(2) && nodeProcess.stderr.isTTY === true,
    isStdoutNull: () => isNullDevice(1),
    stdoutColumns: () => (isDevice(1) ? columnsOf(nodeProcess.stdout, nodeProcess.env) : null),
    stderrColumns: () => (isDevice(2) ? columnsOf(nodeProcess.stderr, nodeProcess.env) : null),
    stdoutRows: () => nodeProcess.stdout.rows || null,
    readStdin: (limits) => readStdin(nodeProcess, limits),
    out: (text) => writeAll(1, text),
    err: (text) => void writeAll(2, text),
    nowMs: () => Date.now(),
    elapsedMs: monotonicMs,
    beganMs: monotonicMs() - nodeProcess.uptime() * 1e3,
    random: Math.random,
    interrupt,
    loadGuards: async () => (await import("../packages/guard-hooks/load-guards.ts")).loadGuards(),
    openTerminal: async () => (await import("./terminal.ts")).openTerminal(interrupt, hold),
    readProcesses: async () => (await import("./process/process-table.ts")).readProcessTable(),
    systemPrograms: "/usr/bin",
  };
}

/** The columns of a terminal; a person can set other ones. */
const columnsOf = ({ isTTY, columns }: NodeJS.WriteStream, { COLUMNS }: NodeJS.ProcessEnv): number | null =>
  isTTY ? Number(COLUMNS) || columns || 80 : null;

/** A deleted working directory has no path; the placeholder is a path that does not exist. */
function workingDirectory(nodeProcess: NodeJS.Process): string {
  try {
    return nodeProcess.cwd();
  } catch {
    return "/(deleted working directory)";
  }
}

/** Checked before `isTTY`, which loads Node's network streams even for a pipe and for /dev/null. */
const isDevice = (descriptor: number): boolean => deviceOf(descriptor) === "other";

const isNullDevice = (descriptor: number): boolean => deviceOf(descriptor) === "null";

/** Null for what is no device. */
function deviceOf(descriptor: number): "null" | "other" | null {
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isCharacterDevice()) return null;
    return stats.rdev === statSync("/dev/null").rdev ? "null" : "other";
  } catch {
    return null;
  }
}

/** Adds signal handlers only once something listens: without them a signal ends the process as usual. */
function interruptOf(nodeProcess: NodeJS.Process): { readonly interrupt: Interrupt; readonly hold: () => () => void } {
  const listeners = new Set<(signal: string) => void>();
  let raised: string | null = null;
  let isArmed = false;
  let isHeld = false;
  const raise = (signal: NodeJS.Signals): void => {
    if (isHeld && signal === "SIGINT") return;
    raised ??= signal;
    for (const listener of [...listeners]) listener(signal);
  };
  const arm = (): void => {
    if (!isArmed) for (const signal of TERMINATION_SIGNALS) nodeProcess.on(signal, raise);
    isArmed = true;
  };
  const interrupt: Interrupt = {
    raised: () => raised,
    listen: (onInterrupt) => {
      arm();
      listeners.add(onInterrupt);
      if (raised !== null) onInterrupt(raised);
      return () => void listeners.delete(onInterrupt);
    },
  };
  const hold = (): (() => void) => {
    arm();
    isHeld = true;
    return () => {
      isHeld = false;
    };
  };
  return { interrupt, hold };
}
