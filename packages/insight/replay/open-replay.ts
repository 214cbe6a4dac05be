import { memoize } from "../../../src/engine/memoize.ts";
import type { EngineHost } from "../../../src/engine/run-context.ts";
import { absoluteFolder } from "../../../src/engine/user-paths.ts";
import { isFolder } from "../../../src/fs/paths.ts";
import { readPayload } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import type { LeftOutHook, RecordedCall, Replayed } from "./recorded-call.ts";
import { openReplayProject, type ReplayOptions } from "./replay-project.ts";

/**
 * Judges recorded calls by the current hooks. Sessions, inboxes, the turn limit and the audit log are neither read nor
 * changed.
 */
export interface Replay {
  readonly judge: (call: RecordedCall) => Promise<Replayed>;
  /** Why the hooks of the caller's project cannot judge; null if they can. */
  readonly fault: () => Promise<Problem | null>;
  /** The hooks that handle the calls judged so far, and did not judge them. */
  readonly leftOut: () => readonly LeftOutHook[];
  /** Warnings of the settings and hooks of the projects so far. */
  readonly warnings: () => readonly Warning[];
}

/** Opens each project once, when its first call comes. */
export function openReplay(options: ReplayOptions, host: EngineHost): Replay {
  const leftOut = new Map<string, LeftOutHook>();
  const warnings: Warning[] = [];
  const projectIn = memoize(async (directory: string) => {
    const opened = await openReplayProject({ ...options, engine: { ...options.engine, directory } }, host);
    if (opened.ok) warnings.push(...opened.value.warnings);
    return opened;
  });
  const folderFor = memoize((folder: string) => folderOrHome(folder, host));
  const callersFolder = options.engine.directory ?? host.cwd;
  return {
    judge: async (call) => {
      const folder = call.madeIn === null ? folderFor(call.cwd) : callersFolder;
      const project = await projectIn(folder);
      if (!project.ok) return { kind: "unjudged", problem: project.error };
      const payload = readPayload(call.event, call.payload, call.cwd);
      if (!payload.ok) return { kind: "unjudged", problem: payload.error };
      const { leftOut: hooks, ...judgement } = await project.value.judge(payload.value, call);
      for (const hook of hooks) leftOut.set(hook.path, hook);
      return { kind: "judged", ...judgement };
    },
    fault: async () => {
      const project = await projectIn(callersFolder);
      return project.ok ? null : project.error;
    },
    leftOut: () => [...leftOut.values()],
    warnings: () => warnings,
  };
}

/** If the folder is gone, only the user's and the machine's hooks judge the call. */
function folderOrHome(folder: string, { env }: EngineHost): string {
  if (isFolder(folder)) return folder;
  const home = absoluteFolder(env, "HOME");
  return home !== null && isFolder(home) ? home : "/";
}
