import type { Host } from "../engine/host.ts";

/** A line on the terminal that shows progress; it is removed before anything else is written. */
export interface ProgressLine {
  /** Shows the text if it is time; for work that does not let timers run. */
  readonly update: () => void;
  readonly clear: () => void;
  readonly end: () => void;
}

/** What is done at once needs no line. */
const QUIET_MS = 300;
const EVERY_MS = 100;
const ERASE_LINE = "\r\u001b[K";

/** Shows a text on stderr from the time when a person begins to wait. Without a terminal it does nothing. */
export function progressLine(host: Host, isQuiet: boolean, textNow: () => string): ProgressLine {
  if (isQuiet || !host.isStderrTerminal() || host.env.TERM === "dumb")
    return { update: () => undefined, clear: () => undefined, end: () => undefined };
  let isShown = false;
  let shownMs = Number.NEGATIVE_INFINITY;
  const clear = (): void => {
    if (isShown) host.err(ERASE_LINE);
    isShown = false;
  };
  const update = (): void => {
    const nowMs = host.elapsedMs();
    if (nowMs - host.beganMs < QUIET_MS || nowMs - shownMs < EVERY_MS) return;
    host.err(`${ERASE_LINE}${textNow()}`);
    shownMs = nowMs;
    isShown = true;
  };
  const timer = setInterval(update, EVERY_MS);
  timer.unref();
  const end = (): void => {
    clearInterval(timer);
    clear();
  };
  return { update, clear, end };
}

/** Shows a text while work takes long. */
export async function withProgress<T>(host: Host, isQuiet: boolean, text: string, work: Promise<T>): Promise<T> {
  const progress = progressLine(host, isQuiet, () => text);
  return work.finally(progress.end);
}
