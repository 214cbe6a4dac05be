import { dirname, join } from "node:path";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import { AGENT_NAMES, type AgentName } from "../../../src/protocol/agent-names.ts";
import { arrayOr, objectOr, stringOr, type UncheckedObject } from "../../../src/protocol/json/read.ts";

/** What an agent said about hookctl's entries in the settings of the user, or of a project. */
export interface TrustAnswer {
  readonly agent: AgentName;
  /** The folder of the project; null for the settings of the user. */
  readonly project: string | null;
  /** When it was asked, in milliseconds since 1970. */
  readonly atMs: number;
  /** The entries that the agent skips, each with the agent's own word for its state, such as `modified`. */
  readonly skipped: readonly { readonly event: string; readonly status: string }[];
}

/** The file of the answers, beside the backups of settings. */
export const answersFile = (backupsDir: string): string => join(dirname(backupsDir), "agent-trust.json");

/** The last answers, one for each agent and each project. */
export function lastAnswers(backupsDir: string | null): readonly TrustAnswer[] {
  const read = backupsDir === null ? null : readIfPresent(answersFile(backupsDir));
  if (read?.ok !== true || read.value === null) return [];
  const { answers } = parseObject(`{"answers":${read.value.toString("utf8")}}`);
  return arrayOr(answers).flatMap((answer) => {
    const { agent, project, atMs, skipped } = objectOr(answer);
    const name = AGENT_NAMES.find((known) => known === agent);
    if (name === undefined || typeof atMs !== "number") return [];
    const entries = arrayOr(skipped).map(objectOr);
    return {
      agent: name,
      project: project === null ? null : stringOr(project),
      atMs,
      skipped: entries.map(({ event, status }) => ({ event: stringOr(event), status: stringOr(status) })),
    };
  });
}

/** Empty if the text is no JSON object. */
export function parseObject(text: string): UncheckedObject {
  try {
    return objectOr(JSON.parse(text));
  } catch {
    return {};
  }
}
