import type { Call } from "../command/call.ts";
import { GIT_COMMANDS } from "../command/started/follow-git.ts";
import type { Finding, Guard } from "../guard.ts";
import type { CommandLine } from "./command-lines.ts";
import { GIT_RULES, movesBranch, pushesSharedBranch, replacesFiles } from "./git/rules.ts";
import { aliasOf, cleansWithoutForce, newAlias, ownSettings, prunesNow, switchesHooksOff } from "./git/settings.ts";

export const git: Guard = {
  name: "git",
  about: "Keeps uncommitted and unpushed work, the history and the hooks of repositories.",
  rules: GIT_RULES.about,
  programs: ["git"],
  judgeCall: (call) => judge(asGit(call), MOST_ALIASES),
  judgeCommand: ({ calls }) => judgeNewAliases(calls),
};

const MOST_ALIASES = 4;

/** `git-reset --hard` is `git reset --hard`. */
function asGit(call: Call): Call {
  const command = /^git-(?!filter-repo$)(.+)$/.exec(call.program)?.[1];
  return command === undefined
    ? call
    : { ...call, program: "git", args: [{ ...call.name, text: command }, ...call.args] };
}

/** `git config alias.x '!git reset --hard' && git x`: the alias is judged; a shell command in it asks. */
function judgeNewAliases(calls: readonly Call[]): Finding | null {
  const aliases = new Map<string, string>();
  for (const call of calls.map(asGit)) {
    if (call.program !== "git") continue;
    const line = GIT_RULES.lineOf(call);
    const set = newAlias(line);
    if (set !== null) aliases.set(`alias.${set.name}`, set.value);
    const name = line.operands[0]?.word.text ?? "";
    const value = GIT_COMMANDS.has(name) ? undefined : aliases.get(`alias.${name.toLowerCase()}`);
    if (value?.startsWith("!")) return GIT_RULES.find("new-alias", call.source);
    const words = value === undefined ? null : aliasOf(call.args, line, aliases);
    const found = words === null ? null : judge({ ...call, args: words }, MOST_ALIASES);
    if (found !== null) return found;
  }
  return null;
}

function judge(call: Call, depth: number): Finding | null {
  if (call.program !== "git") return GIT_RULES.judgeByForm(call);
  const line = GIT_RULES.lineOf(call);
  const settings = ownSettings(call, line);
  const alias = depth > 0 ? aliasOf(call.args, line, settings) : null;
  if (alias !== null) return judge({ ...call, args: alias }, depth - 1);
  const found = GIT_RULES.judgeByForm(call) ?? judgeMore(call, line, settings);
  const isShared = found?.rule === "force-push" && pushesSharedBranch(line);
  return found !== null && isShared ? { ...found, decision: "block" } : found;
}

function discards({ source }: Call, certainty: "surely" | "perhaps"): Finding {
  if (certainty === "surely") return GIT_RULES.find("discard-changes", source);
  return GIT_RULES.find("discard-changes", source, {
    decision: "ask",
    effect: "discards uncommitted changes, if that is a file",
    instead: "For a branch, use `git switch`; for a file, save it with `git stash` first.",
  });
}

/** Judges calls that the table of forms cannot express. */
function judgeMore(call: Call, line: CommandLine, settings: ReadonlyMap<string, string>): Finding | null {
  if (movesBranch(call, line)) return GIT_RULES.find("move-branch", call.source);
  const replaced = replacesFiles(line);
  if (replaced !== null) return discards(call, replaced);
  if (cleansWithoutForce(line, settings)) return GIT_RULES.find("delete-untracked", call.source);
  if (prunesNow(line, settings)) return GIT_RULES.find("expire-history", call.source);
  return switchesHooksOff(call, line, settings) ? GIT_RULES.find("bypass-hooks", call.source) : null;
}
