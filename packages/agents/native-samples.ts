import type { AgentName } from "../../src/protocol/agent-names.ts";
import { type JsonSpan, spanOfRaw } from "../../src/protocol/json/read.ts";
import { type JsonRecord, jsonText } from "../../src/protocol/json/write.ts";

/** The payloads of an agent. */
interface AgentSamples {
  /** As the agent has sent them, by event and name: the tool of the call and what was special about it (`Bash-background`). */
  readonly captured: Readonly<Record<string, Readonly<Record<string, JsonRecord>>>>;
  /** Minimal payloads of events that were not captured. They follow the documentation. */
  readonly documented: Readonly<Record<string, JsonRecord>>;
}

/** The project in which the payloads were captured. */
const CAPTURED_PROJECT = "/home/dev/shop";

/** Each file is read when it is needed. */
const SAMPLES: Readonly<Record<AgentName, () => Promise<{ readonly default: AgentSamples }>>> = {
  claude: () => import("./claude/samples.json", { with: { type: "json" } }),
  codex: () => import("./codex/samples.json", { with: { type: "json" } }),
  gemini: () => import("./gemini/samples.json", { with: { type: "json" } }),
  copilot: () => import("./copilot/samples.json", { with: { type: "json" } }),
  cursor: () => import("./cursor/samples.json", { with: { type: "json" } }),
  qwen: () => import("./qwen/samples.json", { with: { type: "json" } }),
  droid: () => import("./droid/samples.json", { with: { type: "json" } }),
  goose: () => import("./goose/samples.json", { with: { type: "json" } }),
  opencode: () => import("./opencode/samples.json", { with: { type: "json" } }),
  pi: () => import("./pi/samples.json", { with: { type: "json" } }),
};

export const samplesOf = async (agent: AgentName): Promise<AgentSamples> => (await SAMPLES[agent]()).default;

/** A payload of an agent's event. */
export interface NativeSample {
  readonly payload: JsonSpan;
  /** False: it follows the documentation. */
  readonly isCaptured: boolean;
}

/** The payloads of an agent's event, the shell's first; none if the agent has no such event. */
export type NativeSamples = (event: string) => readonly NativeSample[];

/** The sample payloads of an agent, in this project. */
export async function nativeSamples(agent: AgentName, project: string): Promise<NativeSamples> {
  const { captured, documented } = await samplesOf(agent);
  return (event) => {
    const named = Object.hasOwn(captured, event) ? Object.entries(captured[event] ?? {}) : [];
    const byRank = named.toSorted(([a], [b]) => rankOf(a) - rankOf(b));
    return [
      ...byRank.map(([, payload]) => ({ payload: inProject(jsonText(payload), project), isCaptured: true })),
      ...documentedSample(documented, event, project),
    ];
  };
}

/** The shell and events without a tool are first, then plain calls of other tools, then special calls. */
const rankOf = (name: string): number =>
  /^(?:bash|execute|run_shell_command|plain|pascal)(?:-pascal)?$/i.test(name) ? 0 : /-(?!pascal$)/.test(name) ? 2 : 1;

/** The working folder becomes the project itself, because sub-folders need not exist there. */
const inProject = (text: string, project: string): JsonSpan =>
  spanOfRaw(
    text
      .replace(/"cwd":"[^"]*"/, () => `"cwd":"${CAPTURED_PROJECT}"`)
      .replaceAll(CAPTURED_PROJECT, () => JSON.stringify(project).slice(1, -1)),
  );

function documentedSample(
  documented: AgentSamples["documented"],
  event: string,
  project: string,
): readonly NativeSample[] {
  const sample = Object.hasOwn(documented, event) ? documented[event] : undefined;
  if (sample === undefined) return [];
  const folders = { cwd: project, working_dir: project, workspace_roots: [project] };
  const own = Object.entries(folders).filter(([name]) => Object.hasOwn(sample, name));
  return [{ payload: spanOfRaw(jsonText({ ...sample, ...Object.fromEntries(own) })), isCaptured: false }];
}
