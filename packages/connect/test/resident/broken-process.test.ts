import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { mainScript } from "../../../../test/support/workspace.ts";
import { missingFront, type Resident, resident, unlessFront } from "./residents.ts";

/** Starts a server that loads a module of its own first, and waits until it listens. */
async function serverWith(place: Resident, module: string): Promise<void> {
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ settings: { resident: false } }));
  const file = await place.write("home/first.cjs", module);
  const words = ["-r", file, mainScript, "serve", "--resident", place.launcher];
  spawn(process.execPath, words, { cwd: "/", env: place.env, stdio: "ignore" }).unref();
  await place.server();
}

/** A call that the server began: one of 256 goes to the full program. */
async function begun(place: Resident): ReturnType<Resident["call"]> {
  for (;;) {
    const result = await place.call("ls");
    if (result.code !== 0) return result;
  }
}

describe.skipIf(missingFront !== null)(`a call that has begun blocks${unlessFront}`, () => {
  test("if an error that nobody catches ends the server, and the next call is answered", async () => {
    await using place = await resident();
    await serverWith(
      place,
      `const { existsSync, renameSync } = require("node:fs");
       const [from, to] = [process.env.HOME + "/throw", process.env.HOME + "/thrown"];
       setInterval(() => { if (existsSync(from)) { renameSync(from, to); throw new Error("nobody catches it"); } }, 20).unref();`,
    );
    await place.hook(
      "guard",
      `case $(ps -o args= -p $PPID) in *--resident*) : > "$HOME/throw"; sleep 60 ;; esac\nprintf '{"blocked":true,"reason":"next"}'`,
    );
    expect(await begun(place)).toMatchObject({ stdout: "", code: 2 });
    expect((await place.call("ls")).stdout).toMatch(/"deny".*next/);
  });

  test("if nothing runs that could end it", async () => {
    await using place = await resident();
    await serverWith(
      place,
      `const { ChildProcess } = require("node:child_process");
       const { existsSync } = require("node:fs");
       const isLost = () => existsSync(process.env.HOME + "/started");
       const [{ emit }, later] = [ChildProcess.prototype, setTimeout];
       ChildProcess.prototype.emit = function (...event) { return isLost() ? false : emit.apply(this, event); };
       const lost = { ref: () => lost, unref: () => lost, hasRef: () => false };
       globalThis.setTimeout = (...words) => (isLost() || words[1] > 500 ? lost : later(...words));`,
    );
    await place.hook("guard", `: > "$HOME/started"\nprintf '{}'`);
    expect(await begun(place)).toMatchObject({ stdout: "", code: 2 });
  });

  test("but not while a hook runs", async () => {
    await using place = await resident();
    await place.server();
    await place.hook("guard", `sleep 7\nprintf '{"blocked":true,"reason":"late"}'`);
    expect((await place.call("ls")).stdout).toMatch(/"deny".*late/);
  });
});
