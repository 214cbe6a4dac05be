import type { JsonRecord } from "../protocol/json/write.ts";
import type { AgentName } from "./agent.ts";

/** The payloads of each event, by name: the tool of the call and what was special about it (`Bash-background`). */
export type CapturedEvents = Readonly<Record<string, Readonly<Record<string, JsonRecord>>>>;

/** The project in which the payloads were captured. */
export const CAPTURED_PROJECT = "/home/dev/shop";

/** Payloads that agents have sent. Each file is read when it is needed. */
const CAPTURED: Readonly<Record<AgentName, (() => Promise<{ readonly default: CapturedEvents }>) | null>> = {
  claude: () => import("./captured/claude.json", { with: { type: "json" } }),
  codex: () => import("./captured/codex.json", { with: { type: "json" } }),
  gemini: () => import("./captured/gemini.json", { with: { type: "json" } }),
  copilot: () => import("./captured/copilot.json", { with: { type: "json" } }),
  cursor: null,
  qwen: () => import("./captured/qwen.json", { with: { type: "json" } }),
  droid: () => import("./captured/droid.json", { with: { type: "json" } }),
  goose: null,
  opencode: () => import("./captured/opencode.json", { with: { type: "json" } }),
  pi: () => import("./captured/pi.json", { with: { type: "json" } }),
};

export const capturedEvents = async (agent: AgentName): Promise<CapturedEvents> =>
  (await CAPTURED[agent]?.())?.default ?? {};
