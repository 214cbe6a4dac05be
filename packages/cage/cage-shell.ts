import { join } from "node:path";
import { makeFolder, writeFileAtomic } from "../../src/fs/write-file.ts";
import { readProc, statFields } from "../../src/process/proc.ts";
import { shellQuote } from "../../src/protocol/text/shell-quote.ts";

/** The name of the cage of an agent's process: its PID, and its start, because numbers are used again. */
export const processKey = (pid: number): string => `${pid}-${statFields(pid)[19] ?? ""}`;

/** True while a process runs: one that has ended keeps its number until its parent asks for it. */
export function isRunning(key: string): boolean {
  const pid = Number(key.split("-")[0]);
  return processKey(pid) === key && statFields(pid)[0] !== "Z";
}

const SHELLS = /^(?:ba|da|k|z|fi)?sh$/;

/** The agent that called this process, perhaps through shells. */
export function agentAbove(pid: number): number {
  const parent = Number(statFields(pid)[1] ?? 0);
  const name = readProc(`/proc/${parent}/comm`).toString("utf8").trim();
  return parent > 1 && SHELLS.test(name) ? agentAbove(parent) : parent;
}

/**
 * The program that an agent starts in the place of a shell. It starts the shell inside the cage that hookctl prepared when
 * the agent asked about the call; without one, hookctl prepares it now. What is caged is decided by this file alone, so a
 * text or a variable of the call changes nothing.
 *
 * Every agent that was tried starts the shell of a call as the leader of a session. The shells of hooks and MCP servers, and
 * those in an agent's own sandbox, lead none: they stay as they are.
 */
const shellText = (folder: string, shell: string, hookctl: readonly string[]): string => `#!/bin/sh
# Starts ${shell} inside the cage of hookctl. \`hookctl on cage\` writes this file.
hookctl_field() {
  hookctl_at=$2
  read -r hookctl_line 2>/dev/null <"/proc/$1/stat" && set -- \${hookctl_line##*) } && shift "$((hookctl_at - 1))" && hookctl_is=$1
}
if hookctl_field "$$" 4 && [ "$hookctl_is" != "$$" ]; then exec ${shellQuote(shell)} "$@"; fi
hookctl_is=
hookctl_field "$PPID" 20
hookctl_record=${shellQuote(join(folder, "records"))}/$PPID-$hookctl_is
if [ -r "$hookctl_record/start" ]; then
  : >"$hookctl_record/used"
  set -- ${shellQuote(shell)} "$@"
  . "$hookctl_record/start"
fi
exec ${hookctl.map(shellQuote).join(" ")} cage --shell ${shellQuote(shell)} -- "$@"
`;

/**
 * What bash and zsh read at their start if an agent's setting leads them to it, for agents that cannot start another shell. The
 * shell of a call becomes the shell of the cage; every other one, and a script, goes on.
 */
const START_TEXTS = {
  bash: (shell: string): string => `# hookctl on cage writes this file, for the shells of agents.
hookctl_leads() {
  local line
  read -r line 2>/dev/null <"/proc/$$/stat" || return 0
  set -- \${line##*) }
  [ "$4" = "$$" ]
}
if [ -n "\${BASH_EXECUTION_STRING+set}" ] && [ -x ${shellQuote(shell)} ] && hookctl_leads; then
  unset BASH_ENV
  if shopt -q login_shell; then set -- -l -c "$BASH_EXECUTION_STRING" "$0" "$@"; else set -- -c "$BASH_EXECUTION_STRING" "$0" "$@"; fi
  exec ${shellQuote(shell)} "$@"
fi
unset -f hookctl_leads
`,
  zsh: (shell: string): string => `# hookctl on cage writes this file, for the shells of agents.
unset ZDOTDIR
hookctl_leads() {
  local line
  read -r line 2>/dev/null <"/proc/$$/stat" || return 0
  set -- \${=line##*) }
  [ "$4" = "$$" ]
}
if [ -n "\${ZSH_EXECUTION_STRING+set}" ] && [ -x ${shellQuote(shell)} ] && hookctl_leads; then
  if [[ -o login ]]; then set -- -l -c "$ZSH_EXECUTION_STRING" "$0" "$@"; else set -- -c "$ZSH_EXECUTION_STRING" "$0" "$@"; fi
  exec ${shellQuote(shell)} "$@"
fi
unset -f hookctl_leads
if [ -r ~/.zshenv ]; then . ~/.zshenv; fi
`,
};

/** The paths that the settings of agents name. */
export interface CageShells {
  /** The shells by name. */
  readonly shells: Readonly<Record<string, string>>;
  readonly bashStart: string;
  readonly zshStart: string;
}

/** Writes the shells of the cage, and what bash and zsh read at their start. */
export function writeShells(
  folder: string,
  shells: Readonly<Record<string, string>>,
  hookctl: readonly string[],
): CageShells {
  const own = join(folder, "shells");
  const [bashStart, zshStart] = [join(own, "bash-start"), join(own, "zsh-start")];
  makeFolder(zshStart);
  for (const [name, file] of Object.entries(shells))
    writeFileAtomic(join(own, name), shellText(folder, file, hookctl), { mode: 0o755 });
  writeFileAtomic(bashStart, START_TEXTS.bash(join(own, "bash")));
  writeFileAtomic(join(zshStart, ".zshenv"), START_TEXTS.zsh(join(own, "zsh")));
  return {
    shells: Object.fromEntries(Object.keys(shells).map((name) => [name, join(own, name)])),
    bashStart,
    zshStart,
  };
}
