import { readFileSync } from "node:fs";

/** A process above another one. */
export interface Ancestor {
  /** Its command line; empty when it cannot be read. */
  readonly args: readonly string[];
  /** The number of its terminal's device; 0: it has none. */
  readonly terminal: number;
}

export interface ProcessStat {
  readonly parent: number;
  readonly terminal: number;
  /** Is it in the foreground of its terminal, so that keys that are typed there reach it? */
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

/** What the system says of a process; null: nothing. */
export function statOf(pid: number): ProcessStat | null {
  const text = textOf(`/proc/${pid}/stat`);
  // The name of a program stands in brackets and may hold any character.
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
