import * as z from "zod";
import { issueText } from "../../src/config/schema/config-schema.ts";
import { faultText, readJson } from "../../src/protocol/json/read.ts";
import { fail, ok, type Result } from "../../src/protocol/result.ts";

const DEPTH = 16;

const lockedFile = z.strictObject({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe("SHA-256 of its content in hex."),
  executable: z.literal(true).optional().describe("A file in `hooks/` is a hook if it is executable."),
});

const lockedPack = z.strictObject({
  source: z.string().min(1).describe("A git URL (with `#FOLDER`), `npm:NAME`, or a folder."),
  revision: z
    .string()
    .optional()
    .describe("The tag, branch, commit or version that was requested; absent: the newest."),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .optional()
    .describe("The git commit to which the revision pointed."),
  version: z.string().optional().describe("The version of an npm package."),
  integrity: z
    .string()
    .regex(/^sha512-[A-Za-z0-9+/]{86}==$/)
    .optional()
    .describe("SHA-512 of the npm package, as npm writes it."),
  files: z.record(z.string(), lockedFile).describe("Every file of the pack, by its path in the pack."),
});

const lockFile = z
  .strictObject({
    version: z.literal(1),
    packs: z
      .record(z.string(), lockedPack)
      .describe("By name: `repo` or `org@repo`, the folder in `.kodelet/plugins`."),
  })
  .meta({ title: "Packs of hooks, pinned: .kodelet/hooks.lock" });

export type LockData = z.infer<typeof lockFile>;
export type LockedPackData = z.infer<typeof lockedPack>;

export const lockSchema = (): typeof lockFile => lockFile;

/** Parses the text of a lock file. The error names the fault and its position. */
export function checkLock(text: string): Result<LockData, string> {
  // First, because JSON.parse would let the last of two keys win.
  const read = readJson(text.replace(/^\ufeff/, ""), DEPTH);
  if (!read.ok) return fail(`line ${read.error.line}: ${faultText(read.error)}`);
  const checked = lockFile.safeParse(JSON.parse(read.value.raw));
  if (checked.success) return ok(checked.data);
  const [issue] = checked.error.issues;
  return fail(`${issue?.path.map(String).join(".") || "the file"}: ${issueText(issue)}`);
}
