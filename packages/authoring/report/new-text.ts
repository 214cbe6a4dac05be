import { printableJson } from "../../../src/protocol/json/write.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { quoteHookName, quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { column } from "../../../src/report/text-style.ts";
import { partsText } from "../../scripting/help/layout.ts";

/** The result of `new`. Paths are relative to the project. */
export interface NewReport {
  readonly project: string;
  /** True if the project is a folder above the working directory. */
  readonly isAbove: boolean;
  readonly name: string;
  readonly event: string;
  /** The hook and its test cases, with their text in the report. */
  readonly files: readonly { readonly path: string; readonly isCreated: boolean; readonly about: string }[];
  readonly approved: readonly string[];
  /** Why the new hook was not approved. */
  readonly unapproved: string | null;
  /** `path=value` with which the sample answers. */
  readonly trialField: string;
  /** True if an agent calls hookctl here. */
  readonly isConnected: boolean;
}

/** The new hook, its requirements, and how to try and change it. */
export function newText({
  project,
  isAbove,
  name,
  event,
  files,
  approved,
  unapproved,
  trialField,
  isConnected,
}: NewReport): string {
  const [hookFile] = files;
  const pathWidth = Math.max(33, [...(hookFile?.path ?? "")].length + 2);
  const eventWidth = Math.max(19, [...event].length + 2);
  const lines = [
    ...(isAbove
      ? [
          `• In ${truncateEscaped(project, 300)}, the nearest folder with a .kodelet. For hooks of this folder alone: mkdir .kodelet`,
        ]
      : []),
    ...files.map(({ path, isCreated, about }, index) => {
      if (!isCreated) return `• ${truncateEscaped(path, 300)} already exists, not changed`;
      const shown = column(path, pathWidth) + (index === 0 ? event : "");
      return `✔ ${column(shown, pathWidth + eventWidth)}${about}`;
    }),
    ...(unapproved === null ? [] : [`▲ Not approved yet: ${truncateEscaped(unapproved, 300)}`]),
    ...(unapproved !== null || approved.length === 0
      ? []
      : [`✔ Approved ${pluralize(approved.length, "hook")} you just created (hookctl trust --list)`]),
  ];
  const summary = lines.map((line) => `${line}\n`).join("");
  if (!files.some(({ isCreated }) => isCreated)) return summary;
  const word = quoteHookName(name);
  const steps = [
    [`hookctl try ${quoteHookNames([name, trialField])}`, "see its response"],
    [`hookctl test ${word}`, "check it, and run its test cases"],
    [`hookctl edit ${word}`, "write your rule and its cases, approve and test the change"],
    [`hookctl trust ${word}`, "approve what you changed in another editor"],
    ...(isConnected ? [] : [["hookctl init", "connect your agents"] as const]),
  ] as const;
  return `${summary}\n${partsText([{ heading: "Next", rows: steps }])}`;
}

/** The new files as JSON: `hookctl.new/1`. */
export function newJson({ project, files, approved, unapproved }: NewReport): string {
  const shown = files.map(({ path, isCreated }) => ({ path, created: isCreated }));
  const notApproved = unapproved ?? undefined;
  return printableJson({ schema: "hookctl.new/1", project, files: shown, approved, not_approved: notApproved });
}
