import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { machine, WHY_NO_MACHINE } from "../../../../test/support/machine.ts";
import { hookScript } from "../../../../test/support/shell.ts";
import { type CallOptions, mainScript, runProgram } from "../../../../test/support/workspace.ts";
import { missingFront, type Resident, resident, unlessFront } from "./residents.ts";

interface Place extends Resident {
  /** The settings of the machine as the calls see them; null: they cannot be written here. */
  readonly machineSettings: string | null;
}

const BLOCKS = (reason: string): string => `printf '{"decision":"block","reason":"${reason}"}'`;
const [SETTINGS, PLUGIN] = ["home/.kodelet/hooks.json", "me@pack"];

/** What a person or a program may do between two calls. Each is written as it is: nothing waits until it is old. */
const EDITS: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  "a hook that blocks": (place) => place.hook("guard", BLOCKS("guard")),
  "a hook that allows": (place) => place.hook("guard", "printf '{}'"),
  "a hook that tells a variable": (place) => place.hook("guard", BLOCKS("'$OWN_WORD'")),
  "a hook as old and as long as before": (place) =>
    sameStats(place, ["allow", "block"], (word) => place.hook("guard", BLOCKS("x").replace("block", word))),
  "a hook that may not run": (place) => place.hook("guard", BLOCKS("guard"), { mode: 0o644 }),
  "a hook that others may write": (place) => place.hook("guard", BLOCKS("guard"), { mode: 0o777 }),
  "no hook": ({ home }) => rm(join(home, ".kodelet/hooks/guard"), { force: true }),
  "a hook of another event": (place) => place.hook("guard", BLOCKS("guard"), { says: "after_tool_call" }),
  "a link to a hook that blocks": (place) => linked(place, BLOCKS("linked")),
  "a link to a hook that allows": (place) => linked(place, "printf '{}'"),
  "the same link with another file behind it": (place) =>
    place.write("home/lib-of-guard", hookScript(BLOCKS("behind"), "before_tool_call"), 0o755),
  "another folder of hooks": (place) => otherFolder(join(place.home, ".kodelet/hooks")),
  "another folder of the project": (place) => otherFolder(join(place.project, ".kodelet")),
  "a hook of a plugin": (place) => place.hook("packed", BLOCKS("packed"), { plugin: PLUGIN }),
  "no plugin": ({ home }) => rm(join(home, ".kodelet/plugins"), { recursive: true, force: true }),
  "a lock of packs": (place) => place.write("project/.kodelet/hooks.lock", `{"version":1,"packs":{}}`),
  "a lock that is not valid": (place) => place.write("project/.kodelet/hooks.lock", "{"),
  "a hook of the project": (place) => place.hook("own", BLOCKS("own"), { scope: "project" }),
  "another hook of the project": (place) => place.hook("own", BLOCKS("own too"), { scope: "project" }),
  "a helper of it": (place) => place.hook("own", '. "$(dirname "$0")/../rule.sh"', { scope: "project" }),
  "its text": (place) => place.write("project/.kodelet/rule.sh", BLOCKS("helper")),
  "another text": (place) => place.write("project/.kodelet/rule.sh", "printf '{}'"),
  "settings of the project": (place) => place.write("project/.kodelet/hooks.json", rules("git status")),
  "other settings of the project": (place) => place.write("project/.kodelet/hooks.json", rules("ls")),
  "its approval": (place) => place.run(["trust", "--all", "--yes"]),
  "no approval": (place) => place.run(["untrust", "--yes"]),
  "a denial": (place) => place.run(["untrust", "--deny", "own"]),
  "a guard": (place) => settings(place, { guards: { git: {} } }),
  "another guard": (place) => settings(place, { guards: { filesystem: {} } }),
  "no settings": (place) => settings(place, {}),
  "a rule": (place) => settings(place, { commands: { block: ["git status"] } }),
  "a rule of a command": (place) => place.run(["block", "ls"]),
  "a rule that asks": (place) => place.run(["ask", "git *"]),
  "settings that are not valid": (place) => place.write(SETTINGS, "{"),
  "settings as old and as long as before": (place) =>
    sameStats(place, ["ls", "rm"], (word) => settings(place, { commands: { block: [word] } })),
  "settings of the machine": (place) => ofMachine(place, rules("git status")),
  "other settings of the machine": (place) => ofMachine(place, rules("ls")),
  "no settings of the machine": (place) => ofMachine(place, "{}"),
  "a pause": (place) => pause(place, 60_000),
  "a pause that is over": (place) => pause(place, -1),
  "no pause": ({ home }) => rm(join(home, ".local/state/hookctl/pauses.json"), { force: true }),
};

const rules = (command: string): string => JSON.stringify({ commands: { block: [command] } });

const settings = (place: Resident, more: object): Promise<string> =>
  place.write(SETTINGS, JSON.stringify({ settings: { resident: true }, ...more }));

/** Writes a file with one word and calls, and then the other word into the same file, with the same size and times. */
async function sameStats(place: Place, words: readonly string[], write: (word: string) => Promise<string>) {
  for (const word of words) {
    const file = await write(word);
    await utimes(file, 1e9, 1e9);
    if (word === words[0]) await place.call("ls");
  }
}

async function linked(place: Place, body: string): Promise<void> {
  const file = await place.write("home/lib-of-guard", hookScript(body, "before_tool_call"), 0o755);
  const link = join(place.home, ".kodelet/hooks/guard");
  await mkdir(join(place.home, ".kodelet/hooks"), { recursive: true });
  await rm(link, { force: true });
  await symlink(file, link);
}

/** Two folders change places. */
async function otherFolder(folder: string): Promise<void> {
  const [other, third] = [`${folder}.other`, `${folder}.third`];
  await Promise.all([folder, other].map((path) => mkdir(path, { recursive: true })));
  await rename(folder, third);
  await rename(other, folder);
  await rename(third, other);
}

async function ofMachine({ machineSettings }: Place, text: string): Promise<void> {
  if (machineSettings !== null) await writeFile(machineSettings, text);
}

async function pause(place: Place, forMs: number): Promise<void> {
  const startMs = Date.now() - 10_000;
  const startUptimeMs = Math.floor(process.getBuiltinModule("node:os").uptime() * 1000) - 10_000;
  const one = { name: "guard", project: null, startMs, endMs: startMs + 10_000 + forMs, startUptimeMs, by: "me" };
  await place.write("home/.local/state/hookctl/pauses.json", JSON.stringify({ version: 1, pauses: [one] }), 0o600);
}

/** What hookctl remembers of a call, such as the tries of an agent, must not make the next one another. */
async function fromSameState<T>({ home }: Resident, ...calls: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const [state, copy] = [join(home, ".local/state/hookctl"), join(home, "state")];
  // Nothing is asked of the log, which would be copied in all its length.
  rmSync(join(state, "audit.jsonl"), { force: true });
  replaceFolder(copy, state);
  const results: T[] = [];
  for (const call of calls) {
    replaceFolder(state, copy);
    results.push(await call());
  }
  return results;
}

function replaceFolder(folder: string, by: string): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(by, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

const COMMANDS = ["ls", "git status", "git reset --hard", "rm -rf ~"];
const VARIABLES = [{}, { OWN_WORD: "one" }, { OWN_WORD: "two" }, { TZ: "Asia/Tokyo", LANG: "de_DE.UTF-8" }];

/** The answer without what differs from call to call. */
const lasting = ({ stdout, code }: { readonly stdout: string; readonly code: number | null }) => ({
  stdout: stdout.replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, "ID"),
  code,
});

/** A place whose calls see other settings of the machine, where that is possible. */
async function placeOfMachine(): Promise<Place> {
  if (WHY_NO_MACHINE !== "") return { ...(await resident({ program: freshIn([]) })), machineSettings: null };
  const ofTest = await machine();
  const machineSettings = await ofTest.write("hookctl/hooks.json", "{}");
  const mounts = `mount --bind "$0" /etc && echo && exec sleep 100000`;
  const holder = spawn("unshare", ["--mount", "sh", "-c", mounts, ofTest.etc], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  // To enter a namespace leads to its root folder.
  const starter = (cwd: string) => ["nsenter", `--mount=/proc/${holder.pid}/ns/mnt`, "env", "-C", cwd];
  const place = await resident({ starter, program: freshIn(starter("/")) });
  const end = async (): Promise<void> => {
    await place[Symbol.asyncDispose]();
    holder.kill();
    await ofTest[Symbol.asyncDispose]();
  };
  return { ...place, machineSettings, [Symbol.asyncDispose]: end };
}

/**
 * HOOKCTL_TEST_FRESH=modules: nine of ten fresh answers are those of fresh-program.cjs. It is for long runs: ten times as many
 * sequences in the same time.
 */
function freshIn(starter: readonly string[]): typeof runProgram | undefined {
  if (process.env.HOOKCTL_TEST_FRESH !== "modules") return undefined;
  const programs = new Map<string, ChildProcessByStdio<Writable, Readable, null>>();
  let calls = 0;
  return async (words, options) => {
    if (calls++ % 10 === 0) return await runProgram(words, options);
    const { env = {}, cwd = "/", stdin = "" } = options;
    // Node reads the time zone once.
    const key = `${env.TZ}`;
    const ofEnv = programs.get(key) ?? startedIn(starter, env);
    programs.set(key, ofEnv);
    const answer = once(ofEnv, "answer");
    const argv = words.slice(words.indexOf(mainScript) + 1);
    ofEnv.stdin.write(`${JSON.stringify({ argv, env, cwd, stdin })}\n`);
    const [line] = await answer;
    return { stderr: "", signal: null, ...JSON.parse(line) };
  };
}

function startedIn([file = process.execPath, ...words]: readonly string[], env: CallOptions["env"]) {
  const script = join(import.meta.dirname, "fresh-program.cjs");
  const args = [...words, ...(words.length > 0 ? [process.execPath] : []), script, mainScript];
  const child = spawn(file, args, { cwd: "/", env, stdio: ["pipe", "pipe", "inherit"] });
  createInterface(child.stdout).on("line", (line) => child.emit("answer", line));
  return child;
}

/** How many sequences of edits and calls are tried. */
const SEQUENCES = Number(
  process.env.HOOKCTL_TEST_SEQUENCES ?? (process.env.HOOKCTL_TEST_PROPERTIES === "full" ? 100 : 25),
);

describe.skipIf(missingFront !== null)(`the server${unlessFront}`, () => {
  test(`answers after any edits as a fresh process does${WHY_NO_MACHINE}`, { tags: ["slow"] }, async () => {
    await using place = await placeOfMachine();
    await place.server();
    const step = fc.record({
      edit: fc.constantFrom(...Object.keys(EDITS)),
      command: fc.constantFrom(...COMMANDS),
      env: fc.constantFrom(...VARIABLES),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        await settings(place, {});
        for (const { edit, command, env } of steps) {
          await EDITS[edit]?.(place);
          const [served, fresh] = await fromSameState(
            place,
            () => place.call(command, { env }),
            () => place.call(command, { env, isFresh: true }),
          );
          expect({ edit, command, answer: served && lasting(served) }).toEqual({
            edit,
            command,
            answer: fresh && lasting(fresh),
          });
        }
      }),
      { numRuns: SEQUENCES },
    );
    // It was a server that answered: one call of 256 goes to the full program.
    await EDITS["no settings of the machine"]?.(place);
    for (const folder of ["home/.kodelet/hooks", "home/.kodelet/plugins", "project/.kodelet"])
      await rm(join(place.dir, folder), { recursive: true, force: true });
    await settings(place, {});
    await place.hook("last", `tr '\\0' ' ' < /proc/$PPID/cmdline >> "$HOME/parents"`);
    for (let count = 0; count < 3; count++) await place.call("ls");
    expect(await place.read("home/parents")).toContain(" serve --resident ");
  });
});
