import type { Host } from "../host.ts";

/** A line on the terminal that shows progress; it is removed before anything else is written. */
export interface ProgressLine {
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
    return { clear: () => undefined, end: () => undefined };
  let isShown = false;
  const clear = (): void => {
    if (isShown) host.err(ERASE_LINE);
    isShown = false;
  };
  const timer = setInterval(() => {
    if (host.elapsedMs() - host.beganMs < QUIET_MS) return;
    host.err(`${ERASE_LINE}${textNow()}`);
    isShown = true;
  }, EVERY_MS);
  timer.unref();
  const end = (): void => {
    clearInterval(timer);
    clear();
  };
  return { clear, end };
}
