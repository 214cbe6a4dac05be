import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { readBundled } from "../../../src/fs/read-bundled.ts";
import { EVENT_NAMES, EVENT_ROWS, type EventName } from "../../../src/protocol/event.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import { newText } from "../report/scaffold-text.ts";
import {
  blockingArgument,
  caseFile,
  filledTemplate,
  LANGUAGES,
  type LanguageName,
  templateName,
} from "./hook-template.ts";
import { openSite, scaffold } from "./scaffold.ts";

interface Order {
  readonly name: string;
  readonly event: EventName;
  readonly language: LanguageName;
}

const EXAMPLE = "hookctl new guard --event before_tool_call --lang bash";
/** Names that `list` would skip. */
const PASSED_OVER = /(\.disable|~|\.bak|\.sample|\.swp)$/;
const LONGEST_BYTES = 200;

/** Creates a working hook for an event. */
export async function newHook(line: CommandLine<"new">, host: Host): Promise<CommandResult> {
  const order = readOrder(line);
  const site = await openSite(line, host);
  const { name, event, language } = order;
  const { ending } = LANGUAGES[language];
  const text = filledTemplate(
    readBundled(`hooks-examples/templates/${templateName(language, event)}`),
    event,
    LANGUAGES[language],
  );
  const cases = `.kodelet/tests/${ending === "" ? name : name.slice(0, -ending.length)}.yaml`;
  return scaffold(site, {
    hook: { path: `.kodelet/hooks/${name}`, text, isExecutable: true, event, about: language },
    cases: { path: cases, text: caseFile(name, event), isExecutable: false, event: "", about: "its test cases" },
    textOf: (report) => newText(report, { name, trialField: blockingArgument(EVENT_ROWS[event]) }, PLAIN_STYLE),
  });
}

function readOrder({ args, options }: CommandLine<"new">): Order {
  const { event } = options;
  if (event === null) {
    const detail = `new: missing --event, one of: ${EVENT_NAMES.join(", ")}`;
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: EXAMPLE });
  }
  const language = options.language ?? "bash";
  const [word = ""] = args;
  const fault = faultOf(word);
  if (fault !== null) throw new ProblemError({ code: "USAGE_BAD_HOOK_NAME", name: word, detail: fault });
  return { name: withEnding(word, LANGUAGES[language].ending), event, language };
}

function faultOf(name: string): string | null {
  if (name === "") return "it is empty";
  if (name.includes("/")) return "a hook is a file directly in .kodelet/hooks, not in a sub-folder";
  if (name.startsWith(".")) return "files whose name starts with a dot are skipped";
  if (PASSED_OVER.test(name)) return "files with this extension are skipped";
  if (escapeControls(name) !== name) return "it has invisible characters";
  return Buffer.byteLength(name) > LONGEST_BYTES ? `it is longer than ${LONGEST_BYTES} bytes` : null;
}

const withEnding = (name: string, ending: string): string =>
  ending === "" ? name : `${name.replace(/\.m?ts$/, "")}${ending}`;
