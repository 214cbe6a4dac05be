// A stand-in for Claude Code: reads the hooks of the user's and the project's settings as it does, and raises the events
// of a session with so many shell calls. A line is started through `sh -c` with the payload on stdin. It obeys a deny,
// and ends with the number of calls that were allowed.
//
//   agent.mjs PROJECT CALLS
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf } from "./child.mjs";

/** @typedef {Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>} Settings */

const [project = "", calls = "0"] = process.argv.slice(2);
const session = { session_id: "bench", transcript_path: join(project, "transcript.jsonl"), cwd: project };
const env = { ...process.env, CLAUDE_PROJECT_DIR: project };
const settings = [process.env.HOME ?? "", project].map(settingsIn);

await raise("SessionStart", { source: "startup" });
await raise("UserPromptSubmit", { prompt: "Run the tests of the package" });
let allowed = 0;
for (let call = 0; call < Number(calls); call++) {
  const command = `npm test -- --reporter=dot part-${call}`;
  const tool = { tool_name: "Bash", tool_input: { command, description: "Run tests" }, tool_use_id: `toolu_${call}` };
  if ((await raise("PreToolUse", tool)).some(isDeny)) continue;
  await raise("PostToolUse", { ...tool, tool_response: { stdout: "ok", stderr: "", interrupted: false } });
  allowed++;
}
await raise("Stop", { stop_hook_active: false });
await raise("SessionEnd", { reason: "other" });
endServers();
process.stdout.write(`${allowed}\n`);

/** The servers that answered the calls, so that what they used is counted with what this session used. */
function endServers() {
  const folder = join(process.env.HOME ?? "", ".kodelet", "resident");
  const notes = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".pid")) : [];
  for (const name of notes) process.kill(Number(readFileSync(join(folder, name), "utf8").split(" ")[0]), "SIGTERM");
}

/** @param {string} folder @returns {Settings} */
function settingsIn(folder) {
  const file = join(folder, ".claude", "settings.json");
  if (!existsSync(file)) return {};
  return JSON.parse(readFileSync(file, "utf8")).hooks;
}

/** @param {string} event @param {object} fields @returns {Promise<readonly string[]>} what the hooks answered */
async function raise(event, fields) {
  const payload = JSON.stringify({ ...session, hook_event_name: event, permission_mode: "default", ...fields });
  const hooks = settings.flatMap((groups) => groups[event] ?? []).flatMap((group) => group.hooks);
  return Promise.all(hooks.map((hook) => start(hook.command, payload)));
}

/** @param {string} line @param {string} payload */
function start(line, payload) {
  return outputOf(spawn(line, { shell: "/bin/sh", cwd: project, env, detached: true }), payload);
}

/** @param {string} answer */
function isDeny(answer) {
  if (!answer.trimStart().startsWith("{")) return false;
  return JSON.parse(answer).hookSpecificOutput?.permissionDecision === "deny";
}
