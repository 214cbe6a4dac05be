import { join, relative } from "node:path";
import { mergeGuards } from "../../config/merge-settings.ts";
import { guardPlace } from "../../engine/run/guard-place.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { isInside } from "../../fs/paths.ts";
import type { GuardPlace } from "../../invoke/invoke-guard.ts";
import { type EffectiveGuard, GUARD_NAMES } from "../../protocol/guard-settings.ts";

/**
 * What a built-in guard knows in a test: the scratch project and the scratch home are the project and the home, and
 * hookctl's own files are protected in them, too.
 */
export function scratchGuardPlace(context: RunContext, project: string): GuardPlace {
  const { scopes, env } = context;
  const home = env.HOME ?? project;
  const real = guardPlace(context);
  const homes = scopes.homeDir === null ? [] : [{ from: scopes.homeDir, to: home }];
  const moves = [...[scopes.rootDir, scopes.projectDir].map((from) => ({ from, to: project })), ...homes];
  const ownFiles = real.ownFiles.flatMap((file) => [
    file,
    ...moves
      .filter(({ from }) => isInside(from, file.path))
      .map(({ from, to }) => ({ ...file, path: join(to, relative(from, file.path)) })),
  ]);
  return {
    ...real,
    home,
    project,
    ownFiles,
    guards: guardsInTest(real.guards).map((guard) => allowedIn(guard, project)),
  };
}

/** An `allow` rule of a project folder counts in that folder, whose place the scratch project has taken. */
const allowedIn = (guard: EffectiveGuard, project: string): EffectiveGuard => ({
  ...guard,
  allow: guard.allow.map(({ text, folder }) => ({ text, folder: folder === null ? null : project })),
});

/** Every guard: one that is off in the settings can be tested, with its defaults. */
export function guardsInTest(on: readonly EffectiveGuard[]): readonly EffectiveGuard[] {
  const guards = Object.fromEntries(GUARD_NAMES.map((name) => [name, {}]));
  const all = mergeGuards([{ guards, file: "hookctl", source: "config", folder: null, isFinal: false }]);
  return all.map((guard) => on.find(({ name }) => name === guard.name) ?? guard);
}
