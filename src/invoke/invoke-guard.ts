import type { OwnFile } from "../guards/guard.ts";
import type { EffectiveGuard } from "../protocol/guard-settings.ts";

/** What the built-in guards know of this call beside its payload. */
export interface GuardPlace {
  readonly guards: readonly EffectiveGuard[];
  readonly home: string;
  readonly project: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly ownFiles: readonly OwnFile[];
}
