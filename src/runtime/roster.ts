import type { EventName } from "../contract/event.ts";
import { type Candidate, type Hook, isRefused, SKIP_REASONS, type Skip } from "../contract/hook.ts";
import { globMatches } from "../contract/match.ts";
import { nearest } from "../contract/nearest.ts";
import { fail } from "../contract/result.ts";
import type { Warning } from "../contract/warning.ts";
import { claimsOf, mayBeClosed } from "../discover/claims.ts";
import type { Found } from "../discover/find.ts";
import { type Identified, identify, remembered } from "../discover/identify.ts";
import { type Memory, NO_MEMORY, openMemory } from "../discover/memory.ts";
import { type Redact, redactor } from "../record/redact.ts";
import { decideTrust, isFromProject, type Standing } from "../trust/decide.ts";
import { walker } from "../trust/walk.ts";
import { canDeny, deniedFiles, deniedFolders, isDenied, type Judged, lastIdentity } from "./denied.ts";
import { environments } from "./environment.ts";
import type { Ground } from "./ground.ts";
import { redactedTexts } from "./redacted-asked.ts";
import { hidden, withChoice, withRequired } from "./selection.ts";
import { overrideFor, settledHook } from "./settled-hook.ts";

/** Everything that answers, may not answer, or was passed over in the folders of this call. */
export interface Roster {
  readonly hooks: readonly Hook[];
  readonly skipped: readonly Skip[];
  readonly searched: readonly string[];
  readonly warnings: readonly Warning[];
  /** For the person alone; not part of the protocol's answer. */
  readonly notices: readonly Warning[];
  /** Every name there is, before the caller's choice. */
  readonly names: readonly string[];
}

/** trust -> identify -> settle: the found files as hooks of this call with everything decided but their order. */
export async function gatherHooks(found: Found, ground: Ground, event: EventName | null): Promise<Roster> {
  const standingOf = standingDecider(ground);
  const memory = memoryOf(ground);
  const looked = found.candidates.map((candidate) => ({ candidate, standing: standingOf(candidate) }));
  const ready = looked.filter(({ candidate, standing }) => standing.problem === null && !isLeftOut(candidate, ground));
  const identities = await identified(
    ready.map(({ candidate }) => candidate),
    ground,
    memory,
  );
  // A list names what cannot be looked at among the skipped ones; in a run one of them may be a guard.
  const judged: readonly Judged[] = event === null ? looked : [...looked, ...deniedFiles(found.denied)];
  const hooks = judged.map(({ candidate, standing }): Hook => {
    const asked = identities.get(candidate) ?? { identity: null, hash: null };
    const hash = asked.hash;
    const identity = isDenied(standing) ? lastIdentity(candidate, memory) : asked.identity;
    const claims = identity?.ok ? [] : claimsOf(candidate.path);
    const mayBeGuard = identity?.ok === false || standing.problem?.code === "HOOK_REFUSED_SANDBOX";
    const isUnknown = isDenied(standing) && identity === null && canDeny(event);
    const isGuard = isUnknown || (mayBeGuard && mayBeClosed(candidate.path));
    const hook = settledHook({
      candidate,
      standing,
      identity,
      hash,
      claims,
      isGuard,
      event,
      settings: ground.settings,
    });
    return isLeftOut(candidate, ground) ? { ...hook, off: "left out: the project's settings cannot be used" } : hook;
  });
  const roster = chosen(found, hooks, ground);
  return { ...roster, hooks: [...roster.hooks, ...deniedFolders(found.denied, event)] };
}

/** Settings that cannot be used may be what holds a project's hooks in check: they are shown and not started (SPEC 9). */
const isLeftOut = (candidate: Candidate, { isProjectUnusable, choice }: Ground): boolean =>
  isProjectUnusable && choice.hooksDirs.length === 0 && isFromProject(candidate.source);

/** How each file stands: what trust and its settings say, and whether its project's settings can be used at all. */
function standingDecider(ground: Ground): (candidate: Candidate) => Standing {
  const { scopes, settings, choice, userId, isProjectUnusable } = ground;
  const walk = walker(userId);
  const isTrustedForOneCall = choice.isTrustedForOneCall || settings.projectHooks === "allow";
  return (candidate) => {
    const standing = decideTrust(candidate, { ...scopes, isTrustedForOneCall, walk });
    if (standing.problem !== null) return standing;
    const at = { hook: candidate.name, path: candidate.path };
    if (isProjectUnusable && isFromProject(candidate.source)) {
      return { ...standing, problem: { code: "HOOK_REFUSED_CONFIG", ...at } };
    }
    // Before it is asked for its event: that, too, would run it without the sandbox (SPEC 12).
    const isBoxed = overrideFor(candidate, settings).sandbox === "require";
    return isBoxed ? { ...standing, problem: { code: "HOOK_REFUSED_SANDBOX", ...at } } : standing;
  };
}

const memoryOf = ({ choice, cacheDir, nowMs }: Ground): Memory =>
  cacheDir === null || !choice.useCache ? NO_MEMORY : openMemory(`${cacheDir}/identities.json`, nowMs);

async function identified(
  trusted: readonly Candidate[],
  ground: Ground,
  memory: Memory,
): Promise<ReadonlyMap<Candidate, Identified>> {
  const { choice, nowMs } = ground;
  const redact = redactor(ground.env);
  if (!choice.mayStart) {
    return new Map(trusted.flatMap((candidate) => pairOf(candidate, remembered(candidate, memory), redact)));
  }
  const answers = await identify(trusted, {
    memory,
    nowMs,
    cwd: ground.cwd,
    environmentOf: environments(ground),
    interrupt: ground.interrupt,
  });
  memory.save();
  return new Map(trusted.flatMap((candidate, index) => pairOf(candidate, answers[index], redact)));
}

/** An answer that is not understood is quoted wherever it is told, so it is redacted here, while it is whole. */
function pairOf(
  candidate: Candidate,
  answer: Identified | null | undefined,
  redact: Redact,
): [Candidate, Identified][] {
  if (answer == null) return [];
  const { identity } = answer;
  return [[candidate, identity.ok ? answer : { ...answer, identity: fail(redactedTexts(identity.error, redact)) }]];
}

/** What is left of the hooks after shadowing, the settings' requirements and the caller's choice. */
function chosen(found: Found, all: readonly Hook[], ground: Ground): Roster {
  const shadowing = hidden(all, ground.settings);
  const hooks = withRequired(withChoice(shadowing.hooks, ground.choice), ground.settings);
  const projectCount = hooks.filter((hook) => isFromProject(hook.source) && hook.hindrance === null).length;
  const oneCall: readonly Warning[] =
    ground.choice.isTrustedForOneCall && projectCount > 0
      ? [{ code: "TRUSTED_FOR_ONE_CALL", count: projectCount }]
      : [];
  const homeless: readonly Warning[] =
    ground.scopes.homeDir === null ? [{ code: "NO_HOME", home: ground.env.HOME ?? "" }] : [];
  return {
    hooks,
    skipped: [...found.skipped, ...shadowing.skipped, ...hooks.flatMap(unidentifiedSkip)],
    searched: found.searched,
    warnings: [...found.warnings, ...homeless, ...unusedSkips(all, ground.choice.skip), ...strayOverrides(all, ground)],
    notices: oneCall,
    names: all.map((hook) => hook.name),
  };
}

/** An override for a hook of another project is fine; one that is nearly a hook's name is a slip that opens a guard. */
function strayOverrides(all: readonly Hook[], { settings }: Ground): readonly Warning[] {
  const names = all.map((hook) => hook.name);
  const stray = Object.keys(settings.project.overrides).filter((name) => !names.includes(name));
  return stray.flatMap((name): readonly Warning[] => {
    const near = nearest(name, names);
    return near === null ? [] : [{ code: "NO_SUCH_OVERRIDE", name, nearest: near }];
  });
}

function unusedSkips(all: readonly Hook[], skip: readonly string[]): readonly Warning[] {
  const names = all.map((hook) => hook.name);
  const unused = skip.filter((glob) => !names.some((name) => globMatches(glob, name)));
  return unused.map((name) => ({ code: "NO_SUCH_SKIP", name, nearest: nearest(name, names) }));
}

/** A file that may run but did not say what it is belongs among the skipped ones of a list. */
function unidentifiedSkip(hook: Hook): readonly Skip[] {
  if (hook.hindrance === null || isRefused(hook)) return [];
  const reason = hook.hindrance.code === "HOOK_BAD_FORMAT" ? "unknown_format" : "not_identified";
  return [{ name: hook.name, path: hook.path, reason, detail: SKIP_REASONS[reason] }];
}
