import { posix } from "node:path";
import { loadShellParser, withShellParser } from "../../src/shell/load-parser.ts";
import { isPlainCommand } from "../../src/shell/plain-command.ts";
import { analyzeCommand } from "./command/analyze.ts";
import type { CommandAnalysis, CommandPlace } from "./command/call.ts";
import { type FileAccess, fileAccessesOf } from "./command/files/file-access.ts";
import { absolutePath } from "./command/paths.ts";
import { windowsStarts } from "./command/started/follow-windows.ts";
import type { EarlierSecrets } from "./effects/earlier-secrets.ts";
import type { ToolCall } from "./tool-call.ts";
import type { ToolTexts } from "./tool-texts.ts";

/** Loads the parser in advance for a call that needs it; without that, it would wait longer. */
export async function loadParserFor({ commands, guesses = [] }: ToolCall): Promise<void> {
  if ([...commands, ...guesses].some((command) => typeof command !== "string" || !isPlainCommand(command)))
    await loadShellParser();
}

/** Examines or judges a call. If that needs the parser, loads it and starts again. */
export const withParser = withShellParser;

/** A tool call that is parsed once for all guards. */
export interface Examined {
  readonly commands: readonly CommandAnalysis[];
  /** The files that its programs, redirections and file tools use. */
  readonly files: readonly FileAccess[];
  /** The addresses among the arguments of a tool. */
  readonly addresses: readonly string[];
  readonly place: CommandPlace;
  /** Secrets that the agent may know; absent if the call sends nothing. */
  readonly earlier?: EarlierSecrets;
  /** The tool of the agent, if the call is known as one. */
  readonly tool?: ToolTexts;
  /** Files that the call would write and that do not exist; absent if nobody looked. */
  readonly missing?: ReadonlySet<string>;
}

/** Parses a tool call. */
export function examine(call: ToolCall, place: CommandPlace): Examined {
  const folder = call.folder === null ? place.folder : posix.resolve(place.folder, atHome(call.folder, place));
  const here = { ...place, folder };
  const analyzed = call.commands.map((command) => analyzeCommand(command, here));
  const others = call.commands.flatMap((command) => (typeof command === "string" ? windowsStarts(command) : []));
  const guessed = [...(call.guesses ?? []), ...others].map((guess) => onlyLimits(analyzeCommand(guess, here)));
  const commands = [...analyzed, ...guessed, ...(call.isCut ? [CUT] : [])];
  const folders = [folder, ...commands.flatMap(({ calls }) => calls.flatMap((one) => one.folder ?? []))];
  const named = call.files.flatMap(({ path, action, isMoved, isFromShell, ...edit }): readonly FileAccess[] => {
    const from = isFromShell === true ? folders : [folder];
    const paths = [...new Set(from.map((one) => absolutePath(atHome(path, place), one)))];
    const isGlob = /[*?]/.test(path);
    const tree = isMoved === true ? { tree: "itself" as const } : {};
    return paths.map((absolute) => ({ kind: action, ...tree, path: absolute, isGlob, source: path, call: null, edit }));
  });
  const used = commands.flatMap(({ calls }) => calls.flatMap((one) => fileAccessesOf(one)));
  const tool = call.tool === undefined ? {} : { tool: { ...call.tool, files: named } };
  return { commands, files: [...named, ...used], addresses: call.addresses ?? [], place: here, ...tool };
}

/** A text that is perhaps no command may have any syntax. */
const onlyLimits = (analysis: CommandAnalysis): CommandAnalysis => ({
  ...analysis,
  gaps: analysis.gaps.filter(({ kind }) => kind === "size" || kind === "depth"),
});

/** Stands for the arguments that are not read. */
const CUT: CommandAnalysis = {
  text: "",
  calls: [],
  gaps: [{ kind: "size", source: "the call", why: "it has more than 2,000 values in one list" }],
};

const atHome = (path: string, { home }: CommandPlace): string =>
  path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => home);
