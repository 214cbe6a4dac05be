import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "../sandbox/bubblewrap.ts";
import { AS_PERSON, type CommandResult, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const lacking = (...programs: readonly string[]): string | null =>
  missingHere ?? programs.flatMap((one) => (existsSync(`/usr/bin/${one}`) ? [] : [`needs ${one}`]))[0] ?? null;
const unless = (why: string | null): string => (why === null ? "" : ` (skipped: ${why})`);

const allow = async (place: Workspace, path: string, ...options: readonly string[]): Promise<void> => {
  const call = [...AS_PERSON, "cage", "allow", path, ...options];
  expect(await runProgram(call, { cwd: place.project, env: place.env })).toMatchObject({ stderr: "", code: 0 });
};

const inside = (place: Workspace, script: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
  place.run(["cage", "--", "sh", "-c", script], { env });

/** Runs a program that is not part of the test, and gives what it printed. */
function prepared(place: Workspace, script: string): string {
  const { stdout, status, stderr } = spawnSync("/bin/sh", ["-ec", script], {
    cwd: place.project,
    env: place.env,
    encoding: "utf8",
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

const ssh = lacking("ssh-agent", "ssh-add", "ssh-keygen");
describe.skipIf(ssh !== null)(`an agent for ssh keys${unless(ssh)}`, () => {
  test("is reached by its socket, and by its variable, once a person allows the path", async () => {
    await using place = await workspace();
    await mkdir(join(place.home, "Hidden"));
    const socket = join(place.home, "Hidden/agent");
    const started = prepared(place, `ssh-keygen -q -t ed25519 -N '' -C of-test -f ~/key; ssh-agent -a ${socket}`);
    const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(started)?.[1]);
    try {
      prepared(place, `SSH_AUTH_SOCK=${socket} ssh-add -q ~/key`);
      const script = "ssh-add -l; ls -A ~/Hidden";
      const env = { SSH_AUTH_SOCK: socket };
      expect((await inside(place, script, env)).stdout).toBe("");
      await allow(place, socket);
      expect((await inside(place, script, env)).stdout).toMatch(/ of-test \(ED25519\)\nagent\n$/);
      // The variable of another socket stays away.
      expect((await inside(place, "echo $SSH_AUTH_SOCK", { SSH_AUTH_SOCK: `${socket}2` })).stdout).toBe("\n");
    } finally {
      process.kill(pid);
    }
  });
});

const gpg = lacking("gpg", "gpg-agent", "gpgconf", "git");
describe.skipIf(gpg !== null)(`signed commits${unless(gpg)}`, () => {
  test("need the socket of gpg's agent and the public keys, and see no private key", async () => {
    await using place = await workspace();
    const key = prepared(
      place,
      `mkdir -m 700 ~/.gnupg; gpg --batch -q --passphrase '' --quick-gen-key 'Dev <dev@example.org>' ed25519 sign never 2>/dev/null
       git init -q; git config user.name Dev; git config user.email dev@example.org
       gpg --list-keys --with-colons 2>/dev/null | sed -n 's/^fpr:*\\([0-9A-F]*\\):/\\1/p'`,
    ).trim();
    try {
      prepared(place, `git config user.signingkey ${key}`);
      const commit = "git commit -q --allow-empty -S -m signed && git log --format=%GK";
      expect((await inside(place, commit)).code).not.toBe(0);
      await allow(place, prepared(place, "gpgconf --list-dirs agent-socket").trim());
      await allow(place, "~/.gnupg/pubring.kbx", "--read");
      expect(await inside(place, "git commit -q --allow-empty -S -m signed")).toMatchObject({ stderr: "", code: 0 });
      expect(prepared(place, "git log --format=%G?").trim()).toMatch(/^[GU]$/);
      expect((await inside(place, "ls ~/.gnupg/private-keys-v1.d")).code).not.toBe(0);
    } finally {
      prepared(place, "gpgconf --kill gpg-agent");
    }
  });
});

describe.skipIf(missingHere !== null)(`the socket of a service${unlessMissing}`, () => {
  test("is reached by programs that take its address from a variable", async () => {
    await using place = await workspace();
    await mkdir(join(place.home, "Hidden"));
    const socket = join(place.home, "Hidden/docker.sock");
    const server = createServer((_, response) => response.end("pong\n")).listen(socket);
    try {
      const ask = `const socketPath = (process.env.DOCKER_HOST ?? "").replace("unix://", "");
        require("node:http").get({ socketPath, path: "/_ping" }, (got) => got.pipe(process.stdout)).on("error", ({ code }) => console.log(code));`;
      const call = `${process.execPath} -e '${ask}'`;
      const env = { DOCKER_HOST: `unix://${socket}` };
      expect((await inside(place, call, env)).stdout).not.toContain("pong");
      await allow(place, socket, "--here");
      expect((await inside(place, call, env)).stdout).toBe("pong\n");
    } finally {
      server.close();
    }
  });
});

test("a path that is empty, as that of a variable without a value, is not allowed", async () => {
  await using place = await workspace();
  const call = [...AS_PERSON, "cage", "allow", ""];
  const { stdout, stderr, code } = await runProgram(call, { cwd: place.project, env: place.env });
  expect({ stdout, code }).toEqual({ stdout: "", code: 64 });
  expect(stderr).toContain("cage allow takes one path or host.");
});

test("a path that is missing is named as missing", async () => {
  await using place = await workspace();
  const call = [...AS_PERSON, "cage", "allow", "~/.cache/foo"];
  const { stdout } = await runProgram(call, { cwd: place.project, env: place.env });
  expect(stdout).toContain("It does not exist yet: calls can reach it once it does.\n");
});
