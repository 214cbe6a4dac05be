import { nameSet } from "../../../../src/protocol/json/table.ts";
import type { Started } from "../analysis.ts";
import type { Call } from "../call.ts";
import { optionValues, parseOptions } from "../options.ts";
import { childShell, runInner } from "../start.ts";

/** Settings of git whose value is a command. */
const COMMAND_SETTING =
  /^(?:core\.(?:editor|pager|sshcommand|fsmonitor|askpass)|sequence\.editor|diff\.external|gpg\.program|interactive\.difffilter|credential\..*|credential\.helper|(?:diff|filter|merge|difftool|mergetool|pager|browser|remote|uploadpack)\..*(?:textconv|command|clean|smudge|process|driver|cmd|uploadpack|receivepack))$/i;
/** An alias cannot hide a command of git. */
export const GIT_COMMANDS = nameSet(
  "add am apply bisect blame branch checkout cherry-pick clean clone commit config describe diff fetch gc grep init log ls-files merge mv notes pull push rebase reflog remote reset restore revert rev-parse rm show stash status submodule switch tag worktree",
);

/** `git -c alias.x='!text' x`, `git -c core.pager=text …`. */
export function followGitSettings(call: Call, started: Started): void {
  const parsed = parseOptions(call.args, { values: "-c -C --git-dir --work-tree", endsAtOperand: true });
  const command = parsed.operands[0]?.text;
  const run = (text: string) => runInner(text, childShell(started.state), { call, started, relation: "shell text" });
  for (const { text } of optionValues(parsed, "-c")) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const isAlias = name.toLowerCase().startsWith("alias.") && !GIT_COMMANDS.has(name.slice(6));
    if (isAlias && name.slice(6) === command)
      run((value.startsWith("!") ? value.slice(1) : `git ${value}`) + aliasArguments(call));
    else if (COMMAND_SETTING.test(name)) run(value.replace(/^!/, "") + (isAlias ? aliasArguments(call) : ""));
  }
}

/** An alias gets the arguments of the call. */
function aliasArguments({ args }: Call): string {
  const at = args.findIndex(({ text }) => text.startsWith("alias."));
  return args
    .slice(at + 2)
    .map(({ text }) => ` ${quoted(text)}`)
    .join("");
}

/** Quotes a word for a shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./\0-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
