import { dirname, join } from "node:path";
import { disk } from "../fs/disk.ts";

/** The first argument with which the native executable starts as the program that renders templates. */
export const TEMPLATE_PROGRAM = "template-program";

interface Bun {
  readonly isStandaloneExecutable?: boolean;
  readonly unsafe: { readonly setJITPolicy: (scale: number) => void };
}

const { Bun: bun } = globalThis as { readonly Bun?: Bun };

/** True in the native executable, where files of the package are inside the program. */
export const isNative = (): boolean => bun?.isStandaloneExecutable === true;

/** For a process that stays: the native executable makes machine code late, because most calls end before it pays off. */
export const compileAsUsual = (): void => bun?.unsafe.setJITPolicy(1);

/** The files of the package inside a native executable. */
const INSIDE = "/$bunfs/root";
/** From the folder of a native executable to the npm package: next to it, around it, or the checkout that built it. */
const TO_PACKAGE = ["../../hookctl", "../../..", "../.."];

/** The folder of the npm package of the same version that lies beside this native executable; null if there is none. */
export function packageOfNative(): string | null {
  const version = versionIn(INSIDE, "hookctl");
  const folder = dirname(disk.realpathSync(process.execPath));
  return TO_PACKAGE.map((way) => join(folder, way)).find((one) => versionIn(one, "hookctl") === version) ?? null;
}

/** The version of a package, if it has this name. */
export function versionIn(folder: string, name: string): string | null {
  const file = join(folder, "package.json");
  if (!disk.existsSync(file)) return null;
  try {
    const read = JSON.parse(disk.readFileSync(file, "utf8")) as { readonly name?: unknown; readonly version?: unknown };
    return read.name === name && typeof read.version === "string" ? read.version : null;
  } catch {
    return null;
  }
}
