import { ownValue } from "../../../src/protocol/own-value.ts";
import { type CommandWord, type Edit, edited, type SimpleCommand } from "./parse-command.ts";
import switches from "./program-switches.json" with { type: "json" };
import type { Random } from "./random.ts";
import { isPlain, type RespellingKind } from "./respelling-kinds.ts";

/** Other arguments with the same effect: options in another form or order, and other paths to the same file. */
const EDITS: Readonly<Record<string, (command: SimpleCommand, random: Random) => readonly Edit[]>> = {
  "order and form of options": options,
  "options after the operands": optionsLast,
  "end of options": endOfOptions,
  "options of git before its command": gitOptions,
  "another path to the same file": otherPath,
  "another path to the home folder": otherHome,
};

/** A guard may block these even for a harmless command. */
export const ARGUMENT_KINDS = Object.entries(EDITS).map(
  ([name, edits]): RespellingKind => ({
    name,
    isHarmless: false,
    respell: ({ text, commands }, random) => {
      const found = commands.flatMap((command) => edits(command, random));
      return found.length === 0 ? null : edited(text, found);
    },
  }),
);

/** Switches without values, by program or git command, with their long forms; null if there is none. */
const SWITCHES: Readonly<Record<string, Readonly<Record<string, string | null>>>> = switches;

const nameOf = ({ program }: SimpleCommand): string => (program.value ?? "").replace(/^.*\//, "");

/** The short switches among the options of a command, and the long forms; null if one of them is unknown. */
function switchesOf(command: SimpleCommand) {
  const name = nameOf(command);
  const [first, ...rest] = command.args;
  const long = ownValue(SWITCHES, name === "git" ? `git ${first?.value ?? ""}` : name);
  if (long === undefined) return null;
  const operands = name === "git" ? rest : command.args;
  const end = operands.findIndex(({ value }) => value === "--");
  const words = (end === -1 ? operands : operands.slice(0, end)).filter(({ text }) => /^-[a-zA-Z]+$/.test(text));
  const letters = words.flatMap(({ text }) => Array.from(text.slice(1)));
  return words.length > 0 && letters.every((letter) => letter in long) ? { words, letters, long } : null;
}

const removed = ({ pos, end }: CommandWord): Edit => ({ pos, end, text: "" });

function options(command: SimpleCommand, random: Random): readonly Edit[] {
  const found = switchesOf(command);
  const [first, ...others] = found?.words ?? [];
  if (found === null || first === undefined) return [];
  const letters = random.below(2) === 0 ? found.letters : [...found.letters].reverse();
  const long = (letter: string): string => ownValue(found.long, letter) ?? `-${letter}`;
  const text = random.pick([
    `-${letters.join("")}`,
    letters.map((letter) => `-${letter}`).join(" "),
    letters.map(long).join(" "),
    letters.map((letter) => (random.below(2) === 0 ? long(letter) : `-${letter}`)).join(" "),
  ]);
  return [{ ...first, text }, ...others.map(removed)];
}

/** GNU programs take options behind operands, too. */
function optionsLast(command: SimpleCommand): readonly Edit[] {
  const { args } = command;
  const { words = [] } = switchesOf(command) ?? {};
  const last = args.at(-1);
  const hasEnd = args.some(({ value }) => value === "--" || value === null);
  if (words.length === 0 || words.length === args.length || last === undefined || hasEnd || words.includes(last))
    return [];
  const moved = words.map(({ text }) => text).join(" ");
  return [...words.map(removed), { pos: last.end, end: last.end, text: ` ${moved}` }];
}

function endOfOptions(command: SimpleCommand): readonly Edit[] {
  if (!["rm", "chmod", "chown", "cat", "mv", "cp", "mkdir"].includes(nameOf(command))) return [];
  const { args } = command;
  const at = args.findIndex(({ text }) => !text.startsWith("-"));
  const first = args[at];
  const hasOptions = args.some(({ text }, index) => text.startsWith("--") || (index > at && text.startsWith("-")));
  return first === undefined || hasOptions ? [] : [{ pos: first.pos, end: first.pos, text: "-- " }];
}

function gitOptions(command: SimpleCommand, random: Random): readonly Edit[] {
  const { program, args } = command;
  if (nameOf(command) !== "git" || args.length === 0) return [];
  const text = random.pick([" --no-pager", " -P", " -C .", " -c color.ui=false", " -c core.pager=cat -C ."]);
  return [{ pos: program.end, end: program.end, text }];
}

const FILE_PROGRAMS = new Set(
  "rm rmdir unlink cat less more head tail chmod chown mv cp shred truncate ls touch mkdir".split(" "),
);

function otherPath(command: SimpleCommand, random: Random): readonly Edit[] {
  if (!FILE_PROGRAMS.has(nameOf(command))) return [];
  return command.args.flatMap((word) => {
    const { value } = word;
    const isPath = value !== null && isPlain(value) && /^(?:\.{0,2}\/|\.?\w[^:@%+]*\/)/.test(value);
    return isPath ? [{ ...word, text: pathTo(value, random) }] : [];
  });
}

function pathTo(path: string, random: Random): string {
  const inside = [path.replace(/\/(?=.)/, "/./"), path.replace(/\/(?=.)/, "//")] as const;
  return path.startsWith("/")
    ? random.pick([...inside, `/.${path}`, `/${path}`])
    : random.pick([...inside, `./${path}`]);
}

function otherHome({ args }: SimpleCommand, random: Random): readonly Edit[] {
  return args.flatMap((word) => {
    const [, rest] = /^(?:~|\$HOME|\$\{HOME\})((?:\/[\w./*-]*)?)$/.exec(word.text) ?? [];
    if (rest === undefined) return [];
    return [{ ...word, text: `${random.pick(["~", "$HOME", `\${HOME}`, '"$HOME"', `"\${HOME}"`])}${rest}` }];
  });
}
