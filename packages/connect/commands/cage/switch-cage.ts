import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommonOptions } from "../../../../src/cli/command-table.ts";
import { requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { removeTreeQuietly } from "../../../../src/fs/remove-tree.ts";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { objectOr } from "../../../../src/protocol/json/read.ts";
import { jsonText } from "../../../../src/protocol/json/write.ts";
import { fail, ok, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import type { CageSettings } from "../../../../src/protocol/setting-rows.ts";
import { NO_USABLE_HOME } from "../../../../src/protocol/unsafe-path.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { CAGE_SHELLS, cageFolder, findCage, makeSharedTemp, writeShells } from "../../../cage/index.ts";
import { type CageValues, cageFile, cageLines, withoutCageKeys, withTexts } from "../../install/cage-keys.ts";
import { formatOfPath } from "../../install/find-registrations.ts";
import { type InstallTarget, installTargetIn } from "../../install/install-target.ts";
import { ownProgram } from "../../install/launcher.ts";
import { refreshRegistrations } from "../../install/refresh-registrations.ts";
import { sealWritten } from "../../install/seal/write-seal.ts";
import { changedMeanwhile, presentText } from "../../install/settings-file/write-settings-files.ts";
import { type CagedAgent, cageSwitchedJson, cageSwitchedText } from "../../report/cage-text.ts";
import { editSettings, writeSettings } from "../guards/switches-file.ts";

/** `hookctl on cage` and `off cage`: the settings of the user, and the shell that each agent starts. */
export async function switchCage(isOn: boolean, common: CommonOptions, host: Host): Promise<CommandResult> {
  const options = { ...common, config: null, only: null, skip: [] };
  const { context } = unwrap(await createRunContext(options, host, false));
  requireOwnCage(isOn ? ({ mode }) => mode === "off" : ({ mode = "off" }) => mode !== "off", context);
  await requirePerson(host);
  const folder = cageFolder(context);
  if (folder === null) return fail({ code: "CAGE_UNAVAILABLE", cause: NO_USABLE_HOME });
  const backend = isOn ? await findCage(context) : null;
  if (backend?.ok === false) return fail({ code: "CAGE_UNAVAILABLE", cause: backend.error });
  const yaml = `add to it: cage: { mode: ${isOn ? "fallback" : "off"} }`;
  const editsFor = (root: unknown) => {
    const { mode } = objectOr(objectOr(root).cage);
    if (isOn && objectOr(root).cage !== undefined && mode !== "off" && mode !== "observe") return [];
    return [{ path: ["cage", "mode"], value: isOn ? "fallback" : "off" }];
  };
  const edited = unwrap(editSettings({ isProject: false, yaml }, editsFor, { context, host }));
  const problem = edited.isChanged ? await writeSettings(edited) : null;
  if (problem !== null) return fail(problem);
  const values = isOn ? writtenValues(folder, host) : {};
  if (!isOn) removeTreeQuietly(`${folder}/records`);
  const agents: CagedAgent[] = [];
  for (const agent of AGENT_NAMES) {
    const found = installTargetIn(context.scopes, { agent, scope: "user", options }, host);
    if (found.ok && (found.value.text !== null || !isOn)) agents.push(await setKeys(agent, found.value, values, host));
  }
  if (isOn) await refreshRegistrations(context.scopes, options, host);
  const report = { isOn, isChanged: edited.isChanged, file: edited.file, agents };
  const printed = print(options.json ? `${jsonText(cageSwitchedJson(report))}\n` : cageSwitchedText(report), host);
  return printed.ok && isOn && !agents.some(({ isCaged }) => isCaged) ? ok(EXIT.checkFailed) : printed;
}

/** Throws if the machine's settings of the cage decide about something that a person would change. */
export function requireOwnCage(isFixed: (cage: CageSettings) => boolean, { machine }: RunContext): void {
  const { data, file } = machine?.settingsFile ?? {};
  if (data?.cage !== undefined && isFixed(data.cage))
    throw new ProblemError({ code: "USAGE_MACHINE_HOOK", name: "the cage", path: file ?? "" });
}

const presentShells = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(CAGE_SHELLS).flatMap(([name, files]) => {
      const file = files.find((one) => existsSync(one));
      return file === undefined ? [] : [[name, file]];
    }),
  );

/** Writes what the settings of agents name. */
function writtenValues(folder: string, host: Host): CageValues {
  const { shells, ...starts } = writeShells(folder, presentShells(), ownProgram());
  return { shell: shells[basename(host.env.SHELL ?? "")] ?? shells.bash, temp: makeSharedTemp(folder), ...starts };
}

/** Sets what the cage needs in an agent's user settings; what has no value is taken away. */
async function setKeys(agent: AgentName, target: InstallTarget, values: CageValues, host: Host): Promise<CagedAgent> {
  const { cage, withoutCage, title } = AGENTS[agent];
  const notCaged = (why: string): CagedAgent => ({ agent: title, isCaged: false, file: null, why, ownSandbox: null });
  if (cage === undefined) return notCaged(withoutCage ?? "hookctl cannot choose its shell");
  const homeDir = target.homeDir ?? "";
  const isOn = values.temp !== undefined;
  const { file, shown } = cageFile(agent, cage, homeDir, host.env);
  const present = unwrap(presentText(file, shown));
  const lines = cageLines(cage, values);
  const byHand = lines.map(({ path, value }) => `${path.join(".")}=${jsonText(value ?? "")}`).join(", ");
  if (isOn && present === null && cage.hides !== undefined && existsSync(join(homeDir, cage.hides)))
    return notCaged(`with ${shown} it would no longer read ~/${cage.hides}: add to that file ${byHand}`);
  const before = present ?? "";
  const edited = isOn ? withTexts(file, before, lines) : ok(withoutCageKeys(file, before, cage));
  if (!edited.ok) throw new ProblemError({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...edited.error });
  if (edited.value === null) return notCaged(`${shown} cannot be edited: add to it ${byHand}`);
  if (edited.value.trim() !== before.trim() && !(before === "" && edited.value.trim() === "{}")) {
    const root = { kind: "user" as const, userId: host.userId };
    const text = edited.value;
    const asRead = (now: string | null) => (now === present ? ok(text) : fail(changedMeanwhile(file)));
    const problem = await writeSettings({ file, root, host, edited: asRead, store: null });
    if (problem !== null) throw new ProblemError(problem);
    await sealWritten({ ...target, file, text: before, format: formatOfPath(file) }, host, true);
  }
  return { agent: title, isCaged: isOn, file: shown, why: null, ownSandbox: cage.ownSandbox ?? null };
}
