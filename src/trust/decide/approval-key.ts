import { basename, dirname, join, relative } from "node:path";
import { isInside, realPathOrSame } from "../../fs/paths.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import type { Candidate } from "../../protocol/hook.ts";

/** What identifies a hook in the store. */
type HookLocation = Pick<Candidate, "source" | "path">;

/**
 * The path under which an approval is stored. For a link it is the link's own path: several links may lead to one
 * program, and each is a hook of its own. Links in the path of a project are already resolved; those in the path of a
 * `--hooks-dir` folder are not.
 */
const approvalKey = ({ source, path }: HookLocation): string => (source === "explicit" ? withRealFolder(path) : path);

/** The path with the links of its folder resolved. */
export const withRealFolder = (path: string): string => join(realPathOrSame(dirname(path)), basename(path));

/** Returns a test for hooks that are the same as one of these. */
export function isAmongHooks(hooks: readonly HookLocation[]): (hook: HookLocation) => boolean {
  const paths = new Set(hooks.map(({ path }) => path));
  const keys = new Set(hooks.map(approvalKey));
  return (hook) => paths.has(hook.path) || keys.has(approvalKey(hook));
}

/**
 * The user's last approval of this hook. Early stores used the target of a link as the key: such an approval is for the
 * hook with the stored path, and for no other link to the same target.
 */
export function approvalFor(hook: HookLocation, { approved }: Approvals): Approval | null {
  const own = lastByPath(approved).get(hook.path);
  if (own !== undefined) return own;
  const place = approvalKey(hook);
  const kept = Object.hasOwn(approved, place) ? approved[place] : undefined;
  return kept !== undefined && approvalKey(kept) === place ? kept : null;
}

const knownByPath = new WeakMap<Approvals["approved"], ReadonlyMap<string, Approval>>();

/** Made once for a store that was read, because each hook of a call is looked up in it. */
function lastByPath(approved: Approvals["approved"]): ReadonlyMap<string, Approval> {
  const known = knownByPath.get(approved);
  if (known !== undefined) return known;
  const byPath = new Map(oldestFirst(Object.values(approved)).map((one) => [one.path, one]));
  knownByPath.set(approved, byPath);
  return byPath;
}

/** True for the approval of a project's settings file. The path of an entry in it ends with `#` and its name. */
export const isSettingsApproval = ({ source, path, project, name }: Approval): boolean =>
  source === "config" && path === join(project, name);

/** The approvals of projects' settings files, the oldest first. */
export const settingsApprovals = ({ approved }: Approvals): readonly Approval[] =>
  oldestFirst(Object.values(approved).filter(isSettingsApproval));

/** Approvals by key; of several for one hook the last. */
export const byKey = (approvals: readonly Approval[]): Approvals["approved"] =>
  Object.fromEntries(oldestFirst(approvals).map((one) => [approvalKey(one), one]));

const oldestFirst = (approvals: readonly Approval[]): readonly Approval[] =>
  [...approvals].sort((a, b) => (a.approvedAt < b.approvedAt ? -1 : Number(a.approvedAt > b.approvedAt)));

/** The paths under which a denial is looked up: it applies to every path that leads to the file. */
export const denialKeys = ({ path, realPath }: Pick<Candidate, "path" | "realPath">): readonly string[] => [
  path,
  realPath,
  withRealFolder(path),
];

export const isDenied = (hook: Pick<Candidate, "path" | "realPath">, { denied }: Approvals): boolean =>
  // Most users have denied nothing, and resolving links reads the disk.
  Object.keys(denied).length > 0 && denialKeys(hook).some((name) => Object.hasOwn(denied, name));

/** The corresponding path in another checkout. */
export const inOtherCheckout = (path: string, from: string, to: string): string =>
  isInside(from, path) ? join(to, relative(from, path)) : path;
