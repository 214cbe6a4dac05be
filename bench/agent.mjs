// A stand-in for Claude Code: reads the hooks of the user's and the project's settings as it does, and raises the events
// of a session with so many shell calls. A line is started through `sh -c` with the payload on stdin; a URL gets it by
// POST. It obeys a deny, and ends with the number of calls that were allowed.
//
//   agent.mjs PROJECT CALLS [WORDS TO START A SERVER]
//
// The server runs as long as the session, with its token in the file that its line on stderr names.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { outputOf } from "./child.mjs";

/** @typedef {{ readonly type: "http", readonly url: string, readonly headers: Readonly<Record<string, string>> }} HttpHook */
/** @typedef {HttpHook | { readonly type: "command", readonly command: string }} Hook */
/** @typedef {Readonly<Record<string, readonly { readonly hooks: readonly Hook[] }[]>>} Settings */

const [project = "", calls = "0", ...serverWords] = process.argv.slice(2);
const session = { session_id: "bench", transcript_path: join(project, "transcript.jsonl"), cwd: project };
const env = { ...process.env, CLAUDE_PROJECT_DIR: project };
const server = serverWords.length === 0 ? null : await startServer(serverWords);
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
process.stdout.write(`${allowed}\n`);
await server?.end();

/** @param {string} folder @returns {Settings} */
function settingsIn(folder) {
  const file = join(folder, ".claude", "settings.json");
  if (!existsSync(file)) return {};
  return JSON.parse(readFileSync(file, "utf8").replaceAll("$HOOKCTL_SERVE_TOKEN", server?.token ?? "")).hooks;
}

/** @param {string} event @param {object} fields @returns {Promise<readonly string[]>} what the hooks answered */
async function raise(event, fields) {
  const payload = JSON.stringify({ ...session, hook_event_name: event, permission_mode: "default", ...fields });
  const hooks = settings.flatMap((groups) => groups[event] ?? []).flatMap((group) => group.hooks);
  return Promise.all(hooks.map((hook) => (hook.type === "http" ? post(hook, payload) : start(hook.command, payload))));
}

/** @param {string} line @param {string} payload */
function start(line, payload) {
  return outputOf(spawn(line, { shell: "/bin/sh", cwd: project, env, detached: true }), payload);
}

/** @param {HttpHook} hook @param {string} payload */
async function post({ url, headers }, payload) {
  const call = request(url, { method: "POST", headers: { "content-type": "application/json", ...headers } });
  call.end(payload);
  const [response] = await once(call, "response");
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`${url}: ${answer}`);
  return answer;
}

/** @param {readonly string[]} words */
async function startServer([program = "", ...words]) {
  const child = spawn(program, words, { cwd: project, env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close");
  let said = "";
  for await (const part of child.stderr.setEncoding("utf8")) {
    said += part;
    if (said.includes("\n")) break;
  }
  const file = /the token is in (.+)\n/.exec(said)?.[1];
  if (file === undefined) throw new Error(`the server said: ${said}`);
  const end = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { token: readFileSync(file, "utf8").trim(), end };
}

/** @param {string} answer */
function isDeny(answer) {
  if (!answer.trimStart().startsWith("{")) return false;
  return JSON.parse(answer).hookSpecificOutput?.permissionDecision === "deny";
}
