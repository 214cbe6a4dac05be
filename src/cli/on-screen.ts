import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Host } from "../engine/host.ts";
import type { Commands } from "./command-table.ts";
import { lacksUtf8 } from "./stream-style.ts";

/** The host of a command whose texts are laid out for where they go. Most calls write to pipes and load no layout. */
export async function onScreen(host: Host, loadCommands: () => Promise<Commands>): Promise<Host> {
  // A registered `hookctl bridge` is no hint: it is shown as it is.
  const names = isOnlyInNpm(host.env) ? Object.keys(await loadCommands()).filter((name) => name !== "bridge") : null;
  const isAscii = lacksUtf8(host.env);
  if (names === null && !isAscii && host.stdoutColumns() === null && host.stderrColumns() === null) return host;
  const { layOut, npxForm } = await import("../../packages/screen/index.ts");
  const laidOut = (text: string, columns: number | null, isForPerson = true): string =>
    layOut(names === null ? text : npxForm(text, names, isForPerson), { columns: columns ?? Infinity, isAscii });
  return {
    ...host,
    err: (text) => host.err(laidOut(text, host.stderrColumns())),
    out: (text) => host.out(laidOut(text, host.stdoutColumns(), host.isStdoutTerminal())),
    openTerminal: async () => {
      const terminal = await host.openTerminal();
      const columns = host.stderrColumns() ?? host.stdoutColumns();
      return terminal && { ...terminal, ask: (question) => terminal.ask(laidOut(question, columns)) };
    },
  };
}

/** npm puts folders of its own in front of the PATH, which the user's shell does not have. */
function isOnlyInNpm({ npm_execpath, PATH = "" }: Host["env"]): boolean {
  if (npm_execpath === undefined) return false;
  const folders = PATH.split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return !folders.some((folder) => folder !== "" && existsSync(join(folder, "hookctl")));
}
