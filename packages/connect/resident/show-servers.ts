import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { OptionsOf } from "../../../src/cli/command-table.ts";
import { requirePerson } from "../../../src/cli/prompt/require-person.ts";
import type { Host } from "../../../src/engine/host.ts";
import { signalProcess } from "../../../src/process/kill-descendants.ts";
import { jsonText } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { serversOf } from "./resident-notes.ts";

/** `hookctl serve --status` and `--stop`: the servers that answer calls of agents. */
export async function showServers({ isStop, json }: OptionsOf<"serve">, host: Host): Promise<CommandResult> {
  if (isStop) await requirePerson(host);
  const servers = serversOf(host.env.HOME ?? null);
  if (isStop) for (const { processId } of servers) signalProcess(processId, "SIGTERM");
  const pids = servers.map(({ processId }) => processId);
  const state = isStop ? "Stopped" : "Running";
  const list = pids.length === 0 ? "" : ` (process ${pids.join(", ")})`;
  const text = pids.length === 0 ? "No server is running.\n" : `${state}: ${pluralize(pids.length, "server")}${list}\n`;
  return print(json ? `${jsonText({ schema: "hookctl.servers/1", stopped: isStop, processes: pids })}\n` : text, host);
}
