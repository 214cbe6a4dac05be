import { tableOf } from "../../../../src/protocol/json/table.ts";
import { kindOf } from "../../../../src/shell/programs.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import { plainWord, type Word } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { CURL, hasOption, optionValues, parseOptions, WGET } from "../options.ts";
import { foundBy } from "../started/finders.ts";
import gitTable from "./git-operands.json" with { type: "json" };
import {
  type AccessKind,
  type AccessRule,
  contentOf,
  files,
  inFolders,
  isKnownName,
  type NamedFile,
  replaced,
} from "./named-file.ts";

/** A shell or interpreter reads its script. */
export const script: AccessRule = ({ args, program }) => {
  const isShell = kindOf(program) === "shell";
  const inline = isShell ? /^-[a-z]*c/ : /^(?:-[a-zA-Z]*[ceEr]|--eval|--print|-p|-m|eval)$/;
  const at = args.findIndex(({ text }) => !/^[-+]/.test(text) || inline.test(text));
  const first = args[at];
  if (first === undefined) return [];
  // Operands of shell code are followed; those of code in another language are not.
  if (inline.test(first.text)) return isShell ? [] : files("use", args.slice(at + 2).filter(isPathLike));
  return [...files("read", [first]), ...files("use", args.slice(at + 1).filter(isPathLike))];
};

const isPathLike = ({ text }: Word): boolean => /[/.~]/.test(text) && !/[\s]/.test(text) && !/^\w+:\/\//.test(text);

/** `perl -pi -e code file` edits files in place, `perl -ne code file` reads them. */
const filter: AccessRule = (call) => {
  const { args } = call;
  const at = args.findIndex(({ text }) => /^-[a-zA-Z0-9]*[eE]$/.test(text));
  const options = args.filter(({ text }) => /^-[a-zA-Z0-9.]+$/.test(text));
  const isLooping = options.some(({ text }) => /^-[a-zA-Z0-9]*[np]/.test(text));
  if (at === -1 || !isLooping) return script(call);
  const isInPlace = options.some(({ text }) => /^-[a-zA-Z0-9]*i/.test(text));
  const operands = args.filter(({ text }, index) => index !== at + 1 && !text.startsWith("-"));
  return files(isInPlace ? "write" : "read", operands);
};

/** `chmod -x file`: the mode begins with a hyphen. */
const chmod: AccessRule = ({ args }) => {
  const words = args.map((word) => (/^-[rwxXst]/.test(word.text) ? { ...word, text: "a" } : word));
  return files("mode", parseOptions(words).operands.slice(1));
};

const dd: AccessRule = ({ args }) =>
  args.flatMap((word) => {
    const [, name, text] = /^(if|of)=(.*)$/s.exec(word.text) ?? [];
    return name === undefined || text === undefined ? [] : files(name === "if" ? "read" : "write", [{ ...word, text }]);
  });

const curl: AccessRule = ({ args }) => {
  const parsed = parseOptions(args, CURL);
  const posted = optionValues(
    parsed,
    "-d --data --data-binary --data-ascii --data-urlencode --json -F --form -H",
  ).flatMap(attachments);
  const read = optionValues(parsed, "-T --upload-file -K --config -E --cert --key --netrc-file -b --cookie").filter(
    ({ text }) => !text.includes("=") || text.includes("/"),
  );
  const isNamed = hasOption(parsed, "-O --remote-name --remote-name-all");
  const saved = [...optionValues(parsed, "-o --output"), ...(isNamed ? parsed.operands.map(lastName) : [])];
  const into = optionValues(parsed, "--output-dir");
  const written = optionValues(parsed, "-c --cookie-jar -D --dump-header");
  return [
    ...files("read", [...read, ...posted, ...parsed.operands.flatMap(fileUrl)]),
    ...files("write", [...written, ...(into.length === 0 ? saved : inFolders(into, saved))]),
  ];
};

/** `@file`, `name=@file,other`, `name=<file`. */
function attachments(word: Word): readonly Word[] {
  const [, names] = /^(?:[^@<=]*=)?[@<]([^;]+)/s.exec(word.text) ?? [];
  return names === undefined ? [] : names.split(",").map((text) => ({ ...word, text }));
}

const fileUrl = (word: Word): readonly Word[] =>
  word.text.startsWith("file://") ? [{ ...word, text: word.text.slice(7) }] : [];

const lastName = (word: Word): Word => {
  const path = word.text.replace(/[?#].*$/s, "");
  return { ...word, text: path.slice(path.lastIndexOf("/") + 1) || UNKNOWN };
};

const wget: AccessRule = ({ args }) => {
  const parsed = parseOptions(args, WGET);
  const into = optionValues(parsed, "-P --directory-prefix");
  const saved = parsed.operands.map(lastName);
  const isNamed = hasOption(parsed, "-O --output-document");
  return [
    ...files("read", optionValues(parsed, "-i --input-file --post-file --body-file --certificate")),
    ...files("write", optionValues(parsed, "-O --output-document -o --output-file -a")),
    ...files("write", isNamed ? [] : into.length === 0 ? saved : [...into, ...inFolders(into, saved)]),
  ];
};

const find: AccessRule = (call) => {
  const { args } = call;
  const written = args.filter((_, at) => /^-(?:fprint0?|fls|fprintf)$/.test(args[at - 1]?.text ?? ""));
  const source = args.map((word) => word.source).join(" ");
  const found = foundBy(call).map((text) => plainWord(text, source));
  const isDeleting = args.some(({ text }) => text === "-delete");
  return [...files("write", written), ...(isDeleting ? files("delete", found) : [])];
};

/** The use of the operands by commands of git; `names`: names in the repository, texts, or files that it only reads. */
const gitOperands = rowFinder<AccessKind | "names">(tableOf(gitTable));

const git: AccessRule = ({ args }) => {
  const { operands } = parseOptions(args, { values: "-C -c --git-dir --work-tree", endsAtOperand: true });
  const [command, ...rest] = operands;
  const name = command?.text ?? "";
  const outputs = /^(?:archive|format-patch)$/.test(name) ? "-o --output --output-directory" : "--output";
  const parsed = parseOptions(rest, { values: `-m -s --source ${outputs}` });
  const written = files("write", optionValues(parsed, outputs));
  const kind = gitOperands(name);
  if (kind === "names") return written;
  if (kind === undefined) return [...written, ...parsed.operands.map(checkedOut)];
  const ended = rest.findIndex(({ text }) => text === "--");
  // `:!*.key` leaves files out.
  const paths = (ended === -1 ? parsed.operands : rest.slice(ended + 1)).filter(
    ({ text }) => !/^:(?:[!^]|\([^)]*exclude)/.test(text),
  );
  return [...written, ...(name === "checkout" && ended === -1 ? [] : files(kind, paths))];
};

/** The folder of `git clone` and `git worktree add`. */
const checkedOut = (word: Word): NamedFile => ({ kind: "use", word, tree: "content" });

/** The addresses `OPEN:file` and `FILE:file,option`, which are read and written unless an option says otherwise. */
const socat: AccessRule = ({ args }) =>
  args.flatMap((word) =>
    word.text.split("!!").flatMap((address) => {
      const [, name] = /^(?:g?open|file|o|creat|create):["']?([^,"']+)/i.exec(address) ?? [];
      const found = name === undefined ? [] : [{ ...word, text: name }];
      return [...files("read", found), ...files("write", found)];
    }),
  );

const patch: AccessRule = ({ args }) => {
  const parsed = parseOptions(args, { values: "-p -i -o -d -r -D -F -B -Y -z --input --output --strip --directory" });
  return [
    ...files("read", optionValues(parsed, "-i --input")),
    ...files("write", [...parsed.operands.slice(0, 1), ...optionValues(parsed, "-o --output -d --directory")]),
    ...optionValues(parsed, "-d --directory").map(contentOf),
  ];
};

/** What is mounted hides what was there. */
const mount: AccessRule = ({ args }) => {
  const [source, target] = parseOptions(args, { values: "-t -o -L -U --types --options" }).operands;
  return source === undefined || target === undefined ? [] : [...files("read", [source]), ...replaced(target)];
};

/** The folders into which an archive is extracted, or the working directory: as a whole, or only the members named. */
function extracted(folders: readonly Word[], members: readonly Word[]): readonly NamedFile[] {
  const into = folders.length === 0 ? [HERE] : folders;
  const trees = members.length === 0 ? into : inFolders(into, members);
  return [...files("write", folders), ...trees.map(contentOf)];
}

const HERE = plainWord(".");

const unzip: AccessRule = ({ args }) => {
  const parsed = parseOptions(args, { values: "-d -x -P" });
  const isReading = hasOption(parsed, "-l -t -p -z -Z -v");
  const [archive, members] = [parsed.operands.slice(0, 1), parsed.operands.slice(1)];
  return [...files("read", archive), ...(isReading ? [] : extracted(optionValues(parsed, "-d"), members))];
};

/** The first operand of 7z is its command. */
const archiver: AccessRule = ({ args }) => {
  const parsed = parseOptions(args, { values: "-o" });
  const [first, ...rest] = parsed.operands;
  if (first === undefined) return [];
  if (/^[xe]$/.test(first.text))
    return [...files("read", rest.slice(0, 1)), ...extracted(optionValues(parsed, "-o"), rest.slice(1))];
  return [...files("write", [first]), ...files("read", rest)];
};

const cpio: AccessRule = ({ args }) => {
  const parsed = parseOptions(args, { values: "-D --directory -F -I -O -H -R -M -C" });
  if (!hasOption(parsed, "-i --extract -p --pass-through")) return files("write", optionValues(parsed, "-O -F"));
  const passed = hasOption(parsed, "-p --pass-through") ? parsed.operands : [];
  return extracted([...optionValues(parsed, "-D --directory"), ...passed], []);
};

const TAR = {
  values:
    "-f --file -C --directory -T --files-from -X --exclude-from --exclude -I --use-compress-program --transform --strip-components -g --listed-incremental",
};

const tar: AccessRule = ({ args }) => {
  // `tar xzf a.tgz`: the first word may have no dash.
  const [first, ...rest] = args;
  const dashed =
    first !== undefined && /^[A-Za-z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...rest] : args;
  const parsed = parseOptions(dashed, TAR);
  const archives = optionValues(parsed, "-f --file");
  const lists = files("read", optionValues(parsed, "-T --files-from -X"));
  if (!hasOption(parsed, "-x -t -d --extract --get --list")) {
    const packed = files(hasOption(parsed, "--remove-files") ? "delete" : "read", parsed.operands);
    return [...files("write", archives), ...packed, ...lists];
  }
  const read = files("read", archives);
  if (!hasOption(parsed, "-x --extract --get") || hasOption(parsed, "-O --to-stdout")) return [...read, ...lists];
  const folders = optionValues(parsed, "-C --directory");
  const named = parsed.operands.filter(isKnownName);
  const written = folders.length === 0 ? named : inFolders(folders, named);
  return [...read, ...files("write", written), ...extracted(folders, parsed.operands), ...lists];
};

/** Rules that need more than a row of `access-rules.json`, by the names with which rows refer to them. */
export const SPECIAL_RULES = {
  archiver,
  chmod,
  cpio,
  curl,
  dd,
  filter,
  find,
  git,
  mount,
  patch,
  socat,
  tar,
  unzip,
  wget,
};

export type SpecialRule = keyof typeof SPECIAL_RULES;
