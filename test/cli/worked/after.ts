import { type Composition, KEEP_STDOUT, NO_JSON, turn } from "./composition.ts";

const CALL = { tool_name: "bash", tool_input: { command: "ls" } };
const RESULT = { ...CALL, tool_output: "secret" };
const post = (priority: number) => ({ event: "after_tool_call", priority });

/** Rows 5c and 7 to 9, where the thing has happened. */
export const AFTER: readonly Composition[] = [
  {
    title: "5c a closed hook that fails where a block is ignored: a warning",
    event: "session_end",
    payload: { reason: "exit" },
    hooks: [
      ["a", "node", { event: "on_session_end", fail_open: false }, 'console.log("oops")'],
      ["b", "bash", "SessionEnd", ":"],
    ],
    stdout: JSON.stringify({ warnings: [NO_JSON, "a blocked, but session_end cannot be blocked"] }),
    stderr: [
      turn("a", "▲ failed"),
      turn("b", "✔ allow"),
      `▲ ${NO_JSON}`,
      `  Allowed: this event cannot be blocked. ${KEEP_STDOUT}`,
      "▲ a blocked, but session_end cannot be blocked",
      "▲ Allowed, but 1 hook failed     2 hooks",
    ],
    code: 0,
  },
  {
    title: "7 after the event the order is that of before, but for AgentHook's hooks: 50 counts as 150",
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
    stdout: '{"output":"secret|guard|metrics|log"}',
    stderr: [
      turn("guard  ", "✎ changed output"),
      turn("metrics", "✎ changed output"),
      turn("log    ", "✎ changed output"),
      "✔ Allowed, output changed by guard, metrics, log     3 hooks",
      '    tool_output   "secret" → "secret|guard|metrics|log"',
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
      "✔ Allowed, output changed by metrics, log, guard     3 hooks",
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
      "✔ Allowed, output changed by 01, 02, 03     3 hooks",
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
      "✔ Allowed, output changed by b, a     2 hooks",
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
    stdout: '{"system_message":"bye","warnings":["a blocked, but session_end cannot be blocked"]}',
    stderr: [
      turn("a", "✔ allow"),
      turn("b", "✚ added system message"),
      "▲ a blocked, but session_end cannot be blocked",
      "✔ Allowed     2 hooks",
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
