import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program that a real shell started. */
export interface RealCall {
  readonly folder: string;
  readonly words: readonly string[];
}

const PROGRAMS = [
  "bash",
  "sh",
  "env",
  "xargs",
  "nohup",
  "nice",
  "timeout",
  "basename",
  "dirname",
  "cat",
  "tee",
  "mkdir",
  "rm",
  "mv",
];
const STUBS = ["p", "q", "r"];

export const BASH = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find((path) => existsSync(path)) ?? null;

/** A folder with stubs instead of programs. Each stub records its arguments and its folder. */
export function stubFolder() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookctl-shell-")));
  const stubs = join(root, "stubs");
  for (const folder of ["stubs", "cases", "home"]) mkdirSync(join(root, folder));
  for (const name of PROGRAMS) {
    const path = [`/bin/${name}`, `/usr/bin/${name}`].find((one) => existsSync(one));
    if (path !== undefined) symlinkSync(path, join(stubs, name));
  }
  for (const name of STUBS) {
    const lines = ["#!/bin/sh", `printf '%s\\0' "$PWD" ${name} "$@" END >>${root}/log`, ""];
    writeFileSync(join(stubs, name), lines.join("\n"));
    chmodSync(join(stubs, name), 0o755);
  }
  writeFileSync(join(root, "all.sh"), DRIVER);
  return {
    root,
    stubs,
    home: join(root, "home"),
    folder: join(root, "work"),
    remove: () => rmSync(root, { recursive: true }),
  };
}

/** Each case starts in the same folder. It ends after some seconds at the latest. */
const DRIVER = `
for file in "$1"/cases/*.sh; do
  rm -rf "$1/work" "$1/log"; mkdir -p "$1/work/a/d" "$1/work/b"; cd "$1/work"; : >"$1/log"
  timeout -k 1 20 bash -c "$(cat "$file")" </dev/null >/dev/null 2>"$file.err"
  echo $? >"$file.code"
  mv "$1/log" "$file.log"
done
`;

/** What a real shell starts for each command; null if the syntax is wrong, a folder is missing or it had to be stopped. */
export function runInShell(
  commands: readonly string[],
  at: ReturnType<typeof stubFolder>,
): readonly (readonly RealCall[] | null)[] {
  if (BASH === null) return [];
  const paths = commands.map((_, index) => join(at.root, "cases", `${String(index).padStart(6, "0")}.sh`));
  for (const [index, path] of paths.entries()) writeFileSync(path, commands[index] ?? "");
  const env = { PATH: at.stubs, HOME: at.home };
  spawnSync(BASH, [join(at.root, "all.sh"), at.root], { env, stdio: "ignore", cwd: at.root });
  return paths.map((path) => {
    const isBroken = /syntax error|unexpected EOF|bad substitution|(?:cd|pushd|popd): /.test(
      readFileSync(`${path}.err`, "utf8"),
    );
    const isStopped = readFileSync(`${path}.code`, "utf8").startsWith("124");
    return isBroken || isStopped ? null : parseLog(readFileSync(`${path}.log`, "utf8"));
  });
}

function parseLog(log: string): readonly RealCall[] {
  return log
    .split("\0END\0")
    .slice(0, -1)
    .map((record) => {
      const [folder = "", ...words] = record.split("\0");
      return { folder, words };
    });
}
