import { type Call, UNKNOWN, type Word } from "../../command/call.ts";
import { accessRules } from "../../command/files/access-table.ts";
import { hasOption, type OptionSpec, optionValues, type ParsedOptions, parseOptions } from "../../command/options.ts";
import { findExpression, finderOf, searchOf } from "../../command/started/find-expression.ts";

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
  /** The permissions that are set. */
  readonly mode?: string;
}

interface Program {
  readonly spec: OptionSpec;
  readonly effects: (parsed: ParsedOptions, call: Call) => readonly Effect[];
}

/** The effects of a call's arguments on files. Its redirections are judged as files. */
export function effectsOf(call: Call): readonly Effect[] {
  const program = PROGRAMS.get(call.program);
  if (program === undefined) return [];
  const parsed = parseOptions(call.args, program.spec);
  const effects = hasOption(parsed, "--help") && program !== FIND ? [] : program.effects(parsed, call);
  const finder = finderOf(call);
  return finder === null ? effects : effects.flatMap((one) => ofFound(one, finder));
}

/** `find ROOTS -exec rm {}` has the effect of `rm -r` on the roots. */
function ofFound(effect: Effect, finder: Call): readonly Effect[] {
  const { kind, target } = effect;
  if (!target.text.endsWith(UNKNOWN) || (kind !== "delete" && kind !== "mode")) return [effect];
  const tree = kind === "delete" ? "delete tree" : "mode tree";
  const { roots, ...search } = searchOf(finder);
  return roots.map((target) => ({ ...effect, kind: tree, target, ...search }));
}

const all = (kind: Effect["kind"], targets: readonly Word[]): readonly Effect[] =>
  targets.map((target) => ({ kind, target }));

const REMOVE: Program = {
  spec: {
    flags: ["--recursive", "--force", "--verbose", "--dir", "--one-file-system", "--no-preserve-root"],
    values: ["--interactive", "--preserve-root"],
  },
  effects: (parsed) => {
    if (hasOption(parsed, "-r", "-R", "--recursive")) return all("delete tree", parsed.operands);
    // `rm $FLAGS /etc`: the flags may be -rf.
    const known = parsed.operands.filter(({ text }) => !text.startsWith(UNKNOWN));
    const maybe = parsed.hasUnknown ? known : [];
    return [
      ...all("delete", parsed.operands),
      ...maybe.map((target): Effect => ({ kind: "delete tree", target, isUnknown: true })),
    ];
  },
};

const DESTROY: Program = { spec: {}, effects: ({ operands }) => all("destroy", operands) };
const DELETE: Program = { spec: {}, effects: ({ operands }) => all("delete", operands) };
const DELETE_TREE: Program = { spec: {}, effects: ({ operands }) => all("delete tree", operands) };

const SHRED: Program = {
  spec: { values: ["-n", "-s", "--iterations", "--size", "--random-source"] },
  effects: ({ operands }) => all("destroy", operands),
};

/** `find FOLDER… TESTS -delete`; programs that it starts are calls of their own. */
const FIND: Program = {
  spec: {},
  effects: (_, call) => {
    if (!findExpression(call.args).some(({ name }) => name === "-delete")) return [];
    const { roots, ...search } = searchOf(call);
    return roots.map((target) => ({ kind: "delete tree", target, ...search }));
  },
};

const COPY_VALUES = ["-t", "--target-directory", "-S", "--suffix"];

const MOVE: Program = {
  spec: { values: COPY_VALUES, flags: ["--force", "--no-clobber", "--no-target-directory", "--verbose", "--update"] },
  effects: (parsed) => {
    const { sources, target } = copied(parsed);
    if (target?.text === "/dev/null") return all("delete tree", sources);
    if (target === null) return [];
    return [
      ...sources.map((source): Effect => ({ kind: "move", target: source, into: target })),
      ...all("replace", [target]),
    ];
  },
};

const COPY: Program = {
  spec: {
    values: [...COPY_VALUES, "-m", "-o", "-g", "--mode", "--owner", "--group"],
    flags: ["--recursive", "--force"],
  },
  effects: (parsed) => {
    const { sources, target } = copied(parsed);
    if (target === null) return [];
    const empties =
      sources.length > 0 && sources.every(({ text }) => /^\/dev\/(?:null|zero|u?random|full)$/.test(text));
    return [{ kind: empties ? "empty" : "replace", target }];
  },
};

function copied(parsed: ParsedOptions): { readonly sources: readonly Word[]; readonly target: Word | null } {
  const [folder] = optionValues(parsed, "-t", "--target-directory");
  if (folder !== undefined) return { sources: parsed.operands, target: folder };
  return { sources: parsed.operands.slice(0, -1), target: parsed.operands.at(-1) ?? null };
}

const RSYNC: Program = {
  spec: {
    values: [
      ...[
        "-e",
        "-f",
        "-T",
        "-B",
        "-M",
        "--rsh",
        "--filter",
        "--exclude",
        "--include",
        "--exclude-from",
        "--files-from",
      ],
      ...[
        "--include-from",
        "--rsync-path",
        "--bwlimit",
        "--timeout",
        "--port",
        "--log-file",
        "--backup-dir",
        "--suffix",
      ],
      ...["--compare-dest", "--link-dest", "--copy-dest", "--chmod", "--chown", "--max-size", "--partial-dir"],
    ],
  },
  effects: (parsed) => {
    if (hasOption(parsed, "-n", "--dry-run", "--list-only")) return [];
    const { operands, options } = parsed;
    const target = operands.at(-1);
    const isMirror = options.some(({ name }) => /^--del(?:ete(?:-.*)?)?$/.test(name) || name === "--delete-excluded");
    const takesAway = hasOption(parsed, "--remove-source-files");
    return [
      ...all("mirror", isMirror && target !== undefined && operands.length > 1 ? [target] : []),
      ...all("move", takesAway ? operands.slice(0, -1) : []),
    ];
  },
};

const TRUNCATE: Program = {
  spec: { values: ["-s", "-r", "--size", "--reference"], flags: ["--no-create", "--io-blocks"] },
  effects: ({ operands }) => all("empty", operands),
};

const DD: Program = {
  spec: {},
  effects: (_, { args }) =>
    args.flatMap((word) => (word.text.startsWith("of=") ? all("raw", [{ ...word, text: word.text.slice(3) }]) : [])),
};

const TEE: Program = {
  spec: { flags: ["--append", "--ignore-interrupts"] },
  effects: (parsed) => (hasOption(parsed, "-a", "--append") ? [] : all("rewrite", parsed.operands)),
};

const MODE_FLAGS = [
  "--recursive",
  "--verbose",
  "--changes",
  "--silent",
  "--quiet",
  "--preserve-root",
  "--no-preserve-root",
];

/** A mode such as `-w` looks like an option. */
const isRemovedMode = ({ text }: Word): boolean => /^-[rwxXstugo]+$/.test(text);

const CHMOD: Program = {
  spec: { flags: MODE_FLAGS, values: ["--reference"] },
  effects: (_, { args }) => {
    const removed = args.find(isRemovedMode);
    const parsed = parseOptions(removed === undefined ? args : args.filter((word) => word !== removed), CHMOD.spec);
    const hasMode = removed === undefined && !hasOption(parsed, "--reference");
    const mode = removed?.text ?? (hasMode ? (parsed.operands[0]?.text ?? "") : "");
    return parsed.operands.slice(hasMode ? 1 : 0).map((target) => ({ kind: modeKind(parsed), target, mode }));
  },
};

const CHOWN: Program = {
  spec: { flags: [...MODE_FLAGS, "--no-dereference", "--dereference"], values: ["--reference", "--from"] },
  effects: (parsed) => all(modeKind(parsed), parsed.operands.slice(hasOption(parsed, "--reference") ? 0 : 1)),
};

const ACL: Program = {
  spec: { values: ["-m", "-M", "-x", "-X", "--modify", "--remove", "--set", "--set-file", "--restore"] },
  effects: (parsed) => all(modeKind(parsed), parsed.operands),
};

/** The first operand of chattr and chflags is the flags, unless they look like an option. */
const FLAGS: Program = {
  spec: {},
  effects: (parsed) => all(modeKind(parsed), parsed.operands),
};

const modeKind = (parsed: ParsedOptions): "mode" | "mode tree" =>
  hasOption(parsed, "-R", "--recursive") ? "mode tree" : "mode";

/** `tar --remove-files`, `zip -m`: the packed files are deleted. */
const TAR: Program = {
  spec: {
    values: ["-f", "-C", "-T", "-X", "--file", "--directory", "--exclude", "--files-from"],
    flags: ["--remove-files"],
  },
  effects: (parsed, { args }) => {
    if (!hasOption(parsed, "--remove-files")) return [];
    const isOldStyle = /^[a-zA-Z]+$/.test(args[0]?.text ?? "");
    return all("delete tree", parsed.operands.slice(isOldStyle ? 2 : 0));
  },
};

const ZIP: Program = {
  spec: { values: ["-x", "-i", "-b", "-n", "-t", "-P"] },
  effects: (parsed) => (hasOption(parsed, "-m", "--move") ? all("delete tree", parsed.operands.slice(1)) : []),
};

/** Programs that edit files in place. */
const EDIT: Program = {
  spec: {},
  effects: (_, call) =>
    accessRules(call).flatMap(({ kind, word }): readonly Effect[] =>
      kind === "write" ? [{ kind: "rewrite", target: word }] : [],
    ),
};

/** The programs that delete, overwrite or change permissions, by their manuals. */
const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ...["rm", "grm"].map((name) => [name, REMOVE] as const),
  ...["wipe", "scrub", "srm"].map((name) => [name, DESTROY] as const),
  ["unlink", DELETE],
  ...["rimraf", "del", "del-cli", "premove"].map((name) => [name, DELETE_TREE] as const),
  ["shred", SHRED],
  ...["find", "gfind", "bfs"].map((name) => [name, FIND] as const),
  ...["mv", "gmv"].map((name) => [name, MOVE] as const),
  ...["cp", "gcp", "install", "ln"].map((name) => [name, COPY] as const),
  ["rsync", RSYNC],
  ["truncate", TRUNCATE],
  ...["dd", "gdd", "dcfldd"].map((name) => [name, DD] as const),
  ...["tee", "sponge"].map((name) => [name, TEE] as const),
  ["chmod", CHMOD],
  ...["chown", "chgrp"].map((name) => [name, CHOWN] as const),
  ["setfacl", ACL],
  ...["chattr", "chflags"].map((name) => [name, FLAGS] as const),
  ...["tar", "gtar", "bsdtar"].map((name) => [name, TAR] as const),
  ["zip", ZIP],
  ...["sed", "gsed", "perl", "ruby", "awk", "gawk", "yq", "ex", "ed", "sort", "uniq"].map(
    (name) => [name, EDIT] as const,
  ),
]);
