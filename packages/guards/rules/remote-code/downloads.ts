import { posix } from "node:path";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, Word } from "../../command/call.ts";
import { plainName, runsWhat } from "../../command/inline-code/interpreters.ts";
import { rowFinder } from "../../command/named-rows.ts";
import { CURL, hasOption, optionValues, parseOptions, WGET } from "../../command/options.ts";
import { resolvePath } from "../../command/paths.ts";
import { redirectionsOf } from "../command-rules.ts";
import { curlUrls, isStdout, type Origins } from "./origins.ts";

/** The call that runs a file which the command downloaded before; null if there is none. */
export function runOfDownload(calls: readonly Call[], origins: Origins): Call | null {
  const downloaded = new Set<string>();
  for (const call of calls) {
    if (startedFiles(call).some((path) => downloaded.has(path))) return call;
    const copied = (copyOf(call)?.from ?? []).map((word) => pathOf(word, call));
    const isUnread = origins.ofOutput(call) !== null || copied.some((path) => downloaded.has(path));
    for (const path of writtenFiles(call))
      if (isUnread) downloaded.add(path);
      else downloaded.delete(path);
    for (const path of downloadsOf(call)) downloaded.add(path);
    if (REMOVES.test(call.program)) for (const word of call.args) downloaded.delete(pathOf(word, call));
  }
  return null;
}

const REMOVES = /^(?:rm|unlink|shred|trash)$/;

/** Paths with unknown parts are equal only if they are written in the same way. */
function pathOf(word: Word, call: Call): string {
  const path = resolvePath(word, call);
  return path.includes(UNKNOWN) ? path + word.source.replace(/["'{}]/g, "") : path;
}

/** The program itself, if it is started by a path, and the file that an interpreter runs. */
function startedFiles(call: Call): readonly string[] {
  const { name } = call;
  const runs = runsWhat(call);
  return [
    ...(name.text.includes("/") ? [pathOf(name, call)] : []),
    ...(runs.kind === "file" ? [pathOf(runs.file, call)] : []),
    ...(runs.kind === "input" && call.input.kind === "file" ? [pathOf(call.input.file, call)] : []),
  ];
}

/** The files that receive the output of a call. */
function writtenFiles(call: Call): readonly string[] {
  const { program, args } = call;
  const redirected = redirectionsOf(call)
    .filter(({ kind }) => kind !== "read")
    .map(({ target }) => target);
  const copies = program === "tee" ? args.filter(({ text }) => !text.startsWith("-")) : (copyOf(call)?.to ?? []);
  return [...redirected, ...copies].map((word) => pathOf(word, call)).filter((path) => path !== "/dev/null");
}

const COPIES = /^(?:cp|mv|ln|install|rsync|cat|sed|dd|scp|gcp|gmv)$/;

/** The files that a program copies, if it copies text. */
function copyOf({ program, args }: Call): { readonly from: readonly Word[]; readonly to: readonly Word[] } | null {
  if (!COPIES.test(program)) return null;
  if (program === "dd") return { from: argument(args, "if="), to: argument(args, "of=") };
  const { operands, options } = parseOptions(args, { values: "-t -m -o -g -S -e --target-directory --mode" });
  if (program === "cat" || program === "sed") return { from: operands, to: [] };
  const folder = optionValues({ options }, "-t --target-directory")[0] ?? operands.at(-1);
  if (folder === undefined) return null;
  const from = operands.filter((word) => word !== folder);
  const inFolder = from.map(({ text }): Word => ({ ...folder, text: `${folder.text}/${posix.basename(text)}` }));
  return { from, to: [folder, ...inFolder] };
}

const argument = (args: readonly Word[], name: string): readonly Word[] =>
  args.filter(({ text }) => text.startsWith(name)).map((word) => ({ ...word, text: word.text.slice(name.length) }));

/** The files that a downloader writes itself. */
function downloadsOf(call: Call): readonly string[] {
  const words = downloadNamed(plainName(call.program))?.(call) ?? [];
  return words.filter(({ text }) => text !== "" && !isStdout(text)).map((word) => pathOf(word, call));
}

const nameInUrl = (url: Word): Word => ({ ...url, text: posix.basename(url.text.replace(/[?#].*$/s, "")) });

const isRemotePath = ({ text }: Word): boolean =>
  /^(?:[\w.-]+@)?[\w.-]+:[^\\]/.test(text) || /^(?:s3|gs|https?|ftp):\/\//.test(text);

/** The last operand, if another one is on another machine: `scp host:x y`. */
function copiedHere({ args }: Call): readonly Word[] {
  const { operands } = parseOptions(
    args.filter(({ text }) => !/^(?:s3|storage|cp|sync|copy|copyto|mv)$/.test(text)),
    { values: "-i -P -o -e -F -l -c" },
  );
  const last = operands.at(-1);
  const remote = operands.slice(0, -1).filter(isRemotePath);
  if (last === undefined || isRemotePath(last) || remote.length === 0) return [];
  const nameOf = ({ text }: Word): string => posix.basename(text.replace(/^[^/:]*:/, ""));
  return [last, ...remote.map((word) => into(last.text, { ...last, text: nameOf(word) }))];
}

const into = (folder: string, word: Word): Word => ({ ...word, text: `${folder}/${word.text}` });

const curl: Download = ({ args }) => {
  const parsed = parseOptions(args, CURL);
  const [folder] = optionValues(parsed, "--output-dir");
  const named = hasOption(parsed, "-O --remote-name --remote-name-all") ? curlUrls(parsed).map(nameInUrl) : [];
  const files = [...optionValues(parsed, "-o --output"), ...named];
  return folder === undefined ? files : files.map((word) => into(folder.text, word));
};

const wget: Download = ({ args }) => {
  const parsed = parseOptions(args, WGET);
  const named = optionValues(parsed, "-O --output-document");
  const [folder] = optionValues(parsed, "-P --directory-prefix");
  return named.length > 0 ? named : parsed.operands.map((url) => into(folder?.text ?? ".", nameInUrl(url)));
};

const aria: Download = ({ args }) => {
  const parsed = parseOptions(args, { values: "-o -d --out --dir" });
  const named = optionValues(parsed, "-o --out");
  return named.length > 0 ? named : parsed.operands.map(nameInUrl);
};

const output: Download = ({ args }) => optionValues(parseOptions(args, { values: "-o --output" }), "-o --output");

type Download = (call: Call) => readonly Word[];

const downloadNamed = rowFinder<Download>({
  curl,
  wget,
  aria2c: aria,
  "scp rsync aws gsutil": copiedHere,
  "http xh base64": output,
});
