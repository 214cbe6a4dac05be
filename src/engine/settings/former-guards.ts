import type { CompiledFile, LoadedSettingsFiles } from "../../config/load-settings.ts";
import { readUsedSettings } from "../../trust/store/used-settings.ts";

/**
 * A project's file that held guards when `--trust` or `project_hooks` last used it, and is now empty or in the form of
 * another program, is one that cannot be read: nobody takes a guard away like this on purpose.
 */
export function withFormerGuards(
  plan: LoadedSettingsFiles,
  store: { readonly trustFile: string | null; readonly userId: number },
): LoadedSettingsFiles {
  const blank = plan.files.filter(({ isBlank }) => isBlank);
  const suspects = [...blank, ...plan.ignoredFiles].filter(({ scope }) => scope === "project");
  if (suspects.length === 0) return plan;
  const used = readUsedSettings(store);
  const lost = new Map(suspects.filter(({ file }) => used.has(file ?? "")).map((one) => [one, withFault(one)]));
  return {
    ...plan,
    files: [...plan.files.filter((one) => !lost.has(one)), ...lost.values()],
    ignoredFiles: plan.ignoredFiles.filter((one) => !lost.has(one)),
  };
}

const withFault = (one: CompiledFile): CompiledFile => ({
  ...one,
  problem: {
    code: "CONFIG_BAD_VALUE",
    file: one.file ?? "",
    entry: "hooks",
    detail: "it held a guard, and has no entry in hookctl's format now",
  },
});
