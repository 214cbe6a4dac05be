import { shellParser } from "../../../shell/load-parser.ts";
import { innerFrame } from "../analysis.ts";
import type { Call, Relation } from "../call.ts";
import type { Started } from "./run-command.ts";
import { runScript } from "./run-script.ts";
import { GLOBBED, type ShellState } from "./shell-state.ts";

export interface Origin {
  readonly call: Call;
  readonly relation: Relation;
}

/** Follows text that a call runs as a command. The state is that of the shell that runs it. */
export function runText(
  text: string,
  { state, frame }: Pick<Started, "state" | "frame">,
  origin: Origin,
): readonly ShellState[] {
  const inner = innerFrame(frame, origin.call, origin.relation);
  if (inner === null) return [{ ...state, status: "either" }];
  const source = text.replaceAll(GLOBBED, "");
  return runScript(shellParser().parse(source), state, { ...inner, source });
}
