import { AGENT_NAMES } from "../agents/agent.ts";
import { weakeningText } from "../agents/protection.ts";
import { type CommandResult, print } from "../cli/command-result.ts";
import type { CommandLine } from "../cli/command-table.ts";
import { stdoutStyle } from "../cli/stream-style.ts";
import type { Host } from "../host.ts";
import { weakenedFiles } from "../install/seal/compare-seal.ts";
import { restoreFiles } from "../install/seal/restore-files.ts";
import { sealPlaceOf, sealPresent } from "../install/seal/write-seal.ts";
import { EXIT } from "../protocol/exit-code.ts";
import { fail, ok } from "../protocol/result.ts";
import { restoreJson, restoreText, sealJson, sealText } from "../report/seal-text.ts";
import { requirePerson } from "./prompt/require-person.ts";

/** Accepts the settings of the agents as they are now. */
export async function seal({ options }: CommandLine<"seal">, host: Host): Promise<CommandResult> {
  const refusal = await requirePerson(host);
  if (refusal !== null) return fail(refusal);
  const place = sealPlaceOf(options.directory, host);
  if (!place.ok) return place;
  const changes = await sealPresent(place.value, host);
  if (!changes.ok) return changes;
  const report = {
    sealed: changes.value.filter(({ isRegistered }) => isRegistered).map(({ file }) => file.path),
    accepted: changes.value.flatMap(({ file, accepted }) =>
      accepted.map((one) => `${file.path}: ${weakeningText(one)}`),
    ),
  };
  return print(options.json ? `${sealJson(report)}\n` : sealText(report, await stdoutStyle(options, host)), host);
}

/** Merges what the settings of the agents lost since they were sealed back into them. */
export async function restore({ options }: CommandLine<"restore">, host: Host): Promise<CommandResult> {
  const refusal = await requirePerson(host);
  if (refusal !== null) return fail(refusal);
  const place = sealPlaceOf(options.directory, host);
  if (!place.ok) return place;
  const files = restoreFiles(weakenedFiles(AGENT_NAMES, place.value), host);
  const text = options.json ? `${restoreJson(files)}\n` : restoreText(files, await stdoutStyle(options, host));
  const printed = print(text, host);
  return printed.ok && files.some(({ cause }) => cause !== null) ? ok(EXIT.checkFailed) : printed;
}
