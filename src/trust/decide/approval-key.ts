import { basename, dirname, join, relative } from "node:path";
import { isInside, realPathOrSame } from "../../fs/paths.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { sharedFileAt } from "../../protocol/settings.ts";

/** What identifies a hook in the store. */
type HookLocation = Pick<Candidate, "source" | "path">;

/**
 * Where a hook stands, which is what its approval is kept by. Of a link it is the link's own place: several may lead to
 * one program, and each is a hook with a name and a word of its own. A project's folder comes with its links followed;
 * a folder of `--hooks-dir` may be named in several ways.
 */
const approvalKey = ({ source, path }: HookLocation): string => (source === "explicit" ? withRealFolder(path) : path);

/** The same place by whatever links its folder is reached. */
export const withRealFolder = (path: string): string => join(realPathOrSame(dirname(path)), basename(path));

export const isSameHook = (one: HookLocation, other: HookLocation): boolean =>
  one.path === other.path || approvalKey(one) === approvalKey(other);

/**
 * The user's last yes to this hook. Early stores kept an approval by the file that the hook leads to: there it is a yes to
 * the hook whose path stands in it, and to no other name for that file, and a link may have several.
 */
export function approvalFor(hook: HookLocation, { approved }: Approvals): Approval | null {
  const own = oldestFirst(Object.values(approved).filter(({ path }) => path === hook.path)).at(-1);
  if (own !== undefined) return own;
  const place = approvalKey(hook);
  const kept = Object.hasOwn(approved, place) ? approved[place] : undefined;
  return kept !== undefined && approvalKey(kept) === place ? kept : null;
}

/** Is this the approval of a project's settings file? An entry of the file has its name behind a `#`. */
export const isSettingsApproval = ({ source, path, project, name }: Approval): boolean =>
  source === "config" && path === join(project, name);

/**
 * The user's last approval of the settings of a project folder: of one of its shared files, or, with null, of the folder's
 * own settings file, whatever its name was.
 */
export const settingsApproval = (folder: string, shared: string | null, { approved }: Approvals): Approval | null =>
  oldestFirst(
    Object.values(approved).filter(
      (one) => one.project === folder && isSettingsApproval(one) && sharedFileAt(folder, one.path) === shared,
    ),
  ).at(-1) ?? null;

/** Approvals as the store keeps them: of several for one hook the last. */
export const byKey = (approvals: readonly Approval[]): Approvals["approved"] =>
  Object.fromEntries(oldestFirst(approvals).map((one) => [approvalKey(one), one]));

const oldestFirst = (approvals: readonly Approval[]): readonly Approval[] =>
  [...approvals].sort((a, b) => (a.approvedAt < b.approvedAt ? -1 : Number(a.approvedAt > b.approvedAt)));

/** All that a denial of a file at this path is looked for under: it holds for every name that leads to the file. */
export const denialKeys = ({ path, realPath }: Pick<Candidate, "path" | "realPath">): readonly string[] => [
  path,
  realPath,
  withRealFolder(path),
];

export const isDenied = (hook: Pick<Candidate, "path" | "realPath">, { denied }: Approvals): boolean =>
  // Most users have denied nothing, and following links costs a look at the disk.
  Object.keys(denied).length > 0 && denialKeys(hook).some((name) => Object.hasOwn(denied, name));

/** What lies at the same place of another checkout. */
export const inOtherCheckout = (path: string, from: string, to: string): string =>
  isInside(from, path) ? join(to, relative(from, path)) : path;
