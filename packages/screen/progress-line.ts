import type { Interrupt, StartedName } from "../../src/process/process-request.ts";
import { listNames, truncateEscaped } from "../../src/protocol/text/text.ts";

/** What a line on the terminal needs of the host of a command. */
interface LineHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isStderrTerminal: () => boolean;
  readonly err: (text: string) => void;
  readonly elapsedMs: () => number;
  readonly beganMs: number;
}

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
/** From here on a person asks what the command waits for. */
const LONG_MS = 500;
const LONGEST_NAME = 30;
const ERASE_LINE = "\r\u001b[K";

/** Shows a text on stderr from the time when a person begins to wait. Without a terminal it does nothing. */
export function progressLine(host: LineHost, isQuiet: boolean, textNow: () => string): ProgressLine {
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
    const text = textNow();
    if (text === "") return;
    host.err(`${ERASE_LINE}${text}`);
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
export async function withProgress<T>(host: LineHost, isQuiet: boolean, text: string, work: Promise<T>): Promise<T> {
  const progress = progressLine(host, isQuiet, () => text);
  return work.finally(progress.end);
}

interface WaitHost extends LineHost {
  readonly out: (text: string) => string | null;
  readonly interrupt: Interrupt;
}

const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** A command of the settings is its own name; a script of hookctl has the program that it starts as its `$0`. */
function shownName({ file, args: [option, script = "", program] }: StartedName): string {
  if (fileName(file) !== "sh" || option !== "-c") return fileName(file);
  return program === undefined ? script : fileName(program);
}

/** The host of a command on a terminal, which shows what it waits for: `waiting for lint, audit (3 s)`, or the purpose of its own program. */
export function showingWaits<H extends WaitHost>(host: H, isQuiet: boolean): H {
  const names = new Set<{ readonly name: string; readonly purpose: string | undefined }>();
  let sinceMs = Number.NEGATIVE_INFINITY;
  let endedMs = Number.NEGATIVE_INFINITY;
  // A command that says more of its progress has a line of its own.
  let hasOwnLine = false;
  const line = progressLine(host, isQuiet, () => {
    const waitedMs = host.elapsedMs() - sinceMs;
    if (hasOwnLine || names.size === 0 || waitedMs < LONG_MS) return "";
    const time = waitedMs < 1000 ? "" : ` (${Math.floor(waitedMs / 1000)} s)`;
    const purpose = [...names].flatMap((one) => one.purpose ?? [])[0];
    return `${purpose ?? `waiting for ${listNames([...names].map(({ name }) => name))}`}${time}`;
  });
  const listen: Interrupt["listen"] = (onInterrupt, program) => {
    const stop = host.interrupt.listen(onInterrupt);
    if (program === undefined) return stop;
    const named = { name: truncateEscaped(shownName(program), LONGEST_NAME), purpose: program.purpose };
    // Programs that follow each other at once are one wait of the person.
    if (names.size === 0 && host.elapsedMs() - endedMs > EVERY_MS) sinceMs = host.elapsedMs();
    names.add(named);
    return () => {
      names.delete(named);
      endedMs = host.elapsedMs();
      if (names.size === 0) line.clear();
      stop();
    };
  };
  return {
    ...host,
    out: (text) => {
      line.clear();
      return host.out(text);
    },
    err: (text) => {
      line.clear();
      hasOwnLine = text.startsWith(ERASE_LINE) && text !== ERASE_LINE;
      host.err(text);
    },
    interrupt: { ...host.interrupt, listen },
  };
}
