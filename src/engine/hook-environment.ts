import { needsNodeLoader, nodeLoaderVariables } from "../discover/node-loader.ts";
import { MACHINE_FOLDER } from "../fs/machine-folder.ts";
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
import { type Candidate, type Hook, isFromProject, needsApproval } from "../protocol/hook.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import { sessionName } from "../session/session-folder.ts";
import { byKey } from "../trust/decide/approval-key.ts";
import type * as ApprovalChecks from "./approval-checks.ts";
import { lazy, memoize } from "./memoize.ts";
import { oncePerPreparation, type RunContext } from "./run-context.ts";

type Started = Pick<Candidate | Hook, "name" | "path" | "source" | "entry" | "projectDir">;
export type HookEnvironment = (hook: Started, payload?: Payload) => Readonly<Record<string, string>>;

type Variables = Readonly<Record<string, string>>;

/** A program makes many calls with one environment, so it is filtered once. */
const known = new WeakMap<object, Variables>();

/** What hooks get of the caller's environment, each part made when a hook needs it. */
interface Environments {
  readonly forUser: () => Variables;
  readonly forProject: () => Variables;
  readonly forMachine: () => Variables;
  readonly needsLoader: (path: string) => boolean;
}

/** Shared, because each folder of PATH takes several file-system calls, and a hook's file is opened. */
const environmentsOf = oncePerPreparation(["scopes", "env", "settings", "machine"], (context): Environments => {
  const { env, settings, machine } = context;
  const search = searchContext(context);
  return {
    forUser: lazy(() => {
      const filtered = known.get(env) ?? userEnvironment(env);
      known.set(env, filtered);
      return withSearchPath(filtered, search);
    }),
    forProject: lazy(() => projectEnvironment(env, search, settings.envAllow)),
    forMachine: lazy(() => machineEnvironment(env, machine?.path ?? MACHINE_FOLDER, settings.machine.envAllow)),
    needsLoader: memoize(needsNodeLoader),
  };
});

/** Loads what only hooks that need an approval need; null: none of these does. */
export const approvalChecksFor = async (
  hooks: readonly Pick<Candidate, "source" | "entry" | "settings">[],
): Promise<typeof ApprovalChecks | null> => (hooks.some(needsApproval) ? import("./approval-checks.ts") : null);

/**
 * Returns the environment of each hook: the caller's, filtered, and variables about this call. `checks` is null if none of
 * the hooks needs an approval.
 */
export function hookEnvironments(context: RunContext, checks: typeof ApprovalChecks | null): HookEnvironment {
  const { env, scopes } = context;
  const search = searchContext(context);
  const { forUser, forProject, forMachine, needsLoader } = environmentsOf(context);
  const approvals = lazy(() => approvalsInForce(context));
  const basicFor = (hook: Started) =>
    hook.source === "machine"
      ? forMachine()
      : isFromProject(hook)
        ? { ...forProject(), ...pythonVariables(checks === null || checks.isAlone(hook, approvals)) }
        : forUser();
  return (hook, payload) => {
    const basic = basicFor(hook);
    return {
      ...basic,
      ...(hook.entry === null
        ? nodeLoaderVariables(hook.path, basic.NODE_OPTIONS, needsLoader)
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
 * folder, all modules beside it (Python 3.11 and later). `isAlone` is null for a hook that is no program.
 */
const pythonVariables = (isAlone: boolean | null): Readonly<Record<string, string>> => ({
  PYTHONDONTWRITEBYTECODE: "1",
  PYTHONPYCACHEPREFIX: NOWHERE,
  ...(isAlone ? { PYTHONSAFEPATH: "1" } : {}),
});

/** A store that cannot be read approves nothing. */
function approvalsInForce({ options, trustStore }: RunContext): Approvals {
  const stored = trustStore.approvals();
  const { approved, denied } = stored.ok ? stored.value : NO_APPROVALS;
  return { approved: { ...approved, ...byKey(options.approvedOnce) }, denied };
}

/** A path below a device: nothing can be stored or found there. */
const NOWHERE = "/dev/null/hookctl";

function serverVariables(hook: Started, entry: LocatedEntry, search: SearchContext): Readonly<Record<string, string>> {
  const server = entryServer(entry);
  return server === null ? {} : serverEnvironment(server.env, search, isFromProject(hook));
}
