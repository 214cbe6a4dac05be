import { join } from "node:path";
import type { Host, Terminal } from "../../engine/host.ts";
import { processRequest } from "../../process/process-request.ts";
import { runProcess } from "../../process/run-process.ts";

/** A program of the system that asks the person for a password, or for a finger where Touch ID is set up for sudo. */
export type Authority = "sudo" | "polkit";

interface AuthorityCall {
  readonly program: string;
  readonly args: readonly string[];
}

interface AuthorityRow {
  /** Must fail: an agent can also start a program that succeeds without a question. */
  readonly silent: (processId: number) => AuthorityCall;
  readonly asking: AuthorityCall;
}

const NOTHING = "/usr/bin/true";

const AUTHORITIES: Readonly<Record<Authority, AuthorityRow>> = {
  // `-k` with a command ignores a password that was typed a moment ago.
  sudo: {
    silent: () => ({ program: "sudo", args: ["-k", "-n", NOTHING] }),
    asking: { program: "sudo", args: ["-k", NOTHING] },
  },
  polkit: {
    silent: (processId) => ({
      program: "pkcheck",
      args: ["--action-id", "org.freedesktop.policykit.exec", "--process", String(processId)],
    }),
    asking: { program: "pkexec", args: [NOTHING] },
  },
};

const SILENT_TIMEOUT_MS = 10_000;

/** Asks the authority on the terminal. Returns null if the person authenticated. */
export async function whyNotAuthorized(authority: Authority, terminal: Terminal, host: Host): Promise<string | null> {
  const { silent, asking } = AUTHORITIES[authority];
  const { program, args } = silent(host.processId);
  const { termination } = await runProcess(
    processRequest({
      file: join(host.systemPrograms, program),
      args,
      cwd: "/",
      env: {},
      timeoutMs: SILENT_TIMEOUT_MS,
      stdoutLimitBytes: Number.POSITIVE_INFINITY,
      interrupt: host.interrupt,
    }),
  );
  if (termination.kind !== "exited") return `${program} could not be started`;
  if (termination.exitCode === 0) return `${authority} asks for no password here, so it proves nothing`;
  const file = join(host.systemPrograms, asking.program);
  const request = { file, args: asking.args, input: null, directory: "/", environment: host.env };
  const ending = await terminal.run(request);
  if (ending.kind === "failed") return `${file} failed: ${ending.cause}`;
  return ending.exitCode === 0 ? null : `${authority} did not accept your authentication`;
}
