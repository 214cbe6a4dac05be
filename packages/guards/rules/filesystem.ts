import type { Call, CommandAnalysis } from "../command/call.ts";
import { resolvePath, zoneOf } from "../command/paths.ts";
import { type Finding, type Guard, type GuardContext, strictest } from "../guard.ts";
import { type Effect, effectsOf } from "./filesystem/effects.ts";
import { FILE_RULES, judgeEffect, judgeToolFile } from "./filesystem/judge-effect.ts";

export const filesystem: Guard = {
  ...FILE_RULES.guard,
  judgeCall: judge,
  judgeCommand: judgeForkBomb,
  judgeFile: (access, { place }) => (access.call === null ? judgeToolFile(access, place) : null),
};

function judge(call: Call, { place }: GuardContext): Finding | null {
  const disk = formatsImageFile(call, place) ? null : FILE_RULES.judgeByForm(call);
  if (disk !== null) return disk;
  const judged = [...effectsOf(call), ...redirected(call)].map((effect) => judgeEffect(effect, call, place));
  return strictest(judged);
}

const redirected = ({ redirections }: Call): readonly Effect[] =>
  redirections.flatMap(({ kind, target }): readonly Effect[] => {
    if (kind === "read") return [];
    return [{ kind: kind === "write" ? "rewrite" : "append", target }];
  });

/** True if the command formats an image file in the project or in a temporary folder, and no disk. */
function formatsImageFile(call: Call, place: GuardContext["place"]): boolean {
  if (!/^(?:mkfs|mke2fs|mkswap|mkdosfs|newfs|wipefs|parted|(?:c?f|g|sf|sg)disk)/.test(call.program)) return false;
  const zones = call.args
    .filter(({ text }) => (!text.startsWith("-") && text.includes("/")) || /\.\w+$/.test(text))
    .map((word) => zoneOf(resolvePath(word, call), place));
  return zones.length > 0 && zones.every((zone) => zone === "inside" || zone === "temp");
}

function judgeForkBomb({ gaps }: CommandAnalysis): Finding | null {
  const bomb = gaps.find(({ kind }) => kind === "fork bomb");
  return bomb === undefined ? null : FILE_RULES.find("fork-bomb", bomb.source);
}
