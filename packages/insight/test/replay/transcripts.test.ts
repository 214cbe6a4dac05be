import { describe, expect, test } from "vitest";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { isObject } from "../../../../src/protocol/json/read.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { TRANSCRIPTS, transcriptOf } from "../../../agents/transcripts/transcripts.ts";
import { readSession } from "../../replay/sessions/read-session.ts";
import { nothingUnread, type SessionRecord } from "../../replay/sessions/session-record.ts";

const CWD = "/work/app";
const AT = "2026-11-20T10:00:00.000Z";
const claudeLine = (content: readonly unknown[], over: object = {}) => ({
  ...{ type: "assistant", sessionId: "s1", cwd: CWD, timestamp: AT, message: { role: "assistant", content } },
  ...over,
});
const item = (payload: object) => ({ timestamp: AT, type: "response_item", payload });

interface Row {
  readonly title: string;
  readonly agent: AgentName;
  /** Entries of a session file, one a line. */
  readonly entries: readonly object[];
  /** The tool, its kind and its input, as the hooks get them. */
  readonly calls: readonly (readonly [tool: string, kind: string, input: unknown])[];
}

const ROWS: readonly Row[] = [
  {
    title: "Claude Code: tool calls of the assistant, none of what a tool printed",
    agent: "claude",
    entries: [
      { type: "summary", summary: "Tests", leafUuid: "u0" },
      { ...claudeLine([]), type: "user", message: { role: "user", content: "Run the tests" } },
      claudeLine([
        { type: "text", text: "Yes." },
        { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "npm test" } },
        {
          type: "tool_use",
          id: "toolu_2",
          name: "Edit",
          input: { file_path: "a.ts", old_string: "a", new_string: "b" },
        },
      ]),
      claudeLine([{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }], { type: "user" }),
      claudeLine([{ type: "tool_use", id: "toolu_3", name: "mcp__db__query", input: { sql: "select 1" } }], {
        isSidechain: true,
      }),
    ],
    calls: [
      ["bash", "shell", { command: "npm test" }],
      ["file_edit", "edit", { file_path: "a.ts", old_text: "a", new_text: "b" }],
      ["mcp__db_query", "mcp", { sql: "select 1" }],
    ],
  },
  {
    title: "Codex CLI: shells of several versions, patches and MCP tools",
    agent: "codex",
    entries: [
      { timestamp: AT, type: "session_meta", payload: { id: "s1", cwd: "/elsewhere", cli_version: "0.169.0" } },
      { timestamp: AT, type: "turn_context", payload: { cwd: CWD, approval_policy: "never" } },
      item({
        type: "function_call",
        name: "exec_command",
        arguments: '{"cmd":"ls -a","workdir":"/tmp"}',
        call_id: "c1",
      }),
      item({ type: "function_call", name: "shell", arguments: '{"command":["bash","-lc","ls | wc"]}', call_id: "c2" }),
      item({ type: "function_call", name: "shell_command", arguments: '{"command":"pwd"}', call_id: "c3" }),
      item({
        type: "local_shell_call",
        call_id: "c4",
        status: "completed",
        action: { type: "exec", command: ["rm", "a b"] },
      }),
      item({
        type: "custom_tool_call",
        name: "apply_patch",
        call_id: "c5",
        input: "*** Begin Patch\n*** Delete File: a.ts\n*** End Patch",
      }),
      item({
        type: "function_call",
        name: "query",
        namespace: "mcp__db__",
        arguments: '{"sql":"select 1"}',
        call_id: "c6",
      }),
      item({ type: "web_search_call", status: "completed", action: { type: "search", query: "weather" } }),
      item({ type: "function_call_output", call_id: "c1", output: "a" }),
      {
        timestamp: AT,
        type: "event_msg",
        payload: { type: "exec_command_end", call_id: "c7", command: ["bash", "-lc", "id"], cwd: CWD },
      },
    ],
    calls: [
      ["bash", "shell", { command: "ls -a" }],
      ["bash", "shell", { command: "bash -lc 'ls | wc'" }],
      ["bash", "shell", { command: "pwd" }],
      ["bash", "shell", { command: "rm 'a b'" }],
      ["apply_patch", "edit", { input: "*** Begin Patch\n*** Delete File: a.ts\n*** End Patch" }],
      ["mcp__db_query", "mcp", { sql: "select 1" }],
      ["web_search", "web", { type: "search", query: "weather" }],
      ["bash", "shell", { command: "bash -lc id" }],
    ],
  },
  {
    title: "Codex CLI before September 2025: an item is the line itself",
    agent: "codex",
    entries: [
      { id: "s1", timestamp: AT, instructions: null, git: {} },
      { type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c1" },
    ],
    calls: [["bash", "shell", { command: "ls" }]],
  },
  {
    title: "Gemini CLI: calls of a message, and of messages that are set again",
    agent: "gemini",
    entries: [
      { sessionId: "s1", projectHash: "0b7d", startTime: AT, lastUpdated: AT, kind: "main" },
      {
        id: "m1",
        timestamp: AT,
        type: "gemini",
        content: "",
        toolCalls: [{ id: "g1", name: "run_shell_command", args: { command: "ls" }, timestamp: AT }],
      },
      {
        $set: {
          messages: [
            { id: "m2", type: "gemini", toolCalls: [{ id: "g2", name: "read_file", args: { file_path: "a" } }] },
          ],
        },
      },
    ],
    calls: [
      ["bash", "shell", { command: "ls" }],
      ["file_read", "read", { file_path: "a" }],
    ],
  },
  {
    title: "GitHub Copilot CLI: calls that the model asked for, and their starts",
    agent: "copilot",
    entries: [
      { type: "session.start", id: "e1", timestamp: AT, data: { sessionId: "s1", context: { cwd: CWD } } },
      {
        type: "assistant.message",
        id: "e2",
        timestamp: AT,
        data: { content: "", toolRequests: [{ toolCallId: "t1", name: "bash", arguments: { command: "ls" } }] },
      },
      {
        type: "tool.execution_start",
        id: "e3",
        timestamp: AT,
        data: { toolCallId: "t2", toolName: "create", arguments: { path: "a.ts", file_text: "x" } },
      },
    ],
    calls: [
      ["bash", "shell", { command: "ls" }],
      ["file_write", "write", { file_path: "a.ts", text: "x" }],
    ],
  },
  {
    title: "Cursor: calls without folder and time",
    agent: "cursor",
    entries: [
      { role: "assistant", message: { content: [{ type: "tool_use", name: "Shell", input: { command: "ls" } }] } },
    ],
    calls: [["bash", "shell", { command: "ls" }]],
  },
  {
    title: "Qwen Code: parts of a message of the model",
    agent: "qwen",
    entries: [
      {
        sessionId: "s1",
        cwd: CWD,
        timestamp: AT,
        type: "assistant",
        message: {
          role: "model",
          parts: [{ text: "Yes." }, { functionCall: { id: "q1", name: "run_shell_command", args: { command: "ls" } } }],
        },
      },
    ],
    calls: [["bash", "shell", { command: "ls" }]],
  },
  {
    title: "Factory Droid: messages of a session, and printed calls",
    agent: "droid",
    entries: [
      { type: "session_start", id: "s1", cwd: CWD },
      {
        type: "message",
        id: "m1",
        timestamp: AT,
        message: {
          role: "assistant",
          content: [{ type: "tool_use", id: "d1", name: "Execute", input: { command: "ls" } }],
        },
      },
      {
        type: "tool_call",
        session_id: "s1",
        timestamp: AT,
        toolCallId: "d2",
        toolName: "Read",
        parameters: { file_path: "a" },
      },
    ],
    calls: [
      ["bash", "shell", { command: "ls" }],
      ["file_read", "read", { file_path: "a" }],
    ],
  },
  {
    title: "goose: requests in lines, and in an exported session",
    agent: "goose",
    entries: [
      { working_dir: CWD, description: "Tests" },
      {
        role: "assistant",
        created: 1_795_169_472,
        content: [
          {
            type: "toolRequest",
            id: "r1",
            toolCall: { status: "success", value: { name: "developer__shell", arguments: { command: "ls" } } },
          },
        ],
      },
      {
        id: "s2",
        working_dir: CWD,
        conversation: [
          {
            role: "assistant",
            created: 1_795_169_472,
            content: [
              {
                type: "toolRequest",
                id: "r2",
                toolCall: { status: "success", value: { name: "write", arguments: { path: "a", content: "x" } } },
              },
            ],
          },
        ],
      },
    ],
    calls: [
      ["bash", "shell", { command: "ls" }],
      ["file_write", "write", { file_path: "a", text: "x" }],
    ],
  },
  {
    title: "opencode: an exported session",
    agent: "opencode",
    entries: [
      {
        info: { id: "ses_1", directory: CWD },
        messages: [
          {
            info: { role: "assistant" },
            parts: [
              { type: "text", text: "Yes." },
              {
                type: "tool",
                callID: "o1",
                tool: "bash",
                state: { status: "completed", input: { command: "ls" }, time: { start: 1_795_169_472_000 } },
              },
            ],
          },
        ],
      },
    ],
    calls: [["bash", "shell", { command: "ls" }]],
  },
  {
    title: "pi: tool calls of a message",
    agent: "pi",
    entries: [
      { type: "session", version: 3, id: "s1", timestamp: AT, cwd: CWD },
      {
        type: "message",
        id: "m1",
        timestamp: AT,
        message: {
          role: "assistant",
          content: [{ type: "toolCall", id: "p1", name: "bash", arguments: { command: "ls" } }],
        },
      },
    ],
    calls: [["bash", "shell", { command: "ls" }]],
  },
];

const linesOf = (entries: readonly object[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

async function recordsOf(text: string, agent: AgentName | null) {
  await using place = await workspace();
  const path = await place.write("session.jsonl", text);
  const unread = nothingUnread();
  const transcript = agent === null ? null : TRANSCRIPTS[agent];
  const source = { path, transcript, folder: CWD, namedBy: null };
  return { records: [...readSession(source, unread)], unread };
}

const asHooksGetIt = (record: SessionRecord): unknown => {
  const payload: unknown = JSON.parse(record.recorded()?.payload ?? "null");
  return isObject(payload) ? [payload.tool_name, payload.tool_kind, payload.tool_input] : null;
};

test("every agent has a row here", () => {
  expect(AGENT_NAMES.filter((name) => !ROWS.some(({ agent }) => agent === name))).toEqual([]);
});

describe.each(ROWS)("$title", ({ agent, entries, calls }) => {
  test("the hooks get what the bridge would have given them", async () => {
    const { records, unread } = await recordsOf(linesOf(entries), agent);
    expect(records.map(asHooksGetIt)).toEqual(calls);
    expect(unread).toMatchObject({ brokenLines: 0, callsWithoutFolder: 0 });
    for (const { cwd, recorded } of records) {
      expect(cwd).toBe(CWD);
      expect(JSON.parse(recorded()?.payload ?? "null")).toMatchObject({
        event: "before_tool_call",
        cwd: CWD,
        native: { agent },
      });
    }
  });

  test("its lines are recognized", () => {
    const [first] = entries.filter((entry) => !("summary" in entry));
    expect(transcriptOf({ ...first })?.agent).toBe(agent);
  });

  test("cut off or garbled lines are counted, and the others are read", async () => {
    const text = linesOf(entries);
    const { records, unread } = await recordsOf(`[1,\n${text}{"type":`, agent);
    expect(records).toHaveLength(calls.length);
    expect(unread.brokenLines).toBe(2);
  });
});

test("a file is recognized by a later line, and a time that is none is left out", async () => {
  const call = claudeLine([{ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } }], {
    timestamp: "soon",
  });
  const { records, unread } = await recordsOf(linesOf([{ type: "summary", summary: "Tests" }, call]), null);
  expect(records.map(({ time, agent }) => [time, agent])).toEqual([[null, "claude"]]);
  expect(unread.brokenLines).toBe(0);
});

test("programs of Codex that call tools themselves are counted, because the file does not hold their commands", async () => {
  const program = item({
    type: "custom_tool_call",
    name: "exec",
    call_id: "c1",
    input: "await tools.exec_command({})",
  });
  const { records, unread } = await recordsOf(linesOf([program]), "codex");
  expect([records, unread.unreadableCalls]).toEqual([[], 1]);
});

test("arguments that are nested a hundred thousand deep are no reason to fail", async () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const line = JSON.stringify(claudeLine([{ type: "tool_use", id: "t1", name: "Bash", input: "DEEP" }])).replace(
    '"DEEP"',
    deep,
  );
  const { records, unread } = await recordsOf(
    `${line}\n${linesOf([claudeLine([{ type: "tool_use", id: "t2", name: "Bash", input: { command: "ls" } }])])}`,
    "claude",
  );
  expect(records.map(asHooksGetIt)).toContainEqual(["bash", "shell", { command: "ls" }]);
  expect(records.length + unread.brokenLines).toBe(2);
});
