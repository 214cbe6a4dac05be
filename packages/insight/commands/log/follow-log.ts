import { type ScannedLine, scanLog } from "../../../../src/audit/read.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { signalExitCode } from "../../../../src/protocol/exit-code.ts";
import { ok } from "../../../../src/protocol/result.ts";
import type { LineFilter } from "./line-filter.ts";
import { type LatestLines, lineSelector } from "./selected-lines.ts";

interface FollowedLog {
  readonly file: string;
  readonly filter: LineFilter;
  /** Shown at first. */
  readonly latest: LatestLines;
  readonly show: (lines: readonly ScannedLine[]) => string;
}

/** Seldom enough to cost nothing. Watching the folder would need this as well: network file systems report no changes. */
const READ_EVERY_MS = 200;

/** Prints the latest lines, and new ones as they are written, until a signal. */
export async function followLog({ file, filter, latest, show }: FollowedLog, host: Host): Promise<CommandResult> {
  const isSelected = lineSelector(filter);
  for (const { line } of latest.lines) isSelected(line);
  let position = latest.end;
  let lines = latest.lines;
  for (;;) {
    const printed = lines.length === 0 ? ok(0) : print(show(lines), host);
    const signal = host.interrupt.raised();
    if (signal !== null) return ok(signalExitCode(signal));
    if (!printed.ok) return printed;
    await pauseFor(READ_EVERY_MS, host);
    const fresh: ScannedLine[] = [];
    for (const one of scanLog(file, { after: position })) {
      position = one.position;
      if (isSelected(one.line)) fresh.push(one);
    }
    lines = fresh;
  }
}

/** Waits until the time is over or a signal arrives. Returns false after a signal. */
export function pauseFor(ms: number, { interrupt }: Host): Promise<boolean> {
  if (interrupt.raised() !== null) return Promise.resolve(false);
  return new Promise((settle) => {
    const forget = interrupt.listen(() => end(false));
    const timer = setTimeout(() => end(true), ms);
    const end = (isOver: boolean): void => {
      clearTimeout(timer);
      forget();
      settle(isOver);
    };
  });
}
