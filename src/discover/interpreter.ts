import { accessSync, constants, existsSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { firstBytes } from "../fs/first-bytes.ts";

/** Why the interpreter of a script cannot be started, in words; null: it is there, or the file is no script that can be read. */
export function interpreterFault(path: string, searchPath: () => string): string | null {
  const line = /^#![ \t]*([^\r\n]*)/.exec(firstBytes(path, 256) ?? "")?.[1];
  if (line === undefined) return null;
  const [interpreter = "", ...words] = line.split(/[ \t]+/);
  if (!existsSync(interpreter)) return `its interpreter ${interpreter} does not exist`;
  const program = basename(interpreter) === "env" ? programOfEnv(words) : null;
  if (program === null || isOnPath(program, searchPath())) return null;
  return `its interpreter ${program} is not in PATH`;
}

/** `env -S NAME=value program`: what env starts; null where its own flags make that a guess. */
function programOfEnv(words: readonly string[]): string | null {
  const rest = words[0] === "-S" ? words.slice(1) : words;
  const program = rest.find((word) => !word.includes("="));
  return program === undefined || program.startsWith("-") ? null : program;
}

const isOnPath = (program: string, searchPath: string): boolean =>
  isAbsolute(program)
    ? isExecutable(program)
    : searchPath.split(":").some((folder) => isExecutable(join(folder, program)));

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
