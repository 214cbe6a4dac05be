import { createRunContext } from "../../../src/engine/create-run-context.ts";
import { guardHooks } from "../../../src/engine/hooks/apply-settings.ts";
import type { EngineHost, EngineOptions } from "../../../src/engine/run-context.ts";
import { readPayload } from "../../../src/protocol/payload/payload.ts";

const EVENT = "before_tool_call";
const SAMPLE = '{"tool_name":"bash","tool_input":{"command":"ls -l src | head"}}';

/**
 * Reads the settings and judges a harmless call by the guards that are on, so that the first request does not wait for
 * their code. Starts and records nothing. What fails here fails in a request as well, which tells it.
 */
export async function preload(options: EngineOptions, host: EngineHost): Promise<void> {
  const created = await createRunContext(options, host, false);
  const payload = readPayload(EVENT, SAMPLE, host.cwd);
  if (!created.ok || !payload.ok) return;
  const { context } = created.value;
  const hooks = guardHooks(context.settings, EVENT);
  if (hooks.length === 0) return;
  const { judge } = await context.loadGuards();
  for (const hook of hooks) await judge(hook, payload.value, context);
}
