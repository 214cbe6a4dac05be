import { expect, test } from "vitest";
import { workspace } from "../../../test/support/workspace.ts";
import { runProgram } from "../run-program.ts";

/** Runs a script in the place of git. `interrupt` is called once the listener is there. */
async function runGit(script: string, interrupt = (_raise: (signal: string) => void): void => undefined) {
  await using place = await workspace();
  await place.write("bin/git", `#!/bin/sh\n${script}\n`, 0o755);
  const run = await runProgram(
    "git",
    { args: ["x"], cwd: place.dir, variables: {}, stdoutLimitBytes: 1000 },
    {
      env: { PATH: `${place.dir}/bin:/usr/bin:/bin` },
      root: place.dir,
      projectDir: place.project,
      homeDir: null,
      interrupt: {
        raised: () => null,
        listen: (onInterrupt) => {
          interrupt(onInterrupt);
          return () => undefined;
        },
      },
    },
  );
  return run.ok ? { ...run, value: run.value.toString("utf8") } : run;
}

test("a program that leaves a process with its output open has ended", async () => {
  expect(await runGit("echo hi; sleep 60 & exit 0")).toEqual({ ok: true, value: "hi\n" });
});

test("a program has no terminal on which it could ask", async () => {
  expect(await runGit(": </dev/tty && echo asked")).toMatchObject({ ok: false });
});

test("too much output is a failure", async () => {
  expect(await runGit("head -c 5000 /dev/zero")).toEqual({ ok: false, error: "git printed more than 1000 bytes" });
});

test("an interrupt ends a program with all that it started", async () => {
  const script = 'trap "" TERM; sleep 60 & sleep 60; echo late';
  const run = await runGit(script, (raise) => void setTimeout(() => raise("SIGINT"), 200));
  expect(run).toEqual({ ok: false, error: "git was interrupted" });
});

test("the last line that explains a failure is its reason", async () => {
  expect(await runGit("echo 'fatal: no such thing.' >&2; exit 128")).toEqual({ ok: false, error: "no such thing" });
});
