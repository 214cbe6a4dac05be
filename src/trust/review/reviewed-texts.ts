import { dirname, resolve } from "node:path";
import { sha256Of } from "../../fs/hash.ts";
import type { FileReader } from "../../fs/read-file.ts";
import type { Approval, FileContent, ReviewedFile } from "../../protocol/approval.ts";
import { canonicalEntryLines } from "../../protocol/entry.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { ownValue } from "../../protocol/own-value.ts";
import type { TrustStatus } from "../decide/decide-trust.ts";
import { canonicalEntry } from "../evidence/canonical-entry.ts";
import { settingsForReview } from "../evidence/canonical-settings.ts";
import { approvalFolder } from "../evidence/evidence.ts";
import { isFileList, MISSING_FILE, namesInFileList } from "../hook-files/file-patterns.ts";
import { readSnapshot } from "../store/approved-snapshots.ts";
import type { HookSnapshot } from "./review.ts";

type Hashes = Readonly<Record<string, string>>;

/** The texts that an approval of this snapshot covers: the hook's own, and those of the files that it is bound to. */
export function reviewedTexts(
  status: TrustStatus,
  { candidate, evidence, read }: HookSnapshot,
  trustFile: string | null,
): { readonly main: ReviewedFile; readonly files: readonly ReviewedFile[] } {
  const { approval } = status;
  const helpers = { ...evidence?.helpers, ...goneHelpers(status) };
  // A helper that the hook no longer loads is not shown as a change.
  const before = approval === null ? null : helpersOf(approval, helpers);
  const beside = { of: helpers, approved: before, folder: dirname(candidate.path) };
  const named = { of: evidence?.files ?? {}, approved: approval?.files ?? null, folder: approvalFolder(candidate) };
  return {
    main: mainText(candidate, approval, { read, trustFile }),
    files: [beside, named].flatMap((files) => filesIn(files, { read, trustFile })),
  };
}

interface TextContext {
  readonly read: FileReader;
  /** The trust store; copies of approved files are in the same folder. Null if there is none. */
  readonly trustFile: string | null;
}

/** Helpers that the hook still names and that do not exist: evidence for an approval cannot hold them. */
const goneHelpers = ({ changedTo }: TrustStatus): Hashes =>
  Object.fromEntries(Object.entries(changedTo?.helpers ?? {}).filter(([, hash]) => hash === ""));

function mainText(candidate: Candidate, approval: Approval | null, context: TextContext): ReviewedFile {
  const { entry, settings } = candidate;
  if (settings !== undefined) return ownText(candidate, approval, { form: settings, shown: settingsForReview });
  if (entry !== null) return ownText(candidate, approval, { form: canonicalEntry(entry), shown: canonicalEntryLines });
  return fileText(candidate, approval, context);
}

const helpersOf = ({ helpers }: Approval, now: Hashes): Hashes =>
  Object.fromEntries(Object.entries(helpers).filter(([name]) => Object.hasOwn(now, name)));

function fileText({ name, path, realPath }: Candidate, approval: Approval | null, context: TextContext): ReviewedFile {
  const approvedHash = approval === null ? null : (approval.sha256 ?? "");
  // The file that was hashed: a link could lead elsewhere by now.
  return { ...reviewedFile({ name, path: realPath, approvedHash }, context), path };
}

/** What an approval is bound to, and how it is shown to a person. */
interface Form {
  readonly form: string;
  readonly shown: (form: string) => string;
}

/** Settings and declared hooks are approved by their canonical text, which the approval itself holds. */
function ownText({ name, path }: Candidate, approval: Approval | null, { form, shown }: Form): ReviewedFile {
  const linesOf = (one: string): string => (one === "" ? "" : `${shown(one)}\n`);
  const text = linesOf(form);
  const before = approval?.sha256 ?? null;
  const state = before === null ? "new" : before === form ? "same" : "changed";
  const approved = before === null || before === form ? null : asText(linesOf(before));
  return { name, path, state, bytes: Buffer.byteLength(text), now: asText(text), approved };
}

interface BoundFiles {
  /** Name -> SHA-256, as the files are now. */
  readonly of: Hashes;
  /** The same as they were approved; null: the hook was not approved. */
  readonly approved: Hashes | null;
  readonly folder: string;
}

function filesIn({ of, approved, folder }: BoundFiles, context: TextContext): readonly ReviewedFile[] {
  // A file that still exists and is no longer used by the hook is not shown as a change.
  const gone = Object.keys(approved ?? {}).filter(
    (name) => !Object.hasOwn(of, name) && isAbsent(context.read(resolve(folder, name))),
  );
  return [...Object.keys(of), ...gone].flatMap((name) => {
    const [now, before] = [ownValue(of, name) ?? "", ownValue(approved ?? {}, name) ?? MISSING_FILE];
    if (now === MISSING_FILE && before === MISSING_FILE) return [];
    const at = { name, path: resolve(folder, name) };
    if (isFileList(now)) return [listedText(at, now, before)];
    return [reviewedFile({ ...at, approvedHash: before === MISSING_FILE ? null : before }, context)];
  });
}

/** The files that match a pattern, one a line. */
function listedText(at: Pick<Bound, "name" | "path">, now: string, before: string): ReviewedFile {
  const text = namesInFileList(now);
  const state = before === MISSING_FILE ? "new" : before === now ? "same" : "changed";
  const approved = state === "changed" && isFileList(before) ? asText(namesInFileList(before)) : null;
  return { ...at, state, bytes: Buffer.byteLength(text), now: asText(text), approved };
}

interface Bound {
  readonly name: string;
  readonly path: string;
  /** Null if the file was not part of the approval. */
  readonly approvedHash: string | null;
}

function reviewedFile({ name, path, approvedHash }: Bound, { read, trustFile }: TextContext): ReviewedFile {
  const found = read(path);
  const bytes = found.ok ? found.value : null;
  const now: FileContent = bytes === null ? { kind: "unreadable" } : contentOf(bytes);
  const isSame = bytes !== null && approvedHash === sha256Of(bytes);
  const state = approvedHash === null ? "new" : isSame ? "same" : isAbsent(found) ? "gone" : "changed";
  const kept = state !== "changed" || trustFile === null ? null : readSnapshot(trustFile, approvedHash);
  const approved = kept === null ? null : contentOf(kept);
  return { name, path, state, bytes: bytes?.length ?? 0, now, approved };
}

const isAbsent = (found: ReturnType<FileReader>): boolean => found.ok && found.value === null;

const asText = (text: string): FileContent => ({ kind: "text", text });

/** A script that contains a NUL can still run, so its text is shown too. */
export function contentOf(bytes: Buffer): FileContent {
  const text = bytes.toString("utf8");
  if (!bytes.includes(0)) return { kind: "text", text };
  return { kind: "binary", bytes: bytes.length, sha256: sha256Of(bytes), script: text.startsWith("#!") ? text : null };
}
