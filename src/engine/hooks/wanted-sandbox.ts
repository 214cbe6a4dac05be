import type { Settings } from "../../config/merge-settings.ts";
import { overridesFor } from "../../config/overrides.ts";
import { schemeRow } from "../../protocol/entry.ts";
import { type Candidate, type Hook, isFromProject } from "../../protocol/hook.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { type HookSandbox, type SandboxChoice, sandboxChoice, stricterChoice } from "../../protocol/sandbox.ts";

export type SandboxedHook = Pick<Candidate | Hook, "name" | "baseName" | "path" | "source" | "projectDir" | "entry">;

/** What the settings want for a hook. */
export interface WantedSandbox extends SandboxChoice {
  /** True if the project's author wrote the grants. */
  readonly isProjects: boolean;
}

/** The sandbox of a hook on this machine. */
export interface SandboxStatus {
  readonly sandbox: HookSandbox;
  /** Why the hook may not start: it requires a sandbox and there is none. Null if it may. */
  readonly refusal: HookProblem | null;
}

/** The hooks whose settings want a sandbox, by path. */
export type Sandboxes = ReadonlyMap<string, SandboxStatus>;

/** Where one start happens. */
export interface StartPlace {
  readonly cwd: string;
  /** The folder to which relative paths in `write_paths` belong. */
  readonly project: string;
}

/**
 * What the settings want. Reyn's shell schemes need a sandbox unless the entry, which is approved with its text, or the
 * user says otherwise. An override in a project file is not approved, so it can only make the sandbox stricter.
 */
export function wantedSandbox(hook: SandboxedHook, settings: Settings): WantedSandbox {
  const { entry } = hook;
  if (entry === null && !namesSandbox(settings)) return OFF;
  const isDefault = entry !== null && schemeRow(entry.scheme).requiresSandbox;
  const own = sandboxChoice(entry?.sandbox ?? (isDefault ? "require" : "off"));
  const { override, above } = overridesFor(hook, settings);
  if (above.sandbox !== undefined) return { ...sandboxChoice(above.sandbox), isProjects: false };
  const isProjects = isFromProject(hook);
  if (override.sandbox === undefined) return { ...own, isProjects };
  return { ...stricterChoice(own, sandboxChoice(override.sandbox)), isProjects };
}

const OFF: WantedSandbox = { ...sandboxChoice("off"), isProjects: false };

/** True if an override of any hook names a sandbox; most settings have none. */
export const namesSandbox = ({ machine, user, projects }: Settings): boolean =>
  [machine, user, ...projects].some(({ overrides }) =>
    Object.values(overrides).some(({ sandbox }) => sandbox !== undefined),
  );
