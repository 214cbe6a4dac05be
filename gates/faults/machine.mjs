// A machine that fails by itself: full and read-only disks, limits of the system, another user's files.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { letHooksAge } from "../../bench/workspace.mjs";
import { entry } from "../entry.mjs";
import { ended, wordsOf, writeUserHook } from "../scene.mjs";
import { faultIn, HOOKS, WAYS } from "./hooks.mjs";

/** @import { Scene, Workspace } from "../../bench/workspace.mjs" */
/** @import { GateContext } from "../gate.mjs" */
/** @import { Way } from "./hooks.mjs" */
/** @import { Findings } from "./preload.mjs" */

/** Nobody on the machine has it, another run of the gates included: its processes are counted by the system. */
const OTHER_USER = 50_000 + (process.pid % 10_000);

/** Node itself now and then waits for ever for a thread that it could not start: what hangs each time is ours. */
const HUNG_MS = 10_000;
const ATTEMPTS = 3;

/**
 * @typedef {object} Fault
 * @property {string} title
 * @property {string} before sh line that makes the machine fail; then the command is started in its place
 * @property {(scene: Scene) => void} [prepare]
 * @property {boolean} [isMounting]
 * @property {boolean} [isOtherUser]
 * @property {string} [stdout] a file in place of the pipe
 */

const FULL = 'mount -t tmpfs -o size=16k tmpfs "$1" && (head -c 100k /dev/zero > "$1/full" 2>/dev/null || true)';

/** @param {string} what @param {string} option of prlimit @param {readonly number[]} limits @returns {Fault[]} */
const limited = (what, option, limits) =>
  limits.map((limit) => ({
    title: `${what} ${limit}`,
    before: `prlimit --pid $$ --${option}=${limit}`,
    isOtherUser: true,
  }));
/** @param {string} title @param {string} before @returns {Fault} */
const mounting = (title, before) => ({ title, before, isMounting: true });
const from = (/** @type {number} */ first, /** @type {number} */ last) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
/** @param {string} folder of the home */
const fullDisk = (folder) => `mkdir -p "$HOME/${folder}"; set -- "$HOME/${folder}" "$@"; ${FULL}; shift`;

/** @type {readonly Fault[]} */
const FAULTS = [
  mounting("ENOSPC: the record's disk is full", fullDisk(".local")),
  mounting("ENOSPC: the cache's disk is full", fullDisk(".cache")),
  mounting("EROFS: the home is read-only", 'mount --bind "$HOME" "$HOME" && mount -o remount,bind,ro "$HOME"'),
  { title: "ENOSPC: stdout is full", before: "", stdout: "/dev/full" },
  {
    title: "EACCES: the state belongs to another user",
    before: "",
    isOtherUser: true,
    prepare: ({ home }) => {
      for (const name of [".local", ".cache", ".config"]) {
        mkdirSync(join(home, name), { recursive: true });
        chownSync(join(home, name), 0, 0);
        chmodSync(join(home, name), 0o700);
      }
    },
  },
  {
    title: "EACCES: the hook cannot be read",
    before: "",
    isOtherUser: true,
    prepare: ({ userHooks }) => {
      chownSync(join(userHooks, "h"), 0, 0);
      chmodSync(join(userHooks, "h"), 0o711);
    },
  },
  ...limited("EMFILE: open files at most", "nofile", [8, 10, 12, 14, 16, ...from(17, 26), 28, 30, 32, 40]),
  ...limited("EAGAIN: processes at most", "nproc", [...from(7, 16), 18, 20]),
];

/** @type {Fault} */
const BUSY = { title: "ETXTBSY: a program open for writing", before: "" };

/** @param {GateContext} context @param {Workspace} workspace @returns {Promise<Findings>} */
export async function machineFaults(context, workspace) {
  const isRoot = process.getuid?.() === 0;
  const canMount =
    spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" }).status === 0;
  const wrong = /** @type {string[]} */ ([]);
  const skipped = /** @type {string[]} */ ([]);
  const all = Object.keys(HOOKS).flatMap((name) =>
    [...FAULTS, BUSY].flatMap((fault) => Object.keys(WAYS).map((way) => ({ name, fault, way }))),
  );
  const step = Math.max(1, Math.round(1 / context.scale));
  const chosen = all.filter((_, index) => index % step === context.seed % step);
  for (const { name, fault, way } of chosen) {
    const cannot =
      (fault.isMounting && !canMount && "mounting is not allowed") ||
      (fault.isOtherUser && !isRoot && "only root can become another user");
    const meeting = { fault, name, way: entry(WAYS, way), scene: workspace.scene() };
    const found = cannot ? null : await (fault === BUSY ? busyHook : meet)(context, meeting);
    if (cannot || found === "node") skipped.push(`${fault.title}: ${cannot || "node itself does not start"}`);
    else if (found !== null) wrong.push(`${way}, ${name}, ${fault.title}: ${found}`);
  }
  return { runs: chosen.length - skipped.length, wrong, skipped: [...new Set(skipped)] };
}

/** @typedef {{ fault: Fault, name: string, way: Way, scene: Scene }} Meeting */

/** @param {GateContext} context @param {Meeting} meeting @returns {Promise<string | null>} */
async function meet({ bin }, { fault, name, way, scene }) {
  writeUserHook(scene, "h", entry(HOOKS, name));
  const outside = `${scene.home}-asked`;
  mkdirSync(outside);
  if (fault.isOtherUser) spawnSync("chown", ["-R", String(OTHER_USER), scene.home, outside]);
  fault.prepare?.(scene);
  const start = (/** @type {readonly string[]} */ words) => {
    const before = fault.before === "" ? "" : `{ ${fault.before}; } || exit 99; `;
    const shell = ["sh", "-c", `${before}exec "$@"`, "sh", ...words];
    const ids = `--reuid=${OTHER_USER} --regid=${OTHER_USER} --clear-groups`;
    const user = fault.isOtherUser ? ["setpriv", ...ids.split(" ")] : [];
    const mounts = fault.isMounting ? ["unshare", "-m"] : [];
    const [file = "", ...args] = [...mounts, ...user, ...shell];
    const stdout = fault.stdout === undefined ? "pipe" : openSync(fault.stdout, "w");
    const env = { ...scene.env, ASKED: join(outside, "asked") };
    const input = way.input(scene.project);
    const call = ended({ file, args, cwd: scene.project, env, input, stdout, limitMs: HUNG_MS });
    if (typeof stdout === "number") closeSync(stdout);
    return call;
  };
  // A limit under which an empty script fails is no test of ours.
  const empty = join(outside, "empty.cjs");
  writeFileSync(empty, "");
  for (let attempt = 1; ; attempt++) {
    if ((await start([process.execPath, empty])).code !== 0) return "node";
    const result = await start([...bin, ...way.args]);
    const askedFile = join(outside, "asked");
    if (result.signal === null || attempt === ATTEMPTS) return faultIn(name, result, { way, askedFile });
  }
}

/** A real program that somebody is still writing: known first, then busy. */
/** @param {GateContext} context @param {Meeting} meeting */
async function busyHook({ bin }, { name, way, scene }) {
  const path = writeUserHook(scene, "h", entry(HOOKS, name));
  const asked = join(scene.project, "asked");
  const call = {
    ...wordsOf(bin, way.args),
    cwd: scene.project,
    env: { ...scene.env, ASKED: asked },
    input: way.input(scene.project),
  };
  await letHooksAge();
  await ended(call);
  rmSync(asked, { force: true });
  const writer = spawn("sh", ["-c", 'exec 3>>"$1"; echo ready; exec sleep 60', "sh", path], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise((ready) => writer.stdout.once("data", ready));
  const result = await ended(call);
  writer.kill("SIGKILL");
  return faultIn(name, result, { way, askedFile: asked });
}
