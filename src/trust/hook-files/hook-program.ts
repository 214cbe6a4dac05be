import type { Candidate } from "../../protocol/hook.ts";

/** The endings that an interpreter puts behind the name of what it loads. */
export const ENDINGS = new Set([
  ...["", ".js", ".mjs", ".cjs", ".json", ".node", ".ts", ".mts", ".cts", ".tsx", ".jsx"],
  ...[".rb", ".so", ".pm", ".pl", ".php", ".lua", ".py", ".sh"],
]);
export const INDEX = [
  "package.json",
  ...[".js", ".mjs", ".cjs", ".json", ".ts", ".rb", ".lua"].map((end) => `index${end}`),
];
/** What these read by themselves, in the folder of a script or above it. */
export const AUTOMATIC: readonly (readonly [runs: RegExp, names: readonly string[]])[] = [
  [/\b(?:node|tsx|ts-node|npx)\b|\.[cm]?[jt]s\b/, ["package.json"]],
  [/\b(?:tsx|ts-node|bun)\b/, ["tsconfig.json"]],
  [/\bbun\b/, ["bunfig.toml"]],
  [/\bdeno\b/, ["deno.json", "deno.jsonc"]],
];
export const JAVASCRIPT = /\b(?:node|bun|deno|tsx|ts-node|npx)\b/;
export const MOST_FILES = 5000;

/** How a declared hook begins: no text of its own, but a command, and the files that its words name. */
export interface DeclaredCommand {
  readonly command: string;
  /** Where the command runs. */
  readonly folder: string;
  /** The folder that its approval belongs to. */
  readonly project: string;
  readonly files: readonly string[];
}

/** Whatever starts a program of the project; `start` is null for an executable, which is itself the first text. */
export interface HookProgram extends Pick<Candidate, "path" | "realPath" | "source" | "projectDir"> {
  readonly declared: DeclaredCommand | null;
}

export interface LoadedFiles {
  readonly files: readonly string[];
  /** `package.json` -> the `type` in it, where that decides how a script is read and nothing else in it counts. */
  readonly types: ReadonlyMap<string, string>;
}
