// The server, killed at random moments while a fail-closed guard is asked: no call passes, and no lock is left.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { entry } from "../entry.mjs";
import { casesAt, inParallel } from "../gate.mjs";
import { randomFrom } from "../random.mjs";
import { ended, payloadFor, wordsOf, writeUserHook } from "../scene.mjs";
import { claudeCall, startServer } from "./server.mjs";

/** @import { Scene } from "../../bench/workspace.mjs" */
/** @import { GateContext } from "../gate.mjs" */

const KILLS = 1_000;
const AT_ONCE = 3;
/** Some of the kills come after the answer. */
const LATEST_SHARE = 1.3;
/** The line that an agent starts takes as long as the server itself, so it is run for some of the kills only. */
const LINE_SHARE = 0.1;

const GUARD = `#!/bin/sh
[ "$1" = hook ] && { echo '{"event":"before_tool_call","fail_open":false}'; exit; }
cat >/dev/null
echo '{"blocked":true,"reason":"never"}'
`;

/** @param {GateContext} context @param {Scene} scene */
export async function serverKills({ bin, built, scale, seed }, scene) {
  const { connect } = await built("packages/sdk/index.js");
  writeUserHook(scene, "guard", GUARD);
  const line = await registeredLine(bin, scene);
  const slots = Array.from({ length: AT_ONCE }, (_, slot) => `k${slot}`);
  const place = { bin, scene, slots };
  const wholeMs = Math.max(...(await Promise.all(slots.map((slot) => wholeCall(place, slot, connect)))));
  const random = randomFrom(seed, "serve-kills");
  const moments = Array.from({ length: casesAt(KILLS, scale, 3) }, () => ({
    afterMs: random.int(Math.ceil(LATEST_SHARE * wholeMs)),
    withLine: random.chance(LINE_SHARE),
  }));
  const free = [...slots];
  const told = { passed: 0, blocked: 0, unanswered: 0 };
  const notes = /** @type {Set<string>} */ (new Set());
  await inParallel(moments.length, AT_ONCE, async (index) => {
    const { afterMs, withLine } = entry(moments, index);
    const slot = free.pop() ?? "";
    const server = await startServer(bin, scene, slot);
    const client = connect({ socket: server.socket });
    const asked = Promise.all([
      client.run("before_tool_call", payloadFor(scene.project)).then(
        ({ decision }) => decision,
        () => null,
      ),
      ...(withLine ? [lineDecision(line, scene)] : []),
    ]);
    await wait(afterMs);
    server.child.kill("SIGKILL");
    for (const decision of await asked) {
      if (decision === null) told.unanswered++;
      else if (decision === "block") told.blocked++;
      else {
        told.passed++;
        notes.add(`after ${afterMs} ms: ${decision}`);
      }
    }
    await server.ended;
    await client.close();
    free.push(slot);
  });
  const locks = await locksAfter(place);
  return {
    isMet: told.passed === 0 && locks.length === 0,
    figures: `${moments.length} kills: ${told.passed} calls passed a fail-closed guard (${told.blocked} blocked, ${told.unanswered} without an answer), ${locks.length} locks left`,
    notes: [...notes, ...locks].slice(0, 5),
  };
}

/** @typedef {{ bin: readonly string[], scene: Scene, slots: readonly string[] }} Place */

/**
 * How long a call takes that nobody interrupts, beside others.
 * @param {Place} place @param {string} slot @param {typeof import("../../packages/sdk/index.ts").connect} connect
 */
async function wholeCall({ bin, scene }, slot, connect) {
  const server = await startServer(bin, scene, slot);
  const client = connect({ socket: server.socket });
  const startedAt = performance.now();
  await client.run("before_tool_call", payloadFor(scene.project));
  const tookMs = performance.now() - startedAt;
  await client.shutdown();
  await server.ended;
  await client.close();
  return tookMs;
}

/** The line that `install` registers for a tool call. @param {readonly string[]} bin @param {Scene} scene */
async function registeredLine(bin, scene) {
  const words = wordsOf(bin, ["install", "claude", "--scope", "user", "--print"]);
  const { stdout } = await ended({ ...words, cwd: scene.project, env: scene.env });
  return String(JSON.parse(stdout).hooks.PreToolUse[0].hooks[0].command);
}

/** @param {string} line @param {Scene} scene */
async function lineDecision(line, { project, env }) {
  const input = claudeCall(project, "ls");
  const { stdout } = await ended({ file: "/bin/sh", args: ["-c", line], cwd: project, env, input });
  return stdout.includes('"deny"') ? "block" : `the registered line printed ${stdout}`;
}

/** A killed server may hold a lock; the next one takes it over, and leaves none. @param {Place} place */
async function locksAfter({ bin, scene, slots }) {
  /** @type {string} */
  let folder = scene.home;
  for (const slot of slots) {
    const server = await startServer(bin, scene, slot);
    folder = dirname(server.socket);
    server.child.kill("SIGTERM");
    await server.ended;
  }
  const state = join(scene.env.XDG_STATE_HOME ?? "", "hookctl");
  return [folder, state].flatMap((one) =>
    readdirSync(one)
      .filter((name) => /\.lock|\.drop$/.test(name) || one === folder)
      .map((name) => join(one, name)),
  );
}
