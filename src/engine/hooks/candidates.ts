import { resolve } from "node:path";
import type { Settings } from "../../config/merge-settings.ts";
import { overrideAboveProjects } from "../../config/overrides.ts";
import { declaredCandidates, withDistinctNames } from "../../discover/candidate-names.ts";
import {
  type FoundCandidates,
  findCandidates,
  type HookFolder,
  hookFoldersIn,
} from "../../discover/find-candidates.ts";
import { mainCheckoutOf } from "../../fs/git.ts";
import { NO_APPROVALS } from "../../protocol/approval.ts";
import { findEvent } from "../../protocol/event.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { certainMismatch, type Mismatch } from "../../protocol/match.ts";
import { isFailedToolCall, type Payload } from "../../protocol/payload/payload.ts";
import { approvalFor, inOtherCheckout } from "../../trust/decide/approval-key.ts";
import { memoize } from "../memoize.ts";
import type { MachineScope, RunContext } from "../run-context.ts";

/** The folders of this call in their order: the project's, its outermost first, the user's, and the machine's. */
export function hookFolders(context: RunContext): readonly HookFolder[] {
  const { options, machine } = context;
  return [...(options.isOff ? [] : choosableFolders(context)), ...machineHookFolders(machine)];
}

/** The folders that an option can replace. */
function choosableFolders({ options, scopes }: RunContext): readonly HookFolder[] {
  if (options.hooksDirs.length > 0) {
    const { projectDir } = scopes;
    const explicit = { source: "explicit", projectDir, prefix: "" } as const;
    return options.hooksDirs.map((path) => ({ path: resolve(projectDir, path), ...explicit }));
  }
  const project = scopes.projectDirs.flatMap((folder) => hookFoldersIn("project", folder));
  return [...project, ...(scopes.homeDir === null ? [] : hookFoldersIn("user", scopes.homeDir))];
}

const machineHookFolders = (machine: MachineScope | null): readonly HookFolder[] =>
  machine === null || machine.cause !== null
    ? []
    : [{ path: `${machine.path}/hooks`, source: "machine", prefix: "", projectDir: null }];

/** The files of the hooks folders and the entries of the settings files, in their order. */
export function findAllCandidates(context: RunContext): FoundCandidates {
  const { scopes, settings } = context;
  const found = findCandidates(hookFolders(context));
  const declared = settings.declared.length === 0 ? [] : declaredCandidates(settings.declared);
  const candidates = [...found.candidates, ...declared];
  return { ...found, candidates: withDistinctNames(candidates, scopes.projectDirs, isApprovedIn(context)) };
}

/** True if a hook has an approval, its own or that of the main checkout. The store is read at the first question. */
function isApprovedIn({ trustStore }: RunContext): (candidate: Candidate) => boolean {
  const mainDirOf = memoize(mainCheckoutOf);
  const isApproved = (hook: Pick<Candidate, "source" | "path">): boolean => {
    const approvals = trustStore.approvals();
    return approvalFor(hook, approvals.ok ? approvals.value : NO_APPROVALS) !== null;
  };
  return (candidate) => {
    const { source, projectDir } = candidate;
    if (isApproved(candidate)) return true;
    const mainDir = projectDir === null ? null : mainDirOf(projectDir);
    const path = projectDir === null || mainDir === null ? null : inOtherCheckout(candidate.path, projectDir, mainDir);
    return path !== null && isApproved({ source, path });
  };
}

/**
 * True if a hook of the user's or the machine's settings cannot run for this payload, whatever its trust. Checked before the code that
 * decides trust is loaded, because loading it costs more than the rest of such a call.
 */
export function cannotMatch(candidate: Candidate, payload: Payload, settings: Settings): boolean {
  const { entry } = candidate;
  if (entry === null || entry.scope === "project") return false;
  if (entry.event === "on_error" && isFailedToolCall(payload)) return false;
  return entry.event !== payload.event || mismatchOfEntry(candidate, payload, settings) !== null;
}

/** The condition of a declared hook that the payload does not meet for certain. */
export function mismatchOfEntry(candidate: Candidate, payload: Payload, settings: Settings): Mismatch | null {
  const match = overrideAboveProjects(candidate, settings).match ?? candidate.entry?.match ?? null;
  const dialect = findEvent(candidate.entry?.on ?? "")?.dialect ?? "kodelet";
  return certainMismatch(match, payload.members, { event: payload.event, dialect });
}
