import { closeSync, existsSync, readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;
/** Node marks inherited descriptors close-on-exec only up to the first gap above 15. */
const MARKED_BY_NODE = 15;

let isWanted = false;

/**
 * Closes inherited descriptors before the first child starts, so that no hook gets them. For commands, which own their
 * process; a library must not close its host's files. Without /proc (macOS) the system gives a child only what is named.
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
  // The list contains the descriptor it was read through, which is closed by now; a thrown error costs 0.4 ms.
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
