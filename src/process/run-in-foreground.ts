import type { ChildProcess } from "node:child_process";
import { errnoCode } from "../protocol/errno.ts";

/** An editor or a pager: a program of the user that uses the terminal. */
export interface ForegroundRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Text for stdin; null connects the terminal. */
  readonly input: string | null;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Its exit code, or why there is none. */
export type ForegroundEnding =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "failed"; readonly cause: string };

/**
 * Starts a program in the foreground of a terminal and waits for its exit. Unlike a hook it has no timeout, gets the
 * whole environment and stays in our process group, because it could not read keys otherwise.
 */
export function runInForeground(request: ForegroundRequest, terminal: number): Promise<ForegroundEnding> {
  return new Promise((settle) => {
    const child = startOn(request, terminal);
    if (typeof child === "string") return settle({ kind: "failed", cause: child });
    child.on("error", (error) => settle({ kind: "failed", cause: errnoCode(error) ?? error.message }));
    child.on("close", (exitCode, signal) =>
      settle(exitCode === null ? { kind: "failed", cause: signal ?? "unknown" } : { kind: "exited", exitCode }),
    );
    // A pager that the user quits early closes its stdin.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(request.input ?? "");
  });
}

function startOn(request: ForegroundRequest, terminal: number): ChildProcess | string {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { file, args, input, directory, environment } = request;
  try {
    return spawn(file, args, {
      cwd: directory,
      env: { ...environment },
      stdio: [input === null ? terminal : "pipe", terminal, terminal],
    });
  } catch (error) {
    return errnoCode(error) ?? String(error);
  }
}
