// Settings files as people write them, in both forms of `hooks`, drawn from tables of our own: nothing here comes from src/.

/** @import { Random } from "../random.mjs" */

/** @typedef {Record<string, unknown>} Bag */

const EVENTS = "before_tool_call PreToolUse pre_tool_call agent_stop SessionStart turn_end on_error".split(" ");
const NAMES = ["guard", "audit-logger", "org/repo/lint", "ä b", "constructor", "toString", "hasOwnProperty", "0"];
const TIMES = ["500ms", "5s", "2m"];
const MATCHES = [{}, { tool_name: "bash" }, { tool_name: ["bash", "mcp_*"], "tool_input.command": "*rm -rf*" }];

/** @type {readonly ((random: Random) => Bag)[]} */
const SCHEMES = [
  () => ({ block: "no rm -rf here" }),
  () => ({ ask: "sure?" }),
  () => ({ inject: "be brief" }),
  () => ({ command: "python3 guard.py" }),
  () => ({ command: ["python3", "guard.py"] }),
  () => ({ shell_exec: "echo done" }),
];

/** @type {Readonly<Record<string, (random: Random) => unknown>>} */
const BESIDE = {
  priority: (random) => random.pick([10, 100, -1.5, 0]),
  fail_open: (random) => random.chance(0.5),
  observe: () => false,
  timeout: (random) => random.pick(TIMES),
  match: (random) => random.pick(MATCHES),
  background: (random) => random.chance(0.5),
  sandbox: (random) => random.pick(["off", "auto", "require"]),
  enabled: (random) => random.chance(0.8),
};

/** @type {Readonly<Record<string, (random: Random) => unknown>>} */
const SETTINGS = {
  enabled: () => true,
  timeout: (random) => random.pick(TIMES),
  timeouts: (random) => ({ agent_stop: random.pick(TIMES) }),
  post_order: (random) => random.pick(["forward", "reverse"]),
  max_hook_driven_turns: (random) => random.int(30),
  on_limit: (random) => random.pick(["warn", "ask_user", "abort"]),
};

/** @type {Readonly<Record<string, (random: Random) => unknown>>} */
const USER_SETTINGS = {
  deadline: (random) => random.pick(TIMES),
  on_untrusted: (random) => random.pick(["warn", "fail"]),
  record: (random) => random.pick(["names", "off"]),
  env_allow: () => ["SLACK_WEBHOOK_URL"],
};

/** A valid file. @param {Random} random @param {"project" | "user"} scope @returns {Bag} */
export function drawConfig(random, scope) {
  const isUser = scope === "user";
  return {
    ...(random.chance(0.3) ? { version: 1 } : {}),
    ...(random.chance(0.4) ? { settings: some(random, isUser ? { ...SETTINGS, ...USER_SETTINGS } : SETTINGS) } : {}),
    ...(random.chance(0.4) ? { overrides: overrides(random, isUser) } : {}),
    ...(random.chance(0.9) ? { hooks: random.chance(0.5) ? byEvent(random) : listed(random) } : {}),
  };
}

/** @param {Random} random @param {boolean} isUser */
function overrides(random, isUser) {
  const names = random.shuffled(NAMES).slice(0, random.int(3));
  return Object.fromEntries(
    names.map((name) => [
      name,
      { ...some(random, BESIDE), ...(isUser && random.chance(0.2) ? { required: true } : {}) },
    ]),
  );
}

/** @param {Random} random */
function byEvent(random) {
  const events = random.shuffled(EVENTS).slice(0, 1 + random.int(3));
  return Object.fromEntries(events.map((event) => [event, Array.from({ length: random.int(3) }, () => entry(random))]));
}

/** @param {Random} random */
const listed = (random) =>
  Array.from({ length: 1 + random.int(3) }, () => ({ on: random.pick(EVENTS), ...entry(random) }));

/** @param {Random} random @returns {Bag} */
function entry(random) {
  const named = random.chance(0.7) ? { name: `${random.pick(NAMES)}${random.int(9)}` } : {};
  const files = random.chance(0.1) ? { files: ["rules.txt"] } : {};
  return { ...named, ...some(random, BESIDE), ...files, ...random.pick(SCHEMES)(random) };
}

/** @param {Random} random @param {Readonly<Record<string, (random: Random) => unknown>>} table */
const some = (random, table) =>
  Object.fromEntries(
    Object.entries(table)
      .filter(() => random.chance(0.25))
      .map(([key, draw]) => [key, draw(random)]),
  );
