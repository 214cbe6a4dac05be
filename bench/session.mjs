// A session of an agent: so many calls of a shell tool, for each of which the agent starts the line that is registered.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { prepareBy } from "./command.mjs";
import { times, writeProgram } from "./workspace.mjs";

/** @import { Command } from "./command.mjs" */
/** @import { Bench } from "./group.mjs" */
/** @import { Scene } from "./workspace.mjs" */

const DENIED = "rm -rf /";
const TEXT = "Run the tests of the package. ";
/** The guard of every program that runs hooks, and by itself: hookctl reads its answer, an agent the exit code. */
const GUARD = `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) case $(cat) in *"rm -rf"*) echo '{"blocked":true,"reason":"no rm -rf"}'; exit 2 ;; esac ;;
esac
`;
/** For all projects of the user. */
const CONNECT = ["init", "claude", "--scope", "user"];

/**
 * The call of a shell tool, as Claude Code describes it.
 * @param {string} command
 * @param {Scene} scene
 * @param {number} [bytes] of a text beside it
 */
function callText(command, { project: cwd }, bytes = 0) {
  const description = TEXT.repeat(Math.ceil(Math.max(bytes, 1) / TEXT.length));
  const session = { session_id: "bench", transcript_path: "/tmp/transcript.jsonl", cwd, permission_mode: "default" };
  const tool = { tool_name: "Bash", tool_input: { command, description }, tool_use_id: "toolu_0001" };
  return JSON.stringify({ ...session, hook_event_name: "PreToolUse", ...tool });
}

/** Writes guards into a folder, and returns their paths. @param {string} folder @param {number} [count] */
export const writeGuards = (folder, count = 1) =>
  times(count, (index) => writeProgram(folder, `guard-${String(index + 1).padStart(3, "0")}`, GUARD));

/**
 * The scene of a user with hookctl, and the line that hookctl registers. Also in a container there is a server: what is measured
 * is the usual machine.
 * @param {Pick<Bench, "workspace" | "commands">} bench
 * @param {{ settings?: object, guards?: readonly string[], hooks?: number }} contents
 */
export function installed({ workspace, commands }, { settings = {}, guards = [], hooks = 0 }) {
  const all = Object.fromEntries(guards.map((name) => [name, {}]));
  const scene = workspace.scene({ config: { settings: { resident: true, ...settings }, guards: all } });
  if (hooks > 0) writeGuards(scene.userHooks, hooks);
  prepareBy(commands.hookctl(scene, CONNECT));
  const registered = JSON.parse(readFileSync(join(scene.home, ".claude", "settings.json"), "utf8"));
  return { scene, line: String(registered.hooks.PreToolUse[0].hooks[0].command) };
}

/**
 * @param {Pick<Bench, "workspace">} bench
 * @param {{ scene: Scene, line: string }} place
 * @param {{ calls: number, bytes?: number, isGuard?: boolean }} how `isGuard`: the line can see the call, and has to stop one
 * @returns {Command}
 */
export function sessionOf({ workspace }, { scene, line }, { calls, bytes = 0, isGuard = true }) {
  const argv = ["/bin/sh", "-c", line];
  const stdin = workspace.file(`${basename(scene.home)}-call.json`, callText("npm test", scene, bytes));
  /** Whether it stops a call that it should. */
  const stops = () => {
    const { project: cwd, env } = scene;
    const input = callText(DENIED, scene);
    const { status, stdout } = spawnSync("/bin/sh", ["-c", line], { cwd, env, input, encoding: "utf8" });
    return status !== 0 || /"(?:deny|ask)"/.test(stdout);
  };
  const findFault = () => {
    const byItself = stops();
    const isSame = !awaitServer(scene) || stops() === byItself;
    return isSame && byItself === isGuard ? null : `${isGuard ? "does not stop" : "stops"} ${DENIED}`;
  };
  const leavesServer = existsSync(join(scene.home, ".kodelet", "hookctl")) && !isOff(scene);
  return { argv, stdin, calls, scene, leavesServer, before: () => endServers(scene), findFault };
}

/** @param {Scene} scene */
const serverFolder = ({ home }) => join(home, ".kodelet", "resident");

/** @param {Scene} scene */
const isOff = ({ home }) => readFileSync(join(home, ".kodelet", "hooks.json"), "utf8").includes('"resident":false');

/** The processes of the servers of a user that listen. @param {Scene} scene */
function serversOf(scene) {
  const folder = serverFolder(scene);
  const notes = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".pid")) : [];
  return notes.map((name) => Number(readFileSync(join(folder, name), "utf8").split(" ")[0]));
}

/** Waits until the server listens that a call has started; false if none was started. @param {Scene} scene */
function awaitServer(scene) {
  if (!existsSync(join(serverFolder(scene), "started"))) return false;
  if (!waitFor(() => serversOf(scene).length > 0)) throw new Error("no server has started");
  return true;
}

/** Each session begins without a server, and as long after the last start of one as it would be. @param {Scene} scene */
function endServers(scene) {
  const servers = serversOf(scene).filter(isRunning);
  for (const server of servers) process.kill(server, "SIGTERM");
  if (!waitFor(() => !servers.some(isRunning))) throw new Error("a server does not end");
  rmSync(serverFolder(scene), { recursive: true, force: true });
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @param {() => boolean} isSo */
function waitFor(isSo) {
  for (let tries = 0; tries < 300 && !isSo(); tries++)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  return isSo();
}
