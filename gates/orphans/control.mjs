// How long the machine needs right now to end a process: one that ignores TERM, as a hook may, ended by plain Node.
import { spawn } from "node:child_process";

const GRACE_MS = 500;

/**
 * Starts a process, and ends it after this time with TERM and then KILL.
 * @param {number} limitMs
 * @returns {Promise<number>} milliseconds from the limit to its end
 */
export function controlRun(limitMs) {
  const startedAt = performance.now();
  const child = spawn("sh", ["-c", "trap '' TERM; sleep 600 & wait; wait"], { stdio: "ignore", detached: true });
  const ended = new Promise((settle) => child.once("close", settle));
  const send = (/** @type {NodeJS.Signals} */ signal) => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has not become the leader of its group yet, or is gone.
      child.kill(signal);
    }
  };
  setTimeout(() => {
    send("SIGTERM");
    setTimeout(() => send("SIGKILL"), GRACE_MS);
  }, limitMs);
  return ended.then(() => performance.now() - startedAt - limitMs);
}
