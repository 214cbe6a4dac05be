import { nodeLoaderVariables } from "../discover/node-loader.ts";
import { MACHINE_FOLDER } from "../fs/machine-folder.ts";
import { realPathOrSame } from "../fs/paths.ts";
import {
  machineEnvironment,
  projectEnvironment,
  type SearchContext,
  serverEnvironment,
  userEnvironment,
  withSearchPath,
} from "../process/filter-environment.ts";
import { childToken, newToken, TOKEN_VARIABLE } from "../process/process-request.ts";
import { type Approvals, NO_APPROVALS } from "../protocol/approval.ts";
import { entryServer, type LocatedEntry } from "../protocol/entry.ts";
import { type Candidate, type Hook, isFromProject } from "../protocol/hook.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { sessionName } from "../session/session-folder.ts";
import { approvalFor, byKey } from "../trust/decide/approval-key.ts";
import { canonicalEntry, declaredCommand, entryEvidence } from "../trust/evidence/entry-evidence.ts";
import { approvalFolder, withoutApproval } from "../trust/evidence/evidence.ts";
import type { DeclaredCommand } from "../trust/hook-files/hook-program.ts";
import { importsNothingLocal } from "../trust/hook-files/loaded-files.ts";
import { lazy } from "./memoize.ts";
import type { RunContext } from "./run-context.ts";

type Started = Pick<Candidate | Hook, "name" | "path" | "source" | "entry" | "projectDir">;
export type HookEnvironment = (hook: Started, payload?: Payload) => Readonly<Record<string, string>>;

/** A program makes many calls with one environment, so it is filtered once. */
const known = new WeakMap<object, Readonly<Record<string, string>>>();

/** Returns the environment of each hook: the caller's, filtered, and variables about this call. */
export function hookEnvironments(context: RunContext): HookEnvironment {
  const { env, scopes, settings } = context;
  const search = searchContext(context);
  const forUser = lazy(() => {
    const filtered = known.get(env) ?? userEnvironment(env);
    known.set(env, filtered);
    return withSearchPath(filtered, search);
  });
  const approvals = lazy(() => approvalsInForce(context));
  const forProject = lazy(() => projectEnvironment(env, search, settings.envAllow));
  const forMachine = lazy(() =>
    machineEnvironment(env, context.machine?.path ?? MACHINE_FOLDER, settings.machine.envAllow),
  );
  const basicFor = (hook: Started) =>
    hook.source === "machine"
      ? forMachine()
      : isFromProject(hook)
        ? { ...forProject(), ...pythonVariables(hook, approvals) }
        : forUser();
  return (hook, payload) => {
    const basic = basicFor(hook);
    return {
      ...basic,
      ...(hook.entry === null
        ? nodeLoaderVariables(hook.path, basic.NODE_OPTIONS)
        : serverVariables(hook, hook.entry, search)),
      ...(payload === undefined ? {} : { HOOKCTL_EVENT: payload.event, HOOKCTL_SESSION: sessionName(payload.session) }),
      HOOKCTL_HOOK: hook.name,
      // A project hook gets its own project folder, because a nested one may hold files that were not approved with it.
      HOOKCTL_PROJECT_DIR: hook.projectDir ?? scopes.projectDir,
      HOOKCTL_DEPTH: String(context.depth + 1),
      [TOKEN_VARIABLE]: childToken(env[TOKEN_VARIABLE], newToken(context.runId)),
    };
  };
}

/** Decides which folders of PATH the hooks of this call may use. */
export const searchContext = ({ scopes, settings }: Pick<RunContext, "scopes" | "settings">): SearchContext => ({
  projectDir: scopes.projectDir,
  homeDir: scopes.homeDir,
  pathAllow: settings.pathAllow,
});

/**
 * Keeps Python from loading files that are not approved: compiled modules, and, if the hook imports nothing from its own
 * folder, all modules beside it (Python 3.11 and later).
 */
function pythonVariables(hook: Started, approvals: () => Approvals): Readonly<Record<string, string>> {
  const { path, source, projectDir, entry } = hook;
  const compiled = { PYTHONDONTWRITEBYTECODE: "1", PYTHONPYCACHEPREFIX: NOWHERE };
  const start = entry === null ? null : startOf(entry, hook, approvals());
  if (entry !== null && start === null) return compiled;
  const isAlone = importsNothingLocal({ path, realPath: realPathOrSame(path), source, projectDir, declared: start });
  return isAlone ? { ...compiled, PYTHONSAFEPATH: "1" } : compiled;
}

/** Uses the files of the approval, which were reviewed; without an approval the command is parsed. */
function startOf(
  entry: LocatedEntry,
  { path, source, projectDir }: Started,
  approvals: Approvals,
): DeclaredCommand | null {
  const folder = approvalFolder({ projectDir, entry });
  const approval = approvalFor({ source, path }, approvals);
  const isSame = approval !== null && approval.sha256 === canonicalEntry(entry);
  const files = isSame ? approval.files : entryEvidence(entry, path, folder, withoutApproval()).files;
  return declaredCommand(entry, folder, files);
}

/** A store that cannot be read approves nothing. */
function approvalsInForce({ options, trustStore }: RunContext): Approvals {
  const stored = trustStore.approvals();
  const { approved, denied } = stored.ok ? stored.value : NO_APPROVALS;
  return { approved: { ...approved, ...byKey(options.approvedOnce) }, denied };
}

/** No folder: nothing can be kept there or found. */
const NOWHERE = "/dev/null/hookctl";

function serverVariables(hook: Started, entry: LocatedEntry, search: SearchContext): Readonly<Record<string, string>> {
  const server = entryServer(entry);
  return server === null ? {} : serverEnvironment(server.env, search, isFromProject(hook));
}
