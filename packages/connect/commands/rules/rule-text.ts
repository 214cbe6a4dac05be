import { resolve } from "node:path";
import { isSurelyMissing } from "../../../../src/fs/paths.ts";
import type { UsageProblem } from "../../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../../src/protocol/result.ts";
import type { RuleSubject } from "../../../../src/protocol/rule-settings.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";

/** What the person said the text is. */
export interface TextKind {
  readonly isCommand: boolean;
  readonly isFile: boolean;
  readonly isHost: boolean;
}

/** What a rule is about, and its text as it is written into the settings. */
export interface RuleText {
  readonly subject: RuleSubject;
  readonly match: string;
}

const ADDRESS = /^[a-z][a-z\d+.-]*:\/\/(?:[^/@\s]*@)?(\[[\da-f:]+\]|[^/:\s?#]+)(:\d+)?/i;
const WILD_HOST = /^\*(?:\.[\w-]+){2,}(?::\d+)?$/;
const DOTTED_NAME = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?$/;

/** Recognises a command, a file or a host. A dotted name that may be a file or a host is asked about. */
export function readRuleText(
  text: string,
  { isCommand, isFile, isHost }: TextKind,
  { command, cwd }: { readonly command: string; readonly cwd: string },
): Result<RuleText, UsageProblem> {
  const named = [isCommand, isFile, isHost].filter((is) => is).length;
  const wrong = (detail: string, option = ""): Result<RuleText, UsageProblem> =>
    fail({
      code: "USAGE_WRONG_WORDS",
      detail,
      tryThis: `hookctl ${command} ${option}${shellQuote(text.trim() === "" ? "npm publish *" : text)}`,
    });
  if (named > 1) return wrong("A rule is about a command, a file or a host.");
  const match = text.trim();
  if (match === "") return wrong("The text of the rule is empty.");
  if (isCommand) return ok({ subject: "commands", match });
  if (isFile) return ok({ subject: "files", match });
  const [, host, port = ""] = ADDRESS.exec(match) ?? [];
  if (host !== undefined) return ok({ subject: "hosts", match: `${host}${port}` });
  if (isHost || WILD_HOST.test(match)) return ok({ subject: "hosts", match });
  if (/\s/.test(match)) return ok({ subject: "commands", match });
  if (/[/~]|^\.|\*\./.test(match)) return ok({ subject: "files", match });
  const isDotted = DOTTED_NAME.test(match);
  if (isDotted && !isSurelyMissing(resolve(cwd, match))) return ok({ subject: "files", match });
  if (isDotted) return wrong(`${match} may be a file or a host. Say which: --file or --host.`, "--host ");
  return ok({ subject: "commands", match });
}
