import type { CompiledFile } from "../../config/settings-cache.ts";
import type { Warning } from "../../protocol/warning.ts";

/** That files have no effect. A shared file may be another program's, so that only a person who asks is told of it. */
export const unreadableSettings = (plans: readonly CompiledFile[]): readonly Warning[] =>
  plans.flatMap(({ scope, problem }): readonly Warning[] =>
    problem === null ? [] : [{ code: "SETTINGS_NOT_READ", scope, problem }],
  );
