import { type Call, UNKNOWN } from "./call.ts";
import { followFind } from "./follow-find.ts";
import { followShell, SHELLS } from "./follow-shell.ts";
import { followWrapper, startInner } from "./follow-wrapper.ts";
import { followXargs } from "./follow-xargs.ts";
import type { Started } from "./run-command.ts";
import type { ShellState } from "./shell-state.ts";

/** Follows what a program starts; null if it starts nothing that is known. */
export function followCall(call: Call, started: Started): readonly ShellState[] | null {
  const { program, args } = call;
  // A program that only the run knows may be a wrapper such as sudo.
  if (program === UNKNOWN) {
    const known = args.findIndex(({ text }) => text !== UNKNOWN);
    if (known !== -1) startInner(call, args.slice(known), { ...started, level: "program" });
    return null;
  }
  if (SHELLS.has(program)) return followShell(call, started);
  if (program === "xargs") return followXargs(call, started);
  if (program === "find") return followFind(call, started);
  return followWrapper(call, started);
}
