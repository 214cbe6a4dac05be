import { join } from "node:path";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { readNamedEvent } from "../../../src/cli/options.ts";
import { parentAgent } from "../../../src/cli/prompt/require-person.ts";
import type { Host, Terminal } from "../../../src/engine/host.ts";
import { pathExists } from "../../../src/fs/paths.ts";
import { EVENT_NAMES, type EventName } from "../../../src/protocol/event.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { fail, ok, ProblemError, type Result } from "../../../src/protocol/result.ts";
import { didYouMean, nearest } from "../../../src/protocol/text/nearest.ts";
import { quoteHookName } from "../../../src/protocol/text/shell-quote.ts";
import { escapeControls, listNames } from "../../../src/protocol/text/text.ts";
import { type HookOrder, LANGUAGES, type LanguageName } from "./hook-template.ts";

/** The names of the languages that `--lang` takes. */
const LANGUAGE_NAMES = {
  ...{ bash: "bash", python: "python", node: "node", typescript: "typescript" },
  ...{ sh: "bash", py: "python", js: "node", javascript: "node", ts: "typescript" },
} as const satisfies Record<string, LanguageName>;

const DEFAULTS = { name: "guard", event: "before_tool_call", language: "bash", text: "forbidden" } as const;
/** Names that `list` would skip. */
const SKIPPED = /(\.disable|~|\.bak|\.sample|\.swp)$/;
const LONGEST_BYTES = 200;
/** More invalid lines come from a program, or from pasted text. */
const MOST_TRIES = 20;

/** The hook that a command line orders. What it does not name has its default, or is asked for on a person's terminal. */
export async function readHookOrder(
  { args, options }: CommandLine<"new">,
  projectDir: string,
  host: Host,
): Promise<HookOrder> {
  const [name = null] = args;
  if (name !== null) refuseName(name);
  const language = options.language === null ? null : LANGUAGE_NAMES[options.language];
  const isAsking = !options.yes && !options.json && host.isStdinTerminal() && (await parentAgent(host)) === null;
  const terminal = isAsking ? await host.openTerminal() : null;
  const given = { name, event: options.event, language };
  if (terminal !== null) return askOrder(terminal, given, projectDir).finally(terminal.close);
  if (name === null) throw usage("new: missing argument NAME.", given);
  return complete({
    ...DEFAULTS,
    name,
    event: options.event ?? DEFAULTS.event,
    language: language ?? DEFAULTS.language,
  });
}

/** Names all that the questions ask for, as far as an option does. */
function usage(detail: string, { name, event, language }: Given): ProblemError {
  const options = `--event ${event ?? DEFAULTS.event} --lang ${language ?? DEFAULTS.language} --yes`;
  const tryThis = `hookctl new ${quoteHookName(name ?? DEFAULTS.name)} ${options}`;
  return new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });
}

export const hookPath = (name: string): string => `.kodelet/hooks/${name}`;

/** A hook in TypeScript has an ending. */
function complete(order: HookOrder): HookOrder {
  const { ending } = LANGUAGES[order.language];
  return { ...order, name: ending === "" ? order.name : `${order.name.replace(/\.m?ts$/, "")}${ending}` };
}

type Given = { readonly [K in "name" | "event" | "language"]: HookOrder[K] | null };

async function askOrder(terminal: Terminal, given: Given, projectDir: string): Promise<HookOrder> {
  const taken = (name: string): string | null => {
    const path = hookPath(complete({ ...DEFAULTS, name, language: given.language ?? DEFAULTS.language }).name);
    return pathExists(join(projectDir, path)) ? path : null;
  };
  const path = given.name === null ? null : taken(given.name);
  if (path !== null) throw new ProblemError({ code: "USAGE_HOOK_EXISTS", path });
  let intro = "Enter takes the default in brackets.\n";
  const ask = async <T>(about: string, fallback: string, read: (typed: string) => Result<T, string>) => {
    const question = { intro, prompt: `${about} [${fallback}]: `, fallback, read };
    intro = "";
    const answer = await askUntilRead(terminal, question);
    if (answer === null) throw usage("Nothing was created: the question was not answered.", given);
    return answer.value;
  };
  const name = given.name ?? (await ask("Name", DEFAULTS.name, (typed) => readName(typed, taken(typed))));
  const event = given.event ?? (await ask("Event", DEFAULTS.event, readEvent));
  const language =
    given.language ?? (await ask(`Language: ${listNames(Object.keys(LANGUAGES))}`, DEFAULTS.language, readLanguage));
  const text = await ask("Text to look for", DEFAULTS.text, readText);
  return complete({ name, event, language, text });
}

interface NewQuestion<T> {
  readonly intro: string;
  readonly prompt: string;
  /** What Enter stands for. */
  readonly fallback: string;
  readonly read: (typed: string) => Result<T, string>;
}

/** After a typing error it says what is wrong and asks again. Null if nobody answers. */
async function askUntilRead<T>(terminal: Terminal, { intro, prompt, fallback, read }: NewQuestion<T>) {
  let before = intro;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const typed = (await terminal.ask(before + prompt))?.trim();
    if (typed === undefined) return null;
    const found = read(typed === "" ? fallback : typed);
    if (found.ok) return found;
    before = `  ${escapeControls(found.error)}\n`;
  }
  return null;
}

function readName(name: string, taken: string | null): Result<string, string> {
  const fault = nameFault(name);
  if (taken !== null && fault === null) return fail(`${taken} already exists.`);
  return fault === null ? ok(name) : fail(`Not a valid hook name: ${fault}.`);
}

function readEvent(typed: string): Result<EventName, string> {
  if (typed === "?") return fail(`The events are ${EVENT_NAMES.join(", ")}.`);
  const named = readNamedEvent(typed);
  return named.ok ? ok(named.value.event) : fail(`${explain(named.error).summary} (? lists the events)`);
}

function readLanguage(typed: string): Result<LanguageName, string> {
  const found = Object.entries(LANGUAGE_NAMES).find(([name]) => name === typed.toLowerCase());
  if (found !== undefined) return ok(found[1]);
  const near = didYouMean(nearest(typed, Object.keys(LANGUAGE_NAMES)));
  return fail(`The languages are ${Object.keys(LANGUAGES).join(", ")}${near}`);
}

function readText(text: string): Result<string, string> {
  if (escapeControls(text) !== text) return fail("It has invisible characters.");
  return Buffer.byteLength(text) > LONGEST_BYTES ? fail(`It is longer than ${LONGEST_BYTES} bytes.`) : ok(text);
}

function refuseName(name: string): void {
  const detail = nameFault(name);
  if (detail !== null) throw new ProblemError({ code: "USAGE_BAD_HOOK_NAME", name, detail });
}

function nameFault(name: string): string | null {
  if (name === "") return "it is empty";
  if (name.includes("/")) return "a hook is a file directly in .kodelet/hooks, not in a sub-folder";
  if (name.startsWith(".")) return "files whose name starts with a dot are skipped";
  if (SKIPPED.test(name)) return "files with this extension are skipped";
  if (escapeControls(name) !== name) return "it has invisible characters";
  return Buffer.byteLength(name) > LONGEST_BYTES ? `it is longer than ${LONGEST_BYTES} bytes` : null;
}
