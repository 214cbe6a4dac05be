import type { Candidate, Hook } from "../contract/hook.ts";
import type { Payload } from "../contract/payload.ts";
import { projectEnvironment, userEnvironment } from "../process/environment.ts";
import { TOKEN_VARIABLE } from "../process/process-request.ts";
import { isFromProject } from "../trust/decide.ts";
import type { Ground } from "./ground.ts";

const LONGEST_SESSION = 200;

let started = 0;

/** What one hook finds in its environment: the filtered caller's, and what hookctl says about this call. */
export function hookEnvironment(
  hook: Pick<Candidate | Hook, "name" | "source">,
  ground: Ground,
  payload: Payload | null = null,
): Readonly<Record<string, string>> {
  const { env, scopes, settings } = ground;
  const inherited = isFromProject(hook.source)
    ? projectEnvironment(env, scopes.projectDir, settings.envAllow)
    : userEnvironment(env);
  return {
    ...inherited,
    ...(payload === null ? {} : { HOOKCTL_EVENT: payload.event, HOOKCTL_SESSION: sessionName(payload.session) }),
    HOOKCTL_HOOK: hook.name,
    HOOKCTL_PROJECT_DIR: scopes.projectDir,
    HOOKCTL_DEPTH: String(ground.depth + 1),
    // Its own for each start: whatever still carries it afterwards is a descendant of this very process.
    [TOKEN_VARIABLE]: `${ground.runId}-${started++}`,
  };
}

/** A session id is the caller's text: what cannot stand in an environment is left out, and it is cut to a length. */
function sessionName(session: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out.
  return session.replace(/[\u0000-\u001f]/g, "").slice(0, LONGEST_SESSION);
}
