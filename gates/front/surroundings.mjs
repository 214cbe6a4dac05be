// Users, homes, namespaces and builds at once: each caller is answered by its own. Clocks that jump, and a full disk.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { allOf, casesAt, inParallel } from "../gate.mjs";
import { inWorkspace, writeUserHook } from "../scene.mjs";
import { callLine, claudeCall, endAllOf, isDenied, RESIDENT, registeredLines, serversOf } from "./servers.mjs";

/** @import { Workspace } from "../../bench/workspace.mjs" */
/** @import { GateContext, Outcome } from "../gate.mjs" */

const CALLS = 400;
const AT_ONCE = 8;
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const HOUR_MS = 3_600_000;
/** It blocks with all by which callers can be told apart, as the process has it that started the hook. */
const TELLS = `#!/bin/sh
[ "$1" = hook ] && { echo '{"event":"before_tool_call","fail_open":false}'; exit; }
printf '{"blocked":true,"reason":"user %s home %s space %s build %s end"}' "$(id -u)" "$HOME" \\
  "$(readlink /proc/$PPID/ns/mnt)" "$(tr '\\0' '\\n' < /proc/$PPID/cmdline | grep 'bin/hookctl.js')"
`;

/** @param {GateContext} context @returns {Promise<Outcome>} */
export const surroundings = (context) =>
  inWorkspace(async (workspace) => {
    if (process.getuid?.() !== 0) return { isMet: true, figures: "surroundings: skipped, needs root", notes: [] };
    return allOf([
      await callers(workspace, context),
      await clocks(workspace, context),
      await fullDisk(workspace, context),
    ]);
  });

/** @param {Workspace} workspace @param {GateContext} context @returns {Promise<Outcome>} */
async function callers(workspace, { bin, scale }) {
  const script = bin.at(-1) ?? "";
  // Another build of the same version: its files are others.
  const copy = join(workspace.root, "copy");
  for (const part of ["bin", "dist", "package.json"])
    cpSync(join(dirname(dirname(script)), part), join(copy, part), { recursive: true });
  const other = join(copy, "bin", "hookctl.js");
  const holder = spawn("unshare", ["--mount", "sleep", "10000"], { stdio: "ignore" });
  await wait(500);
  const asUser = (/** @type {number} */ id) => ["setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups"];
  const shared = sceneOf(workspace, 0, [process.execPath, script]);
  const rows = [
    { title: "root", uid: 0, starter: /** @type {string[]} */ ([]), build: script, scene: shared },
    {
      title: "another mount namespace",
      uid: 0,
      starter: ["nsenter", `--mount=/proc/${holder.pid}/ns/mnt`],
      build: script,
      scene: shared,
    },
    {
      title: "a container",
      uid: 0,
      starter: ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid"],
      build: script,
      scene: shared,
    },
    {
      title: "another home",
      uid: 0,
      starter: [],
      build: script,
      scene: sceneOf(workspace, 0, [process.execPath, script]),
    },
    {
      title: "another build",
      uid: 0,
      starter: [],
      build: other,
      scene: sceneOf(workspace, 0, [process.execPath, other]),
    },
    ...[20_001, 20_002, 20_003].map((uid) => ({
      ...{ title: `user ${uid}`, uid, starter: asUser(uid), build: script },
      scene: sceneOf(workspace, uid, [process.execPath, script]),
    })),
    // Root with the home of a user starts a server of its own, or none.
    ...[20_001].map(() => ({ title: "root in a user's home", uid: 0, starter: [], build: script, scene: null })),
  ];
  const ofUser = rows.find(({ uid }) => uid === 20_001)?.scene ?? shared;
  const notes = /** @type {Set<string>} */ (new Set());
  await inParallel(casesAt(CALLS, scale, 3 * rows.length), AT_ONCE, async (index) => {
    const {
      title,
      uid,
      starter,
      build,
      scene: own,
    } = rows[index % rows.length] ?? { title: "", uid: 0, starter: [], build: "", scene: null };
    const { scene, line } = own ?? ofUser;
    const answer = await callLine(line, scene, claudeCall(scene.project, `u${index}`), starter);
    const [, user, home, space, path] = /user (\d+) home (\S+) space (\S+) build (\S+) end/.exec(answer.stdout) ?? [];
    // Root does not run a hook of another user: that is a block as well.
    const isRefused = own === null && answer.stdout.includes("hookctl");
    const isSpace = title.startsWith("another mount") || title === "a container" ? space !== MOUNTS : space === MOUNTS;
    const isOwn = Number(user) === uid && home === scene.home && path === build && isSpace;
    if (!isDenied(answer.stdout) || !(isOwn || isRefused))
      notes.add(`${title}: code ${answer.code}, ${answer.stdout}${answer.stderr}`.slice(0, 500));
  });
  const servers = [...new Set(rows.flatMap(({ scene }) => (scene === null ? [] : serversOf(scene.scene))))].length;
  if (servers < 5) notes.add(`only ${servers} servers ran`);
  // The same home, and then another build: its launcher leads to no server of the first.
  const { scene } = shared;
  registeredLines([process.execPath, other], scene);
  for (let call = 0; call < 5; call++) {
    const { stdout } = await callLine(shared.line, scene, claudeCall(scene.project, `b${call}`));
    if (!stdout.includes(`build ${other} end`)) notes.add(`after an upgrade: ${stdout}`.slice(0, 300));
  }
  for (const { scene: one } of rows) if (one !== null) await endAllOf(one.scene);
  holder.kill("SIGKILL");
  return {
    isMet: notes.size === 0,
    figures: `${rows.length} kinds of callers at once, ${servers} servers: each was answered by its own`,
    notes: [...notes].slice(0, 5),
  };
}

const MOUNTS = existsSync("/proc/self/ns/mnt") ? readlinkSync("/proc/self/ns/mnt") : "";

/** @param {Workspace} workspace @param {number} uid @param {readonly string[]} bin */
function sceneOf(workspace, uid, bin) {
  const scene = workspace.scene({ config: RESIDENT });
  writeUserHook(scene, "tells", TELLS);
  const line = registeredLines(bin, scene)("PreToolUse");
  spawnSync("chown", ["-R", `${uid}:${uid}`, scene.home]);
  return { scene, line };
}

/** @param {Workspace} workspace @param {GateContext} context @returns {Promise<Outcome>} */
async function clocks(workspace, { bin }) {
  if (!existsSync(FAKETIME)) return { isMet: true, figures: "clocks: skipped, no libfaketime", notes: [] };
  const plain = workspace.scene({ config: RESIDENT });
  const clock = join(plain.home, "clock");
  const setClock = (/** @type {string} */ text) => writeFileSync(clock, `${text}\n`);
  setClock("+0");
  writeUserHook(plain, "tells", TELLS);
  const line = registeredLines(bin, plain)("PreToolUse");
  const faked = {
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: "1",
    DONT_FAKE_MONOTONIC: "1",
  };
  const scene = { ...plain, env: { ...plain.env, ...faked } };
  const server = spawn(
    bin[0] ?? "",
    [...bin.slice(1), "serve", "--resident", join(plain.home, ".kodelet", "hookctl")],
    { cwd: "/", env: scene.env, stdio: "ignore" },
  );
  while (serversOf(plain).length === 0) await wait(50);
  const notes = /** @type {string[]} */ ([]);
  const startMs = Date.now() - HOUR_MS / 6;
  const startUptimeMs = Math.floor(process.getBuiltinModule("node:os").uptime() * 1000) - HOUR_MS / 6;
  const pause = {
    name: "tells",
    project: null,
    startMs,
    endMs: startMs + HOUR_MS,
    startUptimeMs: Math.max(0, startUptimeMs),
    by: "gate",
  };
  const state = join(plain.home, ".local", "state", "hookctl");
  let calls = 0;
  // While the clock is right the hook is off; a clock that jumps must not prolong that.
  for (const [offset, isPaused] of /** @type {const} */ ([
    ["+0", false],
    ["+5h", false],
    ["-5h", false],
    ["+0", true],
    ["+5h", true],
    ["-5h", true],
    ["+0", false],
  ])) {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const file = join(state, "pauses.json");
    if (isPaused) writeFileSync(file, JSON.stringify({ version: 1, pauses: [pause] }), { mode: 0o600 });
    else rmSync(file, { force: true });
    setClock(offset);
    const isOff = isPaused && offset === "+0";
    for (const session of ["one", "two", "one"]) {
      const { stdout, code } = await callLine(
        line,
        scene,
        claudeCall(plain.project, session, { tool_use_id: `t${calls++}` }),
      );
      if (code !== 0 || isDenied(stdout) === isOff)
        notes.push(`clock ${offset}, ${isPaused ? "paused" : "not paused"}: code ${code}, ${stdout}`.slice(0, 400));
    }
  }
  if (server.exitCode !== null || serversOf(plain)[0] !== server.pid) notes.push("the server ended");
  server.kill("SIGKILL");
  await endAllOf(plain);
  return { isMet: notes.length === 0, figures: `${calls} calls with clocks that jump by 5 h`, notes };
}

/** @param {Workspace} workspace @param {GateContext} context @returns {Promise<Outcome>} */
async function fullDisk(workspace, { bin }) {
  const scene = workspace.scene({ config: RESIDENT });
  const holder = spawn(
    "unshare",
    ["--mount", "sh", "-c", `mount -t tmpfs -o size=2m,mode=755 none "$0" && exec sleep 10000`, scene.home],
    { stdio: "ignore" },
  );
  await wait(500);
  const inside = ["nsenter", `--mount=/proc/${holder.pid}/ns/mnt`];
  const home = `/proc/${holder.pid}/root${scene.home}`;
  const there = { ...scene, home, project: join(home, "project"), userHooks: join(home, ".kodelet", "hooks") };
  mkdirSync(there.project, { recursive: true });
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude", "settings.json"), "{}\n");
  writeUserHook(there, "tells", TELLS);
  writeFileSync(join(home, ".kodelet", "hooks.json"), JSON.stringify(RESIDENT));
  const { HOME = "", PATH = "", ...others } = scene.env;
  const env = { ...others, HOME, PATH, TMPDIR: HOME };
  spawnSync("nsenter", [...inside.slice(1), ...bin, "install", "claude", "--scope", "user"], { cwd: "/", env });
  const settings = JSON.parse(spawnSync("cat", [join(home, ".claude", "settings.json")], { encoding: "utf8" }).stdout);
  const line = /** @type {string} */ (settings.hooks.PreToolUse[0].hooks[0].command);
  const caller = { ...scene, project: "/", env };
  const call = (/** @type {string} */ session) =>
    callLine(`cd ${scene.project} && ${line}`, caller, claudeCall(scene.project, session), inside);
  const notes = /** @type {string[]} */ ([]);
  const isBlocked = async (/** @type {string} */ when) => {
    const { stdout, stderr, code } = await call(when);
    if (!isDenied(stdout) && code !== 2) notes.push(`${when}: code ${code}, ${stdout}${stderr}`.slice(0, 400));
    return stdout + stderr;
  };
  await isBlocked("before");
  for (let waited = 0; serversOf(there).length === 0 && waited < 100; waited++) await wait(100);
  const hadServer = serversOf(there).length > 0;
  if (!hadServer) notes.push("there was no server");
  spawnSync("nsenter", [
    ...inside.slice(1),
    "sh",
    "-c",
    `cat /dev/zero > ${scene.home}/filler; cat /dev/zero > ${scene.home}/more`,
  ]);
  const said = [await isBlocked("full"), await isBlocked("full")].join();
  for (const pid of serversOf(there)) process.kill(pid, "SIGKILL");
  await isBlocked("full, without a server");
  rmSync(join(home, "filler"));
  await isBlocked("with room again");
  for (const pid of serversOf(there)) process.kill(pid, "SIGKILL");
  await endAllOf(scene);
  holder.kill("SIGKILL");
  const isTold = /ENOSPC|disk|space/i.test(said);
  if (!isTold) notes.push(`nobody was told: ${said}`.slice(0, 400));
  return { isMet: notes.length === 0, figures: "a full disk: blocks, and says so", notes };
}
