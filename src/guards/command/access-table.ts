import { kindOf } from "../../shell/programs.ts";
import { type Call, UNKNOWN, type Word } from "./call.ts";
import type { AccessKind, NamedFile } from "./file-access.ts";
import { foundBy } from "./follow-find.ts";
import { wrapperOf } from "./launcher-table.ts";
import { hasOption, type OptionSpec, optionValues, parseOptions } from "./options.ts";

type Rule = (call: Call) => readonly NamedFile[];

const split = (text: string): readonly string[] => (text === "" ? [] : text.split(" "));

const files = (kind: AccessKind, words: readonly Word[]): readonly NamedFile[] => words.map((word) => ({ kind, word }));

/** All operands are of one kind. `values`: options with a value; `skipped`: operands before the files. */
const all =
  (kind: AccessKind, values = "", skipped = 0): Rule =>
  ({ args }) =>
    files(kind, parseOptions(args, { values: split(values) }).operands.slice(skipped));

/** The last operand, or the value of `-t`, is the target; the others are sources. */
const transfer =
  (from: AccessKind, spec: OptionSpec = {}): Rule =>
  ({ args }) => {
    const parsed = parseOptions(args, {
      ...spec,
      values: ["-t", "--target-directory", "-S", "--suffix", ...(spec.values ?? [])],
    });
    const local = parsed.operands.filter(({ text }) => !isRemotePath(text));
    const into = optionValues(parsed, "-t", "--target-directory");
    if (into.length > 0) return [...files(from, local), ...files("write", into)];
    const last = parsed.operands.at(-1);
    const sources = local.filter((word) => word !== last);
    return [...files(from, sources), ...files("write", last === undefined || isRemotePath(last.text) ? [] : [last])];
  };

/** `host:path` of scp and rsync. */
const isRemotePath = (text: string): boolean => /^[^/]*:/.test(text);

/** The first operand is a pattern or a script unless an option gives it; options of `reads` name files too. */
const scripted =
  (values: string, given: readonly string[], reads: readonly string[]): Rule =>
  ({ args }) => {
    const parsed = parseOptions(args, { values: split(values) });
    const rest = hasOption(parsed, ...given) ? parsed.operands : parsed.operands.slice(1);
    return [...files("read", optionValues(parsed, ...reads)), ...files("read", rest)];
  };

const SED = {
  values: ["-e", "-f", "-l", "--expression", "--file", "--line-length"],
  attached: ["-i"],
  flags: ["--in-place", "--quiet"],
};

function sed({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, SED);
  const isGiven = hasOption(parsed, "-e", "--expression", "-f", "--file");
  const rest = isGiven ? parsed.operands : parsed.operands.slice(1);
  const kind = hasOption(parsed, "-i", "--in-place") ? "write" : "read";
  return [...files("read", optionValues(parsed, "-f", "--file")), ...files(kind, rest)];
}

/** With `-c` the file stays; otherwise another one takes its place. */
function compressor({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, { values: ["-S", "--suffix", "-T", "-o"], flags: ["--stdout", "--keep"] });
  const stays = hasOption(parsed, "-c", "--stdout", "--to-stdout", "-k", "--keep", "-l", "-t");
  return [...files(stays ? "read" : "write", parsed.operands), ...files("write", optionValues(parsed, "-o"))];
}

function dd({ args }: Call): readonly NamedFile[] {
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

function curl({ args }: Call): readonly NamedFile[] {
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
  const written = optionValues(parsed, "-o", "--output", "-c", "--cookie-jar", "-D", "--dump-header");
  return [
    ...files("read", [
      ...read.filter(({ text }) => !text.includes("=") || text.includes("/")),
      ...posted.flatMap(attachments),
    ]),
    ...files("read", parsed.operands.flatMap(fileUrl)),
    ...files("write", written),
    ...(hasOption(parsed, "-O", "--remote-name") ? files("write", parsed.operands.map(lastName)) : []),
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

function wget({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, WGET);
  const written = optionValues(
    parsed,
    "-O",
    "--output-document",
    "-P",
    "--directory-prefix",
    "-o",
    "--output-file",
    "-a",
  );
  const isNamed = hasOption(parsed, "-O", "--output-document");
  return [
    ...files("read", optionValues(parsed, "-i", "--input-file", "--post-file", "--body-file", "--certificate")),
    ...files("write", isNamed ? written : [...written, ...parsed.operands.map(lastName)]),
  ];
}

const TAR = {
  values: split(
    "-f --file -C --directory -T --files-from -X --exclude-from --exclude -I --use-compress-program --transform --strip-components -g --listed-incremental",
  ),
};

function tar({ args }: Call): readonly NamedFile[] {
  // `tar xzf a.tgz`: the first word may have no dash.
  const [first, ...rest] = args;
  const dashed =
    first !== undefined && /^[A-Za-z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...rest] : args;
  const parsed = parseOptions(dashed, TAR);
  const archives = optionValues(parsed, "-f", "--file");
  const isReading = hasOption(parsed, "-x", "-t", "-d", "--extract", "--get", "--list");
  const into = files("write", isReading ? optionValues(parsed, "-C", "--directory") : []);
  const lists = files("read", optionValues(parsed, "-T", "--files-from", "-X"));
  return isReading
    ? [...files("read", archives), ...into, ...lists]
    : [
        ...files("write", archives),
        ...files(hasOption(parsed, "--remove-files") ? "delete" : "read", parsed.operands),
        ...lists,
      ];
}

function find({ args }: Call): readonly NamedFile[] {
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

function git({ args }: Call): readonly NamedFile[] {
  const { operands } = parseOptions(args, { values: ["-C", "-c", "--git-dir", "--work-tree"], endsAtOperand: true });
  const [command, ...rest] = operands;
  const kind = GIT_PATHS[command?.text ?? ""];
  if (kind === undefined) return [];
  const ended = rest.findIndex(({ text }) => text === "--");
  const paths =
    ended === -1 ? parseOptions(rest, { values: ["-m", "-s", "--source"] }).operands : rest.slice(ended + 1);
  return command?.text === "checkout" && ended === -1 ? [] : files(kind, paths);
}

/** The addresses `OPEN:file` and `FILE:file,option`. */
function socat({ args }: Call): readonly NamedFile[] {
  return args.flatMap((word) =>
    word.text.split("!!").flatMap((address) => {
      const [, name] = /^(?:g?open|file|o):["']?([^,"']+)/i.exec(address) ?? [];
      return name === undefined ? [] : files("read", [{ ...word, text: name }]);
    }),
  );
}

function patch({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, { values: split("-p -i -o -d -r -D -F -B -Y -z --input --output --strip") });
  return [
    ...files("read", optionValues(parsed, "-i", "--input")),
    ...files("write", [...parsed.operands.slice(0, 1), ...optionValues(parsed, "-o", "--output")]),
  ];
}

function openssl({ args }: Call): readonly NamedFile[] {
  const parsed = parseOptions(args, {
    hasSingleDash: true,
    values: split("-in -out -inkey -key -keyout -pass -passin -k -kfile -CAfile -cert"),
  });
  return [
    ...files("read", optionValues(parsed, "-in", "-inkey", "-key", "-kfile", "-cert")),
    ...files("write", optionValues(parsed, "-out", "-keyout")),
  ];
}

/** A shell or interpreter reads its script. */
function script({ args, program }: Call): readonly NamedFile[] {
  const inline = kindOf(program) === "shell" ? /^-[a-z]*c/ : /^(?:-[a-zA-Z]*[ceEr]|--eval|--print|-p|-m|eval)$/;
  const at = args.findIndex(({ text }) => !/^[-+]/.test(text) || inline.test(text));
  const first = args[at];
  if (first === undefined || inline.test(first.text)) return [];
  return [...files("read", [first]), ...files("use", args.slice(at + 1).filter(isPathLike))];
}

const isPathLike = ({ text }: Word): boolean => /[/.~]/.test(text) && !/[\s]/.test(text) && !/^\w+:\/\//.test(text);

/** What is known of a program's arguments: each may be a file. */
function unknownProgram({ args }: Call): readonly NamedFile[] {
  return args.flatMap((word): readonly NamedFile[] => {
    const { text } = word;
    if (!text.startsWith("-"))
      return [{ kind: "use", word: text.startsWith("@") ? { ...word, text: text.slice(1) } : word }];
    const value = /^--?[\w-]+=(.+)$/s.exec(text)?.[1];
    return value === undefined ? [] : [{ kind: "use", word: { ...word, text: value } }];
  });
}

const none: Rule = () => [];

const TABLE: readonly (readonly [programs: string, rule: Rule])[] = [
  [
    "cat bat batcat less more most nl od xxd hexdump hd strings wc uniq cut paste join comm diff cmp sdiff colordiff vimdiff tac rev fold fmt expand column file stat md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32 zcat bzcat xzcat zless readelf objdump nm iconv source . gpg gpg2 ssh-add pbcopy xclip wl-copy view",
    all("read"),
  ],
  ["head tail", all("read", "-n -c --lines --bytes")],
  ["sort", all("read", "-k -t -o -S -T --key --field-separator --output")],
  [
    "grep egrep fgrep zgrep ggrep",
    scripted(
      "-e -f -m -A -B -C -d -D --regexp --file --max-count --include --exclude --exclude-dir",
      ["-e", "-f", "--regexp", "--file"],
      ["-f", "--file"],
    ),
  ],
  [
    "rg ag ack ugrep",
    scripted(
      "-e -f -g -t -T -m -A -B -C -j -M --regexp --file --glob --type --max-count",
      ["-e", "-f", "--regexp", "--file", "--files"],
      ["-f", "--file"],
    ),
  ],
  [
    "awk gawk mawk nawk",
    scripted("-F -v -f -e --file --assign --field-separator", ["-f", "--file", "-e"], ["-f", "--file"]),
  ],
  [
    "jq yq gojq jaq",
    scripted(
      "-f --from-file --arg --argjson --slurpfile --rawfile --indent",
      ["-f", "--from-file"],
      ["-f", "--from-file"],
    ),
  ],
  ["sed gsed", sed],
  ["perl", script],
  [
    "tee touch mkdir truncate sponge fallocate mkfifo mknod vim vi nvim nano emacs ed ex code micro",
    all("write", "-s -r -t -d -m -o -l -c --size --reference --date --mode --length"),
  ],
  ["rm rmdir unlink shred srm wipe trash trash-put rimraf del", all("delete", "-n -s --iterations --size")],
  ["chmod chown chgrp setfacl chattr chcon", all("mode", "-m -x -M -X", 1)],
  ["cp install ditto gcp", transfer("read", { values: ["-m", "-o", "-g", "--mode", "--owner", "--group"] })],
  ["mv gmv", transfer("delete")],
  ["ln", transfer("read")],
  [
    "rsync",
    transfer("read", {
      values: split(
        "-e --rsh --exclude --include --exclude-from --include-from --files-from -f --filter --port -T --backup-dir --bwlimit",
      ),
    }),
  ],
  ["scp sftp", transfer("read", { values: split("-i -P -F -o -c -l -J -S") })],
  ["dd", dd],
  ["curl", curl],
  ["wget", wget],
  ["tar gtar bsdtar", tar],
  [
    "zip 7z 7za",
    ({ args }) => {
      const [first, ...rest] = parseOptions(args).operands;
      return [...files("write", first === undefined ? [] : [first]), ...files("read", rest)];
    },
  ],
  [
    "unzip",
    ({ args }) => {
      const parsed = parseOptions(args, { values: ["-d", "-x", "-P"] });
      return [...files("read", parsed.operands.slice(0, 1)), ...files("write", optionValues(parsed, "-d"))];
    },
  ],
  ["gzip gunzip bzip2 bunzip2 xz unxz zstd lz4 compress", compressor],
  ["find gfind", find],
  ["git", git],
  ["patch", patch],
  ["socat", socat],
  ["openssl", openssl],
  [
    "ssh",
    ({ args }) =>
      files(
        "read",
        optionValues(
          parseOptions(args, {
            values: split("-i -F -E -o -p -l -L -R -D -J -b -c -e -I -m -O -Q -S -W -w -B"),
            endsAtOperand: true,
          }),
          "-i",
          "-F",
        ),
      ),
  ],
  [
    "echo printf true false : test [ [[ cd pushd popd pwd export declare typeset local readonly unset set shift eval exec exit return break continue read mapfile readarray getopts trap alias unalias command builtin type which whereis hash ulimit umask wait kill jobs fg bg basename dirname realpath readlink seq sleep date whoami id uname hostname ls ll la tree du df env printenv xargs man help history expr let bc yes npm pnpm yarn npx bunx cargo pip pip3 make gh",
    none,
  ],
];

const RULES: ReadonlyMap<string, Rule> = new Map(
  TABLE.flatMap(([programs, rule]) => programs.split(" ").map((program) => [program, rule] as const)),
);

/** The files that a program has as its arguments. */
export function accessRules(call: Call): readonly NamedFile[] {
  const rule = RULES.get(call.program);
  if (rule !== undefined) return rule(call);
  if (wrapperOf(call) !== null) return [];
  const kind = kindOf(call.program);
  return kind === "shell" || kind === "interpreter" ? script(call) : unknownProgram(call);
}
