import { join } from "node:path";
import { expect } from "vitest";
import { runMain } from "../support/in-process.ts";
import { shellQuote } from "../support/shell.ts";
import type { Workspace } from "../support/workspace.ts";
import { answered, type KodeletEvent, NO_ACTION, type Ported, sent } from "./ported.ts";

/** What a hook gets on stdin when a caller sends this. */
async function received(place: Workspace, event: KodeletEvent, set: object): Promise<Record<string, unknown>> {
  const file = join(place.dir, "payload.json");
  await place.hook("payload_recorder", `cat > ${shellQuote(file)}`, { says: event });
  expect(await answered(place, event, set)).toEqual({ code: 0, result: NO_ACTION[event] });
  return JSON.parse((await place.read(file)) ?? "null");
}

const folder = (place: Workspace): { readonly cwd: string } => ({ cwd: place.project });

/** A hook gets each field as the caller sent it. */
const asSent =
  (event: KodeletEvent, fields: object): Ported["check"] =>
  async (place) => {
    const set = { event, ...folder(place), ...fields };
    expect(await received(place, event, set)).toMatchObject({ ...JSON.parse(sent(event)), ...set });
  };

/** What a hook gets. */
export const PAYLOADS: readonly Ported[] = [
  {
    of: "TestInvokedBy_Constants",
    promise: "main and subagent are the two values of invoked_by",
    check: async (place) => {
      for (const invoked_by of ["main", "subagent"]) {
        expect(await received(place, "before_tool_call", { invoked_by })).toMatchObject({ invoked_by });
      }
      const result = await runMain(place, ["run", "agent_stop"], {
        stdin: sent("agent_stop", { invoked_by: "robot" }),
      });
      expect(result).toMatchObject({ code: 65, stdout: "", stderr: expect.stringContaining("PAYLOAD_FIELD_VALUE") });
    },
  },
  {
    of: "TestPayloadSerialization_UserMessageSend",
    promise: "user_message_send carries event, conv_id, cwd, invoked_by and the message",
    check: asSent("user_message_send", { conv_id: "c-123", invoked_by: "main", message: "Hello & <welcome>!" }),
  },
  {
    of: "TestPayloadSerialization_BeforeToolCall",
    promise: "before_tool_call carries the tool's name, its input as it was written, and the id of the call",
    check: asSent("before_tool_call", {
      ...{ conv_id: "c-456", invoked_by: "subagent" },
      ...{ tool_name: "bash", tool_input: { command: "ls -la" }, tool_user_id: "tool-123" },
    }),
  },
  {
    of: "TestPayloadSerialization_TurnEnd",
    promise: "turn_end carries the response and the number of the turn",
    check: asSent("turn_end", { conv_id: "c-789", invoked_by: "main", response: "All tests pass.", turn_number: 3 }),
  },
  {
    of: "TestPayloadSerialization_WithRecipeName",
    promise: "recipe_name is handed on when there is one",
    check: async (place) => {
      const set = { recipe_name: "code-review", tool_name: "bash" };
      expect(await received(place, "before_tool_call", set)).toMatchObject({ recipe_name: "code-review" });
    },
  },
  {
    of: "TestPayloadSerialization_WithoutRecipeName",
    promise: "recipe_name is not there when there is none",
    check: async (place) => {
      for (const set of [{}, { recipe_name: "" }, { recipe_name: null }]) {
        expect(await received(place, "before_tool_call", set)).not.toHaveProperty("recipe_name");
      }
    },
  },
  {
    of: "TestIntegration_HookReceivesFullPayload",
    promise: "a hook gets the whole payload on stdin",
    check: asSent("before_tool_call", {
      ...{ conv_id: "conv-12345", invoked_by: "subagent" },
      ...{ tool_name: "file_read", tool_input: { file_path: "/etc/hosts" }, tool_user_id: "tool-xyz" },
    }),
  },
  {
    of: "TestTrigger_InvokedBy",
    promise: "a call of a subagent says so, any other comes from the main agent",
    check: async (place) => {
      const file = join(place.dir, "payload.json");
      await place.hook("payload_recorder", `cat > ${shellQuote(file)}`);
      const callers = { main: {}, subagent: { agent_id: "a1" } };
      for (const [invoked_by, more] of Object.entries(callers)) {
        const stdin = JSON.stringify({ session_id: "conv-id", tool_name: "Bash", tool_input: {}, ...more });
        await runMain(place, ["bridge", "claude", "--event", "PreToolUse"], { stdin });
        expect(JSON.parse((await place.read(file)) ?? "null")).toMatchObject({ conv_id: "conv-id", invoked_by });
      }
    },
  },
];
