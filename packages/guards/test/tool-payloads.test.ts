import { describe, expect, test } from "vitest";
import { membersOf, readJson } from "../../../src/protocol/json/read.ts";
import { concernsGuards } from "../../../src/protocol/payload/tool-call.ts";
import { loadShellParser } from "../../../src/shell/load-parser.ts";
import { examine } from "../examine.ts";
import { GUARDS } from "../guards.ts";
import { judge, STANDARD_SETTINGS } from "../judge.ts";
import { readToolCall } from "../tool-call.ts";
import { PLACE } from "./command/compact.ts";

await loadShellParser();

/** The strictest decision of all guards; `unread` if they would not even be loaded. */
function decisionOf(tool_name: string, tool_kind: string | null, tool_input: unknown): string {
  const read = readJson(JSON.stringify({ tool_name, tool_kind, tool_input }), 64);
  if (!read.ok) throw new Error("not JSON");
  const members = membersOf(read.value);
  if (!concernsGuards("before_tool_call", members)) return "unread";
  const examined = examine(readToolCall(members), PLACE);
  const decisions = Object.values(GUARDS).map(
    (rules) => judge(examined, { rules, settings: STANDARD_SETTINGS }).decision,
  );
  return ["block", "ask"].find((one) => decisions.some((decision) => decision === one)) ?? "allow";
}

const PATCH = "*** Begin Patch\n*** Delete File: /etc/passwd\n*** End Patch";

type Row = readonly [tool: string, kind: string | null, input: unknown];

const STOPPED: readonly Row[] = [
  ["apply_patch", null, { patchText: PATCH }],
  ["apply", null, { anything: PATCH }],
  ["write_stdin", null, { session_id: 1, chars: "rm -rf ~\n" }],
  ["write_stdin", null, { session_id: 1, chars: "\u0015rm -rf ~\r" }],
  ["write_bash", null, { input: "git reset --hard\n" }],
  ["mcp__tmux__send_keys", null, { pane: "1", keys: "rm -rf ~" }],
  ["NotebookEdit", "edit", { notebook_path: "/home/dev/shop/a.ipynb", new_source: "!rm -rf ~" }],
  ["NotebookEdit", "edit", { notebook_path: "a.ipynb", new_source: "import shutil\nshutil.rmtree('/home/dev')" }],
  ["NotebookEdit", "edit", { notebook_path: "a.ipynb", new_source: "%%bash\nls\nrm -rf ~" }],
  ["mcp__jupyter__execute_cell", null, { source: "import os\nos.system('rm -rf ~')" }],
  ["run_code", null, { language: "javascript", code: "require('fs').rmSync('/home/dev', {recursive: true})" }],
  ["run_code", null, { language: "bash", code: "rm -rf ~" }],
  ["mcp__db__execute", null, { sql: "DROP TABLE users" }],
  ["mcp__db__query", null, { query: "drop table users" }],
  ["mcp__aws__call", null, { cli_command: "aws s3 rb s3://x --force" }],
  ["mcp__x__do", null, { step: "rm -rf ~" }],
  ["mcp__x__do", null, { payload: { deep: [{ step: "rm -rf ~" }] } }],
  ["mcp__x__do", null, { arguments: '{"command":"rm -rf ~"}' }],
  ["mcp__x__do", null, { arguments: '{"input":"{\\"cmd\\":\\"rm -rf ~\\"}"}' }],
  ["mcp__x__write", null, { doc: "/etc/passwd", blob: "x" }],
  ["mcp__x__append", null, { where: "~/.bashrc", blob: "x" }],
  ["mcp__x__read", null, { doc: "~/.ssh/id_rsa" }],
  ["mcp__github__delete_repository", null, { owner: "a", repo: "b" }],
  ["mcp__mongodb__drop-collection", null, { database: "shop", collection: "users" }],
  ["mcp__x__TerraformDestroy", null, { workspace: "production" }],
  ["mcp__npm__publish", null, { package: "left-pad" }],
];

const HARMLESS: readonly Row[] = [
  ["write_stdin", null, { session_id: 1, chars: "\u0003" }],
  ["write_stdin", null, { session_id: 1, chars: "npm test\n" }],
  ["WebSearch", "web", { query: "why is rm -rf / dangerous" }],
  ["Grep", "search", { pattern: "rm -rf ~" }],
  ["Write", "write", { file_path: "/home/dev/shop/a.md", content: "rm -rf ~ deletes everything\nDROP TABLE users;" }],
  ["Edit", "edit", { file_path: "/home/dev/shop/a.sh", old_string: "ls", new_string: "rm -rf ~" }],
  ["NotebookEdit", "edit", { notebook_path: "a.ipynb", cell_type: "markdown", new_source: "!rm -rf ~ is dangerous" }],
  [
    "NotebookEdit",
    "edit",
    { notebook_path: "a.ipynb", new_source: "import pandas as pd\ndf = pd.read_csv('a.csv')\ndf" },
  ],
  ["TodoWrite", null, { todos: [{ content: "rm -rf ~ must not happen", status: "pending", activeForm: "rm -rf ~" }] }],
  ["Task", null, { description: "git reset --hard", prompt: "git reset --hard is not allowed; find out why" }],
  [
    "mcp__github__create_issue",
    null,
    { owner: "a", repo: "b", title: "rm -rf ~", body: "git reset --hard", labels: ["x"] },
  ],
  ["mcp__memory__add_observations", null, { observations: [{ entityName: "shell", contents: ["rm -rf ~ is bad"] }] }],
  ["mcp__slack__post", null, { channel: "dev", payload: "git push --force was blocked" }],
  ["mcp__db__query", null, { query: "select * from users where id = 1" }],
  ["mcp__docs__search", null, { query: "drop table in postgres", topic: "sql" }],
  ["mcp__memory__delete_entities", null, { entityNames: ["shell", "rm"] }],
  ["mcp__calendar__delete_event", null, { id: "1234567890abcdef" }],
  ["mcp__github__list_deleted_branches", null, { owner: "a", repo: "b" }],
  ["mcp__api__call", null, { method: "GET", route: "/api/v1/users" }],
  ["mcp__x__do", null, { data: '{"files":["src/a.ts"],"content":"rm -rf ~"}' }],
  ["mcp__x__do", null, { name: "build", mode: "fast", target_branch: "main" }],
  ["run_code", null, { language: "python", code: "print('rm -rf ~')" }],
  ["run_code", null, { language: "javascript", code: 'const rm = x => x; console.log(rm("a"))' }],
];

describe("a tool is judged by what it carries, whatever its arguments are called", () => {
  test.each(STOPPED)("%s (%s) is stopped with %j", (tool, kind, input) => {
    expect(["block", "ask"]).toContain(decisionOf(tool, kind, input));
  });

  test.each(HARMLESS)("%s (%s) is not stopped with %j", (tool, kind, input) => {
    expect(["allow", "unread"]).toContain(decisionOf(tool, kind, input));
  });
});
