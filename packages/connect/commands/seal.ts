import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine, CommonOptions } from "../../../src/cli/command-table.ts";
import { requirePerson } from "../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import type { Host } from "../../../src/engine/host.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import { fail, ok, unwrap } from "../../../src/protocol/result.ts";
import { weakeningText } from "../../agents/protection.ts";
import { sealPlaceIn } from "../bridge/seal-watch.ts";
import { acceptDropped, droppedIn, droppedTexts } from "../install/seal/dropped-guards.ts";
import { restoreFiles } from "../install/seal/restore-files.ts";
import { weakenedFiles } from "../install/seal/sealed-files.ts";
import { sealPresent } from "../install/seal/write-seal.ts";
import { restoreJson, restoreText, sealJson, sealText } from "../report/seal-text.ts";

const contextOptions = (options: CommonOptions) => ({ ...options, config: null, only: null, skip: [] });

/** Accepts the settings of the agents as they are now. */
export async function seal({ options }: CommandLine<"seal">, host: Host): Promise<CommandResult> {
  await requirePerson(host);
  const { context } = unwrap(await createRunContext(contextOptions(options), host, false));
  const changes = await sealPresent(sealPlaceIn(context), host);
  const dropped = droppedTexts(context);
  const problem = acceptDropped(droppedIn(context), context);
  if (problem !== null) return fail(problem);
  const report = {
    sealed: changes.filter(({ isRegistered }) => isRegistered).map(({ path }) => path),
    accepted: [
      ...changes.flatMap(({ path, accepted }) => accepted.map((one) => `${path}: ${weakeningText(one)}`)),
      ...dropped,
    ],
  };
  return print(options.json ? `${sealJson(report)}\n` : sealText(report, await stdoutStyle(options, host)), host);
}

/** Merges what the settings of the agents lost since they were sealed back into them. */
export async function restore({ options }: CommandLine<"restore">, host: Host): Promise<CommandResult> {
  await requirePerson(host);
  const { context } = unwrap(await createRunContext(contextOptions(options), host, false));
  const files = [
    ...restoreFiles(weakenedFiles(AGENT_NAMES, sealPlaceIn(context)), host),
    ...droppedIn(context).map(({ file, name }) => ({
      path: file,
      lost: [`${name} is no longer on`],
      cause: `your own settings are not merged: hookctl on ${name}`,
    })),
  ];
  const text = options.json ? `${restoreJson(files)}\n` : restoreText(files, await stdoutStyle(options, host));
  const printed = print(text, host);
  return printed.ok && files.some(({ cause }) => cause !== null) ? ok(EXIT.checkFailed) : printed;
}
