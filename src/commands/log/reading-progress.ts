import { progressLine } from "../../cli/progress-line.ts";
import type { Host } from "../../host.ts";

/** A line on the terminal while a long log is read. */
export interface ReadingProgress {
  readonly onProgress: (done: number) => void;
  /** Removes the line, so that something else can be written. */
  readonly clear: () => void;
  readonly end: () => void;
}

export function readingProgress({ quiet }: { readonly quiet: boolean }, host: Host): ReadingProgress {
  let done = 0;
  const { update, clear, end } = progressLine(host, quiet, () => `Reading the audit log: ${Math.floor(done * 100)} %`);
  const onProgress = (now: number): void => {
    done = now;
    update();
  };
  return { onProgress, clear, end };
}
