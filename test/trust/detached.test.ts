import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isProgram } from "../../src/fs/paths.ts";
import { giveToUser, wordsFor } from "../support/as-user.ts";
import { hasScript } from "../support/on-terminal.ts";
import { sampledRows } from "../support/property-runs.ts";
import { shellQuote } from "../support/shell.ts";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

/** A user of this file alone: agents of the same user make a terminal doubtful, and other tests start some. */
const USER_ID = 54_329;
const words = wordsFor(USER_ID);

/** A shell that bears the name of an agent's program, and a file that the command writes when it ends. */
async function setUp(): Promise<Workspace & { readonly agent: string; readonly line: string; readonly done: string }> {
  const place = await workspace();
  const agent = join(place.dir, "claude");
  await copyFile("/bin/bash", agent);
  await chmod(agent, 0o755);
  await place.write("home/.kodelet/hooks.json", '{"guards":{"git":true}}');
  const done = join(place.dir, "done");
  // Without variables, as an agent that hides starts it.
  const call = `env -i HOME=${place.home} PATH=/usr/bin:/bin ${HOOKCTL.map(shellQuote).join(" ")} disable git`;
  const line = await place.write("disarm", `#!/bin/sh\n${call} >${done}.part 2>&1\nmv ${done}.part ${done}\n`, 0o755);
  await giveToUser(place, USER_ID);
  return { ...place, agent, line, done };
}

/** Far longer than any of these calls takes. */
const ROUNDS = 400;

/** What the command printed, as soon as it has ended. */
async function printed(file: string): Promise<string> {
  for (let round = 0; round < ROUNDS; round++) {
    const text = await readFile(file, "utf8").catch(() => null);
    if (text !== null) return text;
    await new Promise((resume) => setTimeout(resume, 50));
  }
  throw new Error(`${file} was not written`);
}

const python = "/usr/bin/python3";
const PYTHON_PTY = (line: string): string => `import pty; pty.spawn([${JSON.stringify(line)}])`;
const DAEMON = (line: string): string => `
import os, pty
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
pty.spawn([${JSON.stringify(line)}])`;
/** It waits until the shell has taken the terminal back, which it does when the agent ends, and returns it at its own end. */
const FOREGROUND = (line: string): string => `
import os, signal, subprocess, time
if os.fork(): os._exit(0)
agent = os.getpgrp()
os.setpgid(0, 0)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
terminal = os.open("/dev/tty", os.O_RDWR)
while os.tcgetpgrp(terminal) == agent: time.sleep(0.01)
shell = os.tcgetpgrp(terminal)
os.tcsetpgrp(terminal, os.getpgrp())
subprocess.run([${JSON.stringify(line)}])
os.tcsetpgrp(terminal, shell)`;

const ways: { title: string; way: (line: string) => string; needs?: string }[] = [
  { title: "setsid -f", way: (line) => `setsid -f ${line}` },
  { title: "nohup", way: (line) => `nohup ${line} >/dev/null 2>&1 &` },
  { title: "a double fork", way: (line) => `(${line} &)` },
  { title: "setsid -f script", way: (line) => `setsid -f script -qec ${line} /dev/null </dev/null >/dev/null` },
  { title: "setsid -w script", way: (line) => `(setsid -w script -qec ${line} /dev/null </dev/null >/dev/null &)` },
  { title: "nohup script", way: (line) => `nohup script -qec ${line} /dev/null </dev/null >/dev/null 2>&1 &` },
  { title: "script of a double fork", way: (line) => `((script -qec ${line} /dev/null </dev/null >/dev/null) &)` },
  {
    title: "pty.spawn",
    way: (line) => `setsid -f ${python} -c ${shellQuote(PYTHON_PTY(line))} </dev/null >/dev/null`,
    needs: python,
  },
  {
    title: "pty.spawn of a daemon",
    way: (line) => `${python} -c ${shellQuote(DAEMON(line))} </dev/null >/dev/null`,
    needs: python,
  },
  {
    title: "expect",
    way: (line) => `setsid -f expect -c ${shellQuote(`spawn ${line}; expect eof`)} </dev/null >/dev/null`,
    needs: "/usr/bin/expect",
  },
  {
    title: "tmux send-keys",
    way: (line) => {
      const tmux = `env -i PATH=/usr/bin:/bin tmux -S ${line}.socket -f /dev/null`;
      return `${tmux} new-session -d sh && ${tmux} send-keys ${line} Enter`;
    },
    needs: "/usr/bin/tmux",
  },
  {
    title: "tmux with a client on a terminal that it opened",
    way: (line) => {
      const tmux = `env -i TERM=xterm PATH=/usr/bin:/bin tmux -S ${line}.socket -f /dev/null`;
      const attach = `setsid -f script -qec ${shellQuote(`${tmux} attach`)} /dev/null </dev/null >/dev/null 2>&1`;
      // The end of its input is typed there, too, and must not end the shell.
      const shell = "'bash --norc -o ignoreeof'";
      return `${tmux} new-session -d ${shell} && ${attach} && sleep 1; ${tmux} send-keys ${line} Enter`;
    },
    needs: "/usr/bin/tmux",
  },
];
const canTry = process.platform === "linux" && hasScript;

describe.runIf(canTry)("a command that an agent detached (needs /proc and script of util-linux)", () => {
  for (const { title, way, needs } of sampledRows(ways)) {
    const rows = [
      { agent: "ends", after: "" },
      { agent: "still runs", after: `while [ ! -e DONE ]; do sleep 0.1; done` },
    ];
    test.skipIf(needs !== undefined && !isProgram(needs)).each(rows)(
      `${title} changes nothing where the agent $agent`,
      async ({ after }) => {
        await using place = await setUp();
        const before = await place.read("home/.kodelet/hooks.json");
        const text = [way(place.line), after.replace("DONE", place.done), ":"].join("\n");
        await runProgram([...words, place.agent, "-c", text], { cwd: place.project, env: place.env });
        expect(await printed(place.done)).toContain("(TRUST_NEEDS_PERSON)");
        expect(await place.read("home/.kodelet/hooks.json")).toBe(before);
        await runProgram(["tmux", "-S", `${place.line}.socket`, "kill-server"], { env: place.env });
      },
    );
  }
});

/** Types a line at a shell on a terminal of its own. */
async function typeAtShell(place: Workspace, line: string): Promise<void> {
  const child = spawn("script", ["-qec", [...words, "/bin/bash", "--norc"].map(shellQuote).join(" "), "/dev/null"], {
    cwd: place.project,
    env: { ...place.env, TERM: "dumb" },
  });
  child.stdin.write(`${line}\nexit\n`);
  child.stdout.resume();
  await once(child, "close");
}

describe.runIf(canTry && words.length > 0)("a terminal of a login (needs /proc, script and root)", () => {
  test("is a person's", async () => {
    await using place = await setUp();
    await typeAtShell(place, place.line);
    expect(await printed(place.done)).toContain("git: off");
    expect(await place.read("home/.kodelet/hooks.json")).toBe('{"guards":{"git":false}}');
  });

  test.skipIf(!isProgram(python))(
    "is none for an orphan that an agent left on it, also in the foreground",
    async () => {
      await using place = await setUp();
      await place.write("orphan", FOREGROUND(place.line));
      const started = `${place.agent} -c ${shellQuote(`${python} ${place.dir}/orphan; :`)}`;
      await typeAtShell(place, `${started}; while [ ! -e ${place.done} ]; do :; done`);
      expect(await printed(place.done)).toContain("not started from the shell of its terminal");
    },
  );
});
