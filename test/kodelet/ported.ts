import { runMain } from "../support/in-process.ts";
import { type ListJson, parseListJson } from "../support/json-output.ts";
import { printResponse } from "../support/shell.ts";
import type { Workspace } from "../support/workspace.ts";

/** One test of kodelet's own, asked of the command line: what it promised, and whether that is so here. */
export interface Ported {
  /** The function in pkg/hooks/hooks_test.go at e3a657a7, the last commit of kodelet with hooks. */
  readonly of: string;
  readonly promise: string;
  /** What is otherwise here; docs/contract-kodelet.md says why. Absent: it holds. */
  readonly differs?: string;
  readonly check: (place: Workspace) => Promise<void>;
}

/** The four events of ADR 021 and the one that kodelet added. */
export const EVENTS = ["before_tool_call", "after_tool_call", "user_message_send", "agent_stop", "turn_end"] as const;
export type KodeletEvent = (typeof EVENTS)[number];

/** What a program in Go sends that has set nothing: texts are empty, a list without items is null. */
const ZERO: Readonly<Record<KodeletEvent, object>> = {
  before_tool_call: { tool_name: "", tool_input: null, tool_user_id: "" },
  after_tool_call: {
    ...{ tool_name: "", tool_input: null, tool_user_id: "" },
    tool_output: { toolName: "", success: false, timestamp: "0001-01-01T00:00:00Z" },
  },
  user_message_send: { message: "" },
  agent_stop: { messages: null },
  turn_end: { response: "", turn_number: 0 },
};
const ZERO_BASE = { event: "", conv_id: "", cwd: "", invoked_by: "" };

/** The caller's answer where no hook has said anything. */
export const NO_ACTION: Readonly<Record<KodeletEvent, object>> = {
  before_tool_call: { blocked: false },
  after_tool_call: {},
  user_message_send: { blocked: false },
  agent_stop: {},
  turn_end: {},
};

/** The payload as kodelet sent it: the zero values of Go, and what a test has set. */
export const sent = (event: KodeletEvent, set: object = {}): string =>
  JSON.stringify({ ...ZERO_BASE, ...ZERO[event], ...set });

export interface Answered {
  readonly code: number | null;
  readonly result: Readonly<Record<string, unknown>>;
}

/** What the caller of `hookctl run` gets for a payload. */
export async function answered(place: Workspace, event: KodeletEvent, set: object = {}): Promise<Answered> {
  const { code, stdout } = await runMain(place, ["run", event, "-q"], { stdin: sent(event, set) });
  return { code, result: JSON.parse(stdout) };
}

export const listed = async (place: Workspace, ...args: readonly string[]): Promise<ListJson> =>
  parseListJson(await runMain(place, ["list", "--json", ...args]));

/** Names of the hooks of an event, in the order in which they run. */
export const hooksOf = async (place: Workspace, event: KodeletEvent): Promise<readonly string[]> =>
  (await listed(place, "--event", event)).hooks.map(({ name }) => name);

/** A hook that answers with these values. */
export const hook = (place: Workspace, name: string, says: KodeletEvent, answer: object | null): Promise<string> =>
  place.hook(name, answer === null ? "cat > /dev/null" : printResponse(answer), { says });

/** The text of a hook in bash, as kodelet's tests write them. */
export const script = (event: string): string => `#!/bin/bash\nif [ "$1" == "hook" ]; then echo "${event}"; fi\n`;
