import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readFileBytes } from "../fs/read-file.ts";
import type { PackProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type Pack, type PackSource, type Pin, sourceText, type WantedPack } from "./pack.ts";
import { selectPackFiles } from "./pack-files.ts";
import { type FetchContext, runProgram, withScratchFolder } from "./run-program.ts";
import { isRevision } from "./source.ts";
import { readTar, type TarFile } from "./tar.ts";

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

/** Fetches a pack from an npm package: of `revision`, or of the locked version. npm compares the registry's integrity. */
export function fetchNpmPack(
  wanted: WantedPack & { readonly source: NpmSource },
  locked: Pin | null,
  context: FetchContext,
): Promise<Result<Pack, PackProblem>> {
  const source = sourceText(wanted.source);
  const revision = locked?.version ?? wanted.revision ?? "latest";
  return withScratchFolder(source, async (folder): Promise<Result<Pack, PackProblem>> => {
    const args = ["pack", "--json", `--pack-destination=${folder}`, "--", `${wanted.source.name}@${revision}`];
    const packed = await runProgram("npm", { args, cwd: folder, variables: VARIABLES }, context);
    if (!packed.ok) return fail(npmProblem(packed.error, source, revision));
    const tarball = tarballIn(folder);
    const version = versionIn(packed.value);
    if (tarball === null || version === null)
      return fail({ code: "PACK_NOT_FETCHED", source, cause: "npm printed no version" });
    const integrity = integrityOf(tarball);
    if (locked !== null && locked.integrity !== integrity)
      return fail({ code: "PACK_DIFFERS", source, path: `the package ${version}` });
    const files = filesInTarball(tarball, source);
    return files.ok ? ok({ ...wanted, pin: { version, integrity }, ...files.value }) : files;
  });
}

function npmProblem(cause: string, source: string, revision: string): PackProblem {
  const isUnknown = /No matching version|notarget/i.test(cause);
  return isUnknown ? { code: "PACK_UNKNOWN_REVISION", source, revision } : { code: "PACK_NOT_FETCHED", source, cause };
}

function tarballIn(folder: string): Buffer | null {
  const name = readdirSync(folder).find((one) => one.endsWith(".tgz"));
  return name === undefined ? null : readFileBytes(join(folder, name));
}

function versionIn(output: Buffer): string | null {
  const version = /"version":\s*"([^"\\]+)"/.exec(output.toString("utf8"))?.[1];
  return version !== undefined && isRevision(version) ? version : null;
}

function integrityOf(tarball: Buffer): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
}

/** Reads the files of a pack in the archive of an npm package. */
export function filesInTarball(tarball: Buffer, source: string): Result<Pick<Pack, "files">, PackProblem> {
  const archive = unpacked(tarball);
  const listed = archive === null ? fail("it is not a gzip file, or too large") : readTar(archive);
  if (!listed.ok) return fail({ code: "PACK_UNSAFE", source, path: "the archive", cause: listed.error });
  const selection = selectPackFiles<TarFile>(listed.value, source);
  if (!selection.ok) return selection;
  const files = selection.value.map(({ file: { bytes, isExecutable }, path }) => ({ path, bytes, isExecutable }));
  return ok({ files });
}

function unpacked(tarball: Buffer): Buffer | null {
  const { gunzipSync } = process.getBuiltinModule("node:zlib");
  try {
    return gunzipSync(tarball, { maxOutputLength: MOST_UNPACKED_BYTES });
  } catch {
    return null;
  }
}
