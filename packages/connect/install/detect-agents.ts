import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { isFolder, isProgram } from "../../../src/fs/paths.ts";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { displayPath } from "../../../src/report/display-path.ts";
import { KNOWN_AGENTS } from "../../agents/known-agents.ts";
import { agentUserFile } from "./settings-file/user-file.ts";

/** An agent that is used here, with the evidence. */
export interface DetectedAgent {
  readonly name: AgentName;
  readonly evidence: string;
}

interface Surroundings {
  readonly scopes: Scopes;
  readonly env: Host["env"];
  /** The title of the agent that started this call; null if a person started it. */
  readonly caller: string | null;
}

/**
 * The agents that called this command, left a folder in the home directory or the project, or have their program on the
 * PATH. Runs nothing.
 */
export function detectAgents(around: Surroundings): readonly DetectedAgent[] {
  return AGENT_NAMES.flatMap((name) => {
    const evidence = KNOWN_AGENTS[name].title === around.caller ? "it calls this command" : evidenceOf(name, around);
    return evidence === null ? [] : [{ name, evidence }];
  });
}

function evidenceOf(name: AgentName, { scopes, env }: Surroundings): string | null {
  const { homeDir, projectDir, hasProject } = scopes;
  const { ownFolders, process } = KNOWN_AGENTS[name];
  const folder = homeDir === null ? null : agentUserFile(name, ownFolders.user, homeDir, env);
  if (folder !== null && isFolder(folder)) return displayPath(folder, { cwd: projectDir, homeDir });
  const program = process.programs.find((one) => isOnPath(one, env));
  if (program !== undefined) return `${program} is on the PATH`;
  return hasProject && existsSync(join(projectDir, ownFolders.project)) ? `${ownFolders.project} in the project` : null;
}

const isOnPath = (program: string, { PATH = "" }: Host["env"]): boolean =>
  PATH.split(delimiter).some((folder) => isAbsolute(folder) && isProgram(join(folder, program)));
