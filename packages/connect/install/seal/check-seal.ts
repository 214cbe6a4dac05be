import { dirname } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { type Lock, takeLock } from "../../../../src/fs/lock.ts";
import { followLinks } from "../../../../src/fs/paths.ts";
import { makeFolder } from "../../../../src/fs/write-file.ts";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { restoreFiles } from "./restore-files.ts";
import {
  checkKey,
  checksFile,
  fileMark,
  learnedProtections,
  readChecks,
  readSeal,
  type Seal,
  type SealCheck,
  type SealPlace,
  sealFile,
  writeChecks,
} from "./seal-store.ts";
import {
  compareToSeal,
  type WatchedFile,
  type WeakenedFile,
  watchedFiles,
  weakenedFiles,
  weakenedTexts,
} from "./sealed-files.ts";

/** A weakening of an agent's settings, as a call has to answer it. */
export interface SealFinding {
  /** False if a call was blocked for it before, or if this one cannot be blocked. */
  readonly isBlocked: boolean;
  readonly changes: readonly string[];
  /** True if all of it was restored in this call. */
  readonly isRestored: boolean;
}

export interface SealRequest {
  readonly agent: AgentName;
  readonly place: SealPlace;
  readonly canBlock: boolean;
  /** False after a tool call: an agent may ignore that block, so that it is no substitute for one of the next call. */
  readonly prevents: boolean;
  /** The guards that the user's settings lost, as texts. */
  readonly dropped: readonly string[];
  /** True if the user's settings allow restoring in a call. */
  readonly mayRestore: boolean;
}

/** A call must not wait for long, and the work of others under this lock takes milliseconds. */
const LOCK_MS = 5000;
/** More than anybody uses; the oldest are forgotten. */
const MOST_CHECKS = 100;

const NO_CHECK: SealCheck = { seal: "", files: {}, learned: {}, open: [], blocked: [], dropped: [], restored: [] };

/** Compares the agent's settings with the seal, and records that a call was blocked. Null if nothing was weakened. */
export async function checkSeal(request: SealRequest, host: Host): Promise<SealFinding | null> {
  const { trustFile } = request.place;
  if (trustFile === null) return null;
  const lock = await lockOrNull(`${checksFile(trustFile)}.lock`);
  try {
    const checks = readChecks(trustFile, request.place.userId);
    const key = checkKey(request.agent, request.place.projectDirs[0] ?? "");
    const { finding, check } = checked(request, checks[key] ?? NO_CHECK, host);
    const { [key]: _, ...others } = checks;
    const all = Object.fromEntries([...Object.entries(others).slice(1 - MOST_CHECKS), [key, check]]);
    const isStored = lock?.isOurs() === true && isWritten(() => writeChecks(trustFile, all));
    // Without a record of the block the next call is blocked as well: a person can still restore or seal.
    return finding === null ? null : { ...finding, isBlocked: finding.isBlocked || (!isStored && request.canBlock) };
  } finally {
    lock?.release();
  }
}

function checked(
  { agent, place, canBlock, prevents, mayRestore, dropped }: SealRequest,
  before: SealCheck,
  host: Host,
): { readonly finding: SealFinding | null; readonly check: SealCheck } {
  // Before the files are read: a change in between makes the next call check again.
  const mark = fileMark(sealFile(place.trustFile ?? ""));
  const seal = readSeal(place);
  const watched = filesToCheck(agent, place, seal);
  const files = Object.fromEntries(watched.map(({ path }) => [path, fileMark(path)]));
  const { weakened, learned } = compareToSeal(watched, { seal, learned: before.learned });
  const lostSeal = seal === null ? ["hookctl's seal was removed, or cannot be read"] : [];
  const open = [...weakened.flatMap(weakenedTexts), ...lostSeal, ...dropped];
  // A person's seal or command of hookctl makes each weakening a new one.
  const isSameSeal = before.seal === mark;
  const [earlier, blocked] = isSameSeal ? [before.restored, before.blocked] : [[], []];
  const isNew = (one: WeakenedFile): boolean => weakenedTexts(one).some((text) => !earlier.includes(text));
  const done = mayRestore ? restoreFiles(weakened.filter(isNew), host) : [];
  const restored = weakened.filter(({ file }) => done.some(({ path, cause }) => path === file.path && cause === null));
  const isBlocked = canBlock && open.some((text) => !blocked.includes(text));
  const left = open.filter((text) => !restored.flatMap(weakenedTexts).includes(text));
  const check = {
    seal: mark,
    files,
    learned,
    open: left,
    dropped,
    blocked: canBlock && prevents ? left : blocked.filter((text) => left.includes(text)),
    restored: [...earlier, ...restored.flatMap(weakenedTexts)],
  };
  return { finding: open.length === 0 ? null : { isBlocked, changes: open, isRestored: left.length === 0 }, check };
}

/** The files of the agent, and those of other agents that are sealed: an agent may weaken another one, which then asks nobody. */
function filesToCheck(agent: AgentName, place: SealPlace, seal: Seal | null): readonly WatchedFile[] {
  const others = AGENT_NAMES.flatMap((one) => (one === agent ? [] : watchedFiles(one, place)));
  const all = [...others.filter(({ path }) => seal?.files[path] !== undefined), ...watchedFiles(agent, place)];
  return [...new Map(all.map((one) => [one.path, one])).values()];
}

/**
 * How a change of one settings file weakens hooks; null for all of the agent's files. In a file that nobody sealed, only a
 * setting that disables hooks is a weakening.
 */
export function changesOf(path: string | null, agent: AgentName, place: SealPlace): readonly string[] {
  const files = watchedFiles(agent, place).filter((file) => path === null || followLinks(file.path) === path);
  const known = { seal: readSeal(place), learned: learnedProtections(agent, place) };
  return compareToSeal(files, known, (now) => ({ ...now, disabling: [] })).weakened.flatMap(weakenedTexts);
}

/** The time of the seal, and what these agents' settings lost since, each with its file. Null if nothing is sealed. */
export function sealState(place: SealPlace, agents: readonly AgentName[] = AGENT_NAMES) {
  const seal = readSeal(place);
  if (seal === null) return null;
  return { sealedAtMs: seal.sealedAtMs, weakened: weakenedFiles(agents, place).flatMap(weakenedTexts) };
}

async function lockOrNull(file: string): Promise<Lock | null> {
  try {
    makeFolder(dirname(file));
    return await takeLock(file, LOCK_MS);
  } catch {
    return null;
  }
}

function isWritten(write: () => void): boolean {
  try {
    write();
    return true;
  } catch {
    return false;
  }
}
