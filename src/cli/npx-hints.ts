import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Host } from "../host.ts";
import { COMMAND_NAMES } from "./command-table.ts";

/** Hints that say `npx hookctl`, for a user who starts hookctl through npm and has no `hookctl` on the PATH. */
export function withNpxHints(host: Host): Host {
  if (!isOnlyInNpm(host.env)) return host;
  return {
    ...host,
    err: (text) => host.err(npxForm(text)),
    // JSON and what goes to a program stay as they are.
    out: (text) => host.out(host.isStdoutTerminal() && !/^[[{"]/.test(text) ? npxForm(text, "bridge") : text),
  };
}

/** npm puts folders of its own in front of the PATH, which the user's shell does not have. */
function isOnlyInNpm({ npm_execpath, PATH = "" }: Host["env"]): boolean {
  if (npm_execpath === undefined) return false;
  const folders = PATH.split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return !folders.some((folder) => folder !== "" && existsSync(join(folder, "hookctl")));
}

/** The text with `npx` before each command line of hookctl. A registered `hookctl bridge` is no hint: it is shown as it is. */
function npxForm(text: string, except: string | null = null): string {
  const commands = COMMAND_NAMES.filter((name) => name !== except).join("|");
  return text.replace(new RegExp(`(?<![\\w./-]|npx )hookctl (?=(?:${commands}|--help)\\b)`, "g"), "npx hookctl ");
}
