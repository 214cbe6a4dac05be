import { type Call, UNKNOWN, type Word } from "../call.ts";
import { hasOption, type OptionSpec, optionValues, type ParsedOptions, parseOptions } from "../options.ts";
import { files, inFolders, isKnownName, split } from "./access-rules.ts";
import type { AccessKind, NamedFile } from "./file-access.ts";

type Rule = (call: Call) => readonly NamedFile[];

/** How a program copies, moves or links sources to a target. */
interface Transfer {
  readonly from: AccessKind;
  readonly spec?: OptionSpec;
  /** True if it also transfers folders, with everything in them. */
  readonly isRecursive: (parsed: ParsedOptions) => boolean;
  /** Sources whose content is meant, and not the folder with its name: all, or those that end in a slash. */
  readonly content?: "of all" | "of slash";
}

/**
 * The last operand, or the value of `-t`, is the target; the others are sources. If the target is a folder, which only the
 * disk knows, each source gets its own name in it.
 */
const transfer =
  (rule: Transfer): Rule =>
  ({ args }) => {
    const parsed = parseOptions(args, {
      ...rule.spec,
      values: ["-t", "--target-directory", "-S", "--suffix", ...(rule.spec?.values ?? [])],
    });
    const [folder] = optionValues(parsed, "-t", "--target-directory");
    const target = folder ?? parsed.operands.at(-1);
    const sources = folder === undefined ? parsed.operands.slice(0, -1) : parsed.operands;
    const read = files(
      rule.from,
      sources.filter(({ text }) => !isRemotePath(text)),
    );
    if (target === undefined || isRemotePath(target.text)) return read;
    const written = files("write", [target, ...inFolders([target], sources.map(lastPart))]);
    return [...read, ...written, ...(rule.isRecursive(parsed) ? trees(target, sources, parsed, rule) : [])];
  };

/** The folders below which a copy may write anything. */
function trees(target: Word, sources: readonly Word[], parsed: ParsedOptions, rule: Transfer): readonly NamedFile[] {
  const isTarget = hasOption(parsed, "-T", "--no-target-directory");
  const words = sources.flatMap((source) => {
    const name = lastPart(source);
    const isSlashed = rule.content === "of slash" && source.text.endsWith("/");
    if (isTarget || rule.content === "of all" || isSlashed || /^\.\.?$/.test(name.text)) return [target];
    return name.text.includes(UNKNOWN) ? [] : [below(target, name)];
  });
  return [...new Set(words)].map(contentOf);
}

const contentOf = (word: Word): NamedFile => ({ kind: "write", word, tree: "content" });

const below = (folder: Word, name: Word): Word => ({
  ...folder,
  text: `${folder.text}/${name.text}`,
  isGlob: folder.isGlob || name.isGlob,
});

/** The last part of a path; `host:path` of another machine. */
const lastPart = (word: Word): Word => ({ ...word, text: /([^/:]+)\/*$/.exec(word.text)?.[1] ?? "." });

/** `host:path` of scp and rsync. */
const isRemotePath = (text: string): boolean => /^[^/]*:/.test(text);

const RECURSIVE = ["-r", "-R", "-a", "--recursive", "--archive"];

export const copy = transfer({
  from: "read",
  spec: { values: ["-m", "-o", "-g", "--mode", "--owner", "--group"], flags: ["--recursive", "--archive"] },
  isRecursive: (parsed) => hasOption(parsed, ...RECURSIVE),
});

export const copyTree = transfer({ from: "read", content: "of all", isRecursive: () => true });

export const install = transfer({
  from: "read",
  spec: { values: ["-m", "-o", "-g", "--mode", "--owner", "--group"] },
  isRecursive: () => false,
});

export const move = transfer({ from: "delete", isRecursive: () => true });

export const rsync = transfer({
  from: "read",
  spec: {
    values: split(
      "-e --rsh --exclude --include --exclude-from --include-from --files-from -f --filter --port -T --backup-dir --bwlimit",
    ),
  },
  content: "of slash",
  isRecursive: (parsed) => hasOption(parsed, ...RECURSIVE) && !hasOption(parsed, "-n", "--dry-run"),
});

export const scp = transfer({
  from: "read",
  spec: { values: split("-i -P -F -o -c -l -J -S") },
  isRecursive: (parsed) => hasOption(parsed, "-r"),
});

const links = transfer({ from: "read", isRecursive: () => false });

/** A link takes the place of a folder by its name, or is made in it: certain with `-n` and `-T`, and with a final slash. */
export function link(call: Call): readonly NamedFile[] {
  const parsed = parseOptions(call.args, { values: ["-t", "--target-directory", "-S", "--suffix"] });
  const found = links(call);
  if (hasOption(parsed, "-t", "--target-directory")) return found;
  const target = parsed.operands.at(-1);
  if (target === undefined || parsed.operands.length < 2) return found;
  if (hasOption(parsed, "-n", "-T", "-h", "--no-dereference", "--no-target-directory"))
    return [...found, ...replaced(target)];
  return target.text.endsWith("/") ? found : [...found, { kind: "write", word: target, tree: "itself" }];
}

/** What is mounted hides what was there. */
export function mount({ args }: Call): readonly NamedFile[] {
  const { operands } = parseOptions(args, { values: ["-t", "-o", "-L", "-U", "--types", "--options"] });
  const [source, target] = operands;
  if (source === undefined || target === undefined) return [];
  return [...files("read", [source]), ...replaced(target)];
}

/** What was there is gone, and what takes its place is from elsewhere. */
const replaced = (word: Word): readonly NamedFile[] => [
  { kind: "write", word },
  { kind: "write", word, tree: "itself" },
  { kind: "delete", word },
];

/** The folders into which an archive is extracted, or the working directory: as a whole, or only the members named. */
function extracted(folders: readonly Word[], members: readonly Word[]): readonly NamedFile[] {
  const into = folders.length === 0 ? [HERE] : folders;
  const trees = members.length === 0 ? into : inFolders(into, members.filter(isKnownName));
  return [...files("write", folders), ...trees.map(contentOf)];
}

const HERE: Word = { text: ".", source: ".", isGlob: false, printedBy: [] };

export function unzip({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, { values: ["-d", "-x", "-P"] });
  const [archive, ...members] = parsed.operands;
  const folders = optionValues(parsed, "-d");
  const isReading = hasOption(parsed, "-l", "-t", "-p", "-z", "-Z", "-v");
  return [...files("read", archive === undefined ? [] : [archive]), ...(isReading ? [] : extracted(folders, members))];
}

/** The first operand of 7z is its command. */
export function archiver({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, { values: ["-o"] });
  const [first, ...rest] = parsed.operands;
  if (first !== undefined && /^[xe]$/.test(first.text))
    return [...files("read", rest.slice(0, 1)), ...extracted(optionValues(parsed, "-o"), rest.slice(1))];
  return [...files("write", first === undefined ? [] : [first]), ...files("read", rest)];
}

export function cpio({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, { values: ["-D", "--directory", "-F", "-I", "-O", "-H", "-R", "-M", "-C"] });
  const folders = optionValues(parsed, "-D", "--directory");
  return hasOption(parsed, "-i", "--extract", "-p", "--pass-through")
    ? extracted([...folders, ...(hasOption(parsed, "-p", "--pass-through") ? parsed.operands : [])], [])
    : files("write", optionValues(parsed, "-O", "-F"));
}

const TAR = {
  values: split(
    "-f --file -C --directory -T --files-from -X --exclude-from --exclude -I --use-compress-program --transform --strip-components -g --listed-incremental",
  ),
};

export function tar({ args }: Call): readonly NamedFile[] {
  // `tar xzf a.tgz`: the first word may have no dash.
  const [first, ...rest] = args;
  const dashed =
    first !== undefined && /^[A-Za-z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...rest] : args;
  const parsed = parseOptions(dashed, TAR);
  const archives = optionValues(parsed, "-f", "--file");
  const isReading = hasOption(parsed, "-x", "-t", "-d", "--extract", "--get", "--list");
  const folders = optionValues(parsed, "-C", "--directory");
  const isExtracting = hasOption(parsed, "-x", "--extract", "--get") && !hasOption(parsed, "-O", "--to-stdout");
  const named = isExtracting ? parsed.operands.filter(isKnownName) : [];
  const written = folders.length === 0 ? named : inFolders(folders, named);
  const lists = files("read", optionValues(parsed, "-T", "--files-from", "-X"));
  return isReading
    ? [
        ...files("read", archives),
        ...files("write", written),
        ...(isExtracting ? extracted(folders, parsed.operands) : []),
        ...lists,
      ]
    : [
        ...files("write", archives),
        ...files(hasOption(parsed, "--remove-files") ? "delete" : "read", parsed.operands),
        ...lists,
      ];
}
