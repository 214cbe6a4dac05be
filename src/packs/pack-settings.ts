import { checkPackSettings } from "../config/compile-entries.ts";
import { parseText } from "../config/parse-file.ts";
import type { ConfigProblem, PackProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { decodeUtf8 } from "../protocol/text/text.ts";
import { type Pack, type PackFile, sourceText } from "./pack.ts";
import { isPackHook, isPackSettings } from "./pack-files.ts";

/** The settings file of a pack; null: it has none. */
export const settingsFileOf = ({ files }: Pick<Pack, "files">): PackFile | null => files.find(isPackSettings) ?? null;

/** Parses a pack's settings file, which is not checked yet. */
export function parseSettingsFile({ path, bytes }: PackFile): Result<unknown, ConfigProblem> {
  const text = decodeUtf8(bytes);
  return text === null ? fail({ code: "CONFIG_NOT_PARSED", file: path, cause: "not UTF-8" }) : parseText(text, path);
}

/** Refuses a pack whose settings say more than a pack may, or that has no hook at all. */
export function checkedPack(pack: Pack): Result<Pack, PackProblem> {
  const source = sourceText(pack.source);
  const settings = settingsFileOf(pack);
  const parsed = settings === null ? null : parseSettingsFile(settings);
  const checked = parsed?.ok ? checkPackSettings(parsed.value, settings?.path ?? "") : parsed;
  if (checked?.ok === false) return fail({ code: "PACK_BAD_SETTINGS", source, problem: checked.error });
  const declared = checked?.ok ? checked.value.entries.length : 0;
  return declared > 0 || pack.files.some(isPackHook) ? ok(pack) : fail({ code: "PACK_WITHOUT_HOOKS", source });
}
