import { type Call, UNKNOWN } from "../command/call.ts";
import type { FileAccess } from "../command/files/file-access.ts";
import { optionValues, parseOptions } from "../command/options.ts";
import { resolvePath } from "../command/paths.ts";
import type { Finding, Guard, GuardContext, OwnFile } from "../guard.ts";
import { aboutOf, findingOf, judgeByForm } from "./command-rules.ts";
import {
  approvesByPath,
  approvesByVariable,
  asHookctl,
  changesFoundProgram,
  HOOKCTL_COMMANDS,
  isUnknownCommand,
  removesProgram,
  switchesHookOn,
  switchesOffByVariable,
} from "./self-protection/commands.ts";
import { SELF_PROTECTION_EXAMPLES } from "./self-protection/examples.ts";
import { isShared, ownFileAt } from "./self-protection/own-paths.ts";

export const selfProtection: Guard = {
  name: "self-protection",
  about: "Keeps hookctl working: its approvals, its settings, your hooks, and its registrations in agents.",
  rules: {
    ...aboutOf(HOOKCTL_COMMANDS.rules),
    "switch-off": "a variable switches hooks off: HOOKCTL_SKIP, HOOKCTL_NO_HOOKS",
    "remove-program": "hookctl itself is uninstalled or deleted: npm uninstall -g hookctl",
    "change-own-files": "approvals, records, the user's or the machine's hooks and settings are changed or deleted",
    "change-registration": "an agent's settings with hookctl's registration are deleted, or rewritten without it",
  },
  programs: ["hookctl"],
  judgeCall,
  judgeFile,
  examples: SELF_PROTECTION_EXAMPLES,
};

const BY_PERSON = "Let the person do it.";

function judgeCall(call: Call, context: GuardContext): Finding | null {
  if (removesProgram(call))
    return blocked("remove-program", call.source, "removes hookctl, and with it every hook and guard");
  if (changesFoundProgram(call)) return blocked("remove-program", call.source, "changes the program hookctl");
  if (switchesOffByVariable(call)) return blocked("switch-off", call.source, "switches hooks off by a variable");
  const hookctl = asHookctl(call);
  if (hookctl !== null && !hookctl.isRemote) return judgeHookctl(hookctl);
  return call.program === "git" && !call.isRemote ? judgeGit(call, context) : null;
}

function judgeHookctl(call: Call): Finding | null {
  const found = judgeByForm(call, HOOKCTL_COMMANDS);
  if (found !== null) return found;
  const rule = findingOf("approve-or-disarm", call, HOOKCTL_COMMANDS);
  if (rule === null) return null;
  const byPath = approvesByPath(call);
  if (approvesByVariable(call) || switchesHookOn(call) || byPath === "certain") return rule;
  return isUnknownCommand(call) || byPath === "possible" ? { ...rule, decision: "ask", isUnknown: true } : null;
}

/** `git -C ~/.kodelet clean -fdx` names no file. */
function judgeGit(call: Call, context: GuardContext): Finding | null {
  const { operands, options } = parseOptions(call.args, {
    values: ["-C", "-c", "--git-dir", "--work-tree"],
    endsAtOperand: true,
  });
  if (!/^(?:clean|reset|checkout|restore|stash|rm|mv|apply|am|pull|merge|rebase|switch)$/.test(operands[0]?.text ?? ""))
    return null;
  const folders = optionValues({ operands, options, hasUnknown: false }, "-C", "--work-tree").map((word) =>
    resolvePath(word, call),
  );
  const own = [call.folder ?? UNKNOWN, ...folders]
    .map((path) => ownFileAt(path, "write", context))
    .find((one) => one !== null && !isShared(one));
  return own ? blocked("change-own-files", call.source, `changes ${own.what}`) : null;
}

function judgeFile(access: FileAccess, context: GuardContext): Finding | null {
  const { path } = access;
  const kind = isLinked(access) ? "use" : access.kind;
  if (kind === "read") return null;
  const own = ownFileAt(path, kind, context);
  if (own === null) return null;
  if (own.path === "")
    return kind === "use" ? null : blocked("remove-program", partOf(access), "changes the program hookctl");
  if (isShared(own)) return judgeShared(access, own);
  if (kind !== "use")
    return blocked("change-own-files", partOf(access), `${kind === "delete" ? "deletes" : "changes"} ${own.what}`);
  const finding = blocked("change-own-files", partOf(access), `gives ${own.what} to a program that may change them`);
  return access.call === null ? null : { ...finding, decision: "ask", isUnknown: true };
}

/** A later command changes the file through the link, under another name. */
const isLinked = ({ kind, call }: FileAccess): boolean => kind === "read" && /^g?ln$/.test(call?.program ?? "");

const partOf = ({ call, source }: FileAccess): string => call?.source ?? source;

/** Settings of an agent: other lines than hookctl's may change. */
function judgeShared(access: FileAccess, own: OwnFile): Finding | null {
  const { kind, edit, call } = access;
  if (kind === "use" || kind === "read") return null;
  if (kind === "delete") return blocked("change-registration", partOf(access), `deletes ${own.what}`);
  if (call !== null || edit === null) return asked(access, own);
  const { oldText, newText } = edit;
  if (newText !== null && SWITCHES_OFF.test(newText))
    return blocked("change-registration", partOf(access), "switches the hooks of the agent off");
  if (oldText === null) return newText?.includes("hookctl") ? null : asked(access, own);
  if (count(newText ?? "") < count(oldText))
    return blocked("change-registration", partOf(access), "removes hookctl's registration");
  return REGISTRATION.test(oldText) && oldText !== newText ? asked(access, own) : null;
}

const count = (text: string): number => text.split("hookctl").length - 1;

/** Settings of agents that run no hooks at all. */
const SWITCHES_OFF =
  /"?(?:disableAllHooks|disable_all_hooks|hooksDisabled)"?\s*[:=]\s*true|"?(?:hooks_?enabled|enableHooks|codex_hooks)"?\s*[:=]\s*false/i;
/** Words around a registration. */
const REGISTRATION =
  /"(?:hooks?|matcher|command|PreToolUse|PostToolUse|BeforeTool|beforeShellExecution)"\s*:|\bbridge\b|\[\[?hooks/i;

const asked = (access: FileAccess, { what }: OwnFile): Finding => ({
  ...blocked("change-registration", partOf(access), `rewrites ${what}`),
  decision: "ask",
  instead: "Use an edit that leaves the lines with `hookctl bridge` as they are.",
});

const blocked = (rule: string, part: string, effect: string): Finding => ({
  rule,
  decision: "block",
  part,
  effect,
  instead: BY_PERSON,
});
