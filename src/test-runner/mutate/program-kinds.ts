import { posix } from "node:path";
import { devious, forOnly, forPlainWords, harmless, type RespellingKind } from "./kind.ts";
import { edited, type OnlyProgram } from "./parse-command.ts";
import { singleQuoted } from "./quote.ts";
import type { Random } from "./random.ts";

type Choices = readonly [string, ...string[]];

/** Other ways to start the same program: by its path, or through a program that starts others. */
export const PROGRAM_KINDS: readonly RespellingKind[] = [
  harmless(
    "absolute path",
    inPath(({ folder, name }) => `${folder}/${name}`),
  ),
  devious(
    "path with dots or double slashes",
    inPath(({ folder, name }, random) =>
      random.pick([`/${folder}/${name}`, `${folder}/./${name}`, `${folder}/../bin/${name}`, `${folder}//${name}`]),
    ),
  ),
  devious(
    "pattern as a path",
    inPath(({ folder, name }) => `${folder}/${name.slice(0, -1)}[${name.slice(-1)}]`),
  ),
  harmless("variable before the command", behind("LC_ALL=C", "FOO=bar", "A=1 B=2")),
  devious("sudo", behind("sudo", "sudo -n", "sudo -E", "sudo -u root", "sudo --user=root --", "sudo -H -n")),
  devious("env", behind("env", "/usr/bin/env", "env A=1", "env -u FOO", "env --")),
  devious("command", behind("command", "command --", "builtin command")),
  devious("timeout", behind("timeout 60", "timeout -s KILL 60", "timeout -k 1 1m", "timeout --preserve-status 60")),
  devious("nohup", behind("nohup")),
  devious("nice", behind("nice", "nice -n 5", "nice -5")),
  devious("setsid", behind("setsid -w", "setsid --wait")),
  devious("stdbuf", behind("stdbuf -oL", "stdbuf -o0 -e0")),
  devious(
    "time",
    forOnly((line) => `time ${line}`),
  ),
  devious(
    "exec",
    forOnly((line) => `exec ${line}`),
  ),
  devious("find -exec", forOnly(findExec)),
  devious("xargs", forPlainWords(2, xargs)),
  devious(
    "env -S",
    forPlainWords(1, (values) => `env -S ${singleQuoted(values.join(" "))}`),
  ),
];

interface ProgramPath {
  readonly folder: string;
  readonly name: string;
}

/** Programs that every system has, in the folder where both Linux and macOS have them. */
const FOLDERS: Readonly<Record<string, string>> = {
  "/bin": "bash cat chmod cp date dd df ls ln mkdir mv ps rm rmdir sh sleep",
  "/usr/bin":
    "awk base64 basename curl cut diff dirname du env find git grep head id less make nohup od openssl perl printenv python3 rsync scp sed shred sort ssh stat sudo tail tar tee touch tr truncate uname uniq wc wget which who xargs xxd",
};
const FOLDER_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(FOLDERS).flatMap(([folder, names]) => names.split(" ").map((name) => [name, folder] as const)),
);

function inPath(spelling: (path: ProgramPath, random: Random) => string): RespellingKind["respell"] {
  return ({ text, commands }, random) => {
    const edits = commands.flatMap(({ program: { pos, end, value }, startsProgram }) => {
      const folder = startsProgram ? folderOf(value ?? "") : undefined;
      return folder === undefined
        ? []
        : [{ pos, end, text: spelling({ folder, name: posix.basename(value ?? "") }, random) }];
    });
    return edits.length === 0 ? null : edited(text, edits);
  };
}

const folderOf = (value: string): string | undefined =>
  FOLDER_OF.get(value) ??
  (FOLDER_OF.get(posix.basename(value)) === posix.dirname(value) ? posix.dirname(value) : undefined);

/** Starts each program through another program. */
function behind(...launchers: Choices): RespellingKind["respell"] {
  return ({ text, commands }, random) => {
    const launcher = random.pick(launchers);
    const edits = commands
      .filter(({ startsProgram }) => startsProgram)
      .map(({ program: { pos } }) => ({ pos, end: pos, text: `${launcher} ` }));
    return edits.length === 0 ? null : edited(text, edits);
  };
}

function findExec(_: string, random: Random, { words, redirections }: OnlyProgram): string | null {
  if (words.some(({ text, value }) => /[{}]/.test(text) || value === ";" || value === "+")) return null;
  const line = words.map(({ text }) => text).join(" ");
  return `find . -maxdepth 0 -exec ${line} ${random.pick(["\\;", "';'"])} ${redirections}`.trimEnd();
}

/** The last arguments come from the input of `xargs`. */
function xargs(values: readonly string[], random: Random): string {
  const at = 1 + random.below(values.length - 1);
  const [kept, moved] = [values.slice(0, at).join(" "), values.slice(at).join(" ")];
  const lines = `printf '%s\\n' ${moved}`;
  const forOne = [`${lines} | xargs -I{} ${kept} {}`, `xargs ${kept} <<< ${moved}`];
  return random.pick([
    `${lines} | xargs ${kept}`,
    `${lines} | xargs -r ${kept}`,
    ...(at === values.length - 1 ? forOne : []),
  ]);
}
