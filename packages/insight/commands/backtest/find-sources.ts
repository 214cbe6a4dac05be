import { statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { OptionsOf } from "../../../../src/cli/command-table.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { isFolder, isInside, realPathOrSame } from "../../../../src/fs/paths.ts";
import { firstBytes } from "../../../../src/fs/read-file.ts";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { ProblemError } from "../../../../src/protocol/result.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { KNOWN_AGENTS } from "../../../agents/known-agents.ts";
import { TRANSCRIPTS } from "../../../agents/transcripts/transcripts.ts";
import { findSessionFiles, type SessionFile } from "../../replay/sessions/find-session-files.ts";
import type { SessionSource } from "../../replay/sessions/read-session.ts";
import type { SessionRecord } from "../../replay/sessions/session-record.ts";

/**
 * Returns a filter for the calls of a time range and a folder. A call without a time matches only if no time is given.
 */
export function callFilter(
  { since, until, project }: OptionsOf<"backtest">,
  host: Host,
): (record: SessionRecord) => boolean {
  const now = host.nowMs();
  const sinceMs = since?.(now).startMs ?? Number.NEGATIVE_INFINITY;
  const untilMs = until?.(now).endMs ?? Number.POSITIVE_INFINITY;
  const isTimed = since !== null || until !== null;
  const isThere = project === null ? () => true : madeInside(resolve(host.cwd, project));
  return (record) => {
    const timeMs = record.time === null ? Number.NaN : Date.parse(record.time);
    return (!isTimed || (timeMs >= sinceMs && timeMs <= untilMs)) && isThere(record);
  };
}

/** True for calls that were made in a folder, with or without links resolved. */
export function madeInside(folder: string): (record: SessionRecord) => boolean {
  const folders = [folder, realPathOrSame(folder)];
  return ({ cwd }) => isAbsolute(cwd) && folders.some((one) => isInside(one, resolve(cwd)));
}

export interface BacktestSources {
  readonly sources: readonly SessionSource[];
  /** Agents whose own files cannot be read, with the reason. */
  readonly unreadableAgents: readonly string[];
}

interface SourceInput {
  readonly files: readonly string[];
  readonly agent: AgentName | null;
  /** The folder of the caller, in which calls of named files without a folder were made. */
  readonly folder: string;
  readonly sinceMs: number | null;
}

/** The files that the caller names, or else the session files of the agents themselves. */
export function findSources(input: SourceInput, host: Host): BacktestSources {
  const { files, agent, folder } = input;
  if (files.length === 0) return ownSources(input, host);
  const paths = files.map((file) => resolve(host.cwd, file));
  const missing = paths.find((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
  const next = "To read the agents' own session files: hookctl replay --agents";
  if (missing !== undefined) throw new ProblemError({ code: "USAGE_NO_SUCH_PATH", path: missing, next });
  const transcript = agent === null ? null : TRANSCRIPTS[agent];
  const namedBy = { home: host.env.HOME ?? "/" };
  return { sources: paths.map((path) => ({ path, transcript, folder, namedBy })), unreadableAgents: [] };
}

function ownSources({ agent, sinceMs }: SourceInput, { env }: Host): BacktestSources {
  const selected = AGENT_NAMES.filter((name) => agent === null || name === agent).map((name) => TRANSCRIPTS[name]);
  const sources = selected.flatMap((transcript) => {
    const files = transcript.places.flatMap((place) => findSessionFiles(place, env));
    const recent = files.filter(({ modifiedMs }) => sinceMs === null || modifiedMs >= sinceMs);
    return [...new Map(recent.map((file) => [file.path, file])).values()].map(
      (file): SessionSource => ({ path: file.path, transcript, folder: projectOf(file), namedBy: null }),
    );
  });
  const unreadable = selected.filter((one) => one.unreadable !== null && (agent !== null || isUsed(one.agent, env)));
  return { sources, unreadableAgents: unreadable.map((one) => `${AGENTS[one.agent].title}: ${one.unreadable}`) };
}

/** True if the agent has a folder below the home directory. */
function isUsed(agent: AgentName, { HOME }: Host["env"]): boolean {
  const { user } = KNOWN_AGENTS[agent].ownFolders;
  return HOME !== undefined && isFolder(join(HOME, user));
}

const LONGEST_PATH = 4096;

/** The project folder named by a file beside the sessions, or null. */
function projectOf({ projectFile }: SessionFile): string | null {
  const bytes = projectFile === null ? null : firstBytes(projectFile, LONGEST_PATH);
  const folder = bytes === null ? "" : Buffer.from(bytes, "latin1").toString("utf8").trim();
  return isAbsolute(folder) ? folder : null;
}
