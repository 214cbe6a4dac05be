import { posix } from "node:path";
import type { Call, CommandPlace } from "../../command/call.ts";
import { codeOf } from "../interpreters.ts";
import { type Credential, credentialAt } from "./credential-files.ts";

const READS =
  /\bopen|read|slurp|getline|\bfile\b|Bun\.file|file_get_contents|fopen|File\.|IO\.|\bfs\.|copy|upload|load_pem|json\.load|`|%x|\bqx\b|<[A-Z$]/i;
const STARTS = /system|eval|exec|popen|spawn|subprocess|shell_exec|passthru|`|%x|\bqx\b|getline/;
const WRITES_ONLY =
  /open\s*\([^)]{0,200},\s*['"][wax]|write(?:File|_text|_bytes)|load_dotenv|dotenv\.config|exists?\s*\(|isfile|appendFile|\.touch\(/;

/** The strings of the code; one of them may stand in another one. */
const STRINGS = [/"((?:[^"\\\n]|\\.){1,300})"/g, /'((?:[^'\\\n]|\\.){1,300})'/g, /`((?:[^`\\\n]|\\.){1,300})`/g];

const stringsIn = (code: string): readonly string[] =>
  STRINGS.flatMap((pattern) => [...code.matchAll(pattern)].map(([, text = ""]) => text)).flatMap((text) => [
    text,
    ...decoded(text, code),
  ]);

/** What a string stands for in code that decodes base64. */
function decoded(text: string, code: string): readonly string[] {
  if (!/base64|b64decode|decode64|atob/i.test(code) || !/^[A-Za-z0-9+/]{6,}={0,2}$/.test(text)) return [];
  const plain = Buffer.from(text, "base64").toString("latin1");
  return /^[\x20-\x7e]+$/.test(plain) ? [plain] : [];
}

export interface NamedCredential {
  readonly name: string;
  readonly credential: Credential;
}

/** The file with credentials that inline code names in a string and reads; null if there is none. */
export function credentialInCode(call: Call, place: CommandPlace): NamedCredential | null {
  for (const code of codeOf(call)) {
    if (!READS.test(code) && !STARTS.test(code)) continue;
    if (WRITES_ONLY.test(code) && !/\bread|\.read\(|cat /.test(code)) continue;
    for (const text of stringsIn(code)) {
      const words = /\s/.test(text) ? (STARTS.test(code) ? text.split(/[\s"'`;|&<>()]+/) : []) : [text];
      for (const name of words) {
        const credential = credentialAt(pathIn(name, call, place), place.home);
        if (credential !== null) return { name, credential };
      }
    }
  }
  return null;
}

function pathIn(name: string, call: Call, { folder, home }: CommandPlace): string {
  const plain = name.replace(/^~(?=\/)/, home).replace(/^\$(?:HOME|\{HOME\}|ENV\{HOME\})(?=\/)/, home);
  return posix.resolve(call.folder ?? folder, plain);
}
