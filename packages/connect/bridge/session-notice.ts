import { join } from "node:path";
import type { HookSet } from "../../../src/engine/hooks/resolve-hooks.ts";
import { pausedWarnings } from "../../../src/engine/hooks/select-hooks.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { readTextFile } from "../../../src/fs/read-file.ts";
import { writeFileAtomic } from "../../../src/fs/write-file.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { canBeApproved } from "../../../src/protocol/problem.ts";
import type { RunRecord } from "../../../src/protocol/run-record.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { sessionById } from "../../../src/session/session-folder.ts";

/**
 * The message that the user sees once per session: which hooks are active, which are not, and why. Null if there is none, or
 * if the agent can show nothing at this event, so that no message is marked as shown.
 */
export function sessionNotice(
  records: readonly RunRecord[],
  { hooks, paused }: HookSet,
  context: RunContext,
  { isStart, canShow }: { readonly isStart: boolean; readonly canShow: boolean },
): string | null {
  const enabled = hooks.filter(({ state }) => state !== "disabled");
  const trouble = troubleIn(records, enabled);
  // The start of a session names every paused hook, also of other events.
  const reported = [
    ...(isStart ? pausedWarnings(paused, null).map(warningText) : []),
    ...records.flatMap(({ verdict }) => verdict.guardWarnings.map(({ message }) => message)),
  ];
  const warnings = reported.map((message) => `hookctl: ${escapeControls(message)}`);
  const isStatusShown = enabled.length > 0 && (isStart || trouble.length > 0);
  const messages = [...(isStatusShown ? [statusText(enabled, trouble)] : []), ...new Set(warnings)];
  if (!canShow || messages.length === 0) return null;
  if (isStart && trouble.length + warnings.length === 0) return messages.join("\n");
  const { folder } = sessionById(records[0]?.verdict.payload.session ?? "", context);
  const fresh = folder === null ? messages : takeNewMessages(folder, messages);
  return (isStart ? messages : fresh).join("\n") || null;
}

function statusText(enabled: readonly Hook[], trouble: readonly string[]): string {
  const active = enabled.filter(({ state }) => state === "ready");
  const guards = active.filter(({ kind }) => kind === "guard").length;
  const hooks = active.length - guards;
  const counts = [
    ...(guards === 0 ? [] : [pluralize(guards, "guard")]),
    ...(hooks === 0 && guards > 0 ? [] : [pluralize(hooks, "hook")]),
  ];
  return `hookctl: ${[`${counts.join(" and ")} active`, ...trouble].join(", ")}`;
}

function troubleIn(records: readonly RunRecord[], enabled: readonly Hook[]): readonly string[] {
  const refused = enabled.filter(({ state }) => state === "refused");
  const pending = refused.filter(({ trust }) => trust === "untrusted");
  const changed = refused.filter(({ trust, refusal }) => trust !== "untrusted" && canBeApproved(refusal));
  const others = refused.filter((hook) => !pending.includes(hook) && !changed.includes(hook));
  const failed = records.flatMap((record) => record.hooks).filter(({ outcome }) => outcome === "failed");
  const unidentified = enabled.filter(({ state }) => state === "unidentified");
  return [
    ...counted(pending, "not approved: hookctl trust"),
    ...counted(changed, "refused: hookctl trust"),
    ...counted(others, "refused: hookctl doctor", false),
    ...counted(unidentified, "not understood: hookctl test"),
    ...counted(failed, "failed:"),
  ];
}

/** Too many names are left out: the command without a name is about all of them. */
function counted(hooks: readonly Pick<Hook, "name">[], what: string, isNamed = true): readonly string[] {
  const names = isNamed && hooks.length <= 5 ? quoteHookNames(hooks.map(({ name }) => name)) : "";
  return hooks.length === 0 ? [] : [`${pluralize(hooks.length, "hook")} ${what} ${names}`.trimEnd()];
}

const FILE = "told";
/** Older messages are forgotten and may be shown again. */
const MAX_LINES = 200;

/**
 * Returns the messages that this session has not shown yet and marks them as shown. If they cannot be stored, they are
 * shown again: too often is better than never.
 */
function takeNewMessages(folder: string, messages: readonly string[]): readonly string[] {
  const file = join(folder, FILE);
  const seen = linesOf(file);
  const fresh = messages.filter((message) => !seen.includes(JSON.stringify(message)));
  if (fresh.length === 0) return [];
  const lines = [...seen, ...fresh.map((message) => JSON.stringify(message))].slice(-MAX_LINES);
  try {
    writeFileAtomic(file, `${lines.join("\n")}\n`);
  } catch {
    // On a read-only or full disk the messages are shown at each event.
  }
  return fresh;
}

function linesOf(file: string): readonly string[] {
  try {
    return readTextFile(file).split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
