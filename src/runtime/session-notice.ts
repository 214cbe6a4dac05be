import { type Hook, isRefused } from "../contract/hook.ts";
import type { RunRecord } from "../contract/run-record.ts";
import { hookWords } from "../contract/shell-word.ts";
import { isNews } from "../session/told.ts";
import type { Ground } from "./ground.ts";
import type { Roster } from "./roster.ts";
import { sessionNamed } from "./session.ts";

/** What the person is told once a session, where they see it: which hooks guard it, and which do not (SPEC 13). */
export function sessionNotice(
  records: readonly RunRecord[],
  { hooks }: Roster,
  ground: Ground,
  isStart: boolean,
): string | null {
  const on = hooks.filter(({ off }) => off === null);
  const active = on.filter(({ hindrance }) => hindrance === null);
  const pending = on.filter((hook) => isRefused(hook) && hook.trust === "untrusted");
  const refused = on.filter((hook) => isRefused(hook) && hook.trust !== "untrusted");
  const broken = on.filter((hook) => hook.hindrance !== null && !isRefused(hook));
  const failed = records.flatMap((record) => record.hooks).filter(({ outcome }) => outcome === "failed");
  const trouble = [
    ...counted(pending, "not approved: hookctl trust", words(pending)),
    ...counted(refused, "refused: hookctl trust --show", words(refused)),
    ...counted(broken, "not understood: hookctl test", words(broken)),
    ...counted(failed, "failed:", words(failed)),
  ];
  if (on.length === 0 || (!isStart && trouble.length === 0)) return null;
  const text = `hookctl: ${[`${active.length} ${active.length === 1 ? "hook" : "hooks"} active`, ...trouble].join(", ")}`;
  if (isStart && trouble.length === 0) return text;
  const { folder } = sessionNamed(records[0]?.session ?? "", ground);
  return folder === null || isNews(folder, text) || isStart ? text : null;
}

const counted = (some: readonly unknown[], what: string, which: string): readonly string[] =>
  some.length === 0 ? [] : [`${some.length} ${what} ${which}`.trimEnd()];

/** Too many to name: the commands without a name are about all. */
const words = (hooks: readonly Pick<Hook, "name">[]): string =>
  hooks.length > 5 ? "" : hookWords(hooks.map(({ name }) => name));
