import { kindOf } from "../../../shell/programs.ts";
import type { Call, Word } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { hasOption, optionValues, parseOptions } from "../options.ts";
import { wrapperOf } from "../started/launcher-table.ts";
import { compressor, curl, dd, files, find, git, openssl, patch, sed, socat, split, wget } from "./access-rules.ts";
import type { AccessKind, NamedFile } from "./file-access.ts";
import {
  archiver,
  copy,
  copyTree,
  cpio,
  install,
  link,
  mount,
  move,
  rsync,
  scp,
  tar,
  unzip,
} from "./transfer-rules.ts";

type Rule = (call: Call) => readonly NamedFile[];

/** All operands are accessed in the same way. `values`: options with a value; `skipped`: operands before the files. */
const all =
  (kind: AccessKind, values = "", skipped = 0): Rule =>
  ({ args }) =>
    files(kind, parseOptions(args, { values: split(values) }).operands.slice(skipped));

/** The first operand is a pattern or a script unless an option gives it; options of `reads` name files too. */
const scripted =
  (values: string, given: readonly string[], reads: readonly string[]): Rule =>
  ({ args }) => {
    const parsed = parseOptions(args, { values: split(values) });
    const rest = hasOption(parsed, ...given) ? parsed.operands : parsed.operands.slice(1);
    return [...files("read", optionValues(parsed, ...reads)), ...files("read", rest)];
  };

/** `perl -pi -e code file` edits files in place, `perl -ne code file` reads them. */
function filter(call: Call): readonly NamedFile[] {
  const { args } = call;
  const at = args.findIndex(({ text }) => /^-[a-zA-Z0-9]*[eE]$/.test(text));
  const options = args.filter(({ text }) => /^-[a-zA-Z0-9.]+$/.test(text));
  const isLooping = options.some(({ text }) => /^-[a-zA-Z0-9]*[np]/.test(text));
  if (at === -1 || !isLooping) return script(call);
  const isInPlace = options.some(({ text }) => /^-[a-zA-Z0-9]*i/.test(text));
  const operands = args.filter(({ text }, index) => index !== at + 1 && !text.startsWith("-"));
  return files(isInPlace ? "write" : "read", operands);
}

function awk(call: Call): readonly NamedFile[] {
  const isInPlace = call.args.some(({ text }, at) => text === "inplace" && call.args[at - 1]?.text === "-i");
  const found = AWK(call);
  return isInPlace ? found.map(({ word }) => ({ kind: "write", word })) : found;
}

const AWK = scripted("-F -v -f -e -i --file --assign --field-separator", ["-f", "--file", "-e"], ["-f", "--file"]);

/** A shell or interpreter reads its script. */
function script({ args, program }: Call): readonly NamedFile[] {
  const inline = kindOf(program) === "shell" ? /^-[a-z]*c/ : /^(?:-[a-zA-Z]*[ceEr]|--eval|--print|-p|-m|eval)$/;
  const at = args.findIndex(({ text }) => !/^[-+]/.test(text) || inline.test(text));
  const first = args[at];
  // Operands of shell code are followed; those of code in another language are not.
  if (first !== undefined && inline.test(first.text))
    return kindOf(program) === "shell" ? [] : files("use", args.slice(at + 2).filter(isPathLike));
  if (first === undefined) return [];
  return [...files("read", [first]), ...files("use", args.slice(at + 1).filter(isPathLike))];
}

const isPathLike = ({ text }: Word): boolean => /[/.~]/.test(text) && !/[\s]/.test(text) && !/^\w+:\/\//.test(text);

/** Treats each argument of an unknown program as a file. */
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

/** Reads its operands, and writes what the options of `outputs` name. */
const reader =
  (outputs: string, values = ""): Rule =>
  ({ args }) => {
    const parsed = parseOptions(args, { values: split(`${outputs} ${values}`.trim()) });
    return [...files("read", parsed.operands), ...files("write", optionValues(parsed, ...split(outputs)))];
  };

/** `uniq input output`: the second operand is written. */
const converter =
  (values: string): Rule =>
  ({ args }) => {
    const [input, ...output] = parseOptions(args, { values: split(values) }).operands;
    return [...files("read", input === undefined ? [] : [input]), ...files("write", output)];
  };

/** The program that it starts is a call of its own. */
const recorder =
  (outputs: string, values = ""): Rule =>
  ({ args }) => {
    const parsed = parseOptions(args, { values: split(`${outputs} ${values}`.trim()), endsAtOperand: true });
    return files("write", optionValues(parsed, ...split(outputs)));
  };

function yq(call: Call): readonly NamedFile[] {
  const isInPlace = hasOption(parseOptions(call.args), "-i", "--inplace", "--in-place");
  return JQ(call).map((file) => (isInPlace ? { ...file, kind: "write" } : file));
}

const JQ = scripted(
  "-f --from-file --arg --argjson --slurpfile --rawfile --indent",
  ["-f", "--from-file"],
  ["-f", "--from-file"],
);

const rulesOf = rowFinder<Rule>(" ", () => [
  [
    "cat bat batcat more most nl od hexdump hd strings wc cut paste join comm diff cmp colordiff tac rev fold fmt expand column file stat md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32 zcat bzcat xzcat zless readelf objdump nm source . ssh-add pbcopy xclip wl-copy view",
    all("read"),
  ],
  ["head tail", all("read", "-n -c --lines --bytes")],
  ["sort", reader("-o --output", "-k -t -S -T --key --field-separator")],
  ["sdiff iconv gpg gpg2", reader("-o --output", "-f -t -r -u -w --from-code --to-code --recipient --local-user")],
  ["less", reader("-o -O --log-file --LOG-FILE")],
  ["tree", ({ args }) => files("write", optionValues(parseOptions(args, { values: ["-o", "-L", "-P", "-I"] }), "-o"))],
  ["uniq", converter("-f -s -w --skip-fields --skip-chars --check-chars")],
  ["xxd", converter("-c -g -l -n -o -s -cols -len -seek")],
  ["script", all("write", "-c -E -I -O -B -T -m -o --command --echo --output-limit")],
  ["time gtime strace ltrace", recorder("-o --output", "-f -e -p -s -u -E")],
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
  ["awk gawk mawk nawk", awk],
  ["jq gojq jaq", JQ],
  ["yq", yq],
  ["sed gsed", sed],
  ["perl ruby", filter],
  [
    "tee touch mkdir truncate sponge fallocate mkfifo mknod vim vi nvim nano emacs ed ex code micro",
    all("write", "-s -r -t -d -m -o -l -c --size --reference --date --mode --length"),
  ],
  ["rm rmdir unlink shred srm wipe trash trash-put rimraf del", all("delete", "-n -s --iterations --size")],
  // `chmod -x file`: the mode begins with a hyphen.
  [
    "chmod",
    ({ args }) =>
      files(
        "mode",
        parseOptions(args.map((word) => (/^-[rwxXst]/.test(word.text) ? { ...word, text: "a" } : word))).operands.slice(
          1,
        ),
      ),
  ],
  ["chown chgrp chattr chcon", all("mode", "", 1)],
  ["setfacl", all("mode", "-m -x -M -X")],
  ["cp gcp", copy],
  ["ditto", copyTree],
  ["install", install],
  ["mv gmv", move],
  ["ln gln", link],
  ["mount", mount],
  ["rsync", rsync],
  ["scp sftp", scp],
  ["dd", dd],
  ["curl", curl],
  ["wget", wget],
  ["tar gtar bsdtar", tar],
  ["zip 7z 7za 7zz", archiver],
  ["unzip", unzip],
  ["cpio", cpio],
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
    "echo printf true false : test [ [[ cd pushd popd pwd export declare typeset local readonly unset set shift eval exec exit return break continue read mapfile readarray getopts trap alias unalias command builtin type which whereis hash ulimit umask wait kill jobs fg bg basename dirname realpath readlink seq sleep date whoami id uname hostname ls ll la du df env printenv xargs man help expr let bc yes npx bunx make",
    none,
  ],
]);

/** The files that a program has as its arguments. */
export function accessRules(call: Call): readonly NamedFile[] {
  const [rule] = rulesOf(call.program);
  if (rule !== undefined) return rule(call);
  if (wrapperOf(call) !== null) return [];
  const kind = kindOf(call.program);
  return kind === "shell" || kind === "interpreter" ? script(call) : unknownProgram(call);
}
