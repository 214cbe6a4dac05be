import { expect, test } from "vitest";
import { declareTools, runTools, SERVER, shellServer } from "../support/mcp.ts";
import { workspace } from "../support/workspace.ts";

/** A server that answers a question nobody asked, nested deeper than any stack, and goes. */
const DEEP = `const deep = "[".repeat(2e5) + "]".repeat(2e5);
  process.stdout.write('{"jsonrpc":"2.0","id":99,"result":{"a":' + deep + '}}\\n{"jsonrpc":"2.0","id":0,"result":' + deep + '}\\n');`;

/** A server whose tools answer with something else than a list of parts. */
const SHAPELESS = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const { protocolVersion } = params ?? {};
    const tools = [{ name: "block", inputSchema: { type: "object" } }];
    const hello = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
    const result = { initialize: hello, "tools/call": { content: 5 }, "tools/list": { tools } }[method];
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });`;

const stuck = shellServer("while read -r line; do echo nonsense; done");

interface Failing {
  readonly title: string;
  readonly tool: string;
  readonly server?: object;
  readonly timeout?: string;
  readonly failure: object;
}

export const FAILING: readonly Failing[] = [
  {
    title: "it says so",
    tool: "broken",
    failure: { code: "HOOK_TOOL_FAILED", message: "broken failed: the store is locked" },
  },
  {
    title: "there is no such tool",
    tool: "blok",
    failure: { code: "HOOK_NO_SUCH_TOOL", message: expect.stringContaining('no tool "blok". Did you mean block?') },
  },
  { title: "its text is no JSON", tool: "echo", failure: { code: "REPLY_NOT_JSON" } },
  {
    title: "its server exits",
    tool: "die",
    failure: { code: "HOOK_EXITED", message: expect.stringContaining("exit 3") },
  },
  {
    title: "its server exits as if all was well",
    tool: "leave",
    failure: { code: "HOOK_TOOL_FAILED", message: expect.stringContaining("exited without a response") },
  },
  { title: "its server floods stdout without a line", tool: "flood", failure: { code: "HOOK_TOO_MUCH_OUTPUT" } },
  {
    title: "its server prints and never speaks",
    tool: "block",
    server: stuck,
    timeout: "300ms",
    failure: { code: "HOOK_TIMED_OUT" },
  },
  {
    title: "its server sends what no reader can tell",
    tool: "block",
    server: { command: process.execPath, args: ["-e", DEEP] },
    failure: { code: "HOOK_TOOL_FAILED", message: expect.stringContaining("exited without a response") },
  },
  {
    title: "its answer has another shape",
    tool: "block",
    server: { command: process.execPath, args: ["-e", SHAPELESS] },
    failure: { code: "HOOK_TOOL_FAILED", message: "block failed: its response is not a tool result" },
  },
  {
    title: "its server is no program",
    tool: "block",
    server: { command: "no-such-server" },
    failure: { code: "HOOK_NOT_STARTED", message: expect.stringContaining("no-such-server in ") },
  },
];

/** Such a tool has failed; where it must not, the call is blocked. */
export function testFailingTools(tools: readonly Failing[]): void {
  test.each(tools)("$title", async ({ tool, server = SERVER, timeout = "10s", failure }) => {
    await using place = await workspace();
    const entry = { name: tool, tool: `fixture.${tool}`, timeout };
    await declareTools(place, [entry], { server });
    expect(await runTools(place)).toMatchObject({ decision: "continue", first: { outcome: "failed", failure } });
    await declareTools(place, [{ ...entry, fail_open: false }], { server });
    expect(await runTools(place)).toMatchObject({ decision: "block", decided_by: tool, first: { failure } });
  });
}
