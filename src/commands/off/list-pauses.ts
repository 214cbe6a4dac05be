import { type CommandResult, print } from "../../cli/command-result.ts";
import type { OptionsOf } from "../../cli/command-table.ts";
import { pauseClock } from "../../engine/pauses.ts";
import { createRunContext } from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { isInEffect } from "../../protocol/pause.ts";
import { warningText } from "../../protocol/warning.ts";
import { pausesJson, pausesText } from "../../report/off-text.ts";
import { warningLine } from "../../report/problem-text.ts";
import { PLAIN_STYLE } from "../../report/text-style.ts";
import { readPauses } from "../../trust/store/pauses.ts";
import { pauseView, placeOfPauses } from "./pause-store.ts";

/** `hookctl off`: every pause in effect, also those of other projects. */
export async function listPauses(options: OptionsOf<"off">, host: Host): Promise<CommandResult> {
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;
  const { context, loaded } = started.value;
  const refused = loaded.warnings.filter(({ code }) => code === "PAUSES_REFUSED");
  for (const warning of refused) host.err(warningLine(warningText(warning), PLAIN_STYLE));
  const place = placeOfPauses(context);
  const stored = place.ok && refused.length === 0 ? readPauses(place.value, context.userId) : null;
  const clock = pauseClock(context.nowMs);
  const pauses = stored?.ok ? stored.value.filter((pause) => isInEffect(pause, clock)) : [];
  const views = pauses.map((pause) => pauseView(pause, context.nowMs));
  return print(options.json ? `${pausesJson(views)}\n` : pausesText(views), host);
}
