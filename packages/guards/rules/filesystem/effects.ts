import { tableOf } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, Word } from "../../command/call.ts";
import { accessRules } from "../../command/files/access-rules.ts";
import { rowFinder } from "../../command/named-rows.ts";
import { hasOption, type OptionSpec, optionValues, type ParsedOptions, parseOptions } from "../../command/options.ts";
import { findExpression, finderOf, searchedNames, searchOf } from "../../command/started/finders.ts";
import table from "./effects.json" with { type: "json" };

/**
 * The effect of a call on a file or folder. `tree`: deletes it with everything in it. `destroy`: the content cannot be
 * restored. `move`: it is moved away. `empty`: its content is lost. `raw`: it may be a disk. `rewrite`: it gets a new
 * content. `replace`: it may be overwritten by a copy. `mode`: permissions or owner.
 */
export interface Effect {
  readonly kind:
    | "delete"
    | "delete tree"
    | "destroy"
    | "mirror"
    | "move"
    | "empty"
    | "raw"
    | "rewrite"
    | "replace"
    | "append"
    | "mode"
    | "mode tree";
  readonly target: Word;
  /** True if only files of certain names are concerned. */
  readonly isNarrow?: true;
  /** True if all but some files are concerned. */
  readonly isExcluding?: true;
  /** The target of a move. */
  readonly into?: Word;
  /** True if an option that is known only at run time decides. */
  readonly isUnknown?: true;
  /** True if nothing is written; if only a part of the file changes, or a program makes its content. */
  readonly isBlank?: true;
  readonly isPartial?: true;
  /** The permissions that are set, or `owner` and the new owner. */
  readonly mode?: string;
}

/** The effect of a program on its operands. */
interface EffectRow extends OptionSpec {
  readonly kind?: Effect["kind"];
  /** The number of operands before the files, unless one of the options `given` is there. */
  readonly skipped?: number;
  readonly given?: string;
  /** Options without which it has no effect, and those with which it has none. */
  readonly only?: string;
  readonly unless?: string;
  /** Options with which it adds to files. */
  readonly appends?: string;
  /** Options with which a folder is concerned with everything in it. */
  readonly recursive?: string;
  /** An effect in code, below. */
  readonly rule?: SpecialEffect;
}

const rowOf = rowFinder<EffectRow>(tableOf(table));

/** The effects of a call's arguments on files. Its redirections are judged as files. */
export function effectsOf(call: Call): readonly Effect[] {
  const row = rowOf(call.program);
  if (row === undefined) return [];
  const parsed = parseOptions(call.args, row);
  const effects = hasOption(parsed, "--help") && row.rule !== "find" ? [] : effectsOfRow(row, parsed, call);
  const finder = finderOf(call);
  return finder === null ? effects : effects.flatMap((one) => ofFound(one, finder));
}

function effectsOfRow(row: EffectRow, parsed: ParsedOptions, call: Call): readonly Effect[] {
  const { rule, only, unless, appends = "", given = "", skipped = 0, recursive = "" } = row;
  const kind = hasOption(parsed, appends) ? "append" : row.kind;
  if (rule !== undefined) return SPECIAL_EFFECTS[rule](parsed, call);
  if (kind === undefined || (only !== undefined && !hasOption(parsed, only))) return [];
  if (unless !== undefined && hasOption(parsed, unless)) return [];
  const before = hasOption(parsed, given) ? [] : parsed.operands.slice(0, skipped);
  const targets = parsed.operands.slice(before.length);
  const owner = kind === "mode" && before[0] !== undefined ? { mode: `owner ${before[0].text}` } : {};
  if (hasOption(parsed, recursive)) return all(treeOf(kind), targets).map((one) => ({ ...one, ...owner }));
  // `rm $FLAGS /etc`: the flags may be -rf.
  const perhaps = kind === "delete" && recursive !== "" && parsed.hasUnknown ? targets : [];
  const known = perhaps.filter(({ text }) => !text.startsWith(UNKNOWN));
  return [
    ...all(kind, targets).map((one) => ({ ...one, ...owner })),
    ...all("delete tree", known).map((one) => ({ ...one, isUnknown: true as const })),
  ];
}

const treeOf = (kind: Effect["kind"]): Effect["kind"] => (kind === "delete" || kind === "mode" ? `${kind} tree` : kind);

/** `find ROOTS -exec rm {}` has the effect of `rm -r` on the roots. */
function ofFound(effect: Effect, finder: Call): readonly Effect[] {
  const { kind, target } = effect;
  if (!target.text.endsWith(UNKNOWN) || (kind !== "delete" && kind !== "mode")) return [effect];
  const { roots, ...search } = searchOf(finder);
  // By its owner, nearly every file of a home is found; to change its owner then is ordinary work.
  const isNarrow = kind === "mode" && findExpression(finder.args).some(({ name }) => OWNERS.test(name));
  const found = isNarrow ? { ...search, isNarrow } : search;
  // Each root has a call of its own.
  const own = roots.find(({ text }) => target.text === `${text}/${UNKNOWN}`);
  const searched = own === undefined ? roots : [own];
  const trees = searched.map((root) => ({ ...effect, kind: treeOf(kind), target: root, ...found }));
  return kind === "delete" ? [...trees, ...namedFiles(finder, searched)] : trees;
}

const OWNERS = /^-(?:group|gid|no(?:user|group))$/;

const all = (kind: Effect["kind"], targets: readonly Word[]): readonly Effect[] =>
  targets.map((target) => ({ kind, target }));

type EffectRule = (parsed: ParsedOptions, call: Call) => readonly Effect[];

/** `find FOLDER… TESTS -delete`; programs that it starts are calls of their own. */
const find: EffectRule = (_, call) => {
  if (!findExpression(call.args).some(({ name }) => name === "-delete")) return [];
  const { roots, ...search } = searchOf(call);
  return [...roots.map((target): Effect => ({ kind: "delete tree", target, ...search })), ...namedFiles(call, roots)];
};

/** `find . -name '*.sqlite3' -delete`: files of this name. */
function namedFiles(finder: Call, roots: readonly Word[]): readonly Effect[] {
  const names = searchedNames(finder);
  return roots.flatMap((root) =>
    names.map((name) => ({
      kind: "delete" as const,
      target: { ...root, text: `${root.text}/${name}`, isGlob: true },
    })),
  );
}

const move: EffectRule = (parsed) => {
  const { sources, target } = copied(parsed);
  if (target?.text === "/dev/null") return all("delete tree", sources);
  if (target === null) return [];
  return [
    ...sources.map((source): Effect => ({ kind: "move", target: source, into: target })),
    ...all("replace", [target]),
  ];
};

const copy: EffectRule = (parsed) => {
  const { sources, target } = copied(parsed);
  if (target === null) return [];
  const isEmpty = sources.length > 0 && sources.every(({ text }) => /^\/dev\/(?:null|zero|u?random|full)$/.test(text));
  return all(isEmpty ? "empty" : "replace", [target]);
};

function copied(parsed: ParsedOptions): { readonly sources: readonly Word[]; readonly target: Word | null } {
  const [folder] = optionValues(parsed, "-t --target-directory");
  if (folder !== undefined) return { sources: parsed.operands, target: folder };
  return { sources: parsed.operands.slice(0, -1), target: parsed.operands.at(-1) ?? null };
}

const rsync: EffectRule = (parsed) => {
  if (hasOption(parsed, "-n --dry-run --list-only")) return [];
  const { operands, options } = parsed;
  const target = operands.at(-1);
  const isMirror = options.some(({ name }) => /^--del(?:ete(?:-.*)?)?$/.test(name) || name === "--delete-excluded");
  return [
    ...all("mirror", isMirror && target !== undefined && operands.length > 1 ? [target] : []),
    ...all("move", hasOption(parsed, "--remove-source-files") ? operands.slice(0, -1) : []),
  ];
};

const dd: EffectRule = (_, { args }) =>
  args.flatMap((word) => (word.text.startsWith("of=") ? all("raw", [{ ...word, text: word.text.slice(3) }]) : []));

/** The mode `-w` has the form of an option. */
const isRemovedMode = ({ text }: Word): boolean => /^-[rwxXstugo]+$/.test(text);

const chmod: EffectRule = (_, { args, program }) => {
  const removed = args.find(isRemovedMode);
  const rest = removed === undefined ? args : args.filter((word) => word !== removed);
  const parsed = parseOptions(rest, rowOf(program));
  const hasMode = removed === undefined && !hasOption(parsed, "--reference");
  const mode = removed?.text ?? (hasMode ? (parsed.operands[0]?.text ?? "") : "");
  const kind = hasOption(parsed, "-R --recursive") ? "mode tree" : "mode";
  return parsed.operands.slice(hasMode ? 1 : 0).map((target) => ({ kind, target, mode }));
};

/** `tar --remove-files`: the packed files are deleted. */
const tar: EffectRule = (parsed, { args }) => {
  if (!hasOption(parsed, "--remove-files")) return [];
  const isOldStyle = /^[a-zA-Z]+$/.test(args[0]?.text ?? "");
  return all("delete tree", parsed.operands.slice(isOldStyle ? 2 : 0));
};

/** Programs that edit files in place. */
const edit: EffectRule = (_, call) =>
  accessRules(call).flatMap(({ kind, word }) =>
    kind === "write" ? [{ kind: "rewrite" as const, target: word, isPartial: true as const }] : [],
  );

const SPECIAL_EFFECTS = { chmod, copy, dd, edit, find, move, rsync, tar };

type SpecialEffect = keyof typeof SPECIAL_EFFECTS;
