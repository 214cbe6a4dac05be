import { statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { AGENT_NAMES, type AgentName } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/agents.ts";
import { KNOWN_AGENTS } from "../../agents/known-agents.ts";
import { TRANSCRIPTS } from "../../agents/transcripts/transcripts.ts";
import { isFolder } from "../../fs/paths.ts";
import { firstBytes } from "../../fs/read-file.ts";
import type { Host } from "../../host.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { findSessionFiles, type SessionFile } from "../../replay/sessions/find-session-files.ts";
import type { SessionSource } from "../../replay/sessions/read-session.ts";

export interface BacktestSources {
  readonly sources: readonly SessionSource[];
  /** Agents whose own files cannot be read, with the reason. */
  readonly unreadableAgents: readonly string[];
}

interface SourceInput {
  readonly files: readonly string[];
  readonly agent: AgentName | null;
  /** The folder of the caller, in which calls without a folder count as made. */
  readonly folder: string;
  readonly sinceMs: number | null;
}

/** The files that the caller names, or else the session files of the agents themselves. */
export function findSources(input: SourceInput, host: Host): Result<BacktestSources, UsageProblem> {
  const { files, agent } = input;
  if (files.length === 0) return ok(ownSources(input, host));
  const paths = files.map((file) => resolve(host.cwd, file));
  const missing = paths.find((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
  if (missing !== undefined) return fail({ code: "USAGE_NO_SUCH_PATH", path: missing });
  const transcript = agent === null ? null : TRANSCRIPTS[agent];
  const namedBy = { home: host.env.HOME ?? "/" };
  const sources = paths.map((path): SessionSource => ({ path, transcript, folder: input.folder, namedBy }));
  return ok({ sources, unreadableAgents: [] });
}

function ownSources({ agent, sinceMs }: SourceInput, { env }: Host): BacktestSources {
  const meant = AGENT_NAMES.filter((name) => agent === null || name === agent).map((name) => TRANSCRIPTS[name]);
  const sources = meant.flatMap((transcript) => {
    const files = transcript.places.flatMap((place) => findSessionFiles(place, env));
    const recent = files.filter(({ modifiedMs }) => sinceMs === null || modifiedMs >= sinceMs);
    return [...new Map(recent.map((file) => [file.path, file])).values()].map(
      (file): SessionSource => ({ path: file.path, transcript, folder: projectOf(file), namedBy: null }),
    );
  });
  const unreadable = meant.filter((one) => one.unreadable !== null && (agent !== null || isUsed(one.agent, env)));
  return { sources, unreadableAgents: unreadable.map((one) => `${AGENTS[one.agent].title}: ${one.unreadable}`) };
}

/** True if the agent has a folder below the home directory. */
function isUsed(agent: AgentName, { HOME }: Host["env"]): boolean {
  const { user } = KNOWN_AGENTS[agent].ownFolders;
  return HOME !== undefined && isFolder(join(HOME, user));
}

const LONGEST_PATH = 4096;

/** The folder that a file beside the sessions names; null: none does. */
function projectOf({ projectFile }: SessionFile): string | null {
  const bytes = projectFile === null ? null : firstBytes(projectFile, LONGEST_PATH);
  const folder = bytes === null ? "" : Buffer.from(bytes, "latin1").toString("utf8").trim();
  return isAbsolute(folder) ? folder : null;
}
