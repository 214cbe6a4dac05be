import { join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { entryNames, pathExists } from "../../../src/fs/paths.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { KNOWN_AGENTS } from "../../agents/known-agents.ts";
import { cageFolder, type EffectiveCage, effectiveCage, OUTSIDE, processKey } from "../../cage/index.ts";
import { agentUserFile, hasSettingsFile } from "../install/agent-files.ts";
import { ownSandboxText } from "../report/cage-text.ts";
import { broken, doubtful, type Finding, fine } from "./check.ts";

/** Which calls run in the cage here. */
export interface CageState {
  readonly mode: EffectiveCage["mode"];
  readonly agents: readonly CageOfAgent[];
  /** The running sessions whose calls do not run in it. */
  readonly outside: number;
}

interface CageOfAgent {
  readonly title: string;
  /** Why its shell calls are not in the cage; null if they are. */
  readonly why: string | null;
  /** The command that changes that; null if there is none. */
  readonly fix: string | null;
  /** The settings by which the agent runs calls in its own sandbox; null if it has none. */
  readonly ownSandbox: string | null;
}

/** Null if the settings have no cage. Reads a few small files. */
export function cageState(context: RunContext, { env }: Pick<Host, "env">): CageState | null {
  const settings = effectiveCage(context);
  const [folder, { scopes }] = [cageFolder(context), context];
  if (settings === null || folder === null || scopes.homeDir === null) return null;
  const { homeDir, projectDir } = scopes;
  const used = AGENT_NAMES.filter((agent) => hasSettingsFile({ agent, scope: "user" }, scopes, env));
  const records = join(folder, "records");
  const isOutside = (key: string): boolean =>
    processKey(Number(key.split("-")[0])) === key && pathExists(join(records, key, OUTSIDE));
  return {
    mode: settings.mode,
    agents: used.map((agent) => cageOfAgent(agent, { folder, homeDir, projectDir, env })),
    outside: entryNames(records).filter(isOutside).length,
  };
}

function cageOfAgent(
  agent: AgentName,
  where: { readonly folder: string; readonly homeDir: string; readonly projectDir: string; readonly env: Host["env"] },
): CageOfAgent {
  const { title, cage, withoutCage } = KNOWN_AGENTS[agent];
  if (cage === undefined)
    return { title, why: withoutCage ?? "hookctl cannot choose its shell", fix: null, ownSandbox: null };
  const file = agentUserFile(agent, cage.file, where.homeDir, where.env);
  if (!textOf(file).includes(join(where.folder, "shells")))
    return {
      title,
      why: `${cage.file} does not name the shell of the cage`,
      fix: "hookctl on cage",
      ownSandbox: null,
    };
  const other = (cage.projectFiles ?? []).find((path) => namesShell(textOf(join(where.projectDir, path)), cage.values));
  const instead = (cage.hiddenBy ?? []).find((path) => pathExists(join(where.projectDir, path)));
  const why =
    other === undefined
      ? instead && `it reads ${instead} of this project instead of ~/${cage.file}`
      : `${other} of this project names another shell`;
  return { title, why: why ?? null, fix: null, ownSandbox: cage.ownSandbox ?? null };
}

const textOf = (path: string): string => {
  const read = readIfPresent(path);
  return read.ok ? (read.value?.toString("utf8") ?? "") : "";
};

/** True if a text sets one of the keys that choose the shell. */
const namesShell = (text: string, values: Readonly<Record<string, string>>): boolean =>
  Object.entries(values).some(
    ([key, kind]) => kind !== "temp" && new RegExp(`\\b${key.split(".").at(-1)}["']?\\s*[:=]`).test(text),
  );

/** The lines of `doctor` about the cage; `without` says why there is no sandbox here. */
export function cageFindings(state: CageState | null, without: string | null): readonly Finding[] {
  if (state === null) return [];
  const { mode, agents, outside } = state;
  if (mode === "observe") return [fine("observes: no call runs in the cage, and nothing is refused")];
  const missing = `no sandbox works, so ${mode === "require" ? "shell calls are blocked" : "no call runs in the cage"}: ${without}`;
  const cure = "Install bubblewrap, or: hookctl off cage";
  if (without !== null) return [mode === "require" ? broken(missing, cure) : doubtful(missing, cure)];
  return [
    ...agents.map(({ title, why, fix, ownSandbox }) =>
      why === null
        ? fine(`${title}: shell calls run in it${ownSandboxText(ownSandbox)}`)
        : doubtful(`${title}: shell calls do not run in it: ${why}`, fix && `Run: ${fix}`),
    ),
    ...(outside === 0
      ? []
      : [
          doubtful(
            `${outside} running session${outside === 1 ? " is" : "s are"} older than the cage`,
            "Start the agent again.",
          ),
        ]),
  ];
}
