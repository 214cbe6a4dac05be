import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { type Interrupt, type ProcessRequest, TOKEN_VARIABLE } from "../../src/process/process-request.ts";

export const UNDISTURBED: Interrupt = { raised: () => null, listen: () => () => undefined };

/** What a test wants of a child process, with calm values for all it does not name. */
export function request(file: string, wanted: Partial<ProcessRequest> = {}): ProcessRequest {
  const token = randomUUID();
  return {
    file,
    args: ["run"],
    input: "",
    cwd: dirname(file),
    env: { PATH: "/usr/bin:/bin", [TOKEN_VARIABLE]: token },
    timeoutMs: 10_000,
    stdoutLimitBytes: 1024 * 1024,
    mayLeaveProcesses: false,
    sandbox: null,
    token,
    interrupt: UNDISTURBED,
    ...wanted,
  };
}
