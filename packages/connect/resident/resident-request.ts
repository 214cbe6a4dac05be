import { decodeUtf8 } from "../../../src/protocol/text/text.ts";

/** A call that the front program passes on. native/front.c describes its bytes. */
export interface ResidentRequest {
  readonly processId: number;
  /** All by which a caller can be told from another one. */
  readonly description: Buffer;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Buffer;
}

const NUMBER_BYTES = 4;

/** The variables that native/front.c puts into a description. */
const DECIDING = /^(?:(?:HOME|PATH|SHELL|GCONV_PATH)$|XDG_|LD_|DYLD_|NODE_|GIT_|OPENSSL_|TZ|LANG|LC_)/;

/** False if a program in a sandbox that can reach the socket describes a caller outside, and sends its own PATH. */
export const isAsDescribed = ({ description, env }: Pick<ResidentRequest, "description" | "env">): boolean =>
  Object.entries(env).every(([name, value]) => !DECIDING.test(name) || description.includes(`\n${name}=${value}\n`));

/** The bytes that belong to the request that begins here; null until its length has arrived. */
export const requestBytes = (bytes: Buffer): number | null =>
  bytes.length < NUMBER_BYTES ? null : NUMBER_BYTES + numberAt(bytes, 0);

/** Reads a complete request; null if its parts do not add up. */
export function readRequest(bytes: Buffer): ResidentRequest | null {
  const parts: Buffer[] = [];
  let at = 2 * NUMBER_BYTES;
  while (at + NUMBER_BYTES <= bytes.length) {
    const end = at + NUMBER_BYTES + numberAt(bytes, at);
    parts.push(bytes.subarray(at + NUMBER_BYTES, end));
    at = end;
  }
  const [description, cwd, argv, env, stdin] = parts;
  if (at !== bytes.length || parts.length !== 5 || !description || !cwd || !argv || !env || !stdin) return null;
  const folder = decodeUtf8(cwd);
  if (folder === null) return null;
  const processId = numberAt(bytes, NUMBER_BYTES);
  return { processId, description, cwd: folder, argv: textsIn(argv), env: variablesIn(env), stdin };
}

/** In the order of this machine, on which the other side runs as well. All systems that run hookctl have this one. */
const numberAt = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at);

const textsIn = (bytes: Buffer): readonly string[] => bytes.toString("utf8").split("\0").slice(0, -1);

/** The same object for the same variables: what is derived from an environment is remembered by the object. */
function variablesIn(bytes: Buffer): Readonly<Record<string, string>> {
  const known = lastVariables.find((one) => one.bytes.equals(bytes));
  if (known !== undefined) return known.env;
  const pairs = textsIn(bytes).flatMap((text): [string, string][] => {
    const end = text.indexOf("=");
    return end < 0 ? [] : [[text.slice(0, end), text.slice(end + 1)]];
  });
  // In the caller's order; the first of two variables with one name counts, as in `getenv`.
  const first = new Map(pairs.toReversed());
  const env = Object.fromEntries(pairs.map(([name]) => [name, first.get(name) ?? ""]));
  lastVariables = [{ bytes: Buffer.from(bytes), env }, ...lastVariables.slice(0, MOST_REMEMBERED - 1)];
  return env;
}

const MOST_REMEMBERED = 8;
let lastVariables: readonly { readonly bytes: Buffer; readonly env: Readonly<Record<string, string>> }[] = [];

/** A complete answer. */
export function answerBytes(exitCode: number, stdout: string, stderr: string): Buffer {
  const parts = [stdout, stderr].flatMap((text) => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(NUMBER_BYTES);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat([Buffer.from("x"), Buffer.of(exitCode), ...parts]);
}
