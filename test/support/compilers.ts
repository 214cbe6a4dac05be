import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

/** Where programs of the system and of this Node are. */
export const SYSTEM_PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
const works = (...[file, ...args]: readonly [string, ...string[]]): boolean =>
  spawnSync(file, args, { env: { PATH: SYSTEM_PATH, HOME: "/nowhere" } }).status === 0;

export const hasGo = works("go", "version");
/** The C compiler of this machine; null: it has none. */
export const cCompiler = ["cc", "gcc"].find((name) => works(name, "--version")) ?? null;

const notifier = fileURLToPath(new URL("../fixtures/notifier/notifier.c", import.meta.url));

/** Builds the notifier in C; each definition is a macro of its text, as in `WEBHOOK="NAME"`. */
export async function buildNotifier(file: string, definitions: readonly string[]): Promise<void> {
  if (cCompiler === null) throw new Error("there is no C compiler");
  const options = ["-Wall", "-Wextra", "-Werror", ...definitions.map((one) => `-D${one}`)];
  await execa(cCompiler, [...options, "-o", file, notifier], { env: { PATH: SYSTEM_PATH }, extendEnv: false });
}
