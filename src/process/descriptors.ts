import { openSync, readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;
/** Node marks what it was started with up to the first gap above 15; anything later may leak into a child. */
const MARKED_BY_NODE = 15;

/**
 * stdio for a child: three pipes, and /dev/null laid over each descriptor that hookctl's caller left open.
 * Node can neither close nor mark them, and a hook must not find a door that nobody meant to open.
 */
export function childStdio(input: "pipe" | "ignore"): ("pipe" | "ignore" | number)[] {
  const leaked = leakedDescriptors();
  const stdio: ("pipe" | "ignore" | number)[] = [input, "pipe", "pipe"];
  if (leaked.length === 0) return stdio;
  const nowhere = openSync("/dev/null", "r+");
  while (stdio.length <= Math.max(...leaked)) stdio.push("ignore");
  for (const descriptor of leaked) stdio[descriptor] = nowhere;
  return stdio;
}

let known: readonly number[] | null = null;

/** Looked up once: what the caller left open was open before our first child. */
function leakedDescriptors(): readonly number[] {
  known ??= listDescriptors().filter((descriptor) => descriptor > MARKED_BY_NODE && isInherited(descriptor));
  return known;
}

function listDescriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    // No /proc (macOS): there the system closes everything that a spawn does not name.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
