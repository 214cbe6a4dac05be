import { posix } from "node:path";
import { isWithin } from "../../../src/protocol/text/text.ts";
import { mayMatch } from "../../../src/shell/globs.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, CommandAnalysis, CommandPlace } from "../command/call.ts";
import type { EditResult, FileAccess } from "../command/files/file-access.ts";
import type { AccessKind } from "../command/files/named-file.ts";
import { optionValues, parseOptions } from "../command/options.ts";
import { resolvePath } from "../command/paths.ts";
import type { FileEdit } from "../file-edit.ts";
import type { Finding, Guard, GuardContext, OwnFile } from "../guard.ts";
import {
  approvesByPath,
  approvesByVariable,
  asHookctl,
  changesFoundProgram,
  isUnknownCommand,
  removesProgram,
  SELF_RULES,
  switchesHookOn,
  switchesOffByVariable,
} from "./self-protection/commands.ts";
import { isProfile, profileLosses } from "./self-protection/profiles.ts";
import { endsFoundProcesses, endsLaterAnswers, endsServer } from "./self-protection/server.ts";

export const selfProtection: Guard = { ...SELF_RULES.guard, judgeCall, judgeCommand, judgeFile };

function judgeCommand(analysis: CommandAnalysis): Finding | null {
  const ending = endsFoundProcesses(analysis);
  return ending === undefined ? null : SELF_RULES.find("end-server", ending.source);
}

function judgeCall(call: Call, context: GuardContext): Finding | null {
  if (removesProgram(call))
    return blocked("remove-program", call.source, "removes hookctl, and with it every hook and guard");
  if (changesFoundProgram(call)) return SELF_RULES.find("remove-program", call.source);
  if (switchesOffByVariable(call)) return SELF_RULES.find("switch-off", call.source);
  if (!call.isRemote && endsServer(call)) return blocked("end-server", call.source, "ends hookctl's server");
  if (!call.isRemote && endsLaterAnswers(call)) return SELF_RULES.find("end-server", call.source);
  const hookctl = asHookctl(call);
  if (hookctl !== null && !hookctl.isRemote) return judgeHookctl(hookctl);
  return call.program === "git" && !call.isRemote ? judgeGit(call, context) : null;
}

function judgeHookctl(call: Call): Finding | null {
  const found = SELF_RULES.judgeByForm(call);
  if (found !== null) return found;
  const rule = SELF_RULES.find("approve-or-disarm", call.source);
  const byPath = approvesByPath(call);
  if (approvesByVariable(call) || switchesHookOn(call) || byPath === "certain") return rule;
  return isUnknownCommand(call) || byPath === "possible" ? { ...rule, decision: "ask", isUnknown: true } : null;
}

/** `git -C ~/.kodelet clean -fdx` names no file. */
function judgeGit(call: Call, context: GuardContext): Finding | null {
  const { operands, options } = parseOptions(call.args, { values: "-C -c --git-dir --work-tree", endsAtOperand: true });
  if (!/^(?:clean|reset|checkout|restore|stash|rm|mv|apply|am|pull|merge|rebase|switch)$/.test(operands[0]?.text ?? ""))
    return null;
  const folders = optionValues({ options }, "-C --work-tree").map((word) => resolvePath(word, call));
  const own = [call.folder ?? UNKNOWN, ...folders]
    .map((path) => ownFileAt(path, "write", context))
    .find((one) => one !== null && one.isShared !== true);
  return own ? blocked("change-own-files", call.source, `changes ${own.what}`) : null;
}

function judgeFile(named: FileAccess, context: GuardContext): Finding | null {
  // In quotes `*` is an ordinary character to these programs.
  const isText = !named.isGlob && LITERAL.test(named.call?.program ?? "");
  const access = isText ? { ...named, path: named.path.replace(/[*?[{]/g, "_") } : named;
  const { path } = access;
  const kind = isLinked(access) ? "use" : access.kind;
  if (kind === "read") return null;
  const own = access.tree === undefined || access.call === null ? ownFileAt(path, kind, context) : null;
  if (own === null && isLinked(access)) return judgeLinked(access, context);
  if (own === null && access.tree !== undefined) return judgeTree(access, context);
  if (own === null) return lossOf(access, access.result ?? profileResult(access, context), "switch-off");
  if (own.path === "") return kind === "use" ? null : SELF_RULES.find("remove-program", partOf(access));
  if (own.isShared === true) return judgeShared(access, own);
  if (kind !== "use")
    return blocked("change-own-files", partOf(access), `${kind === "delete" ? "deletes" : "changes"} ${own.what}`);
  const effect = `gives ${own.what} to a program or tool that may change them`;
  return blocked("change-own-files", partOf(access), effect, { decision: "ask", isUnknown: true });
}

const LITERAL = /^g?(?:find|rm|mv|cp|ln|chmod|chown|tee|truncate|shred|unlink)$/;

/** `cp -r x/. ~/.local` may write hookctl's state: the command does not show whether it does. */
function judgeTree(access: FileAccess, context: GuardContext): Finding | null {
  const { path, tree } = access;
  if (path.includes(UNKNOWN)) return null;
  const mayChange = tree === "content" ? mayHold : isAround;
  const own = context.ownFiles.find((one) => isSame(path, one) || mayChange(path, one, context.place));
  if (own === undefined) return null;
  const rule = own.isRegistration === true ? "change-registration" : "change-own-files";
  const instead = "Name a folder that contains nothing else.";
  return blocked(rule, partOf(access), `may replace ${own.what}`, { decision: "ask", isUnknown: true, instead });
}

/** A later command changes the file through the link, under another name. */
function isLinked({ kind, call }: FileAccess): boolean {
  if (kind !== "read" || call === null) return false;
  const { program, args } = call;
  return /^g?ln$/.test(program) || (/^g?cp$/.test(program) && args.some(({ text }) => COPIES_AS_LINK.test(text)));
}

const COPIES_AS_LINK = /^-[a-zA-Z]*[ls]|^--(?:symbolic-)?link$/;

/** A link of a folder is another name for what is in it. */
function judgeLinked(access: FileAccess, { ownFiles, place }: GuardContext): Finding | null {
  const own = ownFiles.find((one) => isAround(access.path, one, place));
  return own === undefined ? null : asked(access, own);
}

const partOf = ({ call, source }: FileAccess): string => call?.source ?? source;

/** Settings of an agent: other lines than hookctl's may change. */
function judgeShared(access: FileAccess, own: OwnFile): Finding | null {
  const { kind, edit, call, result } = access;
  if (result !== undefined && result.isUnknown !== true) return lossOf(access, result, "change-registration");
  if (isLinked(access)) return asked(access, own);
  if (kind === "read" || (kind === "use" && call !== null)) return null;
  if (kind === "delete") return blocked("change-registration", partOf(access), `deletes ${own.what}`);
  return call !== null || edit === null ? asked(access, own) : judgeTexts(access, edit, own);
}

/** What a program writes into a profile is in the command, or known at run time only. */
function profileResult({ call, path }: FileAccess, { commands, place }: GuardContext): Pick<EditResult, "losses"> {
  const isWritten = call !== null && isProfile(path, place.home);
  const losses = isWritten ? commands.flatMap((text) => profileLosses("", text)) : [];
  return { losses: losses.map((text) => ({ decision: "ask", text })) };
}

/** The strictest loss of the file that the edits result in. */
function lossOf(
  access: FileAccess,
  { losses }: Pick<EditResult, "losses">,
  rule: "switch-off" | "change-registration",
): Finding | null {
  const loss = losses.find(({ decision }) => decision === "block") ?? losses[0];
  if (loss === undefined) return null;
  const effect = `changes a file on which hookctl depends: ${loss.text}`;
  return blocked(rule, partOf(access), effect, loss.decision === "ask" ? { decision: "ask" } : { instead: KEEP });
}

const KEEP = "Keep hookctl's entries, and leave hooks enabled; only a person may change that.";

/** An edit that does not apply to the file, as far as is known, by the texts in the call. */
function judgeTexts(access: FileAccess, { oldText, newText }: FileEdit, own: OwnFile): Finding | null {
  const written =
    newText?.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))) ?? null;
  if (written !== null && SWITCHES_OFF.test(written))
    return blocked("change-registration", partOf(access), "disables the agent's hooks");
  if (oldText === null) return written?.includes("hookctl") ? null : asked(access, own);
  if (count(written ?? "") < count(oldText))
    return blocked("change-registration", partOf(access), "removes hookctl's registration");
  // Some agents find similar texts, or correct the text and try again.
  const mayFit = access.result?.isUnknown === true || REGISTRATION.test(oldText);
  return mayFit && oldText !== newText ? asked(access, own) : null;
}

const count = (text: string): number => text.split("hookctl").length - 1;

/** Settings of agents that disable all hooks. */
const SWITCHES_OFF =
  /"?(?:disableAllHooks|disable_all_hooks|hooksDisabled)"?\s*[:=]\s*true|"?(?:hooks_?enabled|enableHooks|codex_hooks)"?\s*[:=]\s*false/i;
/** Words around a registration. */
const REGISTRATION =
  /"(?:hooks?|matcher|command|PreToolUse|PostToolUse|BeforeTool|beforeShellExecution)"\s*:|\bbridge\b|\[\[?hooks/i;

const asked = (access: FileAccess, { what }: OwnFile): Finding =>
  blocked("change-registration", partOf(access), `rewrites ${what}`, {
    decision: "ask",
    instead: "Use an edit that leaves the lines with `hookctl bridge` as they are.",
  });

const blocked = (
  rule: Parameters<typeof SELF_RULES.find>[0],
  part: string,
  effect: string,
  details: Partial<Pick<Finding, "decision" | "instead" | "isUnknown">> = {},
): Finding => SELF_RULES.find(rule, part, { effect, ...details });

/** The own file that a path means: the file, something in its folder or, if it would go with it, a folder around it. */
function ownFileAt(path: string, kind: AccessKind, context: GuardContext): OwnFile | null {
  const { place } = context;
  const ownFiles = context.ownFiles.filter(({ mayBeDeleted }) => kind !== "delete" || mayBeDeleted !== true);
  if (path.startsWith(UNKNOWN)) return isProgram(path, place) ? PROGRAM : null;
  const known = path.split(UNKNOWN)[0] ?? path;
  const isKnown = known === path;
  const literal = isLiteral(path) ? withoutEmptyParts(path) : null;
  const isNamed = (own: OwnFile): boolean => (literal === null ? isSame(path, own) : isIn(literal, own));
  const found = ownFiles.find((own) => (isKnown ? isNamed(own) : own.isFolder && isWithin(known, own.path)));
  if (found !== undefined) return found;
  if (isProgram(path, place)) return PROGRAM;
  return kind === "delete" && isKnown ? (ownFiles.find((own) => isAround(path, own, place)) ?? null) : null;
}

const isLiteral = (path: string): boolean => !/[*?[{]/.test(path);
const withoutEmptyParts = (path: string): string => path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");

const isIn = (path: string, { path: own, isFolder }: OwnFile): boolean =>
  path === own || (isFolder && isWithin(path, own));

/** A path with wildcards may mean it. */
const isSame = (path: string, { path: own, isFolder }: OwnFile): boolean =>
  path === own || mayMatch(path, own) || (isFolder && (isWithin(path, own) || mayMatch(path, `${own}/**`)));

/** `rm -rf ~/.local/state` deletes the approvals, too. Deleting the project or the home is for the guard `filesystem`. */
function isAround(path: string, own: OwnFile, { home, project }: CommandPlace): boolean {
  return !isWithin(home, path) && !isWithin(project, path) && isAbove(path, own.path);
}

function isAbove(folder: string, path: string): boolean {
  const depth = folder === "/" ? 1 : folder.split("/").length;
  const above = path.split("/").slice(0, depth).join("/") || "/";
  return above !== path && mayMatch(folder, above);
}

/**
 * True if a copy into the folder may write the file. Copies and archives into a project, and into its folders that hold other
 * things beside an agent's settings, are ordinary work.
 */
function mayHold(path: string, own: OwnFile, { home, project, variables }: CommandPlace): boolean {
  const isOfProject = !isWithin(home, project) && isWithin(own.path, project);
  const isShared = own.isRegistration === true && posix.dirname(own.path) !== path;
  if (isOfProject && (isAbove(path, `${project}/.`) || isShared)) return false;
  const isTemporary = path === variables.TMPDIR || /^(?:\/private)?(?:\/var)?\/tmp$/.test(path);
  return !isTemporary && isAbove(path, own.path);
}

const PROGRAM: OwnFile = { path: "", isFolder: true, what: "the program hookctl" };

/** hookctl where package managers install it. A project may have another program of this name. */
function isProgram(path: string, { project }: CommandPlace): boolean {
  if (/(?:^|\/)node_modules\/@?hookctl(?:\/|$)/.test(path)) return true;
  if (path.startsWith(UNKNOWN)) return /^\0\/@?hookctl(?:\/|$)/.test(path);
  return /\/bin\/hookctl(?:\.js|-(?:linux|darwin)[\w-]*)?$/.test(path) && !isWithin(path, project);
}
