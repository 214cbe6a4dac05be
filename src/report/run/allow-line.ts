import type { EffectiveGuard } from "../../protocol/guard-settings.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";

/** The command that allows what was stopped: for the person alone, so it is shown only on a terminal or in a channel to the person. */
export const allowLine = (named: string, at = "here"): string => `Allow it ${at}: hookctl allow ${shellQuote(named)}`;

/** True if a person's rule can allow what this guard stops. */
export const mayBeAllowed = (
  name: string | null,
  guards: readonly Pick<EffectiveGuard, "name" | "source">[],
): boolean => name !== "self-protection" && guards.some((guard) => guard.name === name && guard.source !== "machine");
