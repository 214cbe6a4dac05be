import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";

/** Programs that write down how they are started, and do nothing. */
const RECORDED = ["chmod", "git", "ls", "mkdir", "rm"];

/** Drops the options of sudo and starts the rest. */
const SUDO = `#!/bin/sh
while :; do case $1 in --) shift; break ;; -u) shift 2 ;; -*) shift ;; *) break ;; esac; done
exec "$@"
`;

const recorder = (name: string, log: string): string => `#!/bin/sh
line=${name}
for one; do line="$line [$one]"; done
printf '%s\\n' "$line" >> '${log}'
`;

/**
 * Runs each command in bash, where some programs only record their arguments, and returns what was started by each. The
 * usual folders of programs in a command mean those of the recording ones.
 */
export async function startedPrograms(commands: readonly string[]): Promise<readonly (readonly string[])[]> {
  const dir = await mkdtemp(join(tmpdir(), "hookctl-respell-"));
  try {
    const [bin, log, work] = [join(dir, "bin"), join(dir, "log"), join(dir, "work")];
    await Promise.all([bin, work].map((folder) => mkdir(folder)));
    const write = async (file: string, text: string): Promise<void> => {
      await writeFile(file, text);
      await chmod(file, 0o755);
    };
    await Promise.all(RECORDED.map((name) => write(join(bin, name), recorder(name, log))));
    await write(join(bin, "sudo"), SUDO);
    const path = `${bin}:/usr/local/bin:/usr/bin:/bin`;
    // A login shell sets its own PATH first.
    await write(join(dir, ".bash_profile"), `PATH=${path}\n`);
    await Promise.all(commands.map((command, index) => writeFile(join(dir, `${index}.sh`), atPlace(command, bin))));
    const loop = `i=0; while [ "$i" -lt ${commands.length} ]; do : > '${log}'; bash "../$i.sh" </dev/null >/dev/null 2>"../$i.err"; mv '${log}' "../$i.log"; i=$((i+1)); done`;
    await execa("bash", ["-c", loop], { cwd: work, env: { HOME: dir, PATH: path }, extendEnv: false });
    return await Promise.all(
      commands.map(async (_, index) =>
        (await readFile(join(dir, `${index}.log`), "utf8")).split("\n").filter(Boolean).sort(),
      ),
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** `/bin/rm` and its other spellings with the folder of the recording programs. */
const atPlace = (command: string, bin: string): string =>
  command.replace(
    /\/{1,2}(?:usr\/)?bin(?:\/\.\.\/bin|\/\.)?\/{1,2}(?=(?:chmo\[?d|gi\[?t|l\[?s|mkdi\[?r|r\[?m)\b)/g,
    `${bin}/`,
  );
