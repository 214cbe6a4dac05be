import type { CheckedHook, MutatedCase } from "../../test-runner/test-report.ts";
import { pluralize } from "../text-style.ts";
import { coverageText, isCovered } from "./coverage-text.ts";
import { NOTE_TEXTS } from "./note-text.ts";
import { relativeTo, type TestResult } from "./test-results.ts";

/** What the cases of a hook do not show, or what it does not stop in other words. The hook passes all the same. */
export interface HookRemark extends Pick<TestResult, "rule" | "suite" | "path" | "line"> {
  readonly text: string;
  /** Tells apart the remarks of a hook that have one rule. */
  readonly subject: string;
}

export const remarksOn = (hook: CheckedHook, rootDir: string): readonly HookRemark[] => [
  ...hook.notes.map((note) => ({
    rule: note,
    suite: hook.name,
    path: relativeTo(rootDir, hook.path),
    line: null,
    text: NOTE_TEXTS[note],
    subject: "",
  })),
  ...coverageRemark(hook, rootDir),
  ...(hook.mutation?.cases ?? []).flatMap((one) => survivorRemark(one, hook.name, rootDir)),
];

function coverageRemark({ name, path, coverage }: CheckedHook, rootDir: string): readonly HookRemark[] {
  if (coverage === null || isCovered(coverage)) return [];
  const text = coverageText(coverage);
  return [{ rule: "not-covered", suite: name, path: relativeTo(rootDir, path), line: null, text, subject: "" }];
}

function survivorRemark(one: MutatedCase, suite: string, rootDir: string): readonly HookRemark[] {
  const { name, file, line, expects, respellings, survivors } = one;
  const shortest = [...survivors].sort((a, b) => a.command.length - b.command.length)[0];
  if (shortest === undefined) return [];
  const count = `${survivors.length} of ${pluralize(respellings, "respelling")}`;
  const text = `${name}: ${count} ${expects === "stop" ? "allowed" : "stopped"}, such as ${shortest.command}`;
  return [{ rule: "respelling-survives", suite, path: relativeTo(rootDir, file), line, text, subject: name }];
}
