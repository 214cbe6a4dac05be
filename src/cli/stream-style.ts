import type { Host } from "../engine/host.ts";
import { PLAIN_STYLE, type Style } from "../report/text-style.ts";

/** The common option of that name. */
export interface ColorOption {
  readonly color: "auto" | "always" | "never" | null;
}

/** Colours for stdout: on a terminal, or if requested. */
export const stdoutStyle = ({ color }: ColorOption, host: Host): Promise<Style> =>
  styleOn(host.isStdoutTerminal(), host.stdoutColumns(), color, host.env);

/** Colours for stderr. */
export const stderrStyle = ({ color }: ColorOption, host: Host): Promise<Style> =>
  styleOn(host.isStderrTerminal(), host.stderrColumns(), color, host.env);

/** The columns in front of a line of code. */
const CODE_INDENT = 4;

async function styleOn(
  isTerminal: boolean,
  columns: number | null,
  color: ColorOption["color"],
  env: Host["env"],
): Promise<Style> {
  const isForbidden = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  const isWanted =
    color === "always" || (color !== "never" && ((env.FORCE_COLOR ?? "0") !== "0" || (!isForbidden && isTerminal)));
  const colors = isWanted ? (await import("../report/color-style.ts")).colorStyle() : PLAIN_STYLE;
  if (columns === null) return { ...PLAIN_STYLE, ...colors };
  const { breakCells } = await import("../../packages/screen/index.ts");
  return { ...colors, breakCode: (line) => breakCells(line, Math.max(columns, 20) - CODE_INDENT) };
}
