import type { Hook, NotReady, SkippedFile } from "../protocol/hook.ts";
import { type JsonRecord, printableJson, rawJson } from "../protocol/json/write.ts";
import { sandboxText } from "../protocol/sandbox.ts";

export interface ListedPortability {
  readonly texts: readonly string[];
  readonly json: JsonRecord;
}

export interface Listing {
  readonly hooks: readonly Hook[];
  readonly skipped: readonly SkippedFile[];
  readonly searched: readonly string[];
  readonly warnings: readonly string[];
  /** Hooks that would not start; null without `--strict`. */
  readonly notReady?: readonly NotReady[] | null;
  /** Why hooks do not work with some agents, by the path of the hook. */
  readonly portability?: ReadonlyMap<string, ListedPortability>;
}

/** All hooks in run order, as JSON: `hookctl.list/1`. */
export function listJson(listing: Listing): string {
  // Not `writeJson`: no field is raw text, and with 100 hooks `JSON.stringify` saves 1 ms.
  const text = JSON.stringify({
    schema: "hookctl.list/1",
    hooks: listing.hooks.map((hook) => ({ ...hookJson(hook), ...listing.portability?.get(hook.path)?.json })),
    skipped: listing.skipped.map(({ name, path, reason, detail }) => ({ name, path, reason, detail })),
    searched: listing.searched,
    warnings: listing.warnings,
    not_ready: listing.notReady ?? undefined,
  });
  return printableJson(rawJson(text));
}

function hookJson(hook: Hook): JsonRecord {
  return {
    name: hook.name,
    path: hook.path,
    source: hook.source,
    kind: hook.kind,
    events: hook.events,
    claims: hook.mentionedEvents,
    priority: hook.priority,
    fail_open: hook.failOpen,
    observe: hook.observe,
    timeout_ms: hook.timeoutMs,
    dialect: hook.dialect,
    dialects: hook.dialects,
    match: hook.match === null ? null : { ...hook.match },
    trust: hook.trust,
    sandbox: hook.sandbox === undefined ? null : sandboxText(hook.sandbox),
    shadows: hook.shadows,
    enabled: hook.disabledReason === null,
    disabled_reason: hook.disabledReason ?? undefined,
    narrowed: hook.isWeakenedBySettings,
  };
}
