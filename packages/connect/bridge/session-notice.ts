import { join } from "node:path";
import type { HookSet } from "../../../src/engine/hooks/resolve-hooks.ts";
import { pausedWarnings } from "../../../src/engine/hooks/select-hooks.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { readTextFile } from "../../../src/fs/read-file.ts";
import { writeFileAtomic } from "../../../src/fs/write-file.ts";
import { type Hook, isFromProject } from "../../../src/protocol/hook.ts";
import type { RunRecord } from "../../../src/protocol/run-record.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { warningText } from "../../../src/protocol/warning.ts";
import { sessionById } from "../../../src/session/session-folder.ts";

/** What the agent can show at this event. */
interface NoticeOptions {
  readonly isStart: boolean;
  /** False: the agent shows nothing, so no message counts as shown. */
  readonly canShow: boolean;
}

/** The message that the user sees once per session: which hooks are active, which are not, and why. */
export function sessionNotice(
  records: readonly RunRecord[],
  { hooks, paused }: HookSet,
  context: RunContext,
  { isStart, canShow }: NoticeOptions,
): string | null {
  const on = hooks.filter(({ state }) => state !== "disabled");
  const trouble = troubleIn(records, on);
  // The start of a session tells of every paused hook, also of other events.
  const told = [
    ...(isStart ? pausedWarnings(paused, null).map(warningText) : []),
    ...records.flatMap(({ verdict }) => verdict.guardWarnings.map(({ message }) => message)),
  ];
  const warnings = told.map((message) => `hookctl: ${escapeControls(message)}`);
  const isAllWell = trouble.length + warnings.length === 0;
  const isStatusShown = on.length > 0 && (isStart || trouble.length > 0);
  const messages = [...(isStatusShown ? [statusText(on, trouble)] : []), ...new Set(warnings)];
  if (!canShow || messages.length === 0) return null;
  if (isStart && isAllWell) return messages.join("\n");
  const { folder } = sessionById(records[0]?.verdict.payload.session ?? "", context);
  const fresh = folder === null ? messages : takeNewMessages(folder, messages);
  return (isStart ? messages : fresh).join("\n") || null;
}

function statusText(on: readonly Hook[], trouble: readonly string[]): string {
  const active = on.filter(({ state }) => state === "ready").length;
  return `hookctl: ${[`${pluralize(active, "hook")} active`, ...trouble].join(", ")}`;
}

function troubleIn(records: readonly RunRecord[], on: readonly Hook[]): readonly string[] {
  const pending = on.filter(({ state, trust }) => state === "refused" && trust === "untrusted");
  const refused = on.filter(({ state, trust }) => state === "refused" && trust !== "untrusted");
  const own = refused.filter((hook) => !isFromProject(hook));
  const broken = on.filter(({ state }) => state === "unidentified");
  const failed = records.flatMap((record) => record.hooks).filter(({ outcome }) => outcome === "failed");
  return [
    ...counted(pending, "not approved: hookctl trust", words(pending)),
    ...counted(refused.filter(isFromProject), "refused: hookctl trust --show", words(refused.filter(isFromProject))),
    ...counted(own, "refused: hookctl doctor", ""),
    ...counted(broken, "not understood: hookctl test", words(broken)),
    ...counted(failed, "failed:", words(failed)),
  ];
}

const counted = (some: readonly unknown[], what: string, which: string): readonly string[] =>
  some.length === 0 ? [] : [`${some.length} ${what} ${which}`.trimEnd()];

/** Too many names are left out: the command without a name is about all of them. */
const words = (hooks: readonly Pick<Hook, "name">[]): string =>
  hooks.length > 5 ? "" : quoteHookNames(hooks.map(({ name }) => name));

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
