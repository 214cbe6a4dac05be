import type { Host } from "../engine/host.ts";
import { PLAIN_STYLE, type Style } from "../report/text-style.ts";
import type { CommonOptions } from "./command-table.ts";

/** Colours for stdout: on a terminal, or if requested. */
export const stdoutStyle = ({ color }: CommonOptions, host: Host): Promise<Style> =>
  styleOn(host.isStdoutTerminal, color, host.env);

/** Colours for stderr. */
export const stderrStyle = ({ color }: CommonOptions, host: Host): Promise<Style> =>
  styleOn(host.isStderrTerminal, color, host.env);

async function styleOn(isTerminal: () => boolean, color: CommonOptions["color"], env: Host["env"]): Promise<Style> {
  const isForbidden = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  const isWanted =
    color === "always" || (color !== "never" && ((env.FORCE_COLOR ?? "0") !== "0" || (!isForbidden && isTerminal())));
  if (!isWanted) return PLAIN_STYLE;
  const { colorStyle } = await import("../report/color-style.ts");
  return colorStyle();
}
