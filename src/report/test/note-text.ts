import type { HookNote } from "../../test-runner/test-report.ts";

/** What a note on a hook means. */
export const NOTE_TEXTS: Readonly<Record<HookNote, string>> = {
  "never-blocks": "no case makes it block",
  "passes-without-it": "its cases pass without it",
};
