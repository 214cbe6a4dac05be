import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readFileBytes } from "../../src/fs/read-file.ts";
import type { PackProblem } from "../../src/protocol/problem.ts";
import { fail, ok, ProblemError, type Result, unwrap } from "../../src/protocol/result.ts";
import { decodeUtf8 } from "../../src/protocol/text/text.ts";
import { isRevision, type Pack, type PackSource, type Pin, sourceText, type WantedPack } from "./pack.ts";
import { type ListedFile, selectPackFiles } from "./pack-files.ts";
import { type FetchContext, runProgram, withScratchFolder } from "./run-program.ts";

type NpmSource = Extract<PackSource, { readonly kind: "npm" }>;

const MOST_UNPACKED_BYTES = 128 * 1024 * 1024;

/** npm finds the package with the user's registry and passwords; its settings and scripts are not used. */
const VARIABLES = {
  npm_config_ignore_scripts: "true",
  npm_config_update_notifier: "false",
  npm_config_fund: "false",
  npm_config_audit: "false",
  npm_config_loglevel: "error",
  npm_config_dry_run: "false",
  // By default npm tries for over a minute where there is no network.
  npm_config_fetch_retries: "1",
  npm_config_fetch_retry_mintimeout: "1000",
};

/**
 * Fetches a pack from an npm package at `revision`, or at the locked version. npm verifies the registry's integrity
 * hash. Throws a `PackProblem`.
 */
export function fetchNpmPack(
  wanted: WantedPack & { readonly source: NpmSource },
  locked: Pin | null,
  context: FetchContext,
): Promise<Pack> {
  const source = sourceText(wanted.source);
  const revision = locked?.version ?? wanted.revision ?? "latest";
  return withScratchFolder(source, async (folder) => {
    const args = ["pack", "--json", `--pack-destination=${folder}`, "--", `${wanted.source.name}@${revision}`];
    const packed = await runProgram("npm", { args, cwd: folder, variables: VARIABLES }, context);
    if (!packed.ok) throw npmProblem(packed.error, source, revision);
    const name = readdirSync(folder).find((entry) => entry.endsWith(".tgz"));
    const version = /"version":\s*"([^"\\]+)"/.exec(packed.value.toString("utf8"))?.[1] ?? "";
    if (name === undefined || !isRevision(version))
      throw new ProblemError({ code: "PACK_NOT_FETCHED", source, cause: "npm printed no version" });
    const tarball = readFileBytes(join(folder, name));
    const { createHash } = process.getBuiltinModule("node:crypto");
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    if (locked !== null && locked.integrity !== integrity)
      throw new ProblemError({ code: "PACK_DIFFERS", source, path: `the package ${version}` });
    return { ...wanted, pin: { version, integrity }, ...unwrap(filesInTarball(tarball, source)) };
  });
}

/** The published versions of a package. */
export function fetchNpmVersions(source: NpmSource, context: FetchContext): Promise<readonly string[]> {
  return withScratchFolder(source.name, async (cwd) => {
    const args = ["view", "--json", "--", source.name, "versions"];
    const listed = await runProgram("npm", { args, cwd, variables: VARIABLES }, context);
    if (!listed.ok) throw npmProblem(listed.error, sourceText(source), "versions");
    return [...listed.value.toString("utf8").matchAll(/"([^"\\]+)"/g)].map(([, version = ""]) => version);
  });
}

function npmProblem(cause: string, source: string, revision: string): ProblemError {
  const isUnknown = /No matching version|notarget/i.test(cause);
  return new ProblemError(
    isUnknown ? { code: "PACK_UNKNOWN_REVISION", source, revision } : { code: "PACK_NOT_FETCHED", source, cause },
  );
}

/** Reads the files of a pack in the archive of an npm package. */
export function filesInTarball(tarball: Buffer, source: string): Result<Pick<Pack, "files" | "leftOut">, PackProblem> {
  const archive = unpacked(tarball);
  const listed = archive === null ? fail("it is not a gzip file, or too large") : readTar(archive);
  if (!listed.ok) return fail({ code: "PACK_UNSAFE", source, path: "the archive", cause: listed.error });
  const selection = selectPackFiles<TarFile>(listed.value, source);
  if (!selection.ok) return selection;
  const { selected, leftOut } = selection.value;
  const files = selected.map(({ file: { bytes, isExecutable }, path }) => ({ path, bytes, isExecutable }));
  return ok({ files, leftOut });
}

function unpacked(tarball: Buffer): Buffer | null {
  const { gunzipSync } = process.getBuiltinModule("node:zlib");
  try {
    return gunzipSync(tarball, { maxOutputLength: MOST_UNPACKED_BYTES });
  } catch {
    return null;
  }
}

interface TarFile extends ListedFile {
  readonly bytes: Buffer;
}

const BLOCK = 512;
const MOST_ENTRIES = 20_000;

/** Lists the files of an uncompressed tar archive, without its first folder (`package/`). Nothing is written. */
export function readTar(archive: Buffer): Result<readonly TarFile[], string> {
  const files: TarFile[] = [];
  let longPath: string | null = null;
  let at = 0;
  for (let entries = 0; at + BLOCK <= archive.length; entries++) {
    if (entries > MOST_ENTRIES) return fail("it has too many entries");
    const header = readHeader(archive.subarray(at, at + BLOCK));
    if (header === null) return ok(files);
    if (typeof header === "string") return fail(header);
    const bytes = archive.subarray(at + BLOCK, at + BLOCK + header.size);
    if (bytes.length < header.size) return fail("it ends in the middle of a file");
    at += BLOCK + Math.ceil(header.size / BLOCK) * BLOCK;
    if (header.type === "x" || header.type === "L") {
      const named = header.type === "x" ? paxPath(bytes) : decodeUtf8(bytes)?.replace(/\0.*$/s, "");
      if (named === undefined) return fail("it has a header that cannot be read");
      longPath = named ?? longPath;
      continue;
    }
    // Comments on the whole archive.
    if (header.type === "g") continue;
    const path = longPath ?? header.path;
    longPath = null;
    if (header.type !== "5") files.push(fileOf(path, header, bytes));
  }
  return ok(files);
}

function fileOf(whole: string, { type, mode, size }: Header, bytes: Buffer): TarFile {
  const kind = ["0", "\0", ""].includes(type) ? "file" : type === "1" || type === "2" ? "link" : "device";
  // Only a plain first folder is dropped: a folder that leads elsewhere must be reported.
  const path = whole.replace(/^(?!\.{1,2}\/)[^/]+\//, "");
  return { path, kind, size, isExecutable: (mode & 0o111) !== 0, bytes };
}

interface Header {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
}

/** Null at the end of the archive; a text is the reason why the header cannot be read. */
function readHeader(block: Buffer): Header | string | null {
  if (block.every((byte) => byte === 0)) return null;
  const [mode, size, sum] = [octal(block, 100, 8), octal(block, 124, 12), octal(block, 148, 8)];
  const actual = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (sum !== actual || size === null || mode === null) return "it has a header that cannot be read";
  const name = field(block, 0, 100);
  const prefix = block.toString("latin1", 257, 262) === "ustar" ? field(block, 345, 155) : "";
  if (name === null || prefix === null) return "it has a name that is not UTF-8";
  const type = String.fromCharCode(block[156] ?? 0);
  return { path: prefix === "" ? name : `${prefix}/${name}`, type, mode, size };
}

/** The text in a field of a header, up to the first NUL. */
function field(block: Buffer, from: number, length: number): string | null {
  const bytes = block.subarray(from, from + length);
  const end = bytes.indexOf(0);
  return decodeUtf8(end === -1 ? bytes : bytes.subarray(0, end));
}

function octal(block: Buffer, from: number, length: number): number | null {
  const [, digits] = /^\s*([0-7]*)[\0 ]*$/.exec(block.toString("latin1", from, from + length)) ?? [];
  return digits === undefined ? null : Number.parseInt(digits || "0", 8);
}

/** The path in a pax header (`27 path=…\n`); null if it has none, undefined if it cannot be read. */
function paxPath(bytes: Buffer): string | null | undefined {
  let path: string | null = null;
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString("latin1", at, Math.max(at, space)));
    if (space === -1 || !Number.isInteger(length) || length < 5 || at + length > bytes.length) return undefined;
    const record = decodeUtf8(bytes.subarray(space + 1, at + length - 1));
    if (record === null) return undefined;
    // A size here would contradict the one in the header.
    if (record.startsWith("size=")) return undefined;
    if (record.startsWith("path=")) path = record.slice("path=".length);
    at += length;
  }
  return path;
}
