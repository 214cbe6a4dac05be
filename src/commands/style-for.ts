import { PLAIN_STYLE, type Style } from "../report/style.ts";
import type { World } from "../world.ts";
import type { Flags } from "./flags.ts";

/** How the answer on stdout is dressed: colour for a terminal, or where it was asked for. */
export const styleFor = ({ color }: Flags, world: World): Promise<Style> =>
  styleOn(world.isStdoutTerminal, color, world.env);

/** The same for the story on stderr. */
export const storyStyleFor = ({ color }: Flags, world: World): Promise<Style> =>
  styleOn(world.isStderrTerminal, color, world.env);

async function styleOn(isTerminal: () => boolean, color: Flags["color"], env: World["env"]): Promise<Style> {
  const isForbidden = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  const isWanted =
    color === "always" || (color === "auto" && ((env.FORCE_COLOR ?? "0") !== "0" || (!isForbidden && isTerminal())));
  if (!isWanted) return PLAIN_STYLE;
  const { colorStyle } = await import("../report/colour.ts");
  return colorStyle();
}
