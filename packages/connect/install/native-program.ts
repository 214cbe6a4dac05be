import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Host } from "../../../src/engine/host.ts";
import { PACKAGE_ROOT } from "../../../src/fs/package-root.ts";
import { isNative, packageOfNative, versionIn } from "../../../src/process/own-program.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { runForHookctl } from "./run-for-hookctl.ts";

/** The native executable of this installation, or why there is none. */
export type NativeProgram = { readonly path: string } | { readonly absence: string };

const PACKAGE = fileURLToPath(PACKAGE_ROOT);

/** bin/hookctl.js of this installation; null in a native executable without a package. */
export function nodeScript(): string | null {
  const folder = isNative() ? packageOfNative() : PACKAGE;
  return folder === null ? null : join(folder, "bin", "hookctl.js");
}

/** The native executables that npm installed beside or inside this package; no other folder is searched, so that nobody else can provide it. */
export function nativeBeside({ platform }: Pick<Host, "platform">): readonly string[] {
  if (isNative()) return [process.execPath];
  const name = `${platform}-${process.arch}`;
  const version = versionIn(PACKAGE, "hookctl");
  const packages = [name, `${name}-musl`].map((one) => `@hookctl/${one}`);
  const folders = [dirname(PACKAGE), join(PACKAGE, "node_modules")];
  return folders.flatMap((folder) =>
    packages
      .filter((one) => version !== null && versionIn(join(folder, one), one) === version)
      .map((one) => join(folder, one, "hookctl"))
      .filter((file) => existsSync(file)),
  );
}

/** The native executable that starts on this machine. */
export async function findNative(host: Host): Promise<NativeProgram> {
  if (isNative()) return { path: process.execPath };
  const files = nativeBeside(host);
  for (const path of files) if (await isStarting(path, host)) return { path };
  const [file] = files;
  if (file !== undefined) return { absence: `${file} does not start on this machine` };
  return { absence: `@hookctl/${host.platform}-${process.arch} is not installed in this version` };
}

/** False, for example, for another C library or an older processor. */
async function isStarting(file: string, host: Host): Promise<boolean> {
  closeInheritedOnFirstStart();
  const env = { PATH: "/usr/bin:/bin" };
  const request = { file, args: ["--version"], cwd: "/", env, stdoutLimitBytes: 1024 };
  const { termination, stdout } = await runForHookctl(request, host);
  const isDone = termination.kind === "exited" && termination.exitCode === 0;
  return isDone && new TextDecoder().decode(stdout).trim() === versionIn(PACKAGE, "hookctl");
}
