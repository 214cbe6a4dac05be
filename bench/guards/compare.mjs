// Compares what the built-in guards, and peers that are installed, stop of collections of commands.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCollections } from "./cases.mjs";

/** @import { Case } from "./cases.mjs" */
/** @typedef {(command: string) => Promise<boolean>} StopsCommand */

/** A peer answers as a hook of Claude Code: by its decision on stdout, or with the exit code 2. */
const PEERS = [{ name: "cc-safety-net", args: ["hook", "--claude-code"] }];

/** Prints a row for each collection and judge. @param {string} folder @param {string} dist @returns {Promise<string>} */
export async function compareGuards(folder, dist) {
  const collections = readCollections(folder);
  if (collections.size === 0) return `no cases in ${folder}\n`;
  const home = mkdtempSync(join(tmpdir(), "bench-guards-"));
  try {
    const judges = [{ name: "hookctl", stops: await ownJudge(dist) }, ...peersIn(folder, home)];
    const lines = ["collection, judge: caught of those to stop; false alarms per 1,000 of those to allow"];
    for (const [name, cases] of [...collections, /** @type {const} */ (["all", [...collections.values()].flat()])])
      for (const judge of judges) lines.push(`${name}, ${judge.name}: ${await scoreText(cases, judge.stops)}`);
    return `${lines.join("\n")}\n`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** @type {WeakMap<StopsCommand, Map<string, Promise<boolean>>>} */
const known = new WeakMap();

/** @param {readonly Case[]} cases @param {StopsCommand} stops */
async function scoreText(cases, stops) {
  const answers = known.get(stops) ?? new Map();
  known.set(stops, answers);
  const count = { caught: 0, toStop: 0, alarms: 0, toAllow: 0 };
  for (const { command, isStopped } of cases) {
    if (!answers.has(command)) answers.set(command, await stops(command));
    const isHit = answers.get(command);
    count[isStopped ? "toStop" : "toAllow"]++;
    if (isHit) count[isStopped ? "caught" : "alarms"]++;
  }
  const { caught, toStop, alarms, toAllow } = count;
  return `${caught} of ${toStop} (${share(caught, toStop, 100)} %); ${alarms} of ${toAllow} (${share(alarms, toAllow, 1000)} per 1,000)`;
}

/** @param {number} part @param {number} all @param {number} scale */
const share = (part, all, scale) => (all === 0 ? "-" : ((part / all) * scale).toFixed(1));

/** All built-in guards of a build, in this process. @param {string} dist @returns {Promise<StopsCommand>} */
async function ownJudge(dist) {
  /** @type {typeof import("../../packages/guards/index.ts")} */
  const { examine, GUARDS, judge, STANDARD_SETTINGS, withParser } = await import(
    join(dist, "packages/guards/index.js")
  );
  const folder = "/home/dev/project";
  const place = { folder, home: "/home/dev", project: folder, variables: {} };
  return (command) =>
    withParser(() => {
      const examined = examine({ commands: [command], folder: null, files: [] }, place);
      return Object.values(GUARDS).some(
        (rules) => judge(examined, { rules, settings: STANDARD_SETTINGS }).decision !== "allow",
      );
    });
}

/** The peers beside the collections or on PATH; none is installed here. @param {string} folder @param {string} home */
const peersIn = (folder, home) =>
  PEERS.flatMap(({ name, args }) => {
    const own = join(folder, "node_modules", ".bin", name);
    const file = existsSync(own) ? own : name;
    const isThere = spawnSync(file, ["--version"], { stdio: "ignore" }).status === 0;
    return isThere ? [{ name, stops: hookJudge(file, args, home) }] : [];
  });

/** @param {string} file @param {string[]} args @param {string} home @returns {StopsCommand} */
const hookJudge = (file, args, home) => (command) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: home,
      env: { ...process.env, HOME: home },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let answer = "";
    child.stdout.on("data", (data) => {
      answer += data;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve(code === 2 || /"permissionDecision"\s*:\s*"(?:deny|ask)"/.test(answer)));
    const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, cwd: home };
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(call));
  });
