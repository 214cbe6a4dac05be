import { spawn, spawnSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBundled } from "../../src/fs/read-bundled.ts";
import { hasScript } from "../support/on-terminal.ts";
import { shellQuote, touch } from "../support/shell.ts";
import { mainScript, runProgram, type Workspace, workspace } from "../support/workspace.ts";

/** Names that a shell would run, expand, split or take for something else, were they put into a line as they are. */
const HOSTILE = [
  ...["a1$(touch ran)`touch ran`$HOME", "b2;touch ran&touch ran", "c3'single\"double", "d4 two  words"],
  ...["e5\\back\\\\slash", "f6!!^x!1", "g7*?[br]{a,b}", "h8|touch ran>ran<ran(touch ran)", "i9#hash~root%F{red}x"],
  ...["j0:a=b@c", "k1 é日-x"],
];
/** Never completed: no line can hold them, or they would be options. */
const LEFT_OUT = ["a1line\ntouch ran", "a1\u001b[31mred", "a1tab\there", "-rf", "--yes"];

/** What is typed before Tab, and the words that the line then has. */
const TYPED: readonly (readonly [keys: string, words: readonly string[]])[] = [
  ...HOSTILE.map((name) => [`trust ${name.slice(0, 2)}`, ["trust", name]] as const),
  ["trust 'a1", ["trust", "a1$(touch ran)`touch ran`$HOME"]],
  ['trust "a1', ["trust", "a1$(touch ran)`touch ran`$HOME"]],
  ["trust 'c3", ["trust", "c3'single\"double"]],
  ["guar", ["guards"]],
  ["list --event=agent_sto", ["list", "--event=agent_stop"]],
  ["test --output jun", ["test", "--output", "junit="]],
  ["test --output junit=../home/pay", ["test", "--output", "junit=../home/payload.json"]],
  ["run x --payload ../home/pay", ["run", "x", "--payload", "../home/payload.json"]],
];

interface ShellUse {
  readonly start: string;
  readonly file: string;
  readonly setUp: string;
  /** A line that asks for the completion of `hookctl `, without a terminal. */
  readonly ask: string;
}

const SHELLS: Readonly<Record<"bash" | "zsh" | "fish", ShellUse>> = {
  bash: {
    start: "bash --noprofile -i",
    file: ".bashrc",
    setUp: "PS1='ready> '\nsource <(hookctl completion bash)\n",
    ask: "source ./script; COMP_LINE='hookctl ' COMP_POINT=8; _hookctl hookctl '' hookctl",
  },
  zsh: {
    start: "zsh -d -i",
    file: ".zshrc",
    setUp: "PS1='ready> '\nautoload -Uz compinit && compinit -D -u\nsource <(hookctl completion zsh)\n",
    ask: "autoload -Uz compinit && compinit -D -u; source ./script; words=(hookctl '') CURRENT=2; _hookctl",
  },
  fish: {
    start: "fish -i",
    file: ".config/fish/config.fish",
    setUp: "function fish_prompt; echo 'ready> '; end\nfunction fish_greeting; end\nhookctl completion fish | source\n",
    ask: "source ./script; complete -C 'hookctl '",
  },
};
const NAMES = Object.keys(SHELLS) as readonly (keyof typeof SHELLS)[];

const isHere = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
const absent = (shell: string): string => (isHere(shell) ? "" : ` (skipped: ${shell} is not installed)`);
const noTerminal = hasScript ? "" : " (skipped: script of util-linux is not installed)";

describe.each(NAMES)("%s", (shell) => {
  const { start, file, setUp, ask } = SHELLS[shell];
  const missing = absent(shell) || noTerminal;

  test.skipIf(missing !== "")(
    `Tab puts names and paths in as one word and runs nothing of them${missing}`,
    async () => {
      await using place = await scene();
      await place.write(join("home", file), setUp);
      const at = person(start, place);
      await at.sees("ready> ");
      for (const [index, [keys]] of TYPED.entries()) {
        at.type(`hookctl ${keys}\t${TO_BEGIN_OF_LINE}show \r`);
        await until(async () => ((await place.read("shown")) ?? "").split("\n").length > index + 1);
      }
      await at.leave();
      const words = ((await place.read("shown")) ?? "").split(/[\0\n]+/).slice(0, -1);
      expect(words).toEqual(TYPED.flatMap(([, line]) => ["hookctl", ...line]));
      expect(await Promise.all([place.read("project/ran"), place.read("started")])).toEqual([null, null]);
    },
  );

  const places: readonly (readonly [path: (project: string) => string, isAsked: boolean])[] = [
    [(project) => project, true],
    [() => ".", false],
    [() => "", false],
  ];
  test.skipIf(absent(shell) !== "")(`asks no hookctl that a relative PATH leads to${absent(shell)}`, async () => {
    for (const [pathIn, isAsked] of places) {
      await using place = await workspace();
      await place.write("project/script", readBundled(`assets/completion.${shell}`));
      await place.write("project/hookctl", `#!/bin/sh\n${touch("asked")}\n`, 0o755);
      const PATH = `${pathIn(place.project)}:/usr/bin:/bin`;
      await runProgram([shell, "-c", ask], { cwd: place.project, env: { ...place.env, PATH } });
      expect((await place.read("project/asked")) !== null).toBe(isAsked);
    }
  });
});

/** `hookctl` on the PATH is the program under test; `show` writes the words that it gets to a file. */
async function scene(): Promise<Workspace> {
  const place = await workspace();
  const bin = join(place.dir, "bin");
  await mkdir(bin);
  await symlink(mainScript, join(bin, "hookctl"));
  await place.write(
    "bin/show",
    `#!/bin/sh\n{ printf '%s\\0' "$@"; echo; } >> ${shellQuote(join(place.dir, "shown"))}\n`,
    0o755,
  );
  await place.write("bin/node", `#!/bin/sh\nexec ${shellQuote(process.execPath)} "$@"\n`, 0o755);
  // With this folder fish does not read all manual pages first.
  await mkdir(join(place.home, ".local/share/fish/generated_completions"), { recursive: true });
  await place.write("home/payload.json", "{}");
  const started = touch(join(place.dir, "started"));
  for (const name of [...HOSTILE, ...LEFT_OUT]) await place.hook(name, started, { scope: "project" });
  return { ...place, env: { ...place.env, PATH: `${bin}:/usr/bin:/bin`, LC_ALL: "C.UTF-8", TERM: "xterm" } };
}

const TO_BEGIN_OF_LINE = "\u0001";
const CLEAR_LINE = "\u0005\u0015";

/** A person at an interactive shell, who types ahead while it completes. */
function person(start: string, place: Workspace) {
  const child = spawn("script", ["-qec", start, "/dev/null"], { cwd: place.project, env: place.env });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    shown += text;
  });
  const ended = new Promise<void>((settle) => child.on("close", () => settle()));
  return {
    sees: (text: string) => until(async () => shown.includes(text)),
    type: (keys: string): void => void child.stdin.write(keys),
    leave: async (): Promise<void> => {
      child.stdin.end(`${CLEAR_LINE}exit\r`);
      await ended;
    },
  };
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resume) => setTimeout(resume, 20));
}
