import { memoize } from "../../../src/engine/memoize.ts";
import type { EngineHost } from "../../../src/engine/run-context.ts";
import { absoluteFolder } from "../../../src/engine/user-paths.ts";
import { isFolder } from "../../../src/fs/paths.ts";
import { readPayload } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { type Judgement, type LeftOutHook, openReplayProject, type RecordedCall } from "./replay-project.ts";

/** `unjudged`: the payload or the settings of its folder are faulty, so no hook can judge the call. */
type Replayed = (Judgement & { readonly kind: "judged" }) | { readonly kind: "unjudged"; readonly problem: Problem };

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
}

/** Opens each project once, when its first call comes. */
export function openReplay(options: Parameters<typeof openReplayProject>[0], host: EngineHost): Replay {
  const leftOut = new Map<string, LeftOutHook>();
  const projectIn = memoize((directory: string) =>
    openReplayProject({ ...options, engine: { ...options.engine, directory } }, host),
  );
  const folderFor = memoize((folder: string) => folderOrHome(folder, host));
  const callersFolder = options.engine.directory ?? host.cwd;
  return {
    judge: async (call) => {
      const project = await projectIn(call.madeIn === null ? folderFor(call.cwd) : callersFolder);
      if (!project.ok) return { kind: "unjudged", problem: project.error };
      const payload = readPayload(call.event, call.payload, call.cwd);
      if (!payload.ok) return { kind: "unjudged", problem: payload.error };
      const { leftOut: hooks, ...judgement } = await project.value(payload.value, call);
      for (const hook of hooks) leftOut.set(hook.path, hook);
      return { kind: "judged", ...judgement };
    },
    fault: async () => {
      const project = await projectIn(callersFolder);
      return project.ok ? null : project.error;
    },
    leftOut: () => [...leftOut.values()],
  };
}

/** If the folder is gone, only the user's and the machine's hooks judge the call. */
function folderOrHome(folder: string, { env }: EngineHost): string {
  if (isFolder(folder)) return folder;
  const home = absoluteFolder(env, "HOME");
  return home !== null && isFolder(home) ? home : "/";
}
