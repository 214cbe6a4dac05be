import type { Command, ParsedScript, Statement, Word } from "unbash";

/** Characters that have no meaning for a shell; `=` only behind an option's name, where it sets no variable. */
const PLAIN_WORDS = /^[\w./-][\w./:,@%+-]*(?: +(?:-[\w./:,@%+=-]*|[\w./:,@%+][\w./:,@%+-]*))*$/;

/** Words with which a shell begins anything but a command. */
const RESERVED = new Set(
  "if then else elif fi do done for while until in case esac function select coproc time".split(" "),
);

/** True if a text is one command of words that mean themselves: the parser has nothing to say about it. */
export const isPlainCommand = (text: string): boolean =>
  PLAIN_WORDS.test(text) && !RESERVED.has(text.split(" ", 1)[0] ?? "");

/** The script that the parser makes of a plain command. */
export function plainScript(text: string): ParsedScript {
  const [name, ...args] = [...text.matchAll(/[^ ]+/g)].map(({ 0: word, index }): Word => {
    return { type: "Word", text: word, value: word, pos: index, end: index + word.length };
  });
  const place = { pos: 0, end: text.length };
  const command: Command = { type: "Command", ...place, name, prefix: [], suffix: args, args, redirects: [] };
  const statement: Statement = { type: "Statement", ...place, command, background: undefined };
  return { type: "Script", ...place, shebang: undefined, commands: [statement] };
}
