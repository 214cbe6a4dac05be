// Payloads as agents of all dialects send them, drawn from tables of our own: nothing here comes from src/.
import { entry } from "../entry.mjs";

/** @import { Random } from "../random.mjs" */

/** @typedef {readonly [key: string, raw: string]} RawMember a value stands as the text that is sent */

/** What an event needs, each as text. @type {Readonly<Record<string, readonly RawMember[]>>} */
export const NEEDED = {
  session_start: [],
  session_end: [],
  user_message_send: [["message", '"hi \\ud83d\\ude00"']],
  turn_end: [["response", '"done"']],
  before_llm_call: [],
  before_tool_call: [
    ["tool_name", '"bash"'],
    ["tool_input", '{"command":"ls","limit":1.10,"id":12345678901234567890}'],
  ],
  after_tool_call: [
    ["tool_name", '"bash"'],
    ["tool_input", "null"],
    ["tool_output", '{"success":true,"bytes":1e400}'],
  ],
  agent_stop: [["messages", '[{"role":"user","content":"Please run the tests"}]']],
  permission_request: [],
  notification: [],
};

/** What Base Coat calls them; its envelope mentions no event beside it. */
const BASE_COAT = {
  session_start: "SessionStart",
  before_tool_call: "PreToolUse",
  after_tool_call: "PostToolUse",
  user_message_send: "UserPromptSubmit",
  session_end: "SessionEnd",
  agent_stop: "Stop",
  permission_request: "PermissionRequest",
  notification: "Notification",
};

/** Values that a careless reader changes. */
const VALUES = [
  ...["1.10", "1e400", "-0", "1E5", "12345678901234567890", "0.1e-7", "null", "true", '""', "[]", "{}", '"\\u0041\\/"'],
  ...[
    '{"b":1,"a":2}',
    '[1.0,[2.50],{"__proto__":1}]',
    '"\\ud800"',
    '"line\\nbreak"',
    '{"10":1,"9":2}',
    "{ }",
    "[ 1 , 2 ]",
  ],
];
const MORE_KEYS = ["extra", "__proto__", "constructor", "10", "9", "", "tool_user_id", "grant", "recipe_name", "state"];

/** @type {Readonly<Record<string, (random: Random, event: string) => readonly RawMember[]>>} */
export const ENVELOPES = {
  kodelet: (random, event) => [
    ...(random.chance(0.6) ? [member("event", event)] : []),
    member("conv_id", random.pick(["", "s-1", "../x"])),
    ...(random.chance(0.5) ? [member("cwd", "/tmp"), member("invoked_by", "main")] : []),
    ...entry(NEEDED, event),
  ],
  basecoat: (random, event) => {
    const isNamed = Object.hasOwn(BASE_COAT, event);
    const name = isNamed ? BASE_COAT[/** @type {keyof typeof BASE_COAT} */ (event)] : event;
    return [
      member("hook", name),
      member("sessionId", "s-1"),
      ["tool", '{"name":"bash","success":true,"durationMs":1.50}'],
      ...entry(NEEDED, event).filter(([key]) => key !== "tool_name" || random.chance(0.5)),
    ];
  },
  agenthook: (_random, event) => [
    member("event", event),
    ["ctx", '{"session_id":"s-1","turn_number":3.0}'],
    ...entry(NEEDED, event),
  ],
};

/** @param {string} key @param {string} text @returns {RawMember} */
const member = (key, text) => [key, JSON.stringify(text)];

/** Members of a valid payload, with others around them. @param {Random} random @param {string} dialect @param {string} event */
export function drawPayload(random, dialect, event) {
  const own = entry(ENVELOPES, dialect)(random, event);
  const taken = new Set([...own.map(([key]) => key), ...entry(NEEDED, event).map(([key]) => key)]);
  const more = random.shuffled(MORE_KEYS).slice(0, random.int(4));
  const added = more
    .filter((key) => !taken.has(key))
    .map((key) => /** @type {RawMember} */ ([key, fitting(random, key)]));
  return random.chance(0.3) ? random.shuffled([...own, ...added]) : [...own, ...added];
}

/** A text where the field must be one. @param {Random} random @param {string} key */
const fitting = (random, key) => (["tool_user_id", "recipe_name"].includes(key) ? '"call_1"' : random.pick(VALUES));

/** The bytes, with white space here and there. @param {Random} random @param {readonly RawMember[]} members */
export function sent(random, members) {
  const space = () => (random.chance(0.1) ? random.pick([" ", "\n", "\t", "\r\n "]) : "");
  const parts = members.map(([key, raw]) => `${space()}${JSON.stringify(key)}${space()}:${space()}${raw}${space()}`);
  return Buffer.from(`${space()}{${parts.join(",")}}${space()}`, "utf8");
}
