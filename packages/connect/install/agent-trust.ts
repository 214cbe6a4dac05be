import { delimiter, join } from "node:path";
import { newRunId } from "../../../src/audit/run-stamp.ts";
import type { Host } from "../../../src/engine/host.ts";
import { isProgram } from "../../../src/fs/paths.ts";
import { writeFileAtomic } from "../../../src/fs/write-file.ts";
import { startInteractive } from "../../../src/process/interactive-process.ts";
import { withNewToken } from "../../../src/process/process-request.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import type { FoundRegistration, TrustedEntry, TrustQuery } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { callerEnvironment } from "./agent-shell.ts";
import type { InstallTarget } from "./install-target.ts";
import { answersFile, lastAnswers, parseObject, type TrustAnswer } from "./last-answers.ts";
import { interruptFor } from "./run-for-hookctl.ts";
import { backupsFolder } from "./settings-file/write-settings-files.ts";

const ANSWER_MS = 20_000;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Asks the agent which of these entries it trusts, and stores the answer for `status`. Returns null if it cannot be asked
 * or gave no answer.
 */
export async function askAgentTrust(
  target: InstallTarget,
  registrations: readonly FoundRegistration[],
  host: Host,
): Promise<TrustAnswer | null> {
  const query = AGENT_INSTALLS[target.agent.name].trust?.query;
  if (query === undefined || target.scope === "machine") return null;
  const entries = await ask(query, target, host);
  if (entries === null) return null;
  const skipped = registrations.flatMap(({ event, command }) => {
    const same = entries.filter((entry) => entry.command === command);
    const inFile = same.filter(({ file }) => file === target.file);
    const found = inFile.length > 0 ? inFile : same;
    return found.some(({ isTrusted }) => isTrusted) ? [] : [{ event, status: found[0]?.status ?? "not loaded" }];
  });
  const project = target.scope === "user" ? null : target.projectDir;
  const answer = { agent: target.agent.name, project, atMs: host.nowMs(), skipped };
  store(answer, host);
  return answer;
}

/** The entries that the agent lists; null if its program does not exist, or did not answer. */
async function ask(query: TrustQuery, target: InstallTarget, host: Host): Promise<readonly TrustedEntry[] | null> {
  const env = callerEnvironment(target, host);
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const file = folders.map((folder) => join(folder, query.program)).find(isProgram);
  if (file === undefined) return null;
  const start = {
    file,
    args: query.args,
    cwd: "/",
    env: withNewToken(env, newRunId(host.nowMs(), host.random)),
    stdoutLimitBytes: MOST_BYTES,
    interrupt: interruptFor(`asking ${target.agent.title} which hooks it runs`, host),
  };
  let onAnswer: (entries: readonly TrustedEntry[]) => void = () => undefined;
  const answered = new Promise<readonly TrustedEntry[]>((resolve) => {
    onAnswer = resolve;
  });
  const talk = startInteractive(start, (line) => {
    const entries = query.read(parseObject(line));
    if (entries !== null) onAnswer(entries);
  });
  const timer = setTimeout(() => talk.terminate({ kind: "timed-out", afterMs: ANSWER_MS }), ANSWER_MS);
  for (const request of query.requests(target.projectDir)) talk.writeLine(printableJson(request));
  const entries = await Promise.race([answered, talk.outcome.then(() => null)]);
  clearTimeout(timer);
  await talk.close();
  return entries;
}

function store(answer: TrustAnswer, host: Host): void {
  const folder = backupsFolder(host);
  if (folder === null) return;
  const isOther = ({ agent, project }: TrustAnswer): boolean => agent !== answer.agent || project !== answer.project;
  try {
    writeFileAtomic(answersFile(folder), `${JSON.stringify([...lastAnswers(folder).filter(isOther), answer])}\n`);
  } catch {
    // Only `status` reads it, which then shows an older answer with its age.
  }
}
