/** The name of the program in an argument. A program can overwrite its command line with a title, so that more text follows its name. */
export const programName = (arg: string): string =>
  (arg.trim().split(" ", 1)[0]?.split("/").at(-1) ?? "").replace(/^-/, "").replace(/\.(?:exe|js|mjs|cjs)$/, "");
