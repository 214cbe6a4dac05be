import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Terminal } from "../../engine/host.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { isProgram, resolvesInside } from "../../fs/paths.ts";
import type { ForegroundRequest } from "../../process/run-in-foreground.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";

type ProgramContext = Pick<RunContext, "env" | "cwd" | "scopes">;

/** Shows a text in `$PAGER`, by default `less`. Returns the text that is still to be printed if that failed. */
export async function showInPager(text: string, around: ProgramContext, terminal: Terminal): Promise<string> {
  const program = findConfiguredProgram(["PAGER"], "less", around);
  if (!program.ok) return text;
  // Like git: a short text stays on the screen, and colours are shown.
  const environment = { ...around.env, LESS: around.env.LESS ?? "FRX" };
  const ending = await terminal.run({ ...program.value, input: text, directory: around.cwd, environment });
  return ending.kind === "failed" ? text : "";
}

/** Opens files in `$VISUAL` or `$EDITOR`, by default `vi`. Returns an error message, or null. */
export async function openInEditor(
  files: readonly string[],
  around: ProgramContext,
  terminal: Terminal,
): Promise<string | null> {
  const program = findConfiguredProgram(["VISUAL", "EDITOR"], "vi", around);
  if (!program.ok) return program.error;
  const { args, ...rest } = program.value;
  const request = { ...rest, args: [...args, ...files], input: null, directory: around.cwd, environment: around.env };
  const ending = await terminal.run(request);
  if (ending.kind === "failed") return `${rest.file} failed: ${ending.cause}`;
  return ending.exitCode === 0 ? null : `${rest.file} ended with exit code ${ending.exitCode}`;
}

type Program = Pick<ForegroundRequest, "file" | "args">;

/** The program in the first variable that is set. A program inside the project is not started: a clone could bring it. */
function findConfiguredProgram(
  variables: readonly string[],
  usual: string,
  around: ProgramContext,
): Result<Program, string> {
  const set = variables.find((name) => (around.env[name] ?? "").trim() !== "");
  const [name = usual, ...args] = splitCommand(set === undefined ? usual : (around.env[set] ?? ""));
  const file = findOutsideProject(name, around);
  if (file !== null) return ok({ file, args });
  return fail(`${set === undefined ? "" : `${set} is `}${name}, and there is no such program outside the project`);
}

function findOutsideProject(name: string, { env, cwd, scopes }: ProgramContext): string | null {
  const folders = (env.PATH ?? "").split(delimiter).filter(isAbsolute);
  const files = name.includes("/") ? [resolve(cwd, name)] : folders.map((folder) => join(folder, name));
  const isOfProject = (file: string): boolean => scopes.hasProject && resolvesInside(scopes.projectDir, file);
  return files.find((file) => isProgram(file) && !isOfProject(file)) ?? null;
}

/** Splits `code --wait` or `"/opt/my editor" -x`. Supports quotes, and nothing else of a shell's syntax. */
const splitCommand = (line: string): readonly string[] =>
  (line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_all, double?: string, single?: string) => double ?? single ?? ""),
  );
