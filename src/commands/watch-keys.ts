import type { Host } from "../host.ts";
import type { Terminal } from "../terminal.ts";

/** Lines that a person types while a watch waits, or in answer to its questions. */
export interface WatchKeys {
  /** The next line; never, if there is no terminal or it was closed. */
  readonly next: () => Promise<string>;
  /** For questions. A line that was waited for before is their answer. */
  readonly terminal: Pick<Terminal, "ask"> | null;
}

export function watchKeys(terminal: Terminal | null, host: Host): WatchKeys {
  const never = new Promise<string>(() => undefined);
  let waiting: Promise<string | null> | null = null;
  const typed = (of: Terminal): Promise<string | null> => {
    waiting ??= of.ask("").then((text) => {
      waiting = null;
      return text;
    });
    return waiting;
  };
  return {
    next: async () => (terminal === null ? never : ((await typed(terminal)) ?? never)),
    terminal:
      terminal === null
        ? null
        : {
            ask: (question) => {
              host.err(question);
              return typed(terminal);
            },
          },
  };
}
