import { existsSync } from "node:fs";
import { basename } from "node:path";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommonOptions } from "../../../../src/cli/command-table.ts";
import { requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { followLinks } from "../../../../src/fs/paths.ts";
import { removeTreeQuietly } from "../../../../src/fs/remove-tree.ts";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { objectOr } from "../../../../src/protocol/json/read.ts";
import { jsonText } from "../../../../src/protocol/json/write.ts";
import { fail, ok, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { NO_USABLE_HOME } from "../../../../src/protocol/unsafe-path.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { CAGE_SHELLS, cageFolder, findCage, makeSharedTemp, writeShells } from "../../../cage/index.ts";
import { agentUserFile } from "../../install/agent-files.ts";
import { type InstallTarget, installTargetIn } from "../../install/install-target.ts";
import { ownProgram } from "../../install/launcher.ts";
import { sealWritten } from "../../install/seal/write-seal.ts";
import { editText } from "../../install/settings-file/edit-switches.ts";
import { presentText } from "../../install/settings-file/write-settings-files.ts";
import { type CagedAgent, cageSwitchedJson, cageSwitchedText } from "../../report/cage-text.ts";
import { editSettings, writeSettings } from "../guards/switches-file.ts";

/** `hookctl enable cage` and `disable cage`: the settings of the user, and the shell that each agent starts. */
export async function switchCage(isOn: boolean, common: CommonOptions, host: Host): Promise<CommandResult> {
  await requirePerson(host);
  const options = { ...common, config: null, only: null, skip: [] };
  const { context } = unwrap(await createRunContext(options, host, false));
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
  const problem = edited.isChanged ? writeSettings(edited) : null;
  if (problem !== null) return fail(problem);
  const shells = isOn ? writeShells(folder, presentShells(), ownProgram()) : {};
  if (!isOn) removeTreeQuietly(`${folder}/records`);
  const values = { shell: shells[basename(host.env.SHELL ?? "")] ?? shells.bash, temp: makeSharedTemp(folder) };
  const agents: CagedAgent[] = [];
  for (const agent of AGENT_NAMES) {
    const found = installTargetIn(context.scopes, { agent, scope: "user", options }, host);
    if (found.ok && found.value.text !== null) agents.push(await setKeys(agent, found.value, isOn ? values : {}, host));
  }
  const report = { isOn, isChanged: edited.isChanged, file: edited.file, agents };
  const printed = print(options.json ? `${jsonText(cageSwitchedJson(report))}\n` : cageSwitchedText(report), host);
  return printed.ok && isOn && !agents.some(({ isCaged }) => isCaged) ? ok(EXIT.checkFailed) : printed;
}

const presentShells = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(CAGE_SHELLS).flatMap(([name, files]) => {
      const file = files.find((one) => existsSync(one));
      return file === undefined ? [] : [[name, file]];
    }),
  );

/** Sets what the cage needs in an agent's user settings; what has no value is taken away. */
async function setKeys(
  agent: AgentName,
  target: InstallTarget,
  values: Readonly<Partial<Record<"shell" | "temp", string | undefined>>>,
  host: Host,
): Promise<CagedAgent> {
  const { cage, withoutCage, title } = AGENTS[agent];
  if (cage === undefined)
    return { agent: title, isCaged: false, file: null, why: withoutCage ?? "hookctl knows no way to choose its shell" };
  const named = agentUserFile(agent, cage.file, target.homeDir ?? "", host.env);
  const shown = named.replace(target.homeDir ?? "\0", "~");
  const file = followLinks(named);
  const before = unwrap(presentText(file, shown)) ?? "";
  const edited = editText(before, (settings) =>
    Object.entries(cage.values).flatMap(([dotted, kind]) => {
      const path = dotted.split(".");
      const present = path.reduce<unknown>((found, key) => objectOr(found)[key], settings);
      return present === values[kind] ? [] : [{ path, value: values[kind] }];
    }),
  );
  if (!edited.ok) throw new ProblemError({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...edited.error });
  if (edited.value.trim() !== before.trim() && !(before === "" && edited.value.trim() === "{}")) {
    const problem = writeSettings({ file, root: { kind: "user", userId: host.userId }, text: edited.value });
    if (problem !== null) throw new ProblemError(problem);
    if (file === target.file) await sealWritten(target, host, true);
  }
  return { agent: title, isCaged: values.shell !== undefined, file: shown, why: null };
}
