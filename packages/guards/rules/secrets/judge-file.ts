import { posix } from "node:path";
import { type Credential, credentialAt } from "../../../../src/redact/credential-files.ts";
import { mayMatch } from "../../../../src/shell/globs.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, CommandPlace } from "../../command/call.ts";
import type { FileAccess } from "../../command/files/file-access.ts";
import { codeOf } from "../../command/inline-code/interpreters.ts";
import { hasOption, parseOptions } from "../../command/options.ts";
import { finderOf, searchedNames } from "../../command/started/finders.ts";
import { wrapperOf } from "../../command/started/wrappers.ts";
import type { Finding, GuardContext } from "../../guard.ts";
import { judgeUpload, REDACTION_MARKS, reads, SECRET_RULES, sendsIt, writesMark } from "./findings.ts";
import { showsNamesOnly } from "./names-only.ts";
import { passesOn, sendsInput } from "./shown-output.ts";
import { writtenByTool } from "./written.ts";

export function judgeFile(access: FileAccess, { place }: GuardContext): Finding | null {
  const { kind, call } = access;
  if (kind === "write") return judgeMark(access) ?? (call === null ? writtenByTool(access, place) : null);
  if (kind !== "read" && kind !== "use") return null;
  if (isUrl(access.source)) return null;
  const credential =
    credentialAt(pathOf(access), place.home) ??
    foundByName(access, place.home) ??
    foundByGlob(access) ??
    namedByVariable(access);
  if (credential === null) return judgeSent(access);
  if (call === null) return kind === "read" ? reads(access, credential) : null;
  if (sendsFile(call, access)) return sendsIt(access, call, credential);
  if (call.program === "git") return judgeGit(access, call, credential);
  if (kind === "use" && !mayRead(access, call, credential)) return null;
  if (isForConnection(access, call) || SHOWS_NOTHING.test(call.program) || isQuiet(call) || isLoaded(call)) return null;
  if (isInput(access, call) && !passesOn(call) && wrapperOf(call) === null) return null;
  if (credential.what === "environment secrets" && showsNamesOnly(call)) return null;
  if (staysCredential(call, place.home)) return null;
  return kind === "use" ? { ...reads(access, credential), decision: "ask" } : reads(access, credential);
}

/** An edit that puts the mark of a removed secret into a file, where the secret would be lost. */
function judgeMark({ edit, replaced, source }: FileAccess): Finding | null {
  const count = (text: string | null | undefined): number => text?.match(REDACTION_MARKS)?.length ?? 0;
  return count(edit?.newText) > count(edit?.oldText ?? replaced) ? writesMark(source, source) : null;
}

/** Other files that nobody uploads without a reason. */
function judgeSent({ path, source, call }: FileAccess): Finding | null {
  const found = call === null ? null : judgeUpload({ path, source }, call);
  // The path first: a call with many files is not read once for each of them.
  return call !== null && found !== null && sendsFile(call, { path, source, kind: "read" }) ? found : null;
}

/** `kubeseal < secret.yaml`. */
const isInput = ({ source }: Pick<FileAccess, "source">, { redirections }: Call): boolean =>
  redirections.some(({ kind, target }) => kind === "read" && target.source === source);

const isUrl = (source: string): boolean => /^(?!file:)[a-z][a-z+.-]*:\/\//i.test(source);

/** True if an unknown program gets the file as an operand. */
function mayRead({ source }: FileAccess, { program, args }: Call, { certainty }: Credential): boolean {
  const at = args.findIndex((word) => word.source === source);
  const text = args[at]?.text ?? source;
  const isOperand = !text.startsWith("-") && args[at - 1]?.text.startsWith("-") !== true;
  // `NAME=path` and `/p:Name=path` set a value for the program.
  const isSetting = /^[\w.-]+=|^\/\w+:/.test(text);
  return certainty === "sure" && !LOADS.test(program) && isOperand && !isSetting && !/\s/.test(text);
}

/** Programs that set variables from a file, and those for which a path is only a name. */
const LOADS =
  /^(?:dotenv|dotenvx|env-cmd|direnv|honcho|foreman|hookctl|make|just|task|npm|pnpm|yarn|bun|docker.*|cargo|gcc|cc|eslint|prettier|chezmoi|stow|yadm|restic|borg|vercel|netlify|heroku|flyctl|gh|glab|jenkins|systemctl|security|codesign|keytool|zstyle|kubeseal|aws|gsutil|rclone)$/;

/** `git show HEAD:.env` names a path in a revision. */
const pathOf = ({ path, call }: FileAccess): string => {
  const colon = call?.program === "git" ? path.lastIndexOf(":") : -1;
  return colon === -1 ? path : `/${path.slice(colon + 1)}`;
};

/** `cat "$PGPASSFILE"`: variables that name a file with credentials. */
const namedByVariable = ({ path, source }: FileAccess): Credential | null =>
  path.includes(UNKNOWN) && CREDENTIAL_FILE.test(source) ? { what: "credentials", certainty: "sure" } : null;

const CREDENTIAL_FILE =
  /\$(?:env:)?\{?(?:PGPASSFILE|GOOGLE_APPLICATION_CREDENTIALS|AWS_(?:WEB_IDENTITY_TOKEN|SHARED_CREDENTIALS)_FILE|AZURE_FEDERATED_TOKEN_FILE|KUBECONFIG|NETRC)\}?"?$/;

/** `cat .e*`: `*` alone mostly means other files. */
function foundByGlob({ path, isGlob }: Pick<FileAccess, "path" | "isGlob">): Credential | null {
  const name = posix.basename(path);
  const isHidden = isGlob && /^\.[^*?[]*[*?[]/.test(name) && !/^\.\*$|^\.\[!/.test(name);
  return isHidden && mayMatch("/.env", `/${name}`) ? { what: "environment secrets", certainty: "likely" } : null;
}

/** `find . -name .env -exec cat {} +`: the name is in another word. */
function foundByName({ path, call }: FileAccess, home: string): Credential | null {
  const finder = call === null || !path.includes(UNKNOWN) ? null : finderOf(call);
  if (finder === null) return null;
  const credentials = searchedNames(finder).map(
    (name) => credentialAt(`/${name}`, home) ?? foundByGlob({ path: `/${name}`, isGlob: true }),
  );
  return credentials.find((one) => one !== null) ?? null;
}

/** Programs that read a file and show no content. */
const SHOWS_NOTHING =
  /^(?:ls|ll|stat|file|du|wc|test|Test-Path|\[|\[\[|md5sum|sha\d+sum|shasum|b2sum|cksum|sum|touch|source|\.|ssh|ssh-add|ssh-keygen|ssh-copy-id|mkdir|find|fd|realpath|dirname|basename|readlink|gpg|gpg2|kubeseal|zstyle|pbcopy|rclone|ansible|ansible-playbook|kubectl|docker|docker-compose|podman|helm|terraform|mosh|sshfs|autossh|git)$/;

function sendsFile(call: Call, access: Pick<FileAccess, "kind" | "path" | "source">): boolean {
  const { kind, path } = access;
  if (FETCHES.test(call.program)) return !isForConnection(access, call);
  if (/^(?:scp|rsync|sftp)$/.test(call.program))
    return call.args.some(({ text }) => /^[^/]*:/.test(text)) && !isIdentity(call, path);
  if (UPLOADS.has(call.program)) return uploadsFiles(call) && (kind === "use" || kind === "read");
  return sendsInput(call) && (call.program !== "ssh" || isInput(access, call));
}

/** Programs with one command for uploads among many that only name something: `gh secret list`. */
const UPLOADS: ReadonlyMap<string, RegExp> = new Map([
  [
    "aws",
    /^(?:s3 (?:cp|mv|sync)|s3api (?:put-object|upload-part)|\S+ (?:put|upload|publish|send|invoke)\S*.*file(?:b)?:)/,
  ],
  ["gsutil", /(?:^|\s)(?:cp|mv|rsync)\s/],
  ["rclone", /(?:^|\s)(?:copy|copyto|move|moveto|sync|bisync|rcat)\s/],
  [
    "gh",
    /(?:^|\s)(?:gist (?:create|edit)|release (?:create|upload)|(?:issue|pr) (?:create|comment|edit) .*(?:-F|--body-file))/,
  ],
]);

const uploadsFiles = ({ program, args }: Call): boolean =>
  UPLOADS.get(program)?.test(args.map(({ text }) => text).join(" ")) === true;

/** A certificate or login that curl itself needs is neither sent as a file nor shown: `curl --key key.pem`. */
function isForConnection({ source }: Pick<FileAccess, "source">, { program, args }: Call): boolean {
  if (!FETCHES.test(program)) return false;
  return args.some(
    (word, at) => word.source === source && (KEY_OPTION.test(word.text) || KEY_OPTION.test(args[at - 1]?.text ?? "")),
  );
}

const FETCHES = /^(?:curl|wget|http|https|xh)$/;
const KEY_OPTION =
  /^(?:-E|--cert|--key|--netrc-file|-K|--config|--private-key|--certificate|--proxy-cert|--proxy-key|--cacert)(?:=|$)/;

const isIdentity = ({ args }: Call, path: string): boolean =>
  args.some(
    ({ text }, at) => /^-[iF]$/.test(args[at - 1]?.text ?? "") && path.endsWith(text.slice(text.lastIndexOf("/"))),
  );

function judgeGit(access: FileAccess, call: Call, credential: Credential): Finding | null {
  const words = call.args.map(({ text }) => text);
  if (words.includes("add") || words.includes("update-index"))
    return SECRET_RULES.find("commit-credentials", call.source, {
      effect: `adds ${credential.what} (${access.source}) to the repository`,
    });
  const isShown =
    words.some((word) => /^(?:show|cat-file|diff|archive|blame|annotate)$/.test(word)) ||
    (words.includes("log") && words.some((word) => /^(?:-p|-u|--patch|-c|--cc|-L.*|--patch-with-\w+)$/.test(word)));
  // `git show HEAD:.env` is about the file.
  return isShown ? reads({ ...access, path: access.path.replace(/\/[^/]*:/, "/") }, credential) : null;
}

/** `grep -q NAME .env` shows only whether the name is there. */
function isQuiet({ program, args }: Call): boolean {
  if (/^(?:e|f|z|g)?grep$|^rg$/.test(program))
    return hasOption(
      parseOptions(args, { values: "-e -f -A -B -C -m" }),
      "-q -c -l -L --quiet --silent --count --files-with-matches",
    );
  // Encrypted with a password of the command, it is as good as a copy.
  if (program === "openssl" && !/^(?:enc|base64|aes-.*)$/.test(args[0]?.text ?? ""))
    return args.some(({ text }) =>
      /^(?:x509|req|verify|s_client|s_server|dgst|ca|crl|-noout|-pubout|-out)$/.test(text),
    );
  return /^(?:diff|cmp)$/.test(program) && hasOption(parseOptions(args), "-q -s --brief --silent");
}

/** `export $(cat .env | xargs)` puts it into the environment and shows nothing. */
const isLoaded = ({ parent }: Call): boolean =>
  parent?.relation === "substitution" &&
  /^(?:export|declare|typeset|env|eval|set|local|source|\.)$/.test(parent.call.program);

/** A copy whose name is also protected: `cp .env .env.bak`, `cat server.key server.crt > server.pem`. */
function staysCredential({ program, args, redirections }: Call, home: string): boolean {
  const into = redirections.find(({ kind, descriptor }) => kind !== "read" && (descriptor ?? 1) === 1)?.target.text;
  if (program === "cat" && into !== undefined) return credentialAt(`/${into}`, home) !== null;
  if (!/^(?:cp|ln|install)$/.test(program)) return false;
  const { operands } = parseOptions(args);
  const target = operands.at(-1);
  return target !== undefined && operands.length > 1 && credentialAt(`/${target.text}`, home) !== null;
}

const READS =
  /\bopen|read|slurp|getline|\bfile\b|Bun\.file|file_get_contents|fopen|File\.|IO\.|\bfs\.|copy|upload|load_pem|json\.load|`|%x|\bqx\b|<[A-Z$]/i;
const STARTS = /system|eval|exec|popen|spawn|subprocess|shell_exec|passthru|`|%x|\bqx\b|getline/;
const WRITES_ONLY =
  /open\s*\([^)]{0,200},\s*['"][wax]|write(?:File|_text|_bytes)|load_dotenv|dotenv\.config|exists?\s*\(|isfile|appendFile|\.touch\(/;

/** The string literals in code; one may contain another. */
const STRINGS = [/"((?:[^"\\\n]|\\.){1,300})"/g, /'((?:[^'\\\n]|\\.){1,300})'/g, /`((?:[^`\\\n]|\\.){1,300})`/g];

function stringsIn(code: string): readonly string[] {
  const texts = new Set(STRINGS.flatMap((pattern) => [...code.matchAll(pattern)].map(([, text = ""]) => text)));
  // Searched for once: searching the code for each of its strings takes quadratic time.
  return /base64|b64decode|decode64|atob/i.test(code)
    ? [...texts].flatMap((text) => [text, ...decoded(text)])
    : [...texts];
}

/** The value of a string in code that decodes base64. */
function decoded(text: string): readonly string[] {
  if (!/^[A-Za-z0-9+/]{6,}={0,2}$/.test(text)) return [];
  const plain = Buffer.from(text, "base64").toString("latin1");
  return /^[\x20-\x7e]+$/.test(plain) ? [plain] : [];
}

/** The file with credentials that inline code names in a string and reads; null if there is none. */
export function credentialInCode(
  call: Call,
  place: CommandPlace,
): { readonly path: string; readonly name: string; readonly credential: Credential } | null {
  for (const code of codeOf(call)) {
    if (!READS.test(code) && !STARTS.test(code)) continue;
    if (WRITES_ONLY.test(code) && !/\bread|\.read\(|cat /.test(code)) continue;
    for (const text of stringsIn(code)) {
      // A word of a sentence, such as `credentials`, is no file.
      const inText = STARTS.test(code) ? text.split(/[\s"'`;|&<>()]+/).filter((word) => /[/.~]/.test(word)) : [];
      const words = /\s/.test(text) ? inText : [text];
      for (const name of words) {
        const path = pathIn(name, call, place);
        const credential = credentialAt(path, place.home);
        if (credential !== null) return { path, name, credential };
      }
    }
  }
  return null;
}

function pathIn(name: string, call: Call, { folder, home }: CommandPlace): string {
  const plain = name.replace(/^~(?=\/)/, home).replace(/^\$(?:HOME|\{HOME\}|ENV\{HOME\})(?=\/)/, home);
  return posix.resolve(call.folder ?? folder, plain);
}
