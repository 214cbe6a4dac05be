// The states of a machine. Each begins with the guard, approved, hookctl registered in one agent, and the agent's own trust;
// then commands of sh, in the project, change it. make.mjs has the functions that they use.

/**
 * @typedef {object} State
 * @property {string} name
 * @property {string} agent
 * @property {readonly string[]} scopes in which hookctl is registered
 * @property {string} before commands that run before hookctl is registered
 * @property {string} after
 * @property {"project" | "user" | null} hook where the guard lies; null: the state has another one
 * @property {string} guard its name
 * @property {Readonly<Record<string, string>>} [env] of people and agents after the commands, as sh expands it
 * @property {string} [cwd] in the project
 * @property {string} [project] its folder's name
 * @property {true} [isAgentUntrusted] the agent's own trust is not given
 * @property {true} [isOffByPerson] the guard is off because a person said so
 * @property {true} [isUnreached] the registered line does not start hookctl, or drops its answer: `list`, `status` and `trust` do not speak of that
 * @property {true} [hasOtherFault] a ✖ of `doctor` is about something else than the guard
 * @property {true} [isBorrowing] the agent also runs the registration of another agent
 * @property {true} [isAnyAgent] `doctor` is asked without the name of an agent
 * @property {true} [isPack] the commands end with `update`, and no other statement is judged
 */

/** @param {string} name begins with the agent and the scopes of its registration @param {string} [after] @param {Partial<State>} [more] @returns {State} */
const state = (name, after = "", more = {}) => {
  const [agent = "", ...scopes] = name.slice(0, name.indexOf(":")).split(" ");
  return { name, agent, scopes, hook: "project", guard: "guard", before: "", after, ...more };
};

const UNTRUSTED = /** @type {const} */ ({ isAgentUntrusted: true });
const BY_PERSON = /** @type {const} */ ({ isOffByPerson: true });
const UNREACHED = /** @type {const} */ ({ isUnreached: true });
const USER_HOOK = /** @type {const} */ ({ hook: "user" });
const COPY = "copy_hookctl tool";
const MOVE = 'mv "$ROOT/tool" "$ROOT/other"; use_hookctl other';
const BUILT_IN = { hook: null, guard: "git" };

const RULE = `{"name":"guard","block":"no reset","fail_open":false,"match":{"tool_input.command":"*reset --hard*"}}`;
const RULES = `echo '{"version":1,"hooks":{"PreToolUse":[${RULE}]}}'`;
const REYN = `echo 'hooks: [{"on":"before_tool_call",${RULE.slice(1)}]'`;
const ALLOW = `edit ~/.kodelet/hooks.json 's.settings = { project_hooks: "allow" }'`;
const LINT = `printf '%s\\n' '#!/bin/sh' '[ "$1" = hook ] && exec echo "{\\"event\\":\\"before_tool_call\\",\\"timeout\\":\\"2m\\"}"' 'cat >/dev/null' >.kodelet/hooks/lint; chmod +x .kodelet/hooks/lint; hookctl trust lint || :`;
const TOOLS = `mkdir "$ROOT/tools"; for name in sh cat env printf; do ln -s "$(command -v "$name")" "$ROOT/tools/"; done`;
const PACK = `git init -q ../pack; cd ../pack; git config user.email a@b.example; git config user.name a; mkdir hooks
printf '%s\\n' '#!/bin/sh' '[ "$1" = hook ] && exec echo before_tool_call' 'cat >/dev/null' >hooks/stop; chmod +x hooks/stop
git add .; git commit -qm 1; git branch -M main; git tag v1; cd ../project`;
const NEWER = `(cd ../pack; sed -i 's/^cat.*/case $(cat) in *--hard*) echo "{\\\\"blocked\\\\":true,\\\\"reason\\\\":\\\\"no\\\\"}" ;; esac/' hooks/stop
git commit -qam 2; git tag v2)`;
const OF_PACK = /** @type {const} */ ({ hook: null, isPack: true, before: PACK });
/** The command of the registered tool event. */
const COMMAND = "s.hooks.PreToolUse[0].hooks[0].command";

const WORKING = [
  state("claude project: plain"),
  state("claude user: plain"),
  state("claude local: plain"),
  state("claude user project: registered twice"),
  state("claude user: the user's own guard", "", USER_HOOK),
  state("codex user: plain"),
  state("codex project: plain"),
  state("gemini user: plain"),
  state("gemini project: comments in its settings", "sed -i '1i // ours' .gemini/settings.json"),
  state("copilot user: plain"),
  state("copilot project: beside Claude Code", "hookctl init claude --scope project", { isBorrowing: true }),
  state("cursor project: plain"),
  state("qwen project: plain"),
  state("droid user: plain"),
  state("goose project: plain"),
  state("opencode user: plain"),
  state("opencode project: plain"),
  state("pi project: plain"),
];

const SWITCHES = [
  state("claude project: off in the user's settings", "edit ~/.claude/settings.json 's.disableAllHooks = true'"),
  state("claude user: off in local settings", "edit .claude/settings.local.json 's.disableAllHooks = true'"),
  state(
    "claude project: on nearer than off",
    "edit ~/.claude/settings.json 's.disableAllHooks = true'; edit .claude/settings.local.json 's.disableAllHooks = false'",
  ),
  state("claude user: simple mode", "", { env: { CLAUDE_CODE_SIMPLE: "1" } }),
  state("claude user: simple mode by settings", `edit ~/.claude/settings.json 's.env = { CLAUDE_CODE_SIMPLE: "1" }'`),
  state("claude user: no simple mode", `edit .claude/settings.local.json 's.env = { CLAUDE_CODE_SIMPLE: "1" }'`),
  state("codex user: features.hooks", "printf '\\n[features]\\nhooks = false\\n' >>~/.codex/config.toml"),
  state("codex user: entries that nobody trusts", "", UNTRUSTED),
  state("codex project: a project that nobody trusts", `sed -i 's/"trusted"/"untrusted"/' ~/.codex/config.toml`),
  state("codex user: an invented hash", "sed -i 's/sha256:..../sha256:0000/' ~/.codex/config.toml"),
  state("codex user: off in /hooks", "sed -i 's/^trusted_hash/enabled = false\\n&/' ~/.codex/config.toml"),
  state("gemini user: hooksConfig.enabled", "edit ~/.gemini/settings.json 's.hooksConfig = { enabled: false }'"),
  state(
    "gemini user: off by name",
    `edit .gemini/settings.json 's.hooksConfig = { disabled: ["hookctl-BeforeTool"] }'`,
  ),
  state("gemini user: a folder that nobody trusts", "", UNTRUSTED),
  state("gemini user: trusted by a variable", "", { ...UNTRUSTED, env: { GEMINI_CLI_TRUST_WORKSPACE: "true" } }),
  state("copilot project: a folder that nobody trusts", "", UNTRUSTED),
  state("copilot project: trusted by a variable", "", {
    ...UNTRUSTED,
    env: { GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: "true" },
  }),
  state("copilot user: the user's switch, no effect", "edit ~/.copilot/settings.json 's.disableAllHooks = true'"),
  state("copilot project: the repository's switch", "edit .github/copilot/settings.json 's.disableAllHooks = true'"),
  state("copilot user: the switch in its own file", "edit ~/.copilot/hooks/hookctl.json 's.disableAllHooks = true'"),
  state("qwen project: off in the user's settings", "edit ~/.qwen/settings.json 's.disableAllHooks = true'"),
  state("opencode user: without plugins", "", { env: { OPENCODE_PURE: "1" } }),
  state("pi project: a folder that nobody trusts", "", UNTRUSTED),
];

const PLACES = [
  state("claude project: started in a sub-folder", "mkdir web", { cwd: "web" }),
  state("claude user: started in a sub-folder", "mkdir web", { cwd: "web" }),
  state("codex project: started in a sub-folder", "mkdir web", { cwd: "web" }),
  state("claude user: a project that was moved", 'mv "$PWD" "$ROOT/other"', { project: "other" }),
  state("claude user: hookctl moved", MOVE, { before: COPY }),
  state("codex user: hookctl moved, registered again", `${MOVE}; hookctl init codex --scope user`, { before: COPY }),
  state("qwen user: hookctl deleted, another one in use", 'copy_hookctl other; rm -r "$ROOT/tool"', { before: COPY }),
];

const REGISTRATIONS = [
  state("claude: never registered", "", { isAnyAgent: true }),
  state("claude: registered for another agent alone", "hookctl init qwen --scope project"),
  state("claude project: a merge conflict", "conflict .claude/settings.json"),
  state("claude project: settings deleted", "rm .claude/settings.json"),
  state("droid project: settings moved", "mv .factory/settings.json .factory/hooks.json"),
  state("codex user: half of its settings", "half ~/.codex/hooks.json"),
  state("opencode project: the module deleted", "rm .opencode/plugins/hookctl.js"),
  state("pi user: half of the module", "half ~/.pi/agent/extensions/hookctl.ts", UNREACHED),
  state("claude project: the tool event deleted", "edit .claude/settings.json 'delete s.hooks.PreToolUse'"),
  state("claude project: a matcher", `edit .claude/settings.json 's.hooks.PreToolUse[0].matcher = "Edit|Write"'`),
  state(
    "claude project: another command",
    `edit .claude/settings.json '${COMMAND} = "true # hookctl bridge claude --event PreToolUse"'`,
    UNREACHED,
  ),
  state(
    "claude project: its answer thrown away",
    `edit .claude/settings.json '${COMMAND} = "(" + ${COMMAND} + ") >/dev/null"'`,
    UNREACHED,
  ),
  state(
    "claude project: a path that does not exist",
    `edit .claude/settings.json '${COMMAND} = "/nowhere/hookctl bridge claude --event PreToolUse"'`,
    UNREACHED,
  ),
  state("claude user: no node in PATH", TOOLS, { env: { PATH: "$ROOT/tools" } }),
  state("claude user: removed and back", "hookctl uninstall claude --scope user; hookctl init claude --scope user"),
  state("codex user: registered again", "hookctl init codex --scope user"),
  state("codex user: a hook with a longer timeout", LINT),
  state("codex user: that, trusted again", `${LINT}; trust_codex`),
  state("codex user: a hook of another event", LINT.replace("before_tool_call", "agent_stop"), { hasOtherFault: true }),
  state("claude user: a hook with a longer timeout", LINT),
  state("claude: another event alone", "hookctl init claude --scope user --events Stop"),
  state("claude user: fail-open", "hookctl init claude --fail-open"),
];

const HOOKS = [
  state("claude user: the guard edited", "echo >>.kodelet/hooks/guard"),
  state("claude user: the guard deleted", "rm .kodelet/hooks/guard"),
  state("gemini user: the guard not executable", "chmod -x .kodelet/hooks/guard"),
  state("codex user: the guard renamed", "mv .kodelet/hooks/guard .kodelet/hooks/guard.disable"),
  state("claude user: the guard writable by all", "chmod 777 .kodelet/hooks/guard"),
  state("claude user: the guard behind a link", "mv .kodelet/hooks/guard .; ln -s ../../guard .kodelet/hooks/guard"),
  state("claude user: the user's own guard deleted", "rm ~/.kodelet/hooks/guard", USER_HOOK),
  state("copilot user: the user's own guard not executable", "chmod -x ~/.kodelet/hooks/guard", USER_HOOK),
  state(
    "claude user: the user's own guard without its interpreter",
    "sed -i 1s,/bin,/nowhere, ~/.kodelet/hooks/guard",
    USER_HOOK,
  ),
  state("claude user: the user's own guard crashes", "sed -i '3i exit 1' ~/.kodelet/hooks/guard", USER_HOOK),
  state(
    "claude user: the guard renamed and approved",
    "mv .kodelet/hooks/guard .kodelet/hooks/other; hookctl trust --yes",
    { guard: "other" },
  ),
  state("claude user: the approval withdrawn", "hookctl untrust guard"),
  state("claude user: the guard denied", "hookctl untrust --deny guard", BY_PERSON),
  state("claude user: hookctl's state deleted", "rm -r ~/.local/state/hookctl"),
  state("claude user: approvals that do not parse", "echo '{' >~/.local/state/hookctl/trust.json"),
  state("claude user: off for a while", "agrees off guard --for 10m", BY_PERSON),
  state("claude user: off for good", "hookctl off guard --for good", BY_PERSON),
  state("claude user: off in the project", "hookctl off guard --for good --scope project || :"),
  state(
    "claude user: off in the project, approved",
    "hookctl off guard --for good --scope project || :; hookctl trust --yes",
    BY_PERSON,
  ),
  state("claude user: a built-in guard", "hookctl on git", BUILT_IN),
  state(
    "claude user: a built-in guard off in the project",
    "hookctl on git; hookctl off git --for good --scope project || :",
    BUILT_IN,
  ),
  state("claude user: off for a while that is over", "agrees off guard --for 1s >/dev/null; sleep 2"),
  state("claude user: approved by a variable alone", "hookctl untrust guard", {
    env: { HOOKCTL_TRUST: "$(hookctl trust --digest)" },
  }),
  state("claude user: hooks off by a variable", "", { env: { HOOKCTL_NO_HOOKS: "1" } }),
  state("claude user: the guard skipped by a variable", "", { env: { HOOKCTL_SKIP: "guard" } }),
];

const OF_FILE = { hook: null };
/** Instead of the guard there are rules in this file. @param {string} file @returns {Partial<State>} */
const rulesIn = (file) => ({ hook: null, before: `mkdir -p "$(dirname ${file})"; ${RULES} >${file}` });
/** Their last approved version still applies, so a ✖ is about the file. */
const PROJECT_RULES = /** @type {const} */ ({ ...rulesIn(".kodelet/hooks.json"), hasOtherFault: true });
const SETTINGS = [
  state("claude user: the user's rules", "", rulesIn("~/.kodelet/hooks.json")),
  state("claude user: a conflict in them", "conflict ~/.kodelet/hooks.json", rulesIn("~/.kodelet/hooks.json")),
  state("qwen user: an unknown key in the user's settings", "edit ~/.kodelet/hooks.json 's.hookz = {}'"),
  state("claude user: a conflict in the project's rules", "conflict .kodelet/hooks.json", PROJECT_RULES),
  state("claude user: the project's rules deleted", "rm .kodelet/hooks.json", PROJECT_RULES),
  state("claude user: a conflict in a shared file, approved", "conflict hooks.json", {
    ...rulesIn("hooks.json"),
    hasOtherFault: true,
  }),
  state("codex user: a shared file deleted, approved", "rm hooks.json", rulesIn("hooks.json")),
  state("claude user: a shared file, allowed", `${ALLOW}; ${RULES} >hooks.json`, OF_FILE),
  ...["hooks.json", "mcp.json", ".mcp.json"].map((file) =>
    state(`claude user: a conflict in ${file}, allowed`, `${ALLOW}; ${RULES} >${file}; conflict ${file}`, OF_FILE),
  ),
  state(
    "claude user: a tab in reyn.yaml, allowed",
    `${ALLOW}; ${REYN} >reyn.yaml; printf 'safety:\\n\\tx: 1\\n' >>reyn.yaml`,
    OF_FILE,
  ),
  state("claude user: a misspelt event, allowed", `${ALLOW}; ${RULES} | sed s/Use/Used/ >hooks.json`, OF_FILE),
];

const PACKS = [
  state(
    "claude user: a pack of a tag, a newer tag",
    `hookctl add file://$ROOT/pack@v1 --yes; ${NEWER}; hookctl update || :`,
    OF_PACK,
  ),
  state(
    "claude user: a pack of a branch, updated",
    `hookctl add file://$ROOT/pack@main --yes; ${NEWER}; hookctl update --yes`,
    OF_PACK,
  ),
  state("claude user: the newest pack", `${NEWER}; hookctl add file://$ROOT/pack --yes; hookctl update || :`, OF_PACK),
];

export const STATES = [WORKING, SWITCHES, PLACES, REGISTRATIONS, HOOKS, SETTINGS, PACKS].flat();
