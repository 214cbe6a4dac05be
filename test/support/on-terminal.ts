import { spawn, spawnSync } from "node:child_process";
import { shellQuote } from "./shell.ts";
import { AS_PERSON, type Workspace } from "./workspace.ts";

/** `script` of util-linux gives a program a terminal of its own. */
export const hasScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") ?? false;

export interface TerminalOutput {
  /** All that the terminal showed. */
  readonly shown: string;
  readonly code: number;
}

/** Runs a line of sh on a terminal of its own; each key goes in when the question before it stands there. */
export async function runOnTerminal(place: Workspace, line: string, keys: readonly string[]): Promise<TerminalOutput> {
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: place.project,
    env: { ...place.env, TERM: "dumb" },
  });
  const left = [...keys];
  let shown = "";
  let answered = 0;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    shown += text;
    const questions = shown.split(/\][a-z]*(?: \([^)]*\))?: /).length - 1;
    if (questions <= answered) return;
    answered = questions;
    child.stdin.write(left.shift() ?? "\u0003");
  });
  const code = await new Promise<number>((settle) => child.on("close", (status) => settle(status ?? -1)));
  return { shown, code };
}

/** Fake agents of tests that run at the same time must not make these terminals doubtful. */
export const hookctl = AS_PERSON.map(shellQuote).join(" ");
