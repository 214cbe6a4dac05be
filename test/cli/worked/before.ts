import { type Composition, KEEP_STDOUT, NO_JSON, turn } from "./composition.ts";

const CALL = { tool_name: "bash", tool_input: { command: "ls" } };
const WATCH = 'printf %s "$payload" | sed \'s/.*"command": *"\\([^"]*\\)".*/\\1/\' > seen';
const pre = (priority: number, more: object = {}) => ({ event: "before_tool_call", priority, ...more });

/** Rows 1 to 6, where a block can stop something. */
export const BEFORE: readonly Composition[] = [
  {
    title: "1 a change, then a block: the block wins, the change is dropped, the observer still runs",
    event: "before_tool_call",
    payload: CALL,
    hooks: [
      ["a", "python", pre(20), 'print(json.dumps({"input": {"command": payload["tool_input"]["command"] + " -la"}}))'],
      [
        "b",
        "node",
        { ...pre(30.5), event: "pre_tool_call" },
        'console.log(JSON.stringify({ Reject: "saw " + payload.args.command }))',
      ],
      ["c", "bash", { ...pre(90, { observe: true }), event: "PreToolUse" }, WATCH],
    ],
    stdout: '{"blocked":true,"reason":"saw ls -la"}',
    stderr: [
      turn("a", "✎ changed input"),
      turn("b", "✖ block"),
      turn("c", "• observed"),
      "✖ Blocked by b",
      "  saw ls -la",
    ],
    code: 2,
    seen: "ls -la",
  },
  {
    title: "2 two changes in two dialects: the second sees the first",
    event: "before_tool_call",
    payload: CALL,
    hooks: [
      ["a", "bash", "before_tool_call", `printf '{"input":{"command":"ls -a"}}'`],
      [
        "b",
        "python",
        "pre_tool_call",
        'print(json.dumps({"Transform": {"command": payload["args"]["command"] + " -l"}}))',
      ],
    ],
    stdout: '{"blocked":false,"input":{"command": "ls -a -l"}}',
    stderr: [
      turn("a", "✎ changed input"),
      turn("b", "✎ changed input"),
      "✔ Allowed, input changed by a, b     2 hooks",
      '    tool_input.command   "ls" → "ls -a -l"',
    ],
    code: 0,
  },
  {
    title: "3 a change, then `input: null`: the change stays",
    event: "before_tool_call",
    payload: CALL,
    hooks: [
      ["a", "node", "PreToolUse", `console.log('{"action":"modify","modifiedInput":{"command":"ls -a"}}')`],
      ["b", "python", "before_tool_call", 'print(json.dumps({"blocked": False, "input": None}))'],
    ],
    stdout: '{"blocked":false,"input":{"command":"ls -a"}}',
    stderr: [
      turn("a", "✎ changed input"),
      turn("b", "✔ allow"),
      "✔ Allowed, input changed by a     2 hooks",
      '    tool_input.command   "ls" → "ls -a"',
    ],
    code: 0,
  },
  {
    title: "4 context, then a block: the context is kept, the hook behind is skipped",
    event: "before_tool_call",
    payload: CALL,
    hooks: [
      ["a", "bash", pre(50), "echo late > seen"],
      [
        "b",
        "node",
        { ...pre(10), event: "PreToolUse" },
        `console.log('{"action":"injectContext","additionalContext":["use trash-cli"]}')`,
      ],
      ["c", "python", pre(20), 'print(json.dumps({"decision": "deny", "reason": "no rm"}))'],
    ],
    stdout: '{"blocked":true,"reason":"no rm","additional_context":["use trash-cli"]}',
    stderr: [turn("b", "✚ added context"), turn("c", "✖ block"), "✖ Blocked by c", "  no rm"],
    code: 2,
  },
  {
    title: "5 a closed hook that prints no JSON blocks",
    event: "before_tool_call",
    payload: CALL,
    hooks: [
      ["a", "bash", pre(100, { fail_open: false }), "echo oops"],
      ["b", "node", "pre_tool_call", `console.log('{"Transform":{"command":"x"}}')`],
    ],
    stdout: JSON.stringify({ blocked: true, reason: `a could not decide: ${NO_JSON}`, warnings: [NO_JSON] }),
    stderr: [
      turn("a", "▲ failed"),
      `✖ Blocked: a could not decide: ${NO_JSON}`,
      `  This hook is fail-closed. ${KEEP_STDOUT}`,
    ],
    code: 2,
  },
  {
    title: "5b an open hook that prints no JSON is a warning; the next one's change applies",
    event: "before_tool_call",
    payload: CALL,
    hooks: [
      ["a", "python", "PreToolUse", 'print("oops")'],
      ["b", "node", "pre_tool_call", `console.log('{"action":"transform","value":{"command":"x"}}')`],
    ],
    stdout: JSON.stringify({ blocked: false, input: { command: "x" }, warnings: [NO_JSON] }),
    stderr: [
      turn("a", "▲ failed"),
      turn("b", "✎ changed input"),
      `▲ ${NO_JSON}`,
      `  Allowed: this hook is fail-open. ${KEEP_STDOUT}`,
      "▲ Allowed, input changed by b, but 1 hook failed     2 hooks",
      '    tool_input.command   "ls" → "x"',
    ],
    code: 0,
  },
  {
    title: "6 a replacement ends the chain; the guard behind is skipped, the observer runs",
    event: "before_tool_call",
    payload: CALL,
    hooks: [
      ["a", "python", { ...pre(1), event: "pre_tool_call" }, 'print(json.dumps({"Replace": {"command": "true"}}))'],
      ["b", "node", pre(2, { fail_open: false }), `console.log('{"blocked":true}')`],
      ["c", "bash", { ...pre(3, { observe: true }), event: "PreToolUse" }, WATCH],
    ],
    stdout: '{"blocked":false,"input":{"command": "true"}}',
    stderr: [
      turn("a", "✎ replaced, chain ends"),
      turn("c", "• observed"),
      "✔ Allowed, input changed by a     2 hooks",
      '    tool_input.command   "ls" → "true"',
    ],
    code: 0,
    seen: "true",
  },
];
