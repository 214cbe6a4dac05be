import { devious, harmless, type RespellingKind } from "./kind.ts";
import type { ParsedCommand } from "./parse-command.ts";
import { doubleQuoted, singleQuoted } from "./quote.ts";
import type { Random } from "./random.ts";

/** The whole command inside a compound command, or between others. */
const COMPOUND: readonly RespellingKind[] = [
  harmless("subshell", ({ text }, random) => random.pick([`(\n${text}\n)`, `( ${text}\n)`])),
  harmless("group", ({ text }, random) => random.pick([`{\n${text}\n}`, `{ ${text}\n}`])),
  harmless(
    "after &&",
    ({ text }, random) => `${random.pick(["true", ":", "cd .", "echo start", "test -d ."])} && ${text}`,
  ),
  harmless(
    "after ;",
    ({ text }, random) => `${random.pick(["true", ":", "cd .", "echo start"])}${random.pick(["; ", ";"])}${text}`,
  ),
  harmless("after a newline", ({ text }, random) => `${random.pick(["true", "cd .", "echo start", ""])}\n${text}`),
  harmless(
    "after a comment",
    ({ text }, random) => `# ${random.pick(["first step", "it's fine", "see below"])}\n${text}`,
  ),
  harmless("before a newline", ({ text }, random) => `${text}\n${random.pick(["true", "echo done", ":"])}`),
  harmless(
    "before ; or &&",
    inLine(({ text }, random) => `${text}${random.pick(["; ", " && ", " || "])}${random.pick(["true", "echo done"])}`),
  ),
  harmless(
    "before a comment",
    inLine(({ text }, random) => `${text} # ${random.pick(["done", "clean up", "it's fine"])}`),
  ),
  harmless(
    "pipe to another program",
    inPipeline(({ text }, random) => `${text} | ${random.pick(["cat", "tail -n 5", "head -n 20"])}`),
  ),
  harmless(
    "redirected errors",
    inPipeline(({ text, commands }, random) =>
      commands.length === 1 && !text.includes(">") ? `${text} ${random.pick(["2>/dev/null", "2>&1"])}` : null,
    ),
  ),
  devious("after ||", ({ text }, random) => `${random.pick(["false", "! true", "test ! -d ."])} || ${text}`),
  devious(
    "in the background",
    inLine(({ text }, random) => `${text} &${random.pick([" wait", "\nwait"])}`),
  ),
  devious(
    "negation",
    inPipeline(({ text }) => (/^\s*(?:!|time\b)/.test(text) ? null : `! ${text}`)),
  ),
  devious("if", ({ text }, random) => `if ${random.pick(["true", ":", "[ -d . ]"])}; then ${text}\nfi`),
  devious(
    "condition of if",
    inLine(({ text }) => `if ${text}; then :; fi`),
  ),
  devious("else", ({ text }) => `if false; then :; else ${text}\nfi`),
  devious(
    "for",
    inLoop(({ text }, random) => `for ${random.pick(["i in 1", "x in a"])}; do ${text}\ndone`),
  ),
  devious(
    "while",
    inLoop(({ text }) => `while :; do ${text}\nbreak; done`),
  ),
  devious("case", ({ text }) => `case x in\nx) ${text}\n;; esac`),
  devious("function", ({ text }, random) => {
    const name = random.pick(["main", "cleanup", "step"]);
    return text.includes(name) ? null : `${random.pick([`${name}()`, `function ${name}`])} {\n${text}\n}\n${name}`;
  }),
  devious("substitution of its output", ({ text }, random) =>
    random.pick([`echo "$( ${text}\n)"`, `printf '%s\\n' "$( ${text}\n)"`]),
  ),
  devious("backticks", ({ text, hasHereDocument }) =>
    /[`\\$]/.test(text) || hasHereDocument ? null : `echo \`${text}\``,
  ),
  devious("trap", ({ text }) => `trap ${singleQuoted(text)} EXIT`),
];

/** The whole command as a text that a shell, or a program that starts one, gets. */
const AS_TEXT: readonly RespellingKind[] = [
  devious(
    "sh -c",
    asText((quoted, random, shell) => `${shell}${random.pick(["", "", " -e"])} -c ${quoted}`),
  ),
  devious(
    "bash -lc",
    asText((quoted, random) => `bash ${random.pick(["-lc", "-ec", "--norc -c", "-o pipefail -c"])} ${quoted}`),
  ),
  devious("sh -c in sh -c", ({ text }) => `bash -c ${singleQuoted(`bash -c ${singleQuoted(text)}`)}`),
  devious(
    "sudo sh -c",
    asText((quoted, random, shell) => `${random.pick(["sudo", "sudo -n", "sudo -u root"])} ${shell} -c ${quoted}`),
  ),
  devious(
    "env sh -c",
    asText((quoted, random, shell) => `env ${random.pick(["", "A=1 ", "-u FOO "])}${shell} -c ${quoted}`),
  ),
  devious(
    "timeout sh -c",
    asText((quoted, random, shell) => `${random.pick(["timeout 60", "nohup", "nice -n 5"])} ${shell} -c ${quoted}`),
  ),
  devious(
    "xargs sh -c",
    asText((quoted, _, shell) => (quoted.includes("{}") ? null : `echo x | xargs -I{} ${shell} -c ${quoted}`)),
  ),
  devious(
    "find -exec sh -c",
    asText((quoted, _, shell) => (quoted.includes("{}") ? null : `find . -maxdepth 0 -exec ${shell} -c ${quoted} \\;`)),
  ),
  devious(
    "eval",
    asText((quoted) => `eval ${quoted}`),
  ),
  devious(
    "eval of a variable",
    asVariable((name) => `eval "$${name}"`),
  ),
  devious(
    "sh -c of a variable",
    asVariable((name) => `bash -c "$${name}"`),
  ),
  devious(
    "here-document",
    onInput(({ text }, random, shell) =>
      /^EOF$/m.test(text)
        ? null
        : `${shell}${random.pick(["", " -s"])} ${random.pick(["<<'EOF'", '<<"EOF"', "<<\\EOF"])}\n${text}\nEOF`,
    ),
  ),
  devious(
    "here-document through cat",
    onInput(({ text }, _, shell) => (/^EOF$/m.test(text) ? null : `cat <<'EOF' | ${shell}\n${text}\nEOF`)),
  ),
  devious(
    "here-string",
    onInput(({ text }) => `bash <<< ${singleQuoted(text)}`),
  ),
  devious(
    "echo | sh",
    onInput(
      ({ text }, random, shell) =>
        `${/\\|^-/.test(text) ? "printf '%s\\n'" : random.pick(["echo", "printf '%s\\n'"])} ${singleQuoted(text)} | ${shell}${random.pick(["", " -s"])}`,
    ),
  ),
  devious(
    "process substitution",
    ({ text }, random) => `${random.pick(["bash", "source", "."])} <(printf '%s\\n' ${singleQuoted(text)})`,
  ),
  devious(
    "base64 | sh",
    onInput(
      ({ text }, random, shell) =>
        `${random.pick(["echo", "printf %s"])} ${base64(text)} | base64 ${random.pick(["-d", "--decode"])} | ${shell}`,
    ),
  ),
  devious("base64 in a substitution", ({ text }, random) => {
    const decoded = `"$(echo ${base64(text)} | base64 -d)"`;
    return random.pick([`bash -c ${decoded}`, `eval ${decoded}`]);
  }),
  devious(
    "printf escapes | sh",
    onInput(({ text }, _, shell) =>
      /^[ -~]*$/.test(text)
        ? `printf '${Array.from(text, (char) => `\\x${char.charCodeAt(0).toString(16)}`).join("")}' | ${shell}`
        : null,
    ),
  ),
];

/** Split in two, because the check of imports would read it as an import of this file. */
const NODE_SYSTEM = ["require", '("child_process").execSync'].join("");

/** The whole command as a text in another language. Its functions start `sh`, so the text must be plain. */
const IN_PROGRAMS: readonly RespellingKind[] = [
  devious(
    "python -c",
    inProgram((text) => `python3 -c ${singleQuoted(`import os; os.system(${JSON.stringify(text)})`)}`),
  ),
  devious(
    "perl -e",
    inProgram(
      (text) =>
        `perl -e ${singleQuoted(`system(${doubleQuoted(text).replaceAll("@", "\\@").replaceAll("%", "\\%")});`)}`,
    ),
  ),
  devious(
    "node -e",
    inProgram((text) => `node -e ${singleQuoted(`${NODE_SYSTEM}(${JSON.stringify(text)})`)}`),
  ),
  devious(
    "awk",
    inProgram((text) => `awk ${singleQuoted(`BEGIN { system(${JSON.stringify(text)}) }`)}`),
  ),
];

export const SCRIPT_KINDS: readonly RespellingKind[] = [...COMPOUND, ...AS_TEXT, ...IN_PROGRAMS];

type Respell = RespellingKind["respell"];

/** For a text whose last line can be continued. */
function inLine(respell: Respell): Respell {
  return (command, random) => (command.isOneStatement ? respell(command, random) : null);
}

function inPipeline(respell: Respell): Respell {
  return inLine((command, random) => (command.isOnePipeline ? respell(command, random) : null));
}

/** A loop around the command would take its `break`. */
function inLoop(respell: Respell): Respell {
  return (command, random) => (/\b(?:break|continue)\b/.test(command.text) ? null : respell(command, random));
}

type FromText = (quoted: string, random: Random, shell: string) => string | null;

function asText(respell: FromText): Respell {
  return (command, random) =>
    respell(random.pick([singleQuoted, doubleQuoted])(command.text), random, shellFor(command, random));
}

const shellFor = ({ isPosix }: ParsedCommand, random: Random): string =>
  random.pick(isPosix ? ["sh", "bash", "/bin/sh"] : ["bash", "/bin/bash"]);

function asVariable(use: (name: string) => string): Respell {
  return ({ text }, random) => {
    const name = random.pick(["CODE", "TODO"]);
    return text.includes(name) ? null : `${name}=${singleQuoted(text)}; ${use(name)}`;
  };
}

/** Passes the text to a shell's stdin. Only for one program: others could read the rest of the text. */
function onInput(respell: (command: ParsedCommand, random: Random, shell: string) => string | null): Respell {
  return (command, random) =>
    command.isOneStatement && command.commands.length === 1
      ? respell(command, random, shellFor(command, random))
      : null;
}

function inProgram(respell: (text: string) => string): Respell {
  return ({ text, isPosix }) => (isPosix && /^[ -~\n]*$/.test(text) ? respell(text) : null);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
