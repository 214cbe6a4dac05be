import { closeSync, existsSync, readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;
/** Node marks what it was started with up to the first gap above 15; anything later would leak into a child. */
const MARKED_BY_NODE = 15;

let isWanted = false;

/**
 * Asks that what our caller left open is closed before the first child starts, so that no hook finds a door that
 * nobody meant to open (SPEC 5). For a command, which owns its process; a library must not close its host's files.
 * Where there is no /proc (macOS) the system itself hands a child nothing that a spawn does not name.
 */
export function closeInheritedOnFirstStart(): void {
  isWanted = true;
}

export function closeInheritedNow(): void {
  if (!isWanted) return;
  isWanted = false;
  for (const descriptor of openDescriptors()) {
    if (descriptor > MARKED_BY_NODE && isInherited(descriptor)) closeQuietly(descriptor);
  }
}

function openDescriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  const file = `/proc/self/fdinfo/${descriptor}`;
  // The list names the descriptor it was read through, which is gone by now: a thrown error costs 0.4 ms.
  if (!existsSync(file)) return false;
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(file, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // Gone in the meantime.
  }
}
