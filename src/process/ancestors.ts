import { readFileSync } from "node:fs";

/** A process above another one. */
export interface Ancestor {
  /** Its command line; empty if it cannot be read. */
  readonly args: readonly string[];
  /** The number of its terminal's device; 0: it has none. */
  readonly terminal: number;
}

export interface ProcessStat {
  readonly parent: number;
  readonly terminal: number;
  /** True if it is in the foreground of its terminal, so that it gets the keys that are typed. */
  readonly isForeground: boolean;
}

const MOST = 64;

/** The processes above this one, the nearest first; none where there is no /proc (macOS). */
export function ancestorsOf(pid: number): readonly Ancestor[] {
  const found: Ancestor[] = [];
  let parent = statOf(pid)?.parent ?? 0;
  while (parent > 0 && found.length < MOST) {
    const stat = statOf(parent);
    if (stat === null) break;
    found.push({ args: textOf(`/proc/${parent}/cmdline`).split("\0"), terminal: stat.terminal });
    parent = stat.parent;
  }
  return found;
}

/** The state of a process; null: it is unknown. */
export function statOf(pid: number): ProcessStat | null {
  const text = textOf(`/proc/${pid}/stat`);
  // The name of the program is in parentheses and may contain any character.
  const [, parent, group, , terminal, foreground] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (parent === undefined || terminal === undefined) return null;
  return { parent: Number(parent), terminal: Number(terminal), isForeground: group === foreground };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
