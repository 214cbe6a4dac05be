// Planted secrets: none of them, and no part of one, in the logs, on stderr, in the JSON on stdout, or in what reads the logs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { letHooksAge } from "../bench/workspace.mjs";
import { entry } from "./entry.mjs";
import { casesAt, inParallel } from "./gate.mjs";
import { jsonIn } from "./json.mjs";
import { randomFrom } from "./random.mjs";
import { ended, inWorkspace, payloadFor, wordsOf, writeUserHook } from "./scene.mjs";
import { drawPlace, PLACES } from "./secrets/places.mjs";
import { drawBare, drawPlant, sentenceWith, shows } from "./secrets/plants.mjs";
import { sessionOf } from "./secrets/session.mjs";
import { teller } from "./secrets/tell.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */
/** @import { Random } from "./random.mjs" */

const PLANTED = 10_000;
const BY_COMMAND = 400;
const AT_ONCE = 4;
const SHOWN = 8;
/** Says what lies beside the payload: the same hook for every plant. */
const HOOK = `#!/bin/sh
if [ "$1" = hook ]; then echo before_tool_call; exit 0; fi
cat "$SAYS/stderr" >&2
cat "$SAYS/stdout"
exit "$(cat "$SAYS/exit")"
`;

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function secrets({ bin, built, scale, seed }) {
  const commands = casesAt(BY_COMMAND, scale, 2);
  const direct = Math.max(2, Math.round(PLANTED * scale) - commands);
  const leaks = /** @type {Leak[]} */ ([]);
  const tell = await teller(built);
  const random = randomFrom(seed, "secrets");
  // What a hook puts in place of a call is the answer itself, so it is not looked for on stdout.
  for (let index = 0; index < direct; index++) {
    const { plant, place, said } = draw(random);
    const told = await tell(said, plant.env);
    leaks.push(...leaksIn(place === "a change" ? { ...told, stdout: "{}" } : told, plant, place));
  }
  await byCommand({ bin, count: commands, random: randomFrom(seed, "secrets by command"), leaks });
  const samples = onePerPlace(leaks).map((leak) => `${leak.place} -> ${leak.stream}: ${JSON.stringify(leak.text)}`);
  return {
    isMet: leaks.length === 0,
    figures: `${direct + commands} secrets planted in ${Object.keys(PLACES).length} places (${commands} through the command): ${leaks.length} shown in the logs, stderr, JSON or what reads the logs`,
    notes: samples,
  };
}

/** @typedef {{ place: string, stream: string, text: string }} Leak */

/** @param {readonly Leak[]} leaks */
const onePerPlace = (leaks) => [...new Map(leaks.map((leak) => [leak.place, leak])).values()].slice(0, SHOWN);

/** @param {Random} random */
function draw(random) {
  const place = drawPlace(random);
  const { say, room, isBare } = entry(PLACES, place);
  const plant = isBare ? drawBare(random) : drawPlant(random);
  if (isBare) return { plant, place, said: say(plant.text) };
  return { plant, place, said: say(sentenceWith(random, plant, room)) };
}

/** @param {Readonly<Record<string, string>>} told @param {ReturnType<typeof drawPlant>} plant @param {string} place */
function leaksIn(told, plant, place) {
  return Object.entries(told)
    .filter(([stream, text]) => shows(text, plant) || (stream !== "stderr" && typeof jsonIn(text) !== "object"))
    .map(([stream]) => ({ place, stream, text: plant.text }));
}

const [SESSION, CORPUS, SPANS] = ["session.jsonl", "corpus.jsonl", "spans"];
/** What reads the logs and sessions of agents: one line for each command. */
const READERS = [
  ["log"],
  ["log", "--json", "--last", "10000"],
  ["why"],
  ["why", "--json"],
  ["log", "--case", ""],
  ["report", "--output", "-"],
  ["stats"],
  ["status"],
  ["replay"],
  ["replay", "--json"],
  ["export", "--output", SPANS],
  ["backtest", SESSION, "-v", "--export", CORPUS],
  ["backtest", SESSION, "--json"],
  ["backtest", CORPUS, "-v"],
];
/** A decision that differs is no fault: the hook says something else by then. */
const EXIT_CODES = [0, 1];

/** @typedef {import("../bench/workspace.mjs").Scene} Scene */
/** @typedef {{ plant: ReturnType<typeof drawPlant>, place: string, said: import("./secrets/places.mjs").Said }} Planted */

/** @param {{ bin: readonly string[], count: number, random: Random, leaks: Leak[] }} work */
async function byCommand({ bin, count, random, leaks }) {
  await inWorkspace(async (workspace) => {
    /** @type {readonly { scene: Scene, planted: Planted[] }[]} */
    const scenes = Array.from({ length: AT_ONCE }, () => ({ scene: workspace.scene(), planted: [] }));
    for (const { scene } of scenes) {
      writeUserHook(scene, "says", HOOK);
      writeFileSync(join(scene.home, ".kodelet", "hooks.json"), '{"settings":{"record":"payloads"}}');
    }
    await letHooksAge();
    const free = [...scenes];
    await inParallel(count, AT_ONCE, async () => {
      const { plant, place, said } = draw(random);
      const one = free.pop() ?? entry(scenes, 0);
      const { scene } = one;
      one.planted.push({ plant, place, said });
      writeFileSync(join(scene.project, "stdout"), said.stdout);
      writeFileSync(join(scene.project, "stderr"), said.stderr);
      writeFileSync(join(scene.project, "exit"), String(said.exitCode));
      const { stdout, stderr } = await ended({
        ...wordsOf(bin, ["run", "before_tool_call", "-vv", ...random.pick([["--json"], []])]),
        cwd: scene.project,
        env: { ...scene.env, ...plant.env, SAYS: scene.project },
        input: payloadFor(scene.project, {
          ...(said.session === undefined ? {} : { conv_id: said.session }),
          ...said.call,
        }),
      });
      const answer = place === "a change" ? "{}" : stdout;
      leaks.push(...leaksIn({ stdout: answer, stderr, ...lastLines(scene) }, plant, `${place}, by command`));
      free.push(one);
    });
    for (const one of scenes) leaks.push(...(await readersLeaks(one, bin)));
  });
}

/** @param {Scene} scene */
function lastLines(scene) {
  /** @param {string} name */
  const last = (name) =>
    readFileSync(join(scene.home, ".local", "state", "hookctl", name), "utf8")
      .trimEnd()
      .split("\n")
      .at(-1) ?? "";
  return { record: last("audit.jsonl"), payloads: last("payloads.jsonl") };
}

/** @param {{ scene: Scene, planted: readonly Planted[] }} one @param {readonly string[]} bin @returns {Promise<Leak[]>} */
async function readersLeaks({ scene, planted }, bin) {
  const [last] = planted.slice(-1);
  if (last === undefined) return [];
  const cwd = scene.project;
  const held = Object.assign({}, ...planted.map(({ plant }) => plant.env));
  writeFileSync(
    join(cwd, SESSION),
    sessionOf(
      planted.filter(({ plant }) => isIn(held, plant.env)),
      cwd,
    ),
  );
  // A block, so that each call of a session is shown.
  writeFileSync(join(cwd, "stdout"), JSON.stringify({ blocked: true, reason: `no: "${last.said.stderr}"` }));
  writeFileSync(join(cwd, "exit"), "0");
  const env = { ...scene.env, ...held, SAYS: cwd };
  const leaks = /** @type {Leak[]} */ ([]);
  for (const args of READERS) {
    // Calls that are too long are not exported: without another one there is nothing to read.
    if (args[1] === CORPUS && readFileSync(join(cwd, CORPUS), "utf8") === "") continue;
    const { stdout, stderr, code } = await ended({ ...wordsOf(bin, args), cwd, env });
    const text = stdout + stderr + written(cwd);
    const stream = args.join(" ");
    if (code === null || !EXIT_CODES.includes(code)) leaks.push({ place: `exit ${code}`, stream, text: stderr });
    for (const { plant, place } of planted) if (shows(text, plant)) leaks.push({ place, stream, text: plant.text });
  }
  return leaks;
}

/** @param {Readonly<Record<string, string>>} held @param {Readonly<Record<string, string>>} env */
const isIn = (held, env) => Object.entries(env).every(([name, value]) => held[name] === value);

/** What the readers have written to files so far. @param {string} folder */
function written(folder) {
  const spans = join(folder, SPANS);
  const files = existsSync(spans) ? readdirSync(spans).map((name) => join(spans, name)) : [];
  return [...files, join(folder, CORPUS)].map((file) => (existsSync(file) ? readFileSync(file, "utf8") : "")).join("");
}
