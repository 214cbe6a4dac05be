import type { Terminal } from "../../src/engine/host.ts";

/** A terminal on which nobody edits or views anything; `ask` gives the answers. */
export const fakeTerminal = (ask: (shown: string) => Promise<string | null>): Terminal => ({
  ask,
  run: async () => ({ kind: "failed", cause: "ENOENT" }),
  close: () => undefined,
});
