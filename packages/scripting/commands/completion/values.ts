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
import { objectOr, parsedOrUndefined } from "../../../../src/protocol/json/read.ts";
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

type LookUp = (expected: Expected, host: Host) => Iterable<string> | Promise<Iterable<string>>;

/** Values that are found elsewhere; other sources, such as files, are completed by the shell. */
const LOOK_UPS: Readonly<Partial<Record<string, LookUp>>> = {
  "adoptable agent": async () => (await import("../../../agents/agents.ts")).adoptableAgents(),
  report: ({ typed }) => (typed.includes("=") ? [] : TEST_REPORTER_NAMES.map((name) => `${name}=`)),
  "agent event": ({ before }) => agentEvents(before),
  field: fieldNames,
  pack: packNames,
  hook: hookNames,
  session: (expected, host) => new Set(recentRuns(expected, host).map(({ session }) => session ?? "")),
};

async function lookedUp(source: ValueSource, expected: Expected, host: Host): Promise<readonly Candidate[]> {
  if (source === "run")
    return recentRuns(expected, host).map((run) => ({ value: run.runId, about: runAbout(run, host) }));
  const lookUp = typeof source === "string" ? LOOK_UPS[source] : undefined;
  return lookUp === undefined ? [] : plain(await lookUp(expected, host));
}

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

/** The packs in the lock files of the project and of the user. */
function packNames({ options }: Expected, host: Host): readonly string[] {
  const scopes = findCallerScopes(callerOf(host, options.directory));
  if (!scopes.ok) return [];
  const { projectDir, homeDir } = scopes.value;
  return [projectDir, ...(homeDir === null ? [] : [homeDir])].flatMap((root) => {
    const read = readIfPresent(join(root, ".kodelet", "hooks.lock"));
    const text = read.ok ? (read.value?.toString("utf8") ?? "") : "";
    return Object.keys(objectOr(objectOr(parsedOrUndefined(text)).packs));
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
