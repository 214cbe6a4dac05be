import type { Guards } from "../../src/engine/run-context.ts";
import { guardPlace, ownFilesOf } from "./guard-place.ts";
import { invokeGuard } from "./invoke-guard.ts";
import { AGENT_FILES } from "./own-files.ts";

export const guards: Guards = {
  judge: (hook, payload, context) => invokeGuard(hook, payload, guardPlace(context)),
  ownPaths: (context) => ownFilesOf(context).map(({ path }) => path),
  agentFiles: AGENT_FILES.project,
};
