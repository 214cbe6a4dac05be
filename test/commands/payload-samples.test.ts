import { expect, test } from "vitest";
import { expectedOutput, lines, type Row, runRow } from "../support/in-process.ts";

const samples: readonly Row[] = [
  {
    title: "a sample of kodelet",
    call: "payload before_tool_call",
    stdout: lines(
      '{"event":"before_tool_call","conv_id":"sample-session","cwd":"DIR/project","invoked_by":"main","tool_name":"bash","tool_input":{"command":"ls -la"},"tool_user_id":"call_1","tool_kind":"shell","tool_names":["bash","Bash"],"grant":{"mode":"ask"},"agent":{"name":null,"session":"sample-session","subagent":null}}',
    ),
    stderr: "",
    code: 0,
  },
  {
    title: "a value is JSON if it parses",
    call: "payload agent_stop --set messages=[]",
    stdout: lines(
      '{"event":"agent_stop","conv_id":"sample-session","cwd":"DIR/project","invoked_by":"main","messages":[],"agent":{"name":null,"session":"sample-session","subagent":null}}',
    ),
    stderr: "",
    code: 0,
  },
  {
    title: "a path leads into objects, and a number keeps its digits",
    call: 'payload before_tool_call tool_name=own tool_input.command=rm tool_input.deep.er=9007199254740993 --set tool_input.list=[1.10,{"n":1e400}]',
    stdout: lines(
      '{"event":"before_tool_call","conv_id":"sample-session","cwd":"DIR/project","invoked_by":"main","tool_name":"own","tool_input":{"command":"rm","deep":{"er":9007199254740993},"list":[1.10,{"n":1e400}]},"tool_user_id":"call_1","grant":{"mode":"ask"},"agent":{"name":null,"session":"sample-session","subagent":null},"tool_kind":"other","tool_names":["own"]}',
    ),
    stderr: "",
    code: 0,
  },
  {
    title: "the name of Base Coat gives its dialect",
    call: "payload PreToolUse",
    stdout: lines(
      '{"event":"before_tool_call","conv_id":"sample-session","cwd":"DIR/project","invoked_by":"main","tool_name":"bash","tool_input":{"command":"ls -la"},"tool_user_id":"call_1","tool_kind":"shell","tool_names":["bash","Bash"],"grant":{"mode":"ask"},"agent":"main","hook":"PreToolUse","timestamp":"2100-01-01T00:00:00.000Z","sessionId":"sample-session","tool":{"name":"bash"}}',
    ),
    stderr: "",
    code: 0,
  },
  {
    title: "what is set by Base Coat's names stands under all names of the same thing",
    call: "payload PostToolUse --set tool.name=web --set tool.success=false --set tool.input.url=x --set sessionId=s7",
    stdout: lines(
      '{"event":"after_tool_call","conv_id":"s7","cwd":"DIR/project","invoked_by":"main","tool_name":"web","tool_input":{"command":"ls -la","url":"x"},"tool_user_id":"call_1","grant":{"mode":"ask"},"tool_output":{"success":false,"result":"total 0"},"requested_input":{"command":"ls"},"elapsed_ms":41,"agent":"main","tool_kind":"other","tool_names":["web"],"hook":"PostToolUse","timestamp":"2100-01-01T00:00:00.000Z","sessionId":"s7","tool":{"name":"web","success":false,"durationMs":41}}',
    ),
    stderr: "",
    code: 0,
  },
  {
    title: "a budget that is set by Base Coat's names keeps its other half",
    call: "payload OnBudgetExceeded --set budget.usedTokens=5",
    stdout: lines(
      '{"event":"budget_exceeded","conv_id":"sample-session","cwd":"DIR/project","invoked_by":"main","budget":{"used_tokens":5,"effective_limit":160000,"usedTokens":5,"effectiveLimit":160000},"agent":"main","hook":"OnBudgetExceeded","timestamp":"2100-01-01T00:00:00.000Z","sessionId":"sample-session"}',
    ),
    stderr: "",
    code: 0,
  },
  {
    title: "what is set by AgentHook's names stands under all names of the same thing",
    call: "payload pre_tool_call --set args.command=rm --set ctx.session_id=s7 --set ctx.turn_number=2 --set ctx.more=1",
    stdout: lines(
      '{"event":"before_tool_call","conv_id":"s7","cwd":"DIR/project","invoked_by":"main","tool_name":"bash","tool_input":{"command":"rm"},"tool_user_id":"call_1","tool_kind":"shell","tool_names":["bash","Bash"],"grant":{"mode":"ask"},"turn_number":2,"step_number":1,"core_type":"react","ctx":{"more":1,"session_id":"s7","turn_number":2,"step_number":1,"core_type":"react","state":{}},"agent":{"name":null,"session":"s7","subagent":null},"args":{"command":"rm"}}',
    ),
    stderr: "",
    code: 0,
  },
  {
    title: "the name of AgentHook gives its dialect",
    call: "payload pre_tool_call",
    stdout: lines(
      '{"event":"before_tool_call","conv_id":"sample-session","cwd":"DIR/project","invoked_by":"main","tool_name":"bash","tool_input":{"command":"ls -la"},"tool_user_id":"call_1","tool_kind":"shell","tool_names":["bash","Bash"],"grant":{"mode":"ask"},"turn_number":3,"step_number":1,"core_type":"react","agent":{"name":null,"session":"sample-session","subagent":null},"ctx":{"session_id":"sample-session","turn_number":3,"step_number":1,"core_type":"react","state":{}},"args":{"command":"ls -la"}}',
    ),
    stderr: "",
    code: 0,
  },
  {
    title: "a value of the wrong type makes no valid sample: 65",
    call: "payload before_tool_call --set tool_name=1",
    stdout: "",
    stderr: lines(
      '✖ "tool_name" in the payload is a JSON number; it must be a string. (PAYLOAD_FIELD_TYPE)',
      "  A valid payload: hookctl payload before_tool_call",
    ),
    code: 65,
  },
  {
    title: "the valid sample that is named is of the event that was asked for",
    call: "payload turn_end --set turn_number=x",
    stdout: "",
    stderr: lines(
      '✖ "turn_number" in the payload is a JSON string; it must be a number. (PAYLOAD_FIELD_TYPE)',
      "  A valid payload: hookctl payload turn_end",
    ),
    code: 65,
  },
  {
    title: "an unknown event names the nearest",
    call: "payload before_tool_cal",
    stdout: "",
    stderr: lines(
      '✖ Unknown event "before_tool_cal". Did you mean before_tool_call? (USAGE_UNKNOWN_EVENT)',
      "  All events: hookctl payload --help",
    ),
    code: 64,
  },
  {
    title: "a --set without a value says how to write it",
    call: "payload before_tool_call --set x",
    stdout: "",
    stderr: lines(
      '✖ "x" is not PATH=VALUE. (USAGE_WRONG_WORDS)',
      '  Try: hookctl payload before_tool_call tool_input.command="ls -la"',
    ),
    code: 64,
  },
  {
    title: "a path through a text is refused",
    call: "payload before_tool_call --set tool_name.x=1",
    stdout: "",
    stderr: lines(
      '✖ Unknown payload path "tool_name.x". Did you mean tool_name? (USAGE_UNKNOWN_PATH)',
      "  All fields: hookctl payload before_tool_call",
    ),
    code: 64,
  },
  {
    title: "a value is text if it is not JSON",
    call: "payload turn_end response=1.0 input.b=c",
    stdout: lines(
      '{"event":"turn_end","conv_id":"sample-session","cwd":"DIR/project","invoked_by":"main","response":1.0,"input":{"message":"Please run the tests","b":"c"},"turn_number":3,"agent":{"name":null,"session":"sample-session","subagent":null}}',
    ),
    stderr: "",
    code: 0,
  },
];

test.each(samples)("$title", async (row) => expect(await runRow(row)).toEqual(expectedOutput(row)));
