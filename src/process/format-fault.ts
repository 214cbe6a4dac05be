import { shellQuote } from "../protocol/text/shell-quote.ts";

/** Why the system cannot execute a file as it is, and what to type against it. */
export interface FormatFault {
  readonly cause: string;
  readonly fix: string;
}

/** A shell runs a script without an interpreter, so #! alone is not enough. */
const SCRIPT = /^#![ \t]*[^ \t\n]/;
const ELF = "\x7fELF";
/** The Mach-O forms. */
const MAGIC = ["\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"];

/** What is wrong with the first bytes of a file, one character for each byte; null: it begins like a script or a program. */
export function headFault(head: string, path: string): FormatFault | null {
  const encoding = encodingFault(head, path);
  if (encoding !== null) return encoding;
  if (SCRIPT.test(head) || MAGIC.some((magic) => head.startsWith(magic))) return null;
  const cause = head.startsWith(ELF)
    ? "it starts like an ELF file, but its header is not that of a program"
    : "it starts with neither #! nor a program's magic bytes";
  return head.startsWith(ELF) && isLoadable(head)
    ? null
    : { cause, fix: "Start a script with a line such as #!/bin/sh" };
}

/**
 * What an editor wrote that no editor shows: the system reads these bytes as a part of the interpreter's name, or finds
 * no #! behind them. The fixes use perl, because `sed -i` differs between systems.
 */
export function encodingFault(head: string, path: string): FormatFault | null {
  const file = shellQuote(path);
  if (head.startsWith("\xef\xbb\xbf")) {
    return {
      cause: "it starts with a byte order mark (BOM), so the system does not see its #!",
      fix: `Remove the mark: perl -pi -e 's/^\\xEF\\xBB\\xBF//' ${file}`,
    };
  }
  if (/^(\xff\xfe|\xfe\xff)/.test(head)) {
    return { cause: "it is written in UTF-16, which the system cannot execute", fix: `Save it as UTF-8: ${file}` };
  }
  if (/^#![^\n]*\r(\n|$)/.test(head) && !SPLITS.test(head)) {
    return {
      cause: "its first line ends with CRLF, and the carriage return (\\r) becomes part of the interpreter's name",
      fix: `Write Unix line ends: perl -pi -e 's/\\r$//' ${file}`,
    };
  }
  return null;
}

/** `env -S` takes a carriage return for a space. */
const SPLITS = /^#![ \t]*\S*\benv[ \t]+-\S*S/;

/** True if the system can load this ELF file. Otherwise a shell would run its bytes as commands. */
function isLoadable(head: string): boolean {
  const [size, order, version] = [head.charCodeAt(4), head.charCodeAt(5), head.charCodeAt(6)];
  const [low, high] = order === 1 ? [16, 17] : [17, 16];
  const type = head.charCodeAt(low) + 256 * head.charCodeAt(high);
  return [1, 2].includes(size) && [1, 2].includes(order) && version === 1 && ELF_PROGRAMS.includes(type);
}

/** ET_EXEC and ET_DYN. */
const ELF_PROGRAMS = [2, 3];
