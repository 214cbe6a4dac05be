import { runInProcess } from "../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

export const START_MS = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;

export interface Call {
  /** Another tool than the shell. */
  readonly tool?: { readonly tool_name: string; readonly tool_kind?: string; readonly tool_input: object };
  readonly session?: string;
  readonly id?: string;
  readonly minute?: number;
  readonly event?: "before_tool_call" | "after_tool_call";
  readonly env?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly blocked: boolean;
  readonly decision?: string;
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, { readonly tries?: number }>>;
}

/** A workspace with these guards in the user's settings. */
export async function guarded(guards: object): Promise<Workspace> {
  const place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards }));
  return place;
}

/** One call of a tool in the project. */
export async function call(
  place: Workspace,
  command: string,
  { session = "s1", id = "", minute = 0, ...more }: Call = {},
) {
  const { event = "before_tool_call", env = {}, tool } = more;
  const result = event === "after_tool_call" ? { tool_output: { success: true, result: "done" } } : {};
  const stdin = JSON.stringify({
    ...{ conv_id: session, tool_user_id: id, ...(tool ?? { tool_name: "bash", tool_input: { command } }), ...result },
  });
  const host = { nowMs: () => START_MS + minute * MINUTE_MS, random: Math.random };
  const { stdout, stderr, code } = await runInProcess(place, `run ${event}`, { stdin, host, env });
  return { answer: JSON.parse(stdout) as Answer, stderr, code };
}

/** The decisions of the same guard about these calls, one after another. */
export async function decisions(place: Workspace, calls: readonly (readonly [command: string, call?: Call])[]) {
  const found: string[] = [];
  for (const [command, options] of calls) {
    const { answer } = await call(place, command, options);
    found.push(answer.decision ?? (answer.blocked ? "block" : "continue"));
  }
  return found;
}
