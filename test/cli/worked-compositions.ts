import type { Language } from "../support/program.ts";

/** One worked chain of real programs, and all that its run tells. */
export interface Composition {
  readonly title: string;
  readonly event: string;
  readonly payload: object;
  /** What it says it is chooses the dialect in which it gets the payload and is expected to answer. */
  readonly hooks: readonly (readonly [name: string, language: Language, says: string | object, lines: string])[];
  readonly settings?: object;
  readonly stdout: string;
  readonly stderr: readonly string[];
  readonly code: number;
  /** What a hook that only looks has written down. */
  readonly seen?: string;
}

const CALL = { tool_name: "bash", tool_input: { command: "ls" } };
const RESULT = { ...CALL, tool_output: "secret" };
const WATCH = 'printf %s "$payload" | sed \'s/.*"command": *"\\([^"]*\\)".*/\\1/\' > seen';
const pre = (priority: number, more: object = {}) => ({ event: "before_tool_call", priority, ...more });
const post = (priority: number) => ({ event: "after_tool_call", priority });
const turn = (name: string, outcome: string) => `  ${name}   BAR   ${outcome}`;
const NO_JSON = 'a did not print one JSON value: line 1, expected a value, found "o" ("oops")';
const KEEP_STDOUT = 'Keep stdout for JSON; log to stderr: echo "…" >&2';

/** The first nine, with their variants: the same rows that the pure chain is tested with. */
export const COMPOSITIONS: readonly Composition[] = [
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
      `  This hook blocks on error. ${KEEP_STDOUT}`,
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
      `  Going on: this hook does not block on error. ${KEEP_STDOUT}`,
      "✔ Allowed, input changed by b     2 hooks",
      '    tool_input.command   "ls" → "x"',
    ],
    code: 0,
  },
  {
    title: "5c a closed hook that fails where a block is ignored: a warning",
    event: "session_end",
    payload: { reason: "exit" },
    hooks: [
      ["a", "node", { event: "on_session_end", fail_open: false }, 'console.log("oops")'],
      ["b", "bash", "SessionEnd", ":"],
    ],
    stdout: JSON.stringify({ warnings: [NO_JSON, "a blocked, which is ignored at session_end"] }),
    stderr: [
      turn("a", "▲ failed"),
      turn("b", "✔ allow"),
      `▲ ${NO_JSON}`,
      `  Going on: no hook can block this event. ${KEEP_STDOUT}`,
      "▲ a blocked, which is ignored at session_end",
      "✔ Going on     2 hooks",
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
  {
    title: "7 after the event the order is that of before, by default",
    event: "after_tool_call",
    payload: RESULT,
    hooks: [
      ["guard", "python", post(10), 'print(json.dumps({"output": payload["tool_output"] + "|guard"}))'],
      [
        "metrics",
        "node",
        { ...post(100), event: "PostToolUse" },
        'console.log(JSON.stringify({ action: "modify", modifiedOutput: payload.tool_output + "|metrics" }))',
      ],
      [
        "log",
        "python",
        { ...post(50), event: "post_tool_call" },
        'print(json.dumps({"Transform": payload["result"] + "|log"}))',
      ],
    ],
    stdout: '{"output":"secret|guard|log|metrics"}',
    stderr: [
      turn("guard  ", "✎ changed output"),
      turn("log    ", "✎ changed output"),
      turn("metrics", "✎ changed output"),
      "✔ Going on, output changed by guard, log, metrics     3 hooks",
      '    tool_output   "secret" → "secret|guard|log|metrics"',
    ],
    code: 0,
  },
  {
    title: "7 with `post_order: reverse` priorities are turned around after the event",
    event: "after_tool_call",
    payload: RESULT,
    settings: { post_order: "reverse" },
    hooks: [
      [
        "guard",
        "node",
        { ...post(10), event: "PostToolUse" },
        'console.log(JSON.stringify({ action: "modify", modifiedOutput: payload.tool_output + "|guard" }))',
      ],
      [
        "metrics",
        "python",
        { ...post(100), event: "post_tool_call" },
        'print(json.dumps({"Transform": payload["result"] + "|metrics"}))',
      ],
      ["log", "python", post(50), 'print(json.dumps({"output": payload["tool_output"] + "|log"}))'],
    ],
    stdout: '{"output":"secret|metrics|log|guard"}',
    stderr: [
      turn("metrics", "✎ changed output"),
      turn("log    ", "✎ changed output"),
      turn("guard  ", "✎ changed output"),
      "✔ Going on, output changed by metrics, log, guard     3 hooks",
      '    tool_output   "secret" → "secret|metrics|log|guard"',
    ],
    code: 0,
  },
  {
    title: "7b without priorities files keep their order, also turned around",
    event: "after_tool_call",
    payload: { ...RESULT, tool_output: "" },
    settings: { post_order: "reverse" },
    hooks: [
      ["03", "python", "post_tool_call", 'print(json.dumps({"Transform": payload["result"] + "03"}))'],
      ["01", "node", "after_tool_call", "console.log(JSON.stringify({ output: payload.tool_output + '01' }))"],
      [
        "02",
        "python",
        "PostToolUse",
        'print(json.dumps({"action": "modify", "modifiedOutput": payload["tool_output"] + "02"}))',
      ],
    ],
    stdout: '{"output":"010203"}',
    stderr: [
      turn("01", "✎ changed output"),
      turn("02", "✎ changed output"),
      turn("03", "✎ changed output"),
      "✔ Going on, output changed by 01, 02, 03     3 hooks",
      '    tool_output   "" → "010203"',
    ],
    code: 0,
  },
  {
    title: "7c with `post_order: forward`, as Base Coat has it, 20 goes before 80 after the event too",
    event: "PostToolUse",
    payload: { ...RESULT, tool_output: "" },
    settings: { post_order: "forward" },
    hooks: [
      [
        "a",
        "node",
        { ...post(80), event: "PostToolUse" },
        'console.log(JSON.stringify({ action: "modify", modifiedOutput: payload.tool_output + "80" }))',
      ],
      ["b", "python", post(20), 'print(json.dumps({"output": payload["tool_output"] + "20"}))'],
    ],
    stdout: '{"output":"2080"}',
    stderr: [
      turn("b", "✎ changed output"),
      turn("a", "✎ changed output"),
      "✔ Going on, output changed by b, a     2 hooks",
      '    tool_output   "" → "2080"',
    ],
    code: 0,
  },
  {
    title: "8 a block where it is ignored: a warning, and the next hook runs",
    event: "session_end",
    payload: { reason: "exit" },
    hooks: [
      ["a", "bash", "on_session_end", `printf '{"Reject":"stay"}'`],
      ["b", "python", "SessionEnd", 'print(json.dumps({"system_message": "bye"}))'],
    ],
    stdout: '{"system_message":"bye","warnings":["a blocked, which is ignored at session_end"]}',
    stderr: [
      turn("a", "✔ allow"),
      turn("b", "✔ allow"),
      "▲ a blocked, which is ignored at session_end",
      "✔ Going on     2 hooks",
    ],
    code: 0,
  },
  {
    title: "9 a block after the thing has happened halts, and the output stays",
    event: "after_tool_call",
    payload: RESULT,
    hooks: [
      ["a", "node", "post_tool_call", `console.log('{"Transform":"x"}')`],
      ["loop", "bash", "PostToolUse", `printf '{"action":"block","reason":"the same call for the third time"}'`],
    ],
    stdout: '{"blocked":true,"reason":"the same call for the third time"}',
    stderr: [
      turn("a   ", "✎ changed output"),
      turn("loop", "✖ block"),
      "✖ Halted by loop",
      "  the same call for the third time",
    ],
    code: 2,
  },
];
