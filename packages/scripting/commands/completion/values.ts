import { join } from "node:path";
import { newestFirst } from "../../../../src/audit/read.ts";
import type { ValueSource } from "../../../../src/cli/options.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../../src/engine/hooks/candidates.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { clockText } from "../../../../src/engine/pauses.ts";
import { callerOf, findCallerScopes, findUserPaths } from "../../../../src/engine/user-paths.ts";
import { readIfPresent } from "../../../../src/fs/read-file.ts";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { fieldsOf, findEvent } from "../../../../src/protocol/event.ts";
import { membersOf, readJson } from "../../../../src/protocol/json/read.ts";
import type { LoggedRun } from "../../../../src/protocol/logged-run.ts";
import { TEST_REPORTER_NAMES } from "../../../../src/protocol/reporter-names.ts";
import { escapeControls } from "../../../../src/protocol/text/text.ts";
import { type Candidate, type Expected, fixedValues } from "../../completion.ts";

/** The values that are valid at the cursor. Reads only names: nothing is started. */
export async function valuesAt(expected: Expected, host: Host): Promise<readonly Candidate[]> {
  const found: Candidate[] = [...expected.words];
  for (const source of expected.sources) {
    const fixed = fixedValues(source, expected.typed);
    found.push(...(fixed === null ? await lookedUp(source, expected, host) : plain(fixed)));
  }
  const isFirst = expected.mayBeOption && expected.prefix === "" && expected.words.length === 0;
  return found
    .filter(({ value }) => isWritable(value) && !expected.taken.includes(value) && !(isFirst && value.startsWith("-")))
    .map(({ value, about }) => ({ value: expected.prefix + value, about: escapeControls(about) }));
}

/** A name with control characters is not completed: shells cannot take it on one line. */
const isWritable = (value: string): boolean => value !== "" && escapeControls(value) === value;

const plain = (values: Iterable<string>): readonly Candidate[] => Array.from(values, (value) => ({ value, about: "" }));

async function lookedUp(source: ValueSource, expected: Expected, host: Host): Promise<readonly Candidate[]> {
  if (source === "adoptable agent") return plain((await import("../../../agents/agents.ts")).adoptableAgents());
  if (source === "report") return reportNames(expected.typed);
  if (source === "agent event") return plain(await agentEvents(expected.before));
  if (source === "field") return plain(fieldNames(expected));
  if (source === "pack") return plain(packNames(expected, host));
  if (source === "hook") return plain(await hookNames(expected, host));
  if (source === "run")
    return recentRuns(expected, host).map((run) => ({ value: run.runId, about: runAbout(run, host) }));
  return source === "session" ? plain(new Set(recentRuns(expected, host).map(({ session }) => session ?? ""))) : [];
}

const reportNames = (typed: string): readonly Candidate[] =>
  typed.includes("=") ? [] : plain(TEST_REPORTER_NAMES.map((name) => `${name}=`));

/** The events of the agent that the command names. */
async function agentEvents([, agent]: readonly string[]): Promise<readonly string[]> {
  const name = AGENT_NAMES.find((one) => one === agent);
  return name === undefined ? [] : Object.keys((await import("../../../agents/agents.ts")).AGENTS[name].events);
}

function fieldNames({ before: [, event = ""], typed }: Expected): readonly string[] {
  const named = findEvent(event);
  return named === null || typed.includes("=") ? [] : Object.keys(fieldsOf(named.event)).map((name) => `${name}=`);
}

async function hookNames({ options }: Expected, host: Host): Promise<ReadonlySet<string>> {
  const started = await createRunContext(options, host, false);
  if (!started.ok) return new Set();
  return new Set(findAllCandidates(started.value.context).candidates.map(({ name }) => name));
}

const LOCK_DEPTH = 16;

/** The packs in the lock files of the project and of the user. */
function packNames({ options }: Expected, host: Host): readonly string[] {
  const scopes = findCallerScopes(callerOf(host, options.directory));
  if (!scopes.ok) return [];
  const { projectDir, homeDir } = scopes.value;
  return [projectDir, ...(homeDir === null ? [] : [homeDir])].flatMap((root) => {
    const read = readIfPresent(join(root, ".kodelet", "hooks.lock"));
    const json = read.ok && read.value !== null ? readJson(read.value.toString("utf8"), LOCK_DEPTH) : null;
    const packs = json?.ok && json.value.kind === "object" ? membersOf(json.value).get("packs") : undefined;
    return packs?.kind === "object" ? [...membersOf(packs).keys()] : [];
  });
}

/** The number of log lines to read: the log may be large, and a person waits. */
const MOST_LINES = 500;

function recentRuns({ options }: Expected, host: Host): readonly LoggedRun[] {
  const caller = callerOf(host, options.directory);
  const scopes = findCallerScopes(caller);
  const auditFile = scopes.ok ? findUserPaths(scopes.value, caller).auditFile : null;
  const runs = new Map<string, LoggedRun>();
  let count = 0;
  for (const { line } of auditFile === null ? [] : newestFirst(auditFile)) {
    if (line.kind === "run") runs.set(line.runId, line);
    count += 1;
    if (count === MOST_LINES) break;
  }
  return [...runs.values()];
}

function runAbout({ timeMs, event, tool, decision }: LoggedRun, host: Host): string {
  const time = timeMs === null ? "" : clockText(timeMs, host.nowMs());
  return [time, event, tool ?? "", decision].filter((part) => part !== "").join(" ");
}
