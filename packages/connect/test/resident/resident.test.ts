import { chmod, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { TERMINATION_SIGNALS } from "../../../../src/protocol/exit-code.ts";
import { missingFront, type Resident, resident, unlessFront } from "./residents.ts";

const isRoot = process.getuid?.() === 0;
const BLOCK = `printf '{"decision":"block","reason":"no"}'`;

/** A workspace with a server, and from then on with a hook, which blocks and notes the process that started it. */
async function served(body = BLOCK): Promise<Resident & { readonly pid: number }> {
  const place = await resident();
  const pid = await place.server();
  await place.hook("guard", `echo $PPID > "$HOME/parent"\n${body}`);
  return { ...place, pid };
}

/** The process that started the hook of the last call. */
const parentOfHook = async (place: Resident): Promise<number> => Number(await place.read("home/parent"));

const sampled = (text: string): string =>
  text.replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, "ID").replaceAll(/█+\s+\d+ ms/g, "N ms");

/** Calls until the server answers: one call of 256 goes to the full program. */
async function callServed(place: Resident & { readonly pid: number }, ...args: Parameters<Resident["call"]>) {
  for (;;) {
    const result = await place.call(...args);
    if ((await parentOfHook(place)) === place.pid) return result;
  }
}

describe.skipIf(missingFront !== null)(`a call through the front program${unlessFront}`, () => {
  test("is answered by the server as by the full program", async () => {
    await using place = await resident();
    await place.hook("guard", `echo $PPID > "$HOME/parent"\n${BLOCK}`);
    const full = await place.call("ls");
    const answer = await callServed({ ...place, pid: await place.server() }, "ls");
    expect(answer.stdout).toContain('"permissionDecision":"deny"');
    expect({ ...answer, stdout: sampled(answer.stdout), stderr: sampled(answer.stderr) }).toEqual({
      ...full,
      stdout: sampled(full.stdout),
      stderr: sampled(full.stderr),
    });
  });

  test("gives hooks the caller's variables, folder and limits", async () => {
    await using place = await served('echo "$OWN_WORD $(pwd) $(ulimit -c)" > "$HOME/seen"');
    const cwd = join(place.project, ".kodelet");
    await callServed(place, "ls", { env: { OWN_WORD: "mine" }, cwd });
    expect(await place.read("home/seen")).toMatch(`mine ${cwd} `);
    await place.call("ls", { starter: ["/bin/sh", "-c", 'ulimit -c 7; exec "$0" "$@"'] });
    expect(await place.read("home/seen")).toMatch(/ 7\n$/);
    expect(await parentOfHook(place)).not.toBe(place.pid);
  });

  test.each([
    ["another PATH", { PATH: "/bin:/usr/bin" }],
    ["a variable of hookctl", { HOOKCTL_DEPTH: "1" }],
    ["another variable of git", { GIT_DIR: "/nowhere" }],
    ["another time zone", { TZ: "Asia/Tokyo" }],
  ])("of a caller with %s is not the server's", async (_, env) => {
    await using place = await served();
    const { stdout } = await place.call("ls", { env });
    expect(stdout).toContain('"deny"');
    expect(await parentOfHook(place)).not.toBe(place.pid);
  });

  test.each([
    { what: "fewer processors", starter: ["taskset", "-c", "0"] },
    { what: "another order in which memory is freed", starter: ["choom", "-n", "500", "--"] },
    ...(isRoot ? [{ what: "fewer capabilities", starter: ["setpriv", "--bounding-set", "-chown"] }] : []),
  ])("of a caller with $what is not the server's (needs util-linux)", async ({ starter }) => {
    await using place = await served();
    const { stdout } = await place.call("ls", { starter });
    expect(stdout).toContain('"deny"');
    expect(await parentOfHook(place)).not.toBe(place.pid);
  });

  test.each([
    ["was killed", (pid: number) => execa("kill", ["-9", String(pid)])],
    ["hangs", (pid: number) => execa("kill", ["-STOP", String(pid)])],
  ])("is answered by the full program if the server %s", async (_, harm) => {
    await using place = await served();
    await harm(place.pid);
    const { stdout, code } = await place.call("ls");
    expect({ code, isDenied: stdout.includes('"deny"') }).toEqual({ code: 0, isDenied: true });
    expect(await parentOfHook(place)).not.toBe(place.pid);
  });

  test("is answered by the full program if others can reach the socket", async () => {
    await using place = await served();
    await chmod(join(place.home, ".kodelet", "resident"), 0o755);
    expect((await place.call("ls")).stdout).toContain('"deny"');
    expect(await parentOfHook(place)).not.toBe(place.pid);
  });

  test.each([
    [true, 1],
    [false, 2],
  ])("that has begun fails without an answer if the server is killed (fail-open: %s)", async (isOpen, code) => {
    await using place = await served("kill -9 $PPID; sleep 60");
    expect(await callServed(place, "ls", { isOpen })).toMatchObject({ stdout: "", stderr: "", code });
  });

  test("ends its hooks if it is ended", async () => {
    await using place = await served('echo $$ > "$HOME/hook"; sleep 60');
    for (let isServed = false; !isServed; isServed = (await parentOfHook(place)) === place.pid) {
      await rm(join(place.home, "hook"), { force: true });
      const call = place.call("ls", { starter: ["/bin/sh", "-c", 'echo $$ > "$HOME/front"; exec "$0" "$@"'] });
      const hook = await written(place, "home/hook");
      await execa("kill", [(await place.read("home/front"))?.trim() ?? ""]);
      await call;
      await gone(hook);
    }
  });

  test.each(TERMINATION_SIGNALS)("says that %s ended it", async (name) => {
    await using place = await served('echo $$ > "$HOME/hook"; sleep 60');
    for (let isServed = false; !isServed; isServed = (await parentOfHook(place)) === place.pid) {
      await rm(join(place.home, "hook"), { force: true });
      const call = place.call("ls", { starter: ["/bin/sh", "-c", 'echo $$ > "$HOME/front"; exec "$0" "$@"'] });
      await written(place, "home/hook");
      await execa("kill", ["-s", name.slice(3), (await place.read("home/front"))?.trim() ?? ""]);
      expect((await call).stdout).toMatch(new RegExp(`"deny".*by ${name} .*INTERRUPTED`));
    }
  });

  test("leaves a note if it is killed, as the full program does", async () => {
    await using place = await served('echo $$ > "$HOME/hook"; sleep 60');
    const call = place.call("ls", { starter: ["/bin/sh", "-c", 'echo $$ > "$HOME/front"; exec "$0" "$@"'] });
    const hook = await written(place, "home/hook");
    const front = (await place.read("home/front"))?.trim() ?? "";
    await execa("kill", ["-9", front]);
    await call;
    if ((await parentOfHook(place)) === place.pid) await gone(hook);
    const notes = await readdir(join(place.home, ".local/state/hookctl/calls"));
    expect(notes.map((name) => name.split("-").at(-1))).toContain(front);
  });

  test("is answered if stdin does not end, and nothing holds its outputs then", async () => {
    await using place = await served();
    const words = ["bridge", "claude", "--event", "PreToolUse", "--fail-closed", "--proof", "--deadline", "3s"];
    const call = execa(place.launcher, words, {
      env: place.env,
      extendEnv: false,
      cwd: place.project,
      reject: false,
      stdin: "pipe",
    });
    call.stdin.write("{");
    expect((await call).stdout).toMatch(/"deny".*PAYLOAD_NOT_ENDED/);
    call.stdin.destroy();
  });

  test("is blocked if what listens begins it and answers nothing whole", async () => {
    await using place = await served();
    await execa("kill", ["-9", String(place.pid)]);
    const [socket = ""] = (await execa("find", [join(place.home, ".kodelet", "resident"), "-type", "s"])).stdout.split(
      "\n",
    );
    await rm(socket);
    const server = createServer((client) => {
      client.write("a");
      client.on("data", (bytes) =>
        bytes.at(-1) === "g".charCodeAt(0) ? client.end("x\0\xff\0\0\0allowed") : undefined,
      );
      client.on("error", () => {});
    });
    await new Promise<void>((settle) => server.listen(socket, settle));
    let answer = await place.call("ls");
    // The full program answered.
    while ((await place.read("home/parent")) !== null) {
      await rm(join(place.home, "parent"));
      answer = await place.call("ls");
    }
    expect(answer).toMatchObject({ stdout: "", code: 2 });
    server.close();
  });

  test("starts no server if the settings say so", async () => {
    await using place = await resident();
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ settings: { resident: false } }));
    await place.call("ls");
    const { stdout } = await place.run(["serve", "--status"]);
    expect(stdout).toBe("No server is running.\n");
  });
});

async function written(place: Resident, path: string): Promise<number> {
  for (;;) {
    const text = await place.read(path);
    if (text?.endsWith("\n") === true) return Number(text);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

async function gone(pid: number): Promise<void> {
  while ((await execa("kill", ["-0", String(pid)], { reject: false })).exitCode === 0) {
    await new Promise((resume) => setTimeout(resume, 20));
  }
}
