/** How a process knows that it was started by an agent. */
interface AgentProcess {
  readonly title: string;
  /**
   * Variables that the agent sets for the commands that it runs, and that no shell of a person has: an editor's own
   * terminal sets many that begin in the same way.
   */
  readonly variables: readonly string[];
  /** What the program itself is called. */
  readonly programs: readonly string[];
  /** Folders of `node_modules` that hold its program, for a command line such as `node …/cli.js`. */
  readonly packages: readonly string[];
}

const AGENT_PROCESSES: readonly AgentProcess[] = [
  {
    title: "Claude Code",
    variables: [
      "CLAUDECODE",
      "CLAUDE_CODE",
      "CLAUDE_CODE_ENTRYPOINT",
      "CLAUDE_CODE_CHILD_SESSION",
      "CLAUDE_CODE_SESSION_ID",
    ],
    programs: ["claude"],
    packages: ["@anthropic-ai/claude-code"],
  },
  {
    title: "Codex",
    variables: ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"],
    programs: ["codex"],
    packages: ["@openai/codex"],
  },
  { title: "Gemini CLI", variables: ["GEMINI_CLI"], programs: ["gemini"], packages: ["@google/gemini-cli"] },
  {
    title: "Cursor",
    // The second is in each terminal of its editor too: a person there answers one more question.
    variables: ["CURSOR_AGENT", "CURSOR_TRACE_ID"],
    programs: ["cursor-agent"],
    packages: [],
  },
  {
    title: "Copilot",
    variables: ["COPILOT_CLI", "COPILOT_AGENT", "COPILOT_AGENT_SESSION_ID"],
    programs: ["copilot"],
    packages: ["@github/copilot"],
  },
  { title: "opencode", variables: ["OPENCODE", "OPENCODE_CLIENT"], programs: ["opencode"], packages: ["opencode-ai"] },
  {
    title: "pi",
    variables: ["PI_CODING_AGENT"],
    programs: ["pi"],
    packages: ["@mariozechner/pi-coding-agent", "@earendil-works/pi-coding-agent"],
  },
  { title: "Qwen Code", variables: ["QWEN_CODE"], programs: ["qwen"], packages: ["@qwen-code/qwen-code"] },
  { title: "Goose", variables: ["GOOSE_TERMINAL"], programs: ["goose"], packages: [] },
  { title: "Factory Droid", variables: [], programs: ["droid"], packages: [] },
  { title: "Amp", variables: ["AMP_CURRENT_THREAD_ID"], programs: ["amp"], packages: ["@sourcegraph/amp"] },
  { title: "Antigravity", variables: ["ANTIGRAVITY_AGENT"], programs: [], packages: [] },
  { title: "Augment", variables: ["AUGMENT_AGENT"], programs: ["auggie"], packages: ["@augmentcode/auggie"] },
  { title: "Cline", variables: ["CLINE_ACTIVE"], programs: [], packages: [] },
  { title: "Grok", variables: ["GROK_AGENT"], programs: [], packages: [] },
  { title: "a coding agent", variables: ["AI_AGENT"], programs: [], packages: [] },
  { title: "a hook", variables: ["HOOKCTL_DEPTH"], programs: [], packages: [] },
];

/** Agents that say who they are in a variable that other programs use as well. */
const NAMED_IN_AGENT = ["amp", "claude", "codex", "gemini", "goose", "opencode"];

/** Variables that say that a command was started by an agent: variable -> the agent. */
export const AGENT_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  AGENT_PROCESSES.flatMap(({ title, variables }) => variables.map((variable) => [variable, title])),
);

type Environment = Readonly<Record<string, string | undefined>>;

/** The agent that these variables tell of; null: none. */
export function agentInEnvironment(env: Environment): string | null {
  const isSet = (name: string): boolean => !["", "0", "false", undefined].includes(env[name]);
  const found = Object.entries(AGENT_VARIABLES).find(([variable]) => isSet(variable));
  if (found !== undefined) return found[1];
  const named = NAMED_IN_AGENT.find((name) => env.AGENT?.toLowerCase() === name);
  return named === undefined ? null : "a coding agent";
}

const INTERPRETERS = /^(?:node|nodejs|bun|deno|python3?(?:\.\d+)?)$/;

/** The agent whose command line this is; null: it is none. */
export function agentOfCommandLine(words: readonly string[]): string | null {
  const [first = "", ...rest] = words;
  const isInterpreter = INTERPRETERS.test(nameOf(first));
  const script = isInterpreter ? (rest.find((word) => !word.startsWith("-")) ?? "") : "";
  const found = AGENT_PROCESSES.find(
    ({ programs, packages }) =>
      [first, script].some((word) => programs.includes(nameOf(word))) ||
      packages.some((name) => script.includes(`/node_modules/${name}/`)),
  );
  return found?.title ?? null;
}

/** A program may write its own title over its command line, with words behind its name. */
const nameOf = (word: string): string =>
  (word.trim().split(" ", 1)[0]?.split("/").at(-1) ?? "").replace(/^-/, "").replace(/\.(?:exe|js|mjs|cjs)$/, "");
