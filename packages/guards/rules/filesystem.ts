import { nameSet, namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { isWithin } from "../../../src/protocol/text/text.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import { type Call, type CommandAnalysis, type CommandPlace, plainWord } from "../command/call.ts";
import type { FileAccess } from "../command/files/file-access.ts";
import { codeOf } from "../command/inline-code/interpreters.ts";
import { parseOptions } from "../command/options.ts";
import { resolvePath, type Zone, zoneOf } from "../command/paths.ts";
import { pathTarget } from "../effects/target-names.ts";
import { type Finding, type Guard, type GuardContext, strictest } from "../guard.ts";
import { readRules } from "./command-rules.ts";
import { type Effect, effectsOf } from "./filesystem/effects.ts";
import { isOverSsh, isPathOf, mountedPath, type PathKind } from "./filesystem/paths.ts";
import table from "./filesystem/rules.json" with { type: "json" };
import verdictTable from "./filesystem/verdicts.json" with { type: "json" };

const FILE_RULES = readRules(table);

export const filesystem: Guard = {
  ...FILE_RULES.guard,
  judgeCall: (call, context, calls = []) => judge(call, { ...context, calls }),
  judgeCommand: judgeForkBomb,
  judgeFile: (access, context) => (access.call === null ? judgeToolFile(access, { ...context, calls: [] }) : null),
};

/** With all calls of the command. */
interface FileContext extends GuardContext {
  readonly calls: readonly Call[];
}

/** The folder of `git clone URL` and `gh repo clone URL`; null for another call. */
function clonedFolder(call: Call): string | null {
  if (call.program !== "git" && call.program !== "gh") return null;
  const { operands } = parseOptions(call.args, {
    values: "-C -c -b --branch --depth -o --origin --config --filter -j --jobs",
  });
  const [url, folder] = operands.slice(operands.findIndex(({ text }) => text === "clone") + 1);
  if (url === undefined || !operands.some(({ text }) => text === "clone")) return null;
  const name = /([^/:]+?)(?:\.git)?\/?$/.exec(url.text)?.[1] ?? "";
  return resolvePath(folder ?? { ...url, text: name }, call);
}

function judge(call: Call, context: FileContext): Finding | null {
  const disk = formatsImageFile(call, context.place) ? null : FILE_RULES.judgeByForm(call);
  if (disk !== null) return withDevices(disk, call);
  if (codeOf(call).some((code) => FORKS.test(code))) return FILE_RULES.find("fork-bomb", call.source);
  const judged = [...effectsOf(call), ...redirected(call)].map((effect) => judgeEffect(effect, call, context));
  const found = strictest(judged);
  return found && { ...found, targets: judged.flatMap((one) => one?.targets ?? []) };
}

/** `mkfs /dev/sdb` and `dd of=/dev/sdb` are about the same disk. */
function withDevices(found: Finding, { args }: Call): Finding {
  const devices = args.flatMap(({ text }) => (text.startsWith("/dev/") ? [text] : []));
  return devices.length === 0 ? found : { ...found, targets: devices };
}

const redirected = ({ program, redirections }: Call): readonly Effect[] =>
  redirections.flatMap(({ kind, target }): readonly Effect[] => {
    if (kind === "read") return [];
    const isBlank = /^(?::|true|)$/.test(program);
    const how = isBlank ? { isBlank: true as const } : PRINTS.test(program) ? {} : { isPartial: true as const };
    return [{ kind: kind === "write" ? "rewrite" : "append", target, ...how }];
  });

/** Another program makes the content that it writes from what it has. */
const PRINTS = /^(?:echo|printf|print|cat)$/;

/** True if the command formats an image file in the project or in a temporary folder, or a loop device for one, and no disk. */
function formatsImageFile(call: Call, place: GuardContext["place"]): boolean {
  if (!/^(?:mkfs|mke2fs|mkswap|mkdosfs|newfs|wipefs|parted|(?:c?f|g|sf|sg)disk)/.test(call.program)) return false;
  const zones = call.args
    .filter(({ text }) => (!text.startsWith("-") && text.includes("/")) || /\.\w+$/.test(text))
    .map((word) => (/^\/dev\/loop\d/.test(word.text) ? "temp" : zoneOf(resolvePath(word, call), place)));
  return zones.length > 0 && zones.every((zone) => zone === "inside" || zone === "temp");
}

function judgeForkBomb({ gaps }: CommandAnalysis): Finding | null {
  const bomb = gaps.find(({ kind }) => kind === "fork bomb");
  return bomb === undefined ? null : FILE_RULES.find("fork-bomb", bomb.source);
}

/** `fork while fork` of Perl, `loop { fork }` of Ruby, `while True: os.fork()` of Python. */
const FORKS = /\bfork\b[\s()]*while\b[\s(]*(?:fork|1|true)|\b(?:loop|while[\s(]*(?:1|true))[\s):{]+(?:os\.)?fork\b/i;

type RuleName = Parameters<typeof FILE_RULES.find>[0];

interface Target {
  readonly effect: Effect;
  readonly path: string;
  readonly zone: Zone;
  readonly into: Zone | null;
  /** The text that is written, if the call shows it. */
  readonly text: string | null;
  readonly context: FileContext;
}

/** A row of `verdicts.json`. The first row that fits a target decides; without any, the effect is allowed. */
interface Verdict {
  /** The target's zone is one of these, and all of these facts are true. */
  readonly zones?: string;
  readonly when?: string;
  /** `unknown`: asks, because a part that is known only at run time decides. */
  readonly decision: Finding["decision"] | "allow" | "unknown";
  readonly rule?: RuleName;
  readonly does?: string;
  /** The object of `does`, in place of the name of the zone. */
  readonly what?: string;
}

interface VerdictTable {
  readonly zones: Readonly<Record<Zone, string>>;
  readonly effects: Readonly<Record<Effect["kind"], Row>>;
}

interface Row {
  readonly rule: RuleName;
  readonly does: string;
  readonly verdicts: readonly Verdict[];
}

const { zones: ZONE_NAMES, effects: EFFECTS } = tableOf<VerdictTable>(verdictTable);

/** The finding for one effect of a call, if it is dangerous. */
function judgeEffect(effect: Effect, call: Call, context: FileContext): Finding | null {
  const { place } = context;
  const named = resolvePath(effect.target, call);
  const mounted = mountedPath(named, call);
  const path = mounted ?? named;
  const zone = zoneAt(path, effect, place);
  const isElsewhere = call.isRemote && (mounted !== null || !DEADLY.has(zone));
  if (isElsewhere && mounted === null && !isSystemOfHost(effect, zone, call)) return null;
  const into = effect.into === undefined ? null : zoneOf(resolvePath(effect.into, call), place);
  const found = judgeTarget({ effect, path, zone, into, text: printedText(call), context }, call.source);
  return found !== null && isElsewhere ? { ...found, decision: "ask" } : found;
}

/** A file tool of the agent writes as a redirection does; one that deletes may be given a folder. */
function judgeToolFile({ kind, path, source, edit, result }: FileAccess, context: FileContext): Finding | null {
  const { place } = context;
  const target = plainWord(path, source);
  const text = edit?.newText ?? null;
  const judgeAs = (as: Effect["kind"]): Finding | null => {
    const effect = {
      kind: as,
      target,
      ...(isPartial(edit) || edit?.newText === null ? { isPartial: true as const } : {}),
    };
    return judgeTarget({ effect, path, zone: zoneAt(path, effect, place), into: null, text, context }, source);
  };
  if (kind === "write") {
    // A new file, and an edit of a part, overwrites nothing of the person's.
    const keeps = result !== undefined && (result.isNew || result.isAddition || isPartial(edit));
    return judgeAs(keeps ? "replace" : "rewrite");
  }
  if (kind !== "delete") return null;
  const zone = zoneOf(path, place);
  const isWhole = zone === "root" || zone === "home" || zone === "project" || path.endsWith("/.git");
  return judgeAs(isWhole ? "delete tree" : "delete");
}

const isPartial = (edit: FileAccess["edit"]): boolean =>
  edit !== null && ((edit.oldText ?? "") !== "" || edit.afterLine !== undefined);

function zoneAt(path: string, { target }: Effect, place: CommandPlace): Zone {
  // In quotes, `*` is an ordinary character.
  const own = zoneOf(target.isGlob ? path : path.replace(/[*?[]/g, "_"), place);
  return own === "inside" && isPathOf("repository-data", path, place.home) ? "repository" : own;
}

/** Zones whose loss is a disaster on any machine. */
const DEADLY: ReadonlySet<Zone> = new Set(["root", "home", "device"]);

/** System folders that are deleted on a machine administered by ssh. */
const isSystemOfHost = ({ kind }: Effect, zone: Zone, call: Call): boolean =>
  kind === "delete tree" && zone === "system" && isOverSsh(call);

function judgeTarget(target: Target, part: string): Finding | null {
  const { effect, zone } = target;
  const row = EFFECTS[effect.kind];
  const verdict = row.verdicts.find((one) => fits(one, target)) ?? { decision: "allow" };
  const {
    rule,
    does,
    decision,
    what = ZONE_NAMES[zone],
  }: Verdict & Pick<Row, "rule" | "does"> = disablesHook(target) && verdict.decision !== "block"
    ? HOOK
    : { ...row, ...verdict };
  if (decision === "allow") return null;
  const isUnknown = decision === "unknown" || effect.isUnknown === true ? { isUnknown: true as const } : {};
  return FILE_RULES.find(rule, part, {
    decision: decision === "block" && effect.isUnknown !== true ? "block" : "ask",
    effect: `${does} ${what}`,
    targets: [pathTarget(target.path, effect.target.source)],
    ...isUnknown,
  });
}

const fits = ({ zones, when }: Verdict, target: Target): boolean =>
  (zones === undefined || namesIn(zones).includes(target.zone)) &&
  (when === undefined || namesIn(when).every((fact) => isTrue(fact as Fact, target)));

/** A fact about a target: that its path is of a kind, or one of these. */
type Fact = keyof typeof FACTS | PathKind;

const FACTS = {
  glob: ({ effect }: Target) => effect.target.isGlob,
  narrow: ({ effect }: Target) => effect.isNarrow === true,
  excluding: ({ effect }: Target) => effect.isExcluding === true,
  /** At most two levels below the root. */
  top: ({ path }: Target) => path.split("/").length <= 3,
  dot: ({ effect }: Target) => effect.target.text === ".",
  "part-unknown": ({ path }: Target) => path.includes(UNKNOWN),
  "into-the-project": ({ into }: Target) => into === "inside",
  /** `host:path` and `rsync://host/path`. */
  "on-a-host": ({ effect }: Target) => /^[^/]+:/.test(effect.target.text),
  /** The file is most likely in no repository, and no program makes it again. */
  lost: ({ path, context: { place } }: Target) => {
    const below = [place.project, place.home].find((folder) => isWithin(path, folder)) ?? "";
    const name = path.slice(below.length + 1);
    return isPathOf("unversioned", name, place.home) && !isPathOf("made-again", name, place.home);
  },
  /** It is the repository that the command itself clones, into a folder of its own. */
  cloned: ({ path, context: { calls, place } }: Target) => {
    const folder = path.replace(/\/\.git$/, "");
    return folder !== place.project && calls.some((call) => clonedFolder(call) === folder);
  },
  blank: ({ effect }: Target) => effect.isBlank === true,
  whole: ({ effect }: Target) => effect.isPartial !== true,
  there: ({ path, context: { missing } }: Target) => missing?.has(path) !== true,
  /** The mode lets everybody write, or nobody read. */
  open: ({ effect: { mode } }: Target) =>
    mode !== undefined &&
    (/^[0-7]*[0-7][0-7][2367]$|^0*[0-7]?000$|^0+$/.test(mode) ||
      /(?:^|,)(?:[ugo]*[oa][ugo]*)?[+=][rxXst]*w/.test(mode) ||
      /^a?-[rwx]*[rx]/.test(mode)),
  /** It gives nobody more than reading: for the group or others it takes permissions, or the files are root's. */
  restricting: ({ effect: { mode = "" } }: Target) =>
    /^(?:[go]+-[rwxst]+(?:,|$))+$|^0?[46][04]0$|^owner root(?::\w+)?$/.test(mode),
  "set-user": ({ effect: { mode = "" } }: Target) => /^[ugoa]*[+=][rwx]*s|^0?[4267]\d{3}$/.test(mode),
};

const isTrue = (fact: Fact, target: Target): boolean =>
  fact in FACTS
    ? FACTS[fact as keyof typeof FACTS](target)
    : isPathOf(fact as PathKind, target.path, target.context.place.home);

const HOOK = { rule: "remove-hooks", does: "replaces or switches off hooks of", decision: "ask" } as const;

const LOSES_CONTENT = nameSet("delete destroy move empty raw rewrite");

/** The text that a call writes, as far as it is among its words; null if it is not known. */
function printedText({ program, args, input }: Call): string | null {
  if (/^(?:echo|printf)$/.test(program)) return args.map(({ text }) => text).join(" ");
  if (!/^(?:cat|tee)$/.test(program)) return null;
  const from = input.kind === "pipe" ? input.from.at(-1) : undefined;
  return input.kind === "text" ? input.text : from === undefined ? null : printedText(from);
}

/** True for the text of a hook that runs a command, and so may be a new hook. */
const isHook = (text: string): boolean =>
  text
    .split(/\\n|[\n;]/)
    .map((line) => line.replace(/#.*/, "").trim())
    .some((line) => line !== "" && !/^(?:-[neE]+|:|true|exit(?: 0)?)$/.test(line));

/** True if a hook of the repository is deleted, emptied or made not executable, and so checks nothing. */
function disablesHook({ effect: { kind, mode = "" }, path, text, context: { place } }: Target): boolean {
  if (kind === "rewrite" && text !== null && isHook(text)) return false;
  const isNotExecutable = /^0?[0246][0-7]{2}$/.test(mode) || /(?:^|,)[ugoa]*(?:-[rwXst]*x|=[rwst]*(?:,|$))/.test(mode);
  const isLoss = kind.startsWith("mode") ? isNotExecutable : kind === "delete tree" || LOSES_CONTENT.has(kind);
  return isLoss && isPathOf("repository-hook", path, place.home);
}
