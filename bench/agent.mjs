// A stand-in for Claude Code: reads the hooks of the user's and the project's settings as it does, and starts their lines
// at each event of a session with so many shell calls, through `sh -c`, with the payload on stdin. It obeys a deny, and
// ends with the number of calls that were allowed.
//
//   agent.mjs PROJECT CALLS
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>} Settings */

const [project = "", calls = "0"] = process.argv.slice(2);
const settings = [process.env.HOME ?? "", project].map((folder) =>
  settingsIn(join(folder, ".claude", "settings.json")),
);
const session = { session_id: "bench", transcript_path: join(project, "transcript.jsonl"), cwd: project };
const env = { ...process.env, CLAUDE_PROJECT_DIR: project };

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

/** @param {string} file @returns {Settings} */
function settingsIn(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).hooks : {};
}

/** @param {string} event @param {object} fields @returns {Promise<readonly string[]>} what the hooks printed */
async function raise(event, fields) {
  const payload = JSON.stringify({ ...session, hook_event_name: event, permission_mode: "default", ...fields });
  const groups = settings.flatMap((hooks) => hooks[event] ?? []);
  const lines = groups.flatMap((group) => group.hooks.map(({ command }) => command));
  return Promise.all(lines.map((line) => start(line, payload)));
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

/** @param {string} printed */
function isDeny(printed) {
  if (!printed.trimStart().startsWith("{")) return false;
  return JSON.parse(printed).hookSpecificOutput?.permissionDecision === "deny";
}
