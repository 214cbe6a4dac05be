import { realpathSync } from "node:fs";
import { relative } from "node:path";
import type { Candidate, Source, TrustState } from "../contract/hook.ts";
import type { HookProblem } from "../contract/problem.ts";
import type { UnsafePlace, Walk } from "./walk.ts";

/** What the decision rests on besides the file itself. */
export interface TrustGround {
  /** The project's folder; also the root of the walk for its hooks. */
  readonly projectDir: string;
  /** Null when there is no usable HOME. */
  readonly homeDir: string | null;
  /** `--trust`: project hooks are approved for this one call. */
  readonly isTrustedForOneCall: boolean;
  readonly walk: Walk;
}

export interface Standing {
  readonly trust: TrustState;
  /** Why it may not be started; null when it may. */
  readonly problem: HookProblem | null;
}

const FROM_PROJECT: ReadonlySet<Source> = new Set(["project", "project-plugin", "explicit"]);

/** Was this source written by whoever wrote the project, and not by the user? */
export const isFromProject = (source: Source): boolean => FROM_PROJECT.has(source);

/** May this very file run? Decided before it is asked for its event, because asking already runs it (SPEC 4). */
export function decideTrust(candidate: Candidate, ground: TrustGround): Standing {
  const at = { hook: candidate.name, path: candidate.path };
  const fromProject = isFromProject(candidate.source);
  if (fromProject && leavesProject(candidate, ground)) {
    return { trust: "unsafe", problem: { code: "HOOK_REFUSED_LINK", ...at, leadsTo: candidate.realPath } };
  }
  const unsafe = unsafeOnTheWay(candidate, fromProject ? ground.projectDir : (ground.homeDir ?? "/"), ground.walk);
  if (unsafe !== null) return { trust: "unsafe", problem: problemOf(unsafe, at, fromProject) };
  if (fromProject && !ground.isTrustedForOneCall) {
    return { trust: "untrusted", problem: { code: "HOOK_REFUSED_UNTRUSTED", ...at } };
  }
  return { trust: "trusted", problem: null };
}

/** Of the user's own hooks one may be a guard: that we may not look is another thing than a place known to be unsafe. */
function problemOf(unsafe: UnsafePlace, at: { hook: string; path: string }, fromProject: boolean): HookProblem {
  const { place, cause, deniedBy } = unsafe;
  return deniedBy === undefined || fromProject
    ? { code: "HOOK_REFUSED_UNSAFE", ...at, place, cause }
    : { code: "HOOK_REFUSED_UNREADABLE", ...at, place, cause: deniedBy };
}

/** The way to the link and the way to the file it leads to are both walked. */
function unsafeOnTheWay(candidate: Candidate, root: string, walk: Walk): UnsafePlace | null {
  const unsafe = walk(candidate.path, candidate.stamp, root);
  if (unsafe !== null || candidate.realPath === candidate.path) return unsafe;
  return walk(candidate.realPath, candidate.stamp, realOrSame(root));
}

/** A link in an explicit folder (`--hooks-dir`) may lead anywhere: that folder need not lie in a project. */
function leavesProject(candidate: Candidate, ground: TrustGround): boolean {
  if (candidate.source === "explicit") return false;
  const way = relative(realOrSame(ground.projectDir), candidate.realPath);
  return way === ".." || way.startsWith("../");
}

function realOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
