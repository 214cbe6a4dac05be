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

/** @typedef {{ readonly type: "command", readonly command: string } | { readonly type: "http", readonly url: string, readonly headers: Readonly<Record<string, string>> }} Hook */
/** @typedef {Readonly<Record<string, readonly { readonly hooks: readonly Hook[] }[]>>} Settings */

const [project = "", calls = "0", ...serverWords] = process.argv.slice(2);
const settings = [process.env.HOME ?? "", project].map((folder) =>
  settingsIn(join(folder, ".claude", "settings.json")),
);
const session = { session_id: "bench", transcript_path: join(project, "transcript.jsonl"), cwd: project };
const env = { ...process.env, CLAUDE_PROJECT_DIR: project };
const server = serverWords.length === 0 ? null : await startServer(serverWords);

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

/** @param {string} file @returns {Settings} */
function settingsIn(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).hooks : {};
}

/** @param {string} event @param {object} fields @returns {Promise<readonly string[]>} what the hooks answered */
async function raise(event, fields) {
  const payload = JSON.stringify({ ...session, hook_event_name: event, permission_mode: "default", ...fields });
  const groups = settings.flatMap((hooks) => hooks[event] ?? []);
  const hooks = groups.flatMap((group) => group.hooks);
  return Promise.all(hooks.map((hook) => (hook.type === "http" ? post(hook, payload) : start(hook.command, payload))));
}

/** @param {string} line @param {string} payload @returns {Promise<string>} */
function start(line, payload) {
  return new Promise((settle, reject) => {
    const child = spawn(line, { shell: "/bin/sh", cwd: project, env, detached: true });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
    child.stderr.resume();
    child.on("error", reject).on("close", () => settle(printed));
    // A hook may leave without reading its stdin.
    child.stdin.on("error", () => undefined).end(payload);
  });
}

/** @param {Extract<Hook, { type: "http" }>} hook @param {string} payload @returns {Promise<string>} */
function post({ url, headers }, payload) {
  return new Promise((settle, reject) => {
    const filled = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace("$HOOKCTL_SERVE_TOKEN", server?.token ?? ""),
    ]);
    const options = {
      method: "POST",
      headers: { "content-type": "application/json", ...Object.fromEntries(filled) },
    };
    const call = request(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      answer.on("end", () => (answer.statusCode === 200 ? settle(text) : reject(new Error(`${url}: ${text}`))));
    });
    call.on("error", reject).end(payload);
  });
}

/** @param {readonly string[]} words */
async function startServer([program = "", ...words]) {
  const child = spawn(program, words, { cwd: project, env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close");
  let said = "";
  for await (const text of child.stderr.setEncoding("utf8")) {
    said += text;
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
