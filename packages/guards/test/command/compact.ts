import { analyzeCommand } from "../../command/analyze.ts";
import type { Call, CommandPlace } from "../../command/call.ts";

export const PLACE: CommandPlace = {
  folder: "/home/dev/project",
  home: "/home/dev",
  project: "/home/dev/project",
  variables: { USER: "dev", LANG: "C" },
};

/** A call on one line: `rm [-rf, /home/dev/x] in /home via sudo, bash -c`. An unknown part is `?`, a glob ends with `~`. */
export function compact(call: Call): string {
  const args = call.args.map(({ text, isGlob }) => text + (isGlob ? "~" : "")).join(", ");
  const files = call.redirections.map(({ kind, target }) => ` ${SIGNS[kind]}${target.text}`).join("");
  const folder = call.folder === PLACE.folder ? "" : ` in ${call.folder ?? "?"}`;
  const via = parents(call);
  const line = `${call.program} [${args}]${files}${folder}${via === "" ? "" : ` via ${via}`}${call.isRemote ? " remote" : ""}`;
  return line.replaceAll("\0", "?");
}

const SIGNS = { read: "<", write: ">", append: ">>" };

function parents({ parent }: Call): string {
  if (parent === null) return "";
  const relation = parent.relation === "wrapper" ? "" : ` (${parent.relation})`;
  const above = parents(parent.call);
  return `${parent.call.program}${relation}${above === "" ? "" : `, ${above}`}`;
}

/** All calls and gaps of a command, without those that only print, test or change the folder. */
export function calls(command: string | readonly string[]): readonly string[] {
  const { calls, gaps } = analyzeCommand(command, PLACE);
  return [...calls.map(compact), ...gaps.map(({ kind }) => `gap: ${kind}`)];
}
