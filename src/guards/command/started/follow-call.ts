import { type Call, UNKNOWN } from "../call.ts";
import { followCode } from "../inline-code/follow-code.ts";
import type { Started } from "../script/run-command.ts";
import type { ShellState } from "../script/shell-state.ts";
import { followCommandOptions } from "./follow-command-options.ts";
import { followFd, followFind } from "./follow-find.ts";
import { followGitSettings } from "./follow-git.ts";
import { followParallel } from "./follow-parallel.ts";
import { childShell, followShell, runInner, SHELLS } from "./follow-shell.ts";
import { followWrapper, startInner } from "./follow-wrapper.ts";
import { followXargs } from "./follow-xargs.ts";

type Follower = (call: Call, started: Started) => readonly ShellState[] | null;

const FOLLOWERS: ReadonlyMap<string, Follower> = new Map<string, Follower>([
  ["xargs", followXargs],
  ["gxargs", followXargs],
  ["find", followFind],
  ["gfind", followFind],
  ["bfs", followFind],
  ["fd", followFd],
  ["fdfind", followFd],
  ["parallel", followParallel],
  ["at", followQueue],
  ["batch", followQueue],
]);

/** Follows what a program starts; null if it starts nothing that is known. */
export function followCall(call: Call, started: Started): readonly ShellState[] | null {
  const { program, args } = call;
  followVariables(call, started);
  if (program === UNKNOWN) {
    const known = args.findIndex(({ text }) => text !== UNKNOWN);
    if (known !== -1)
      startInner(call, args.slice(known), {
        ...started,
        level: "program",
      });
    return null;
  }
  if (program === "git") followGitSettings(call, started);
  followCommandOptions(call, started);
  if (SHELLS.has(program)) return followShell(call, started);
  const follower = FOLLOWERS.get(program);
  return follower === undefined ? (followWrapper(call, started) ?? followCode(call, started)) : follower(call, started);
}

/** Variables whose value other programs run as a command. */
const COMMAND_VARIABLES: ReadonlySet<string> = new Set([
  ...["GIT_SSH_COMMAND", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS"],
  ...["PAGER", "MANPAGER", "EDITOR", "VISUAL", "SSH_ASKPASS", "BROWSER", "PROMPT_COMMAND"],
]);
function followVariables(call: Call, started: Started): void {
  if (started.own.size === 0) return;
  for (const [name, value] of started.own)
    if (COMMAND_VARIABLES.has(name) && value !== UNKNOWN)
      runInner(value, childShell(started.state), {
        call,
        started,
        relation: "shell text",
      });
}

/** `at now` runs its input later. */
function followQueue(call: Call, started: Started): readonly ShellState[] | null {
  const { text } = started.state.stdin;
  if (text === null || text.trim() === UNKNOWN) return null;
  return runInner(text, childShell(started.state), {
    call,
    started,
    relation: "input",
  });
}
