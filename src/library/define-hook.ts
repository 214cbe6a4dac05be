import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type SerializedValue, serializeReturnValue } from "../invoke/return-value.ts";
import type { Match } from "../protocol/hook.ts";
import type { Duration } from "./durations.ts";
import type { AnyEventName, EnvelopeOf } from "./event-types.ts";
import type { HookAnswer } from "./hook-reply.ts";
import { memberNames } from "./member-names.ts";

/** A hook that is a file of its own, written in JavaScript or TypeScript. */
export interface HookDefinition<N extends AnyEventName> {
  /** The event, by the name of any dialect; the name chooses the envelope. */
  readonly event: N | readonly N[];
  /** Lower runs first. Default 100. */
  readonly priority?: number;
  /** False: a failure of this hook blocks. Default true. */
  readonly failOpen?: boolean;
  /** True: it runs even after a block, and changes nothing. */
  readonly observe?: boolean;
  readonly timeout?: Duration;
  /** Only payloads with these values: `{"tool_name": ["bash", "mcp_*"]}`. */
  readonly match?: Match;
  /** True: processes that it leaves behind may go on. */
  readonly background?: boolean;
  /** Files of the project that it needs; an approval covers them. */
  readonly files?: readonly string[];
  /** What it answers. A throw is a failure of the hook: the message on stderr, exit 1. */
  readonly run: (payload: EnvelopeOf<N>) => HookAnswer | Promise<HookAnswer>;
}

/**
 * Makes the file that calls it a hook: started as `<file> hook` it says what it answers, as `<file> run` it answers
 * the payload on stdin. Imported, as by a test, it does neither. Gives the definition back.
 */
export function defineHook<const N extends AnyEventName>(definition: HookDefinition<N>): HookDefinition<N> {
  if (isStarted(callerOf(defineHook))) void serve(definition, process.argv[2]);
  return definition;
}

async function serve<N extends AnyEventName>(definition: HookDefinition<N>, word: string | undefined): Promise<void> {
  // stdout is for the reply: a line that was meant for eyes would make it unreadable.
  // biome-ignore lint/suspicious/noConsole: it is the hook's own console, which leads to stderr from here on.
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
  try {
    if (word === "hook") return exitWith(identityText(definition), 0);
    if (word !== "run") throw new Error(`usage: ${process.argv[1]} hook | run < payload.json`);
    const answer = await definition.run(JSON.parse(await stdinText()) as EnvelopeOf<N>);
    const { text, fault } = await outputOf(answer);
    // A block that can be read counts also from a hook that fails.
    if (fault === null) exitWith(text, 0);
    else process.stderr.write(`the return value cannot be converted to JSON: ${fault}\n`, () => exitWith(text, 1));
  } catch (error) {
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${told}\n`, () => exitWith("", 1));
  }
}

/** Which keys decide is looked up only where something cannot be said, so that a hook starts without it. */
async function outputOf(answer: unknown): Promise<SerializedValue> {
  const said = serializeReturnValue(answer);
  if (said.fault === null) return said;
  const { mayDecide } = await import("../dialects/deciding-keys.ts");
  return serializeReturnValue(answer, { isDecisive: mayDecide, mayBeInfinite: () => false });
}

/** A hook's life ends with its answer, also when it left a timer or a connection open. */
function exitWith(text: string, exitCode: number): void {
  process.stdout.write(text === "" ? "" : `${text}\n`, () => process.exit(exitCode));
}

function identityText<N extends AnyEventName>(definition: HookDefinition<N>): string {
  // Everything else goes along: hookctl refuses a hook that says what it does not know, such as a mistyped failOpen.
  const said = memberNames(definition).map((name) => [name, Reflect.get(definition, name)] as const);
  const { run, failOpen, ...others } = Object.fromEntries(said);
  return JSON.stringify({ ...others, fail_open: failOpen });
}

async function stdinText(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** The file in which a function was called. `import.meta.main` would say it, from Node 24 on. */
function callerOf(callee: (definition: never) => unknown): string | null {
  const { prepareStackTrace } = Error;
  try {
    Error.prepareStackTrace = (_error, frames) => frames[0]?.getFileName() ?? null;
    const holder: { stack?: unknown } = {};
    Error.captureStackTrace(holder, callee);
    return typeof holder.stack === "string" ? holder.stack : null;
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Is this file what node was started with, and not merely imported by it? */
function isStarted(file: string | null): boolean {
  const script = process.argv[1];
  if (file === null || script === undefined) return false;
  try {
    return realpathSync(file.startsWith("file:") ? fileURLToPath(file) : file) === realpathSync(script);
  } catch {
    return false;
  }
}
