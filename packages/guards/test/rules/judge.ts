import { posix } from "node:path";
import { analyzeCommand } from "../../command/analyze.ts";
import type { CommandPlace } from "../../command/call.ts";
import type { Example } from "../../examples.ts";
import type { Finding, Guard } from "../../guard.ts";

const PLACE: CommandPlace = {
  folder: "/home/dev/shop",
  home: "/home/dev",
  project: "/home/dev/shop",
  variables: {},
};

/** What the rules of one guard find in a command. A block goes before a question. */
export function judge(guard: Guard, { command, folder = "." }: Example): Finding | null {
  const place = { ...PLACE, folder: posix.join(PLACE.project, folder) };
  const context = { place, commands: [command], paths: [], ownFiles: [] };
  const analysis = analyzeCommand(command, place);
  const found = [
    ...analysis.calls.map((call) => guard.judgeCall?.(call, context, analysis.calls) ?? null),
    guard.judgeCommand?.(analysis, context) ?? null,
  ];
  return found.find((one) => one?.decision === "block") ?? found.find((one) => one !== null) ?? null;
}

export const decisionOf = (guard: Guard, command: string): string => judge(guard, { command })?.decision ?? "allow";
