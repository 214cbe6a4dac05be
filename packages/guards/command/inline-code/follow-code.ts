import { tableOf } from "../../../../src/protocol/json/table.ts";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import { type Call, plainWord } from "../call.ts";
import { GLOBBED, NO_INPUT, type ShellState } from "../script/shell-state.ts";
import { runInner, startInner } from "../start.ts";
import { expression } from "./expressions.ts";
import table from "./functions.json" with { type: "json" };
import { inlineCode } from "./interpreters.ts";
import type { Effects, Language } from "./run.ts";
import { runCode, runTo } from "./statements.ts";
import { tokensOf, unescaped } from "./tokens.ts";

interface CodeLanguage extends Language {
  /** A pattern of the commands in it, for languages that are not followed otherwise. */
  readonly commands?: string;
  /** A pattern of the folders that it deletes. */
  readonly deletes?: string;
}

const { languages } = tableOf<{ readonly languages: readonly CodeLanguage[] }>(table);

const MOST_CODE = 1024 * 1024;
/** Functions may be followed again with other arguments, up to this number of tokens. */
const MOST_REPEATED = 20_000;

/** Looks for commands and changes of files in code for an interpreter: `python -c "…"`. Always returns null. */
export function followCode(call: Call, started: Started): readonly ShellState[] | null {
  const found = inlineCode(call, started.state);
  if (found === null || found.code.trim() === UNKNOWN) return null;
  const language = languages.find(({ names }) => names === found.kind);
  if (language === undefined) return null;
  const { state } = started;
  // Programs that the code starts have no input of their own if the code was the input.
  const inner = state.stdin.text === found.code ? { ...started, state: { ...state, stdin: NO_INPUT } } : started;
  if (found.code.length > MOST_CODE) state.limits.isReached = true;
  else readCode(found.code, language, { call, started: inner });
  return null;
}

interface Origin {
  readonly call: Call;
  readonly started: Started;
}

function readCode(code: string, language: CodeLanguage, origin: Origin): void {
  const { place } = origin.started.frame.analysis;
  const { variables } = origin.started.state;
  const effects = effectsOf(origin);
  for (const text of foundBy(language.commands, code)) effects.runText(unescaped(text));
  for (const path of foundBy(language.deletes, code)) effects.startWords(["rm", "-rf", unescaped(path)]);
  readLiterals(code, effects);
  runCode({
    language,
    tokens: tokensOf(code, language),
    effects,
    home: place.home,
    folder: origin.call.folder ?? UNKNOWN,
    environment: (name) => variables.get(name)?.[0] ?? ownValue(place.variables, name),
    variables: new Map(),
    functions: new Map(),
    called: new Set(),
    wild: [],
    evaluator: { expression, runTo, runCode },
    at: 0,
    depth: 0,
    brackets: 0,
    branch: null,
    given: [],
    returned: [],
    budget: { tokens: MOST_REPEATED },
  });
}

const foundBy = (pattern: string | undefined, code: string): readonly string[] =>
  pattern === undefined
    ? []
    : [...code.matchAll(new RegExp(pattern, "gm"))].map(
        (found) => found.slice(1).find((group) => group !== undefined) ?? "",
      );

const LITERAL = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
/** A command as a list of texts, in whatever call: `f("rm", {args: ["-rf", "/x"]})`. */
const LIST = new RegExp(
  String.raw`(["'])(?:rm|shred|dd|mkfs|sh|bash|zsh|curl|wget|nc)\1(?:[\s,[\](){}@]+(?:\w+:\s*)?[\s[({]*(?:${LITERAL})){1,20}`,
  "g",
);
/** A call of what is computed: `getattr(os, x)("rm x")`, `m["exec" + s]("rm x")`. */
const COMPUTED = new RegExp(String.raw`[)\]]\s*\(\s*(${LITERAL})`, "g");

/** Commands in texts of code that is not followed so far. */
function readLiterals(code: string, { startWords, runText }: Effects): void {
  const plain = (literal: string): string => unescaped(literal.slice(1, -1));
  for (const [list] of code.matchAll(LIST))
    startWords([...list.matchAll(new RegExp(LITERAL, "g"))].map(([literal]) => plain(literal)));
  for (const [, literal = ""] of code.matchAll(COMPUTED)) if (/\s/.test(literal)) runText(plain(literal));
}

function effectsOf({ call, started }: Origin): Effects {
  // A program that is started again in the same way has the same effect.
  const known = new Set<string>();
  const isNew = (text: string): boolean => known.size !== known.add(text).size;
  return {
    startWords: (texts) => {
      if (!isNew(texts.join("\u0002"))) return;
      const words = texts.map((text) => ({
        ...plainWord(text.replaceAll(GLOBBED, ""), text.replaceAll(GLOBBED, "").replaceAll(UNKNOWN, "…")),
        isGlob: text.includes(GLOBBED),
      }));
      startInner(call, words, { ...started, own: new Map() }, { relation: "inline code" });
    },
    runText: (text) => {
      if (text !== "" && text !== UNKNOWN && isNew(`\u0002${text}`))
        runInner(call, text, started, { relation: "inline code" });
    },
    tooDeep: () => {
      started.state.limits.isReached = true;
    },
  };
}
