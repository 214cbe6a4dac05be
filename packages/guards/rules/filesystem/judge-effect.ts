import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { type Call, type CommandPlace, plainWord } from "../../command/call.ts";
import type { FileAccess } from "../../command/files/file-access.ts";
import { resolvePath, type Zone, zoneOf } from "../../command/paths.ts";
import type { Finding } from "../../guard.ts";
import { readRules } from "../command-rules.ts";
import type { Effect } from "./effects.ts";
import {
  depthOf,
  isDisposable,
  isOverSsh,
  isPersonalFile,
  isRepositoryData,
  isRepositoryHook,
  isSystemFile,
  isVitalFile,
  mountedPath,
} from "./paths.ts";
import table from "./rules.json" with { type: "json" };

export const FILE_RULES = readRules(table);

interface Target {
  readonly effect: Effect;
  readonly path: string;
  readonly zone: Zone;
  readonly into: Zone | null;
  readonly place: CommandPlace;
}

interface Judgement {
  readonly rule: Parameters<typeof FILE_RULES.find>[0];
  readonly decision: Finding["decision"];
  readonly does: string;
  readonly isUnknown?: true;
}

/** The finding for one effect of a call, if it is dangerous. */
export function judgeEffect(effect: Effect, call: Call, place: CommandPlace): Finding | null {
  const named = resolvePath(effect.target, call);
  const mounted = mountedPath(named, call);
  const path = mounted ?? named;
  const zone = zoneAt(path, effect, place);
  const isElsewhere = call.isRemote && (mounted !== null || !DEADLY.has(zone));
  if (isElsewhere && mounted === null && !isSystemOfHost(effect, zone, call)) return null;
  const into = effect.into === undefined ? null : zoneOf(resolvePath(effect.into, call), place);
  const found = judgeTarget({ effect, path, zone, into, place }, call.source);
  return found !== null && isElsewhere ? { ...found, decision: "ask" } : found;
}

/** A file tool of the agent writes as a redirection does; one that deletes may be given a folder. */
export function judgeToolFile({ kind, path, source, edit, result }: FileAccess, place: CommandPlace): Finding | null {
  const target = plainWord(path, source);
  const judgeAs = (as: Effect["kind"]): Finding | null => {
    const effect = { kind: as, target };
    return judgeTarget({ effect, path, zone: zoneAt(path, effect, place), into: null, place }, source);
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
  return own === "inside" && isRepositoryData(path) ? "repository" : own;
}

function judgeTarget(target: Target, part: string): Finding | null {
  const judged = judgeHook(target);
  if (judged === null) return null;
  const effect = `${judged.does} ${NAMES[target.zone]}`;
  const isUnknown = judged.isUnknown ?? target.effect.isUnknown;
  if (isUnknown === true) return FILE_RULES.find(judged.rule, part, { decision: "ask", effect, isUnknown });
  return FILE_RULES.find(judged.rule, part, { decision: judged.decision, effect });
}

/** System folders that are deleted on a machine administered by ssh. */
const isSystemOfHost = ({ kind }: Effect, zone: Zone, call: Call): boolean =>
  kind === "delete tree" && zone === "system" && isOverSsh(call);

/** Zones whose loss is a disaster on any machine. */
const DEADLY: ReadonlySet<Zone> = new Set(["root", "home", "device"]);

const NAMES: Readonly<Record<Zone, string>> = {
  root: "the whole file system",
  system: "files of the system",
  home: "the home directory",
  "home-file": "files of the home directory outside the project",
  project: "the whole project",
  repository: "the repository (`.git`)",
  inside: "files of the project",
  temp: "temporary files",
  "temp-root": "the folder of temporary files",
  device: "a device",
  stream: "a device",
  other: "files outside the project",
  unknown: "files that are known only at run time",
};

const OVERWRITES = { rule: "overwrite", does: "overwrites" } as const;

const BY_KIND: Readonly<Record<Effect["kind"], (target: Target) => Judgement | null>> = {
  "delete tree": judgeTree,
  delete: judgeDelete,
  destroy: judgeDestroy,
  mirror: judgeMirror,
  move: judgeMove,
  empty: judgeEmpty,
  raw: (target) =>
    target.zone === "unknown" ? { ...OVERWRITES, decision: "ask", isUnknown: true } : judgeEmpty(target),
  rewrite: judgeReplace,
  replace: judgeReplace,
  append: ({ zone }) => (zone === "device" ? { ...OVERWRITES, decision: "block" } : null),
  mode: judgeMode,
  "mode tree": judgeModeTree,
};

/** A deleted, replaced or non-executable hook checks nothing. */
function judgeHook(target: Target): Judgement | null {
  const judged = BY_KIND[target.effect.kind](target);
  const { kind, mode } = target.effect;
  const isOff = LOSES_CONTENT.has(kind) || (kind.startsWith("mode") && isNotExecutable(mode));
  if (!isOff || !isRepositoryHook(target.path) || judged?.decision === "block") return judged;
  return { rule: "remove-hooks", does: "switches off hooks of", decision: "ask" };
}

const LOSES_CONTENT: ReadonlySet<Effect["kind"]> = new Set([
  "delete",
  "delete tree",
  "destroy",
  "move",
  "empty",
  "raw",
  "rewrite",
]);

const isNotExecutable = (mode: string | undefined): boolean =>
  mode !== undefined && (/^0?[0246][0-7]{2}$/.test(mode) || /(?:^|,)[ugoa]*(?:-[rwXst]*x|=[rwst]*(?:,|$))/.test(mode));

function judgeTree({ effect, path, zone, place }: Target): Judgement | null {
  const found = { rule: "delete-folder", does: "deletes" } as const;
  switch (zone) {
    case "inside":
    case "temp":
    case "stream":
      return null;
    case "temp-root":
      return effect.target.isGlob || effect.isNarrow ? null : { ...found, decision: "ask" };
    case "project":
      return effect.isNarrow ? null : { ...found, decision: effect.isExcluding ? "ask" : "block" };
    case "repository":
      return { ...found, decision: isRepositoryData(path) ? "block" : "ask" };
    case "unknown":
      return isDisposable(path, zone, place) ? null : { ...found, decision: "ask", isUnknown: true };
    case "system":
    case "home-file":
    case "other": {
      const isDeep = zone !== "system" || depthOf(path) > 2;
      return isDisposable(path, zone, place) ? null : { ...found, decision: isDeep ? "ask" : "block" };
    }
    default:
      return { ...found, decision: effect.isNarrow ? "ask" : "block" };
  }
}

function judgeDelete({ effect, path, zone, place }: Target): Judgement | null {
  const found = { rule: "delete-file", does: "deletes" } as const;
  if (zone === "root" || zone === "device" || isVitalFile(path)) return { ...found, decision: "block" };
  if (zone === "home" || zone === "project") return effect.target.isGlob ? { ...found, decision: "ask" } : null;
  if (zone === "repository") return isRepositoryData(path) ? { ...found, decision: "block" } : null;
  if (isSystemFile(path) || isPersonalFile(path, place)) return { ...found, decision: "ask" };
  return null;
}

/** A file that is overwritten before it is deleted cannot be restored. */
function judgeDestroy(target: Target): Judgement | null {
  const judged = judgeDelete(target) ?? judgeTree(target);
  const found = { rule: "delete-file", does: "destroys", decision: "ask" } as const;
  return judged?.decision === "block" ? judged : target.zone === "temp" || target.zone === "stream" ? null : found;
}

function judgeMirror({ zone, effect }: Target): Judgement | null {
  if ((zone === "inside" && !isOnHost(effect.target.text)) || zone === "temp") return null;
  if (zone === "inside")
    return {
      rule: "mirror-folder",
      does: "deletes what the source does not have on another machine:",
      decision: "ask",
    };
  const isKnown = zone === "home-file" || zone === "other" || zone === "unknown";
  return {
    rule: "mirror-folder",
    does: "deletes what the source does not have from",
    decision: isKnown ? "ask" : "block",
    ...(zone === "unknown" ? { isUnknown: true } : {}),
  };
}

/** `host:path` and `rsync://host/path`. */
const isOnHost = (text: string): boolean => /^[^/]+:/.test(text);

function judgeMove({ path, zone, into, effect }: Target): Judgement | null {
  const found = { rule: "move-away", does: "moves away" } as const;
  // mv refuses to move `.`; names that find or xargs fill in are single files.
  if (effect.target.text === "." || (zone === "system" && path.includes(UNKNOWN))) return null;
  if (zone === "project" && into === "inside") return null;
  if (zone === "root" || zone === "home" || zone === "project") return { ...found, decision: "block" };
  if (zone === "system") return depthOf(path) <= 2 || isVitalFile(path) ? { ...found, decision: "block" } : null;
  return zone === "repository" && isRepositoryData(path) ? { ...found, decision: "ask" } : null;
}

/** A file that is known only at run time is one file. */
function judgeEmpty(target: Target): Judgement | null {
  const isOutside = target.zone === "system" || target.zone === "home-file" || target.zone === "other";
  return judgeReplace(target) ?? (isOutside ? { ...OVERWRITES, decision: "ask" } : null);
}

/** Copies into folders of the system are installations. */
function judgeReplace({ path, zone, place, effect }: Target): Judgement | null {
  if (zone === "device" || isVitalFile(path)) return { ...OVERWRITES, decision: "block" };
  if (zone === "repository" && isRepositoryData(path) && !path.endsWith(".git"))
    return { ...OVERWRITES, decision: "ask" };
  if (effect.kind === "replace") return null;
  return isPersonalFile(path, place) || isSystemFile(path) ? { ...OVERWRITES, decision: "ask" } : null;
}

function judgeMode({ path, zone, effect }: Target): Judgement | null {
  const found = { rule: "permissions", does: "changes the permissions of" } as const;
  const isTop = zone === "root" || zone === "home" || (zone === "system" && depthOf(path) <= 2);
  if (zone === "root") return { ...found, decision: "block" };
  if (isVitalFile(path) || (isTop && isOpen(effect.mode))) return { ...found, decision: "block" };
  const isSetuid = /^[ugoa]*[+=][rwx]*s|^0?[4267]\d{3}$/.test(effect.mode ?? "");
  return zone === "system" && (isOpen(effect.mode) || isSetuid) ? { ...found, decision: "ask" } : null;
}

function judgeModeTree({ path, zone, effect }: Target): Judgement | null {
  const found = { rule: "permissions", does: "changes the permissions of" } as const;
  switch (zone) {
    case "inside":
    case "temp":
    case "stream":
    case "unknown":
      return null;
    case "root":
    case "home":
    case "device":
      return { ...found, decision: effect.isNarrow === true ? "ask" : "block" };
    case "system":
      return depthOf(path) <= 2
        ? { ...found, decision: "block" }
        : isOpen(effect.mode)
          ? { ...found, decision: "ask" }
          : null;
    default:
      return isOpen(effect.mode) ? { ...found, decision: "ask" } : null;
  }
}

/** True if the mode lets everybody write, or nobody read. */
const isOpen = (mode: string | undefined): boolean =>
  mode !== undefined &&
  (/^[0-7]*[0-7][0-7][2367]$|^0*[0-7]?000$|^0+$/.test(mode) ||
    /(?:^|,)(?:[ugo]*[oa][ugo]*)?[+=][rxXst]*w/.test(mode) ||
    /^a?-[rwx]*[rx]/.test(mode));
