import { dirname } from "node:path";
import type { Host } from "../../../../src/engine/host.ts";
import { callerOf, findCallerScopes, findUserPaths } from "../../../../src/engine/user-paths.ts";
import { takeLock } from "../../../../src/fs/lock.ts";
import { followLinks } from "../../../../src/fs/paths.ts";
import { makeFolder } from "../../../../src/fs/write-file.ts";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import type { HostProblem } from "../../../../src/protocol/problem.ts";
import { attempt, ok, ProblemError, type Result } from "../../../../src/protocol/result.ts";
import { protectionOf, type Weakening } from "../../../agents/protection.ts";
import type { InstallTarget } from "../install-target.ts";
import { notWritten } from "../settings-file/write-settings-files.ts";
import { readSeal, type Seal, type SealPlace, sealFile, sealPlace, writeSeal } from "./seal-store.ts";
import { presentProtection, sealWeakenings, watchedFiles } from "./sealed-files.ts";

/** The location of the seal for a command, and the folders whose settings files apply in its project. */
export function sealPlaceOf(directory: string | null, host: Host): Result<SealPlace, HostProblem> {
  const caller = callerOf(host, directory);
  const scopes = findCallerScopes(caller);
  if (!scopes.ok) return scopes;
  const { trustFile } = findUserPaths(scopes.value, caller);
  return ok(sealPlace(scopes.value, { trustFile, userId: host.userId, env: host.env }));
}

/** What a person accepts by sealing a file again. */
interface SealedChange {
  readonly path: string;
  readonly isRegistered: boolean;
  readonly accepted: readonly Weakening[];
}

/** Seals the settings files of each agent that calls hookctl here, as they are now. */
export async function sealPresent(place: SealPlace, host: Host): Promise<readonly SealedChange[]> {
  const changes: SealedChange[] = [];
  await changeSeal(place, host, (files) => {
    const next = { ...files };
    for (const agent of AGENT_NAMES) {
      const all = watchedFiles(agent, place).map((file) => ({ file, now: presentProtection(file) }));
      const isUsed = all.some(({ file, now }) => (now?.entries.length ?? 0) > 0 || files[file.path] !== undefined);
      for (const { file, now } of isUsed ? all : []) {
        if (now === null) continue;
        const before = files[file.path]?.protection;
        const accepted = before === undefined ? [] : sealWeakenings(agent, before, now);
        changes.push({ path: file.path, isRegistered: now.entries.length > 0, accepted });
        next[file.path] = { agent, protection: now };
      }
    }
    return next;
  });
  return changes;
}

/**
 * Seals a file that hookctl has just written. If it was weakened before, only a person's command seals it: otherwise an
 * agent could have its own change sealed. Returns no problem: the file itself was written.
 */
export async function sealWritten(target: InstallTarget, host: Host, isPerson: boolean): Promise<void> {
  const { agent, projectDir, rootDir, homeDir, text, format, options } = target;
  const place = sealPlaceOf(options.directory, host);
  if (!place.ok) return;
  const projectDirs = [...new Set([...place.value.projectDirs, projectDir, rootDir])];
  const files = watchedFiles(agent.name, { ...place.value, projectDirs, homeDir });
  const own = files.filter(({ path }) => followLinks(path) === target.file);
  const before = protectionOf(agent.name, text ?? "", format);
  const change = (sealed: Seal["files"]): Seal["files"] => {
    const next = { ...sealed };
    for (const file of own) {
      const now = presentProtection(file);
      const was = sealed[file.path]?.protection;
      const isWhole = was === undefined || sealWeakenings(agent.name, was, before).length === 0;
      // Only a person's command can have removed the last entry. A file that was sealed without entries stays sealed.
      const isGone = now?.entries.length === 0 && (was === undefined || was.entries.length > 0);
      if (now === null || isGone) delete next[file.path];
      else if (isWhole || isPerson) next[file.path] = { agent: agent.name, protection: now };
    }
    return next;
  };
  await attempt(() => changeSeal(place.value, host, change));
}

/** Changes the seal under a lock, so that two commands at once lose nothing. */
async function changeSeal(
  place: SealPlace,
  host: Host,
  change: (files: Seal["files"]) => Seal["files"],
): Promise<void> {
  const { trustFile } = place;
  if (trustFile === null) throw new ProblemError({ code: "TRUST_STORE_MISSING", detail: "there is no usable HOME" });
  const path = sealFile(trustFile);
  try {
    makeFolder(dirname(path));
    const lock = await takeLock(`${path}.lock`);
    if (lock === null) {
      throw new ProblemError({ code: "FILE_NOT_WRITTEN", path, cause: "another process holds its lock" });
    }
    try {
      const before = readSeal(place);
      const files = change(before?.files ?? {});
      if (before !== null || Object.keys(files).length > 0) writeSeal(trustFile, { sealedAtMs: host.nowMs(), files });
    } finally {
      lock.release();
    }
  } catch (error) {
    throw notWritten(path, error);
  }
}
