import { join } from "node:path";
import { makeFolder, writeFileAtomic } from "../../src/fs/write-file.ts";
import { readProc, statFields } from "../../src/process/proc.ts";
import { shellQuote } from "../../src/protocol/text/shell-quote.ts";

/** The name of the cage of an agent's process: its PID, and its start, because numbers are used again. */
export const processKey = (pid: number): string => `${pid}-${statFields(pid)[19] ?? ""}`;

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
 */
const shellText = (folder: string, shell: string, hookctl: readonly string[]): string => `#!/bin/sh
# Starts ${shell} inside the cage of hookctl. \`hookctl enable cage\` writes this file.
started=
if read -r state 2>/dev/null <"/proc/$PPID/stat"; then
  place=0
  for field in \${state##*) }; do
    place=$((place + 1))
    if [ "$place" = 20 ]; then started=$field; fi
  done
fi
record=${shellQuote(join(folder, "records"))}/$PPID-$started
if [ -r "$record/start" ]; then
  : >"$record/used"
  set -- ${shellQuote(shell)} "$@"
  . "$record/start"
fi
exec ${hookctl.map(shellQuote).join(" ")} cage --shell ${shellQuote(shell)} -- "$@"
`;

/** Writes the shells of the cage; returns their paths by name. */
export function writeShells(
  folder: string,
  shells: Readonly<Record<string, string>>,
  hookctl: readonly string[],
): Readonly<Record<string, string>> {
  makeFolder(join(folder, "shells"));
  return Object.fromEntries(
    Object.entries(shells).map(([name, file]) => {
      const path = join(folder, "shells", name);
      writeFileAtomic(path, shellText(folder, file, hookctl), { mode: 0o755 });
      return [name, path];
    }),
  );
}
