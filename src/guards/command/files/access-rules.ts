import { ownValue } from "../../../protocol/own-value.ts";
import { type Call, UNKNOWN, type Word } from "../call.ts";
import { hasOption, optionValues, parseOptions } from "../options.ts";
import { foundBy } from "../started/follow-find.ts";
import type { AccessKind, NamedFile } from "./file-access.ts";

export const split = (text: string): readonly string[] => (text === "" ? [] : text.split(" "));

export const files = (kind: AccessKind, words: readonly Word[]): readonly NamedFile[] =>
  words.map((word) => ({ kind, word }));

/** Files in folders, as far as their names are known. */
export const inFolders = (folders: readonly Word[], names: readonly Word[]): readonly Word[] =>
  folders
    .filter(({ text }) => !text.startsWith(UNKNOWN))
    .flatMap((folder) =>
      names.filter(isKnownName).map((name) => ({
        ...folder,
        text: `${folder.text}/${name.text}`,
        isGlob: folder.isGlob || name.isGlob,
      })),
    );

/** Not `.` and `*`, which may be anything, and nothing that is known only at run time. */
export const isKnownName = ({ text }: Word): boolean => !/^(?:\.\.?|\*+)$/.test(text) && !text.includes(UNKNOWN);

const SED = {
  values: ["-e", "-f", "-l", "--expression", "--file", "--line-length"],
  attached: ["-i"],
  flags: ["--in-place", "--quiet"],
};

export function sed({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, SED);
  const isGiven = hasOption(parsed, "-e", "--expression", "-f", "--file");
  const rest = isGiven ? parsed.operands : parsed.operands.slice(1);
  const kind = hasOption(parsed, "-i", "--in-place") ? "write" : "read";
  return [...files("read", optionValues(parsed, "-f", "--file")), ...files(kind, rest)];
}

/** With `-c` the file stays; otherwise the compressed file replaces it. */
export function compressor({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, { values: ["-S", "--suffix", "-T", "-o"], flags: ["--stdout", "--keep"] });
  const stays = hasOption(parsed, "-c", "--stdout", "--to-stdout", "-k", "--keep", "-l", "-t");
  return [...files(stays ? "read" : "write", parsed.operands), ...files("write", optionValues(parsed, "-o"))];
}

export function dd({ args }: Call): readonly NamedFile[] {
  return args.flatMap((word) => {
    const [, name, text] = /^(if|of)=(.*)$/s.exec(word.text) ?? [];
    return name === undefined || text === undefined ? [] : files(name === "if" ? "read" : "write", [{ ...word, text }]);
  });
}

const CURL = {
  values: split(
    "-o --output -d --data --data-binary --data-raw --data-ascii --data-urlencode --json -F --form -T --upload-file -K --config -H --header -X --request -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -x --proxy -m --max-time --connect-timeout --retry -w --write-out -E --cert --key --cacert --netrc-file --output-dir -r --range -C --resolve --interface --limit-rate --unix-socket -D --dump-header --url -Y -y -z -t -Q -P",
  ),
  flags: split("--remote-name --location --silent --fail --show-error --insecure --compressed --remote-name-all"),
};

export function curl({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, CURL);
  const posted = optionValues(
    parsed,
    "-d",
    "--data",
    "--data-binary",
    "--data-ascii",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "-H",
  );
  const read = optionValues(
    parsed,
    "-T",
    "--upload-file",
    "-K",
    "--config",
    "-E",
    "--cert",
    "--key",
    "--netrc-file",
    "-b",
    "--cookie",
  );
  const isNamed = hasOption(parsed, "-O", "--remote-name", "--remote-name-all");
  const saved = [...optionValues(parsed, "-o", "--output"), ...(isNamed ? parsed.operands.map(lastName) : [])];
  const into = optionValues(parsed, "--output-dir");
  const written = optionValues(parsed, "-c", "--cookie-jar", "-D", "--dump-header");
  return [
    ...files("read", [
      ...read.filter(({ text }) => !text.includes("=") || text.includes("/")),
      ...posted.flatMap(attachments),
    ]),
    ...files("read", parsed.operands.flatMap(fileUrl)),
    ...files("write", [...written, ...(into.length === 0 ? saved : inFolders(into, saved))]),
  ];
}

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

const WGET = {
  values: split(
    "-O --output-document -P --directory-prefix -i --input-file --post-file --body-file --post-data --header -o --output-file -a -t -T -U --user --password -e --ca-certificate --certificate",
  ),
};

export function wget({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, WGET);
  const into = optionValues(parsed, "-P", "--directory-prefix");
  const written = optionValues(parsed, "-O", "--output-document", "-o", "--output-file", "-a");
  const isNamed = hasOption(parsed, "-O", "--output-document");
  const saved = parsed.operands.map(lastName);
  return [
    ...files("read", optionValues(parsed, "-i", "--input-file", "--post-file", "--body-file", "--certificate")),
    ...files("write", written),
    ...files("write", isNamed ? [] : into.length === 0 ? saved : [...into, ...inFolders(into, saved)]),
  ];
}

export function find({ args }: Call): readonly NamedFile[] {
  const written = args.filter((_, at) => /^-(?:fprint0?|fls|fprintf)$/.test(args[at - 1]?.text ?? ""));
  const source = args.map((word) => word.source).join(" ");
  const found = foundBy(args).map((text): Word => ({ text, source, isGlob: false, printedBy: [] }));
  const isDeleting = args.some(({ text }) => text === "-delete");
  return [...files("write", written), ...(isDeleting ? files("delete", found) : [])];
}

const GIT_PATHS: Readonly<Record<string, AccessKind>> = {
  rm: "delete",
  checkout: "write",
  restore: "write",
  add: "read",
  mv: "write",
  apply: "read",
  diff: "read",
  show: "read",
  "cat-file": "read",
  archive: "read",
  "update-index": "read",
};

/** Commands of git whose operands are names in the repository, texts, or files that they only read. */
const GIT_READS =
  /^(?:log|blame|annotate|status|ls-(?:files|tree|remote)|grep|rev-(?:parse|list)|check-(?:ignore|attr)|shortlog|describe|whatchanged|hash-object|diff-.*|branch|tag|config|push|fetch|pull|remote|commit|stash|reset|merge|rebase|switch|cherry-pick|revert|help|version|notes|reflog|bisect|for-each-ref|name-rev|merge-base|show-ref)$/;

export function git({ args }: Call): readonly NamedFile[] {
  const { operands } = parseOptions(args, { values: ["-C", "-c", "--git-dir", "--work-tree"], endsAtOperand: true });
  const [command, ...rest] = operands;
  const name = command?.text ?? "";
  const outputs = /^(?:archive|format-patch)$/.test(name) ? ["-o", "--output", "--output-directory"] : ["--output"];
  const parsed = parseOptions(rest, { values: ["-m", "-s", "--source", ...outputs] });
  const written = files("write", optionValues(parsed, ...outputs));
  const kind = ownValue(GIT_PATHS, name);
  if (kind === undefined) return [...written, ...(GIT_READS.test(name) ? [] : parsed.operands.map(checkedOut))];
  const ended = rest.findIndex(({ text }) => text === "--");
  const paths = ended === -1 ? parsed.operands : rest.slice(ended + 1);
  return [...written, ...(name === "checkout" && ended === -1 ? [] : files(kind, paths))];
}

/** The folder of `git clone` and `git worktree add`. */
const checkedOut = (word: Word): NamedFile => ({ kind: "use", word, tree: "content" });

/** The addresses `OPEN:file` and `FILE:file,option`, which are read and written unless an option says otherwise. */
export function socat({ args }: Call): readonly NamedFile[] {
  return args.flatMap((word) =>
    word.text.split("!!").flatMap((address) => {
      const [, name] = /^(?:g?open|file|o|creat|create):["']?([^,"']+)/i.exec(address) ?? [];
      const found = name === undefined ? [] : [{ ...word, text: name }];
      return [...files("read", found), ...files("write", found)];
    }),
  );
}

export function patch({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, {
    values: split("-p -i -o -d -r -D -F -B -Y -z --input --output --strip --directory"),
  });
  return [
    ...files("read", optionValues(parsed, "-i", "--input")),
    ...files("write", [...parsed.operands.slice(0, 1), ...optionValues(parsed, "-o", "--output", "-d", "--directory")]),
    ...optionValues(parsed, "-d", "--directory").map((word): NamedFile => ({ kind: "write", word, tree: "content" })),
  ];
}

export function openssl({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, {
    hasSingleDash: true,
    values: split("-in -out -inkey -key -keyout -pass -passin -k -kfile -CAfile -cert"),
  });
  return [
    ...files("read", optionValues(parsed, "-in", "-inkey", "-key", "-kfile", "-cert")),
    ...files("write", optionValues(parsed, "-out", "-keyout")),
  ];
}
