import { posix } from "node:path";
import { namesIn, tableOf } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { rowFinder } from "../named-rows.ts";
import { GLOBBED } from "../script/shell-state.ts";
import {
  type CodeValue,
  changed,
  combined,
  globOf,
  isKnown,
  itemOf,
  joinedPaths,
  joinedTexts,
  listOf,
  namedValue,
  narrowed,
  oneText,
  textOf,
  UNKNOWN_VALUE,
  withHome,
} from "./code-values.ts";
import { openFile, runProgram, startEffect } from "./effects.ts";
import table from "./functions.json" with { type: "json" };
import type { Run } from "./run.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** The functions of scripting languages that matter. Names are separated by spaces. */
interface FunctionTable {
  /** Modules by the name under which their functions are in the tables, with other names. */
  readonly modules: Readonly<Record<string, string>>;
  /** Functions that run a command: shell text, or a list of words. */
  readonly runs: string;
  /** Functions that change or read files, by an equivalent command line. `1`: the first argument. */
  readonly effects: Readonly<Record<string, string>>;
  /** Methods of a path (`Path("x").unlink()`), with the program and arguments before the path. `?`: an unknown argument. */
  readonly pathMethods: Readonly<Record<string, string>>;
  readonly opens: string;
  readonly prints: string;
  /** Objects with the variables of the environment. */
  readonly environment: string;
  /** Functions and methods with a value, by its kind. */
  readonly values: Readonly<Record<ValueKind, string>>;
  readonly methods: Readonly<Record<MethodKind, string>>;
}

const functions = tableOf<FunctionTable>(table);

const inverted = <Kind extends string>(rows: Readonly<Record<Kind, string>>) =>
  rowFinder<Kind>(Object.fromEntries(Object.entries<string>(rows).map(([kind, names]) => [names, kind as Kind])));
const moduleOf = inverted(functions.modules);
const effectOf = inverted(functions.effects);
const valueKindOf = inverted(functions.values);
const methodKindOf = inverted(functions.methods);
const pathMethodOf = rowFinder(functions.pathMethods);
const actionOf = rowFinder<"run" | "open" | "print" | "environment">({
  [functions.runs]: "run",
  [functions.opens]: "open",
  [functions.prints]: "print",
  [functions.environment]: "environment",
});

/** The name of a variable or function without the marks of Perl and PHP. */
export const nameIn = ({ text }: Token): string =>
  text === "$_" || text === "@_" ? "_" : text.replace(/^[$@%&]+(?=\w)/, "");

/** The name of a module in the tables: `fs` for `node:fs/promises`. */
export function moduleNamed(name: string): string {
  const plain = name.replace(/^node:/, "");
  return moduleOf(plain) ?? plain;
}

/** Is there anything in the tables about this function? */
export const isKnownFunction = (name: string): boolean =>
  effectOf(name) !== undefined || actionOf(name) !== undefined || valueKindOf(name) !== undefined;

/** The name in the tables; a distinctive name is known without its object, too. */
function knownName(name: string): string {
  if (isKnownFunction(name)) return name;
  // `process.mainModule.require`, `globalThis.process.getBuiltinModule`
  if (/\.(?:require|getBuiltinModule)$/.test(name)) return "require";
  const last = name.slice(name.lastIndexOf(".") + 1);
  return /[a-z][A-Z_]|_\w|^rmtree$/.test(last) && isKnownFunction(last) ? last : name;
}

/** A member of an object: a function of a module, a variable of the environment, an item of a list. */
export function memberOf(value: CodeValue, member: string, run: Run, operator = "."): CodeValue {
  const { name } = value;
  if (name !== undefined) {
    if (actionOf(name) === "environment" && !/^(?:get|fetch|toObject|copy|items|keys)$/.test(member))
      return oneText(run.environment(member) ?? UNKNOWN);
    const own = moduleNamed(`${name}${operator === "::" ? "::" : "."}${member}`);
    // `require("fs")["rmSync"]`
    if (operator !== "[" || isKnownFunction(own)) return namedValue(own);
    return valueKindOf(name) === "glob" || name === "Dir" ? found([oneText(member)], run) : UNKNOWN_VALUE;
  }
  if (operator === "[")
    return value.isList
      ? /^\d+$/.test(member)
        ? oneText(value.texts[Number(member)] ?? UNKNOWN)
        : UNKNOWN_VALUE
      : UNKNOWN_VALUE;
  // `os.userInfo().homedir`, `pwd.getpwuid(…).pw_dir`
  if (/^(?:homedir|pw_dir)$/.test(member)) return oneText(run.home);
  if (/^(?:parent|dirname)$/.test(member)) return changed(value, parentOf);
  return /^(?:path|name|to_path)$/.test(member) ? value : UNKNOWN_VALUE;
}

const parentOf = (path: string): string => (path.includes("/") ? posix.dirname(path.replace(GLOBBED, "")) : ".");

interface Method {
  readonly of: CodeValue;
  readonly name: string;
}

/** The values that a function among the arguments of a call gets: the items of a list, or what a promise gives. */
export function givenTo(_run: Run, callee: CodeValue, method: Method | null): readonly CodeValue[] {
  if (method !== null && method.of.name === undefined) return [itemOf(method.of)];
  if (method?.name === "then" && method.of.name !== undefined) return [method.of];
  const kind = valueKindOf(callee.name ?? "");
  return kind === "names" ? [UNKNOWN_VALUE, NAMES] : [];
}

const NAMES: CodeValue = { texts: [`${GLOBBED}*`], isList: true };

interface CodeCall {
  readonly callee: CodeValue;
  readonly method: Method | null;
  readonly args: readonly CodeValue[];
}

/** The value of a call. A known function also has its effect. */
export function callFunction(run: Run, { callee, method, args }: CodeCall): CodeValue {
  if (callee.name === undefined) return method === null ? UNKNOWN_VALUE : callMethod(run, method, args);
  const name = knownName(callee.name);
  const [first, ...rest] = args;
  // `File.send(:unlink, "x")`
  if (first !== undefined && /^(?:public_|__)?send(?:__)?$/.test(method?.name ?? "") && method?.of.name !== undefined)
    return callFunction(run, {
      callee: memberOf(method.of, first.name ?? textOf(first), run),
      method: null,
      args: rest,
    });
  if (namesIn(run.language.evaluates ?? "").includes(name)) {
    if (first !== undefined && isKnown(first)) runInner(run, textOf(first));
    return UNKNOWN_VALUE;
  }
  const effect = effectOf(name);
  if (effect !== undefined) startEffect(run, namesIn(effect), args);
  else if (actionOf(name) === "run") runProgram(run, args);
  else if (actionOf(name) === "open") openFile(run, args);
  else if (actionOf(name) === "print" && args.some((arg) => actionOf(arg.name ?? "") === "environment"))
    run.effects.startWords(["printenv"]);
  const kind = valueKindOf(name);
  if (kind !== undefined) return VALUES[kind](args, run);
  // A method of an object that is not known: `x.forEach(…)`.
  return method !== null && method.of.name !== undefined && /^(?:then|catch|finally)$/.test(method.name)
    ? method.of
    : UNKNOWN_VALUE;
}

/** Code in a string: `exec("…")`. */
function runInner(run: Run, code: string): void {
  if (run.depth > 40) run.effects.tooDeep();
  else
    run.evaluator.runCode({
      ...run,
      tokens: tokensOf(code, run.language),
      at: 0,
      depth: run.depth + 10,
      functions: new Map(run.functions),
    });
}

type ValueKind = keyof typeof VALUES;

const at0 = (args: readonly CodeValue[]): CodeValue => args[0] ?? UNKNOWN_VALUE;

const inHome = (value: CodeValue, { home }: Run): CodeValue => changed(value, (text) => withHome(text, home));

/** The files that a pattern finds. */
const found = ([pattern = UNKNOWN_VALUE]: readonly CodeValue[], run: Run): CodeValue => ({
  ...changed(inHome(pattern, run), globOf),
  isList: true,
});

const below = (folder: CodeValue, names: string): CodeValue => ({
  ...folder,
  texts: folder.texts.map((text) => joinedPaths(text === "" ? "." : text, GLOBBED + names)),
  isList: true,
});

/** `Path.home()` of Python has methods of files; in other languages such a folder is a text. */
const folderValue = (path: string, { names }: Run["language"]): CodeValue =>
  names === "python" ? { ...oneText(path), isPath: true } : oneText(path);

/** `Dir.home` of Ruby is a call. */
export const isFolderFunction = (name: string): boolean => /^(?:home|folder)$/.test(valueKindOf(name) ?? "");

/** How the values of known functions are found. */
const VALUES = {
  home: (_args: readonly CodeValue[], { home, language }: Run): CodeValue => folderValue(home, language),
  folder: (_args: readonly CodeValue[], { folder, language }: Run): CodeValue => folderValue(folder, language),
  temporary: (): CodeValue => oneText(`/tmp/${UNKNOWN}`),
  join: (args: readonly CodeValue[], run: Run): CodeValue =>
    args.length === 0
      ? UNKNOWN_VALUE
      : args.map((arg) => inHome(arg, run)).reduce((path, name) => combined(path, name, joinedPaths)),
  same: (args: readonly CodeValue[], run: Run): CodeValue => inHome(at0(args), run),
  path: (args: readonly CodeValue[], run: Run): CodeValue => ({
    ...VALUES.join(args.length === 0 ? [oneText(".")] : args, run),
    isPath: true,
  }),
  parent: (args: readonly CodeValue[]): CodeValue => changed(at0(args), parentOf),
  variable: ([name = UNKNOWN_VALUE, other = UNKNOWN_VALUE]: readonly CodeValue[], run: Run): CodeValue => {
    const value = run.environment(textOf(name));
    return value === undefined ? other : oneText(value);
  },
  glob: found,
  names: (): CodeValue => NAMES,
  entries: (args: readonly CodeValue[]): CodeValue => ({ ...below(args[0] ?? oneText("."), "*"), isPath: true }),
  walk: (args: readonly CodeValue[]): CodeValue => below(at0(args), "**"),
  tree: (args: readonly CodeValue[]): CodeValue => below(at0(args), "**/*"),
  /** `getattr(os, "remove")` */
  member: ([of = UNKNOWN_VALUE, name = UNKNOWN_VALUE]: readonly CodeValue[], run: Run): CodeValue =>
    memberOf(of, textOf(name), run),
  /** `call_user_func("unlink", "x")` */
  called: ([name = UNKNOWN_VALUE, ...args]: readonly CodeValue[], run: Run): CodeValue =>
    callFunction(run, { callee: name.name === undefined ? namedValue(textOf(name)) : name, method: null, args }),
  module: (args: readonly CodeValue[]): CodeValue => namedValue(moduleNamed(textOf(at0(args)))),
  /** `createRequire(path)` */
  requirer: (): CodeValue => namedValue("require"),
  each: (args: readonly CodeValue[], run: Run): CodeValue => {
    const [first = UNKNOWN_VALUE, second] = args;
    const callee =
      first.name === undefined && isKnown(first) && second !== undefined ? namedValue(textOf(first)) : first;
    if (second === undefined || callee.name === undefined) return second ?? first;
    callFunction(run, { callee, method: null, args: [itemOf(second)] });
    return UNKNOWN_VALUE;
  },
};

type MethodKind =
  | "same"
  | "each"
  | "some"
  | "glob"
  | "rglob"
  | "entries"
  | "joinpath"
  | "split"
  | "join"
  | "concat"
  | "format"
  | "run"
  | "sql"
  | "sibling";

/** A statement for a database, which a client of the shell would get. */
function sqlOf({ effects }: Run, statement: CodeValue): CodeValue {
  if (isKnown(statement) && /^\s*(?:drop|delete|truncate|alter|update|grant)\s/i.test(textOf(statement)))
    effects.startWords(["psql", "-c", textOf(statement)]);
  return UNKNOWN_VALUE;
}

function callMethod(run: Run, { of, name }: Method, args: readonly CodeValue[]): CodeValue {
  const words = of.isPath === true ? namesIn(pathMethodOf(name) ?? "") : [];
  if (words.length > 0) startEffect(run, [...words.map((word) => (word === "?" ? UNKNOWN : word)), "1"], [of, ...args]);
  const [first = UNKNOWN_VALUE] = args;
  switch (methodKindOf(name)) {
    case "same":
      return inHome(of, run);
    case "each":
      if (first.name !== undefined) callFunction(run, { callee: first, method: null, args: [itemOf(of)] });
      return of;
    case "some":
      return { ...of, texts: of.texts.map(narrowed) };
    case "glob":
      return { ...combined(of, changed(first, globOf), joinedPaths), isList: true };
    case "rglob":
      return {
        ...combined(
          of,
          changed(first, (text) => `${GLOBBED}**/${text}`),
          joinedPaths,
        ),
        isList: true,
      };
    case "entries":
      return { ...below(of, "*"), isPath: true };
    case "joinpath":
      return args.reduce((path, one) => combined(path, one, joinedPaths), of);
    case "join":
      // `" ".join(list)`, `list.join(" ")`
      return of.isList ? oneText(of.texts.join(textOf(first))) : oneText(first.texts.join(textOf(of)));
    case "concat":
      return of.isList ? listOf([of, ...args]) : args.reduce((text, one) => combined(text, one, joinedTexts), of);
    case "split":
      return isKnown(of) ? { texts: textOf(of).split(/\s+/), isList: true } : listOf([UNKNOWN_VALUE]);
    case "format":
      return args.reduce(
        (text, arg) => combined(text, arg, (format, value) => format.replace(/\{\w*\}/, () => value)),
        of,
      );
    case "run":
      runProgram(run, [of]);
      return sqlOf(run, first);
    case "sql":
      return sqlOf(run, first);
    case "sibling":
      return changed(of, (path) => `${parentOf(path)}/${UNKNOWN}`);
    default:
      return UNKNOWN_VALUE;
  }
}
