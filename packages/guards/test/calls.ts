import { toolCall } from "../../../test/support/payloads.ts";
import {
  type CommandResult,
  runProgram as execute,
  mainScript,
  type Workspace,
} from "../../../test/support/workspace.ts";

/** What the caller of hookctl does differently from the plain call. */
export interface Calling {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Words in front of the command line, such as `prlimit --nofile=18`. */
  readonly before?: readonly string[];
  /** Options behind the command line. */
  readonly options?: readonly string[];
  /** The arguments of the tool call in place of `{"command":"rm -rf /"}`, as JSON text. */
  readonly toolInput?: string;
  /** The whole stdin. */
  readonly stdin?: string;
}

/** What came of one call: the agent was blocked, somebody was told, or neither. */
export type Effect = "block" | "said" | "silent";

export interface Call {
  readonly title: string;
  /** Does the caller ask for a block when hookctl itself is in trouble? */
  readonly kind: "run" | "open" | "closed";
  readonly words: readonly string[];
  readonly stdin: (toolInput: string) => string;
  readonly effect: (result: CommandResult) => Effect;
}

/** Each agent's event before a tool, and its payload around the arguments of a shell call. */
const AGENTS: Readonly<Record<string, { event: string; payload: (input: string) => string }>> = {
  claude: {
    event: "PreToolUse",
    payload: (input) => `{"session_id":"s1","cwd":"CWD","tool_name":"Bash","tool_input":${input},"tool_use_id":"c1"}`,
  },
  codex: {
    event: "PreToolUse",
    payload: (input) => `{"session_id":"s1","cwd":"CWD","tool_name":"Bash","tool_input":${input},"tool_use_id":"c1"}`,
  },
  gemini: {
    event: "BeforeTool",
    payload: (input) => `{"session_id":"s1","cwd":"CWD","tool_name":"run_shell_command","tool_input":${input}}`,
  },
  copilot: {
    event: "preToolUse",
    payload: (input) => `{"sessionId":"s1","cwd":"CWD","toolName":"bash","toolArgs":${input}}`,
  },
};

const RUN: Call = {
  title: "run",
  kind: "run",
  words: ["run", "before_tool_call", "--json"],
  stdin: (input) => toolCall("COMMAND").replace('{"command":"COMMAND"}', () => input),
  effect: ({ code, signal, stdout, stderr }) => {
    if (signal !== null) return "silent";
    if (code !== 0) return "block";
    const result = stdout.startsWith("{") ? (JSON.parse(stdout) as { warnings?: readonly string[] }) : {};
    const isSaid = (result.warnings ?? []).length > 0 && /[▲✖]/.test(stderr);
    return isSaid ? "said" : "silent";
  },
};

const bridge = (agent: string, kind: "open" | "closed"): Call => {
  const { event, payload } = AGENTS[agent] ?? { event: "", payload: String };
  const closed = kind === "closed" ? ["--fail-closed"] : [];
  return {
    title: `bridge ${agent}${kind === "closed" ? " --fail-closed" : ""}`,
    kind,
    words: ["bridge", agent, "--event", event, ...closed],
    // A session of its own: what is said once a session is said in each call.
    stdin: (input) => payload(input).replace('"s1"', `"${agent}-${kind}"`),
    effect: ({ code, signal, stdout, stderr }) => {
      if (signal !== null) return "silent";
      if (/"permissionDecision":"deny"|"decision":"(deny|block)"/.test(stdout) || code === 2) return "block";
      // The line that `install` writes for it goes on with `|| printf` of a deny. A signal ends that line as well.
      if (kind === "closed" && code !== 0 && Number(code) < 128) return "block";
      // Copilot has no field for a message to the person, and neither has an agent when hookctl did not start.
      const heard = agent === "copilot" || code !== 0 ? stdout + stderr : stdout;
      return heard.trim() === "" ? "silent" : "said";
    },
  };
};

const bridges = (agent: string): readonly Call[] => [bridge(agent, "closed"), bridge(agent, "open")];

/** `run`, and the bridge of every agent with the line of a fail-closed guard and without. */
export const ALL_CALLS: readonly Call[] = [RUN, ...Object.keys(AGENTS).flatMap(bridges)];
/** The same for one agent. */
export const FEW_CALLS: readonly Call[] = [RUN, ...bridges("claude")];

const SHELL_CALL = '{"command":"rm -rf /"}';

/** Makes one call as an agent's shell would. */
export async function effectOf(call: Call, place: Workspace, calling: Calling = {}): Promise<Effect> {
  return call.effect(await made(call, place, calling));
}

function made({ words, stdin }: Call, place: Workspace, calling: Calling): Promise<CommandResult> {
  const { env = {}, cwd = place.project, before = [], options = [], toolInput = SHELL_CALL } = calling;
  const line = [...before, process.execPath, mainScript, ...words, ...options];
  const all = { ...place.env, ...env };
  const set = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return execute(line, { cwd, env: set, stdin: calling.stdin ?? stdin(toolInput).replace("CWD", cwd) });
}
