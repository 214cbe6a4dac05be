import type { CommandName } from "../../src/cli/command-table.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

/** One call that a person or an agent makes; what is left out is empty, the exit code 0. */
export interface Call {
  readonly args: string;
  readonly stdin?: string;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  readonly code?: number;
  /** The call that comes before it, which needs no process of its own. */
  readonly after?: string;
}

const RUN = "run before_tool_call";
const FORBIDDEN = toolCall("forbidden");
const CLAUDE = JSON.stringify({
  ...{ hook_event_name: "PreToolUse", session_id: "s1" },
  ...{ tool_name: "Bash", tool_input: { command: "forbidden" } },
});

/** One call of each command: a new command does not compile until it stands here. */
export const CALLS: Readonly<Record<CommandName, Call>> = {
  overview: { args: "", stdout: /^hookctl in .*:\n {2}Guards +none is on\n.*\nNext:\n {2}hookctl init /s },
  list: { args: "list", stdout: /^before_tool_call\n {2}1 {2}guard .* ✔ needs no approval / },
  run: {
    args: RUN,
    stdin: FORBIDDEN,
    stdout: /^\{"blocked":true,"reason":"no",/,
    stderr: /✖ Blocked by guard/,
    code: 2,
  },
  test: { args: "test guard", stdout: /^ ✔ guard .* checks / },
  check: { args: "check .", stdout: /^ ✔ theirs .* checks / },
  try: {
    args: "try guard tool_input.command=forbidden",
    stdout: /^\{"blocked":true,"reason":"no"\}\n$/,
    stderr: /^guard /,
    code: 2,
  },
  trust: {
    args: "trust --yes",
    stdout:
      /^✔ Approved theirs {3}before_tool_call\n {2}undo \(before you delete the file\): hookctl untrust theirs\n$/,
    stderr: /^theirs .* ✖ not approved\n/,
  },
  untrust: { args: "untrust theirs", after: "trust --yes", stdout: /^✔ Removed the approval of theirs\n$/ },
  edit: { args: "edit guard", stderr: /^✖ edit needs a terminal, but there is none\. /, code: 64 },
  add: { args: "add ./elsewhere", stderr: /^✖ \.\/elsewhere could not be fetched: .*\(PACK_NOT_FETCHED\)\n/, code: 1 },
  update: { args: "update", stdout: /^No packs were added yet\. / },
  remove: { args: "remove theirs", stderr: /^✖ .*\(PACK_UNKNOWN\)\n/, code: 64 },
  guards: { args: "guards", stdout: /^off {6}filesystem\n/ },
  enable: { args: "enable git", stdout: /^✔ git: on / },
  disable: { args: "disable git", stdout: /^✔ git: off / },
  off: { args: "off", stdout: /^Nothing is off\.\n$/ },
  on: { args: "on guard", stdout: /^guard: already on\n$/ },
  block: { args: "block pip", stdout: /^✔ block pip, for you everywhere / },
  ask: { args: "ask ./infra", stdout: /^✔ ask about \.\/infra, for you everywhere / },
  allow: { args: "allow pip", stdout: /^✔ allow pip, for you in this project / },
  rules: { args: "rules", after: "block pip", stdout: /^block {2}pip / },
  cage: { args: "cage show", stdout: /^mode: .*\nread and write:\n.*the project/s },
  explain: { args: "explain ls", stdout: /\nallow {2}no guard is on\n/ },
  init: { args: "init --yes", stdout: /^✔ Guards on: / },
  new: { args: "new mine --event agent_stop", stdout: /^✔ \.kodelet\/hooks\/mine / },
  payload: { args: "payload turn_end", stdout: /^\{"event":"turn_end",/ },
  schema: { args: "schema turn_end", stdout: /^\{\n {2}"payload": \{\n/ },
  state: { args: "state incr calls --session s1", stdout: /^1\n$/ },
  inbox: { args: "inbox --session s1", stdout: /^\{"messages":\[\],"wake":false\}\n$/ },
  bridge: { args: "bridge claude", stdin: CLAUDE, stdout: /"permissionDecision":"deny"/, stderr: /✖ block\n/ },
  install: { args: "install claude", stdout: /^✔ Wrote \.claude\/settings\.json / },
  uninstall: { args: "uninstall claude", after: "install claude", stdout: /^✔ Removed \.claude\/settings\.json\n/ },
  adopt: {
    args: "adopt claude --dry-run",
    stdout: /^• claude has no hooks in its project settings \(\.claude\/settings\.json\) that adopt can migrate; .*\n$/,
  },
  seal: { args: "seal", after: "install claude", stdout: /^✔ Sealed 1 settings file \(.*\):\n/ },
  restore: { args: "restore", after: "install claude", stdout: /^• Nothing to restore: / },
  doctor: { args: "doctor", stdout: /^✔ node .* ✔ 1 hook found\n/, code: 1 },
  config: { args: "config", stdout: /^settings\.enabled .* true\n/ },
  log: { args: "log", after: RUN, stdout: /^\S{6} {2}\S+ {2}allow {2}bash {2}ls / },
  report: { args: "report --output -", after: RUN, stdout: /^<!DOCTYPE html>\n/ },
  why: {
    args: "why",
    after: RUN,
    stdout: /^No call was stopped. The last one:\nallow {2}\S+ {2}before_tool_call {2}bash /,
  },
  export: { args: "export --output .", after: RUN, stderr: /^✔ exported 1 run / },
  stats: { args: "stats", after: RUN, stdout: /\nguard {6}1 / },
  status: { args: "status", stdout: /^hookctl: 1 hook · 1 not approved\n$/ },
  serve: {
    args: "serve",
    stdin: '{"jsonrpc":"2.0","id":1,"method":"shutdown"}\n',
    stdout: /^\{"jsonrpc":"2.0","id":1,"result":/,
  },
  completion: { args: "completion bash", stdout: /\bcomplete .* hookctl\n$/ },
  replay: { args: "replay", after: RUN, stdout: /^1 recorded run: 0 differ, 1 as before\n/ },
  backtest: { args: "backtest --agent claude", stderr: /^✖ No session files were found\. /, code: 64 },
};

/** A guard of the user, a hook of the project that nobody approved, and a log that keeps payloads. */
export async function scene(): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", `case $(cat) in *forbidden*) echo '{"blocked":true,"reason":"no"}' ;; esac`);
  await place.write("home/.kodelet/hooks.json", '{"settings":{"record":"payloads"}}');
  await place.hook("theirs", "cat >/dev/null", { scope: "project" });
  return place;
}
