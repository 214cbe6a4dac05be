import { dirname, resolve } from "node:path";
import { execa } from "execa";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import { createCheckedContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { followLinks } from "../../../../src/fs/paths.ts";
import { jsonText } from "../../../../src/protocol/json/write.ts";
import { fail, ok, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { NO_USABLE_HOME } from "../../../../src/protocol/unsafe-path.ts";
import {
  agentAbove,
  type Cage,
  cageOf,
  effectiveCage,
  noteBefore,
  placeOf,
  prepareCage,
  processKey,
  startError,
  takeRefusals,
  undoChanges,
} from "../../../cage/index.ts";
import { cageJson, cageText, placeText } from "../../report/cage-text.ts";

/** `hookctl cage -- PROGRAM`, `cage show`, `cage allow` and `cage remove`. */
export async function cage(line: CommandLine<"cage">, host: Host): Promise<CommandResult> {
  const { args, options } = line;
  const { context } = unwrap(await createCheckedContext(options, host, false));
  const [word = "", ...rest] = args;
  if (options.shell !== null) return startShell([options.shell, ...args], context, host);
  if (word === "show") return show(rest, line, context, host);
  if (word === "remove") return (await import("./allow-place.ts")).removePlace(rest, options, { context, host });
  if (word === "allow") return (await import("./allow-place.ts")).allowPlace(rest, options, { context, host });
  if (word === "") throw usage("cage: missing argument: what should it do?", "hookctl cage show");
  return start(args, await ownCage(context, host), context, host);
}

const usage = (detail: string, tryThis: string): ProblemError =>
  new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });

/** The cage that the settings describe, or the default one. */
async function ownCage(context: RunContext, host: Host): Promise<Cage> {
  const cage = await cageOf(sessionOf(host), context, true);
  if (cage === null) throw new ProblemError({ code: "CAGE_UNAVAILABLE", cause: NO_USABLE_HOME });
  return cage;
}

const sessionOf = (host: Host): string => processKey(agentAbove(host.processId));

/** What an agent starts in the place of its shell. Without a cage, or with one that may be missing, it is the shell itself. */
async function startShell(words: readonly string[], context: RunContext, host: Host): Promise<CommandResult> {
  const { mode = "observe" } = effectiveCage(context) ?? {};
  const cage = mode === "observe" ? null : await cageOf(sessionOf(host), context);
  const script = cage === null ? null : await prepareCage(cage, sessionOf(host), context);
  if (script?.ok) return runInside(script.value, words, host);
  if (script !== null && cage?.settings.mode === "require")
    return fail({ code: "CAGE_UNAVAILABLE", cause: script.error });
  const [file = "", ...args] = words;
  return run(file, args, host);
}

async function start(words: readonly string[], cage: Cage, context: RunContext, host: Host): Promise<CommandResult> {
  const script = await prepareCage(cage, processKey(host.processId), context);
  if (!script.ok) return fail({ code: "CAGE_UNAVAILABLE", cause: script.error });
  const record = dirname(script.value);
  noteBefore(cage, record);
  const result = await runInside(script.value, words, host);
  for (const undone of await undoChanges(record, null, context.interrupt))
    host.err(`▲ ${undone}, because it would start programs outside the cage\n`);
  for (const why of takeRefusals(record)) host.err(`▲ The cage refused a connection: ${why}\n`);
  return result;
}

async function runInside(script: string, words: readonly string[], host: Host): Promise<CommandResult> {
  const result = await run("/bin/sh", [script, ...words], host);
  const error = startError(dirname(script));
  if (error !== "") host.err(`${error}\n`);
  return result;
}

/** Runs a program with our own streams, in our process group: it gets the signals of the terminal as we do. */
async function run(file: string, args: readonly string[], host: Host): Promise<CommandResult> {
  const { exitCode } = await execa(file, args, { stdio: "inherit", reject: false, cwd: host.cwd });
  return ok(exitCode ?? 1);
}

async function show(
  [path, ...more]: readonly string[],
  { options }: CommandLine<"cage">,
  context: RunContext,
  host: Host,
): Promise<CommandResult> {
  if (more.length > 0) throw usage("cage show takes at most one path.", "hookctl cage show");
  const cage = await ownCage(context, host);
  const shown = path === undefined ? cage.places : [placeOf(followLinks(resolve(host.cwd, path)), cage.places)];
  const mode = effectiveCage(context)?.mode ?? "off";
  if (options.json) return print(`${jsonText(cageJson(mode, cage, shown))}\n`, host);
  const paths = { cwd: host.cwd, homeDir: context.scopes.homeDir };
  const [place] = shown;
  const isOne = path !== undefined && place !== undefined;
  return print(isOne ? placeText(path, place, paths) : cageText(mode, cage, shown, paths), host);
}
