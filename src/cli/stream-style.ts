import type { Host } from "../engine/host.ts";
import { PLAIN_STYLE, type Style } from "../report/text-style.ts";

/** The common option of that name. */
export interface ColorOption {
  readonly color: "auto" | "always" | "never" | null;
}

/** Colours for stdout: on a terminal, or if requested. */
export const stdoutStyle = ({ color }: ColorOption, host: Host): Promise<Style> =>
  styleOn(host.isStdoutTerminal(), host.stdoutColumns(), color, host);

/** Colours for stderr, and the width of the terminal where questions are asked, also if stderr is none. */
export function stderrStyle({ color }: ColorOption, host: Host): Promise<Style> {
  const columns = host.stderrColumns() ?? host.stdoutColumns() ?? (host.isStdinTerminal() ? 80 : null);
  return styleOn(host.isStderrTerminal(), columns, color, host);
}

/** True if the environment names a locale without UTF-8. Where it names none, a terminal of today shows UTF-8. */
export function lacksUtf8({ LC_ALL = "", LC_CTYPE = "", LANG = "" }: Host["env"]): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale !== "" && !/utf-?8/i.test(locale);
}

async function styleOn(isTerminal: boolean, columns: number | null, color: ColorOption["color"], { env }: Host) {
  const isForbidden = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  const isWanted =
    color === "always" || (color !== "never" && ((env.FORCE_COLOR ?? "0") !== "0" || (!isForbidden && isTerminal)));
  const colors = isWanted ? (await import("../report/color-style.ts")).colorStyle() : PLAIN_STYLE;
  if (columns === null) return { ...PLAIN_STYLE, ...colors };
  const { breakSource } = await import("../../packages/screen/index.ts");
  return { ...colors, breakCode: (line: string) => breakSource(line, { columns, isAscii: lacksUtf8(env) }) };
}
