import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Match } from "../../../src/protocol/hook.ts";
import type { Duration } from "./check-options.ts";
import type { AnyEventName, EnvelopeOf, MatchedPayload } from "./event-types.ts";
import type { HookAnswer } from "./hook-reply.ts";
import { memberNames } from "./member-names.ts";
import { type SerializedValue, serializeReturnValue } from "./return-value.ts";

/** A hook in a separate file, written in JavaScript or TypeScript. */
export interface HookDefinition<N extends AnyEventName, M extends Match = Match> {
  /** The event, by the name of any dialect; the name chooses the envelope. */
  readonly event: N | readonly N[];
  /** Lower runs first. Default 100. */
  readonly priority?: number;
  /** False makes it a fail-closed guard: its failure blocks. Default true. */
  readonly failOpen?: boolean;
  /** True: it runs even after a block, and its response has no effect. */
  readonly observe?: boolean;
  readonly timeout?: Duration;
  /** Only payloads with these values: `{"tool_name": ["bash", "mcp_*"]}`. */
  readonly match?: M;
  /** True: processes that it leaves behind are not killed. */
  readonly background?: boolean;
  /** Files of the project that it needs; an approval covers them. */
  readonly files?: readonly string[];
  /** Returns the response. If it throws, the hook fails: the message goes to stderr, the exit code is 1. */
  readonly run: (payload: MatchedPayload<EnvelopeOf<N>, M>) => HookAnswer | Promise<HookAnswer>;
}

/**
 * Makes the calling file a hook: `<file> hook` prints its declaration, and `<file> run` responds to the payload on
 * stdin. A file that is only imported, as by a test, does neither. Returns the definition.
 */
export function defineHook<const N extends AnyEventName, const M extends Match = Match>(
  definition: HookDefinition<N, M>,
): HookDefinition<N, M> {
  if (isStarted(callerOf(defineHook))) void serve(definition, process.argv[2]);
  return definition;
}

const WRONG_USAGE = 64;

async function serve<N extends AnyEventName, M extends Match>(
  definition: HookDefinition<N, M>,
  word: string | undefined,
): Promise<void> {
  // stdout is for the response: a log line there would make it unreadable.
  // biome-ignore lint/suspicious/noConsole: it is the hook's own console, which leads to stderr from here on.
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
  try {
    if (word === "hook") return exitWith(identityText(definition), 0);
    if (word !== "run") {
      process.stderr.write(`usage: ${process.argv[1]} hook|run < payload.json\n`, () => exitWith("", WRONG_USAGE));
      return;
    }
    const answer = await definition.run(JSON.parse(await stdinText()) as MatchedPayload<EnvelopeOf<N>, M>);
    const { text, fault } = await outputOf(answer);
    // A readable block is printed even if the hook fails.
    if (fault === null) exitWith(text, 0);
    else process.stderr.write(`the return value cannot be converted to JSON: ${fault}\n`, () => exitWith(text, 1));
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${message}\n`, () => exitWith("", 1));
  }
}

/** Loads the list of deciding keys only if the value cannot be converted, so that a hook starts faster. */
async function outputOf(answer: unknown): Promise<SerializedValue> {
  const serialized = serializeReturnValue(answer);
  if (serialized.fault === null) return serialized;
  const { mayDecide } = await import("./deciding-keys.ts");
  return serializeReturnValue(answer, { isDecisive: mayDecide, mayBeInfinite: () => false });
}

/** A hook exits after its response, even if a timer or a connection is still open. */
function exitWith(text: string, exitCode: number): void {
  process.stdout.write(text === "" ? "" : `${text}\n`, () => process.exit(exitCode));
}

function identityText<N extends AnyEventName, M extends Match>(definition: HookDefinition<N, M>): string {
  // Unknown keys are included, so that hookctl can refuse a hook with a misspelt one, such as `failopen`.
  const members = memberNames(definition).map((name) => [name, Reflect.get(definition, name)] as const);
  const { run, failOpen, ...others } = Object.fromEntries(members);
  return JSON.stringify({ ...others, fail_open: failOpen });
}

async function stdinText(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** The file from which a function was called. Node 24 and later have `import.meta.main` for this. */
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

/** True if node was started with this file; false if the file was only imported. */
function isStarted(file: string | null): boolean {
  const script = process.argv[1];
  if (file === null || script === undefined) return false;
  try {
    return realpathSync(file.startsWith("file:") ? fileURLToPath(file) : file) === realpathSync(script);
  } catch {
    return false;
  }
}
