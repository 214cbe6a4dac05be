/** The position at which a program failed, according to its interpreter's stderr. */
export interface Crash {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** `KeyError: 'tool_inptu' at guard.py:12` */
export const crashText = ({ file, line, message }: Crash): string =>
  `${message} at ${file.slice(file.lastIndexOf("/") + 1)}:${line}`;

/** The format of positions in Python, JavaScript, shells, Ruby, Perl, PHP and Go. */
export function findCrash(stderr: string): Crash | null {
  const lines = stderr.split("\n").map((line) => line.trimEnd().slice(0, LONGEST_LINE));
  for (const find of [pythonCrash, javaScriptCrash, goCrash, oneLineCrash]) {
    const crash = find(lines);
    if (crash !== null) return crash;
  }
  return null;
}

/** A line may be hostile text of any length; no interpreter writes a place further right. */
const LONGEST_LINE = 1000;

/** The innermost frame is the last one, and the error is the first line after it that is not indented. */
function pythonCrash(lines: readonly string[]): Crash | null {
  const at = lines.findLastIndex((line) => PYTHON_FRAME.test(line));
  const [, file = "", line = ""] = PYTHON_FRAME.exec(lines[at] ?? "") ?? [];
  const message = lines.slice(at + 1).find((one) => /^\S/.test(one));
  return at < 0 || message === undefined ? null : { file, line: Number(line), message };
}
const PYTHON_FRAME = /^ +File "([^"]+)", line (\d+)/;

/**
 * The innermost frame is the first one; Node's own frames are skipped. A syntax error has its position above all
 * frames.
 */
function javaScriptCrash(lines: readonly string[]): Crash | null {
  const first = lines.findIndex((line) => /^ +at \S/.test(line));
  const heading = lines.findIndex((line) => SCRIPT_PLACE.test(line));
  const frame = lines.find((line) => SCRIPT_FRAME.test(line));
  const [, file = "", line = ""] = SCRIPT_FRAME.exec(frame ?? "") ?? SCRIPT_PLACE.exec(lines[heading] ?? "") ?? [];
  const message = lines.slice(0, Math.max(first, 0)).findLast((one) => /^[A-Z]\w*(: |$)|^error: /.test(one));
  return file === "" || message === undefined ? null : { file, line: Number(line), message };
}
const SCRIPT_FRAME = /^ +at (?:[^/]*[ (])?(?:file:\/\/)?(\/[^():]+):(\d+):\d+\)?$/;
const SCRIPT_PLACE = /^(?:file:\/\/)?(\/[^:]+\.[cm]?[jt]sx?):(\d+)$/;

function goCrash(lines: readonly string[]): Crash | null {
  const panic = lines.findIndex((line) => line.startsWith("panic: "));
  const frame = lines.slice(panic + 1).find((line) => GO_FRAME.test(line) && !line.includes("/runtime/"));
  const [, file = "", line = ""] = GO_FRAME.exec(frame ?? "") ?? [];
  return panic < 0 || file === "" ? null : { file, line: Number(line), message: lines[panic] ?? "" };
}
const GO_FRAME = /^\t(\/[^:]+\.go):(\d+)/;

/** The last such line, because a shell continues after most errors. */
function oneLineCrash(lines: readonly string[]): Crash | null {
  for (const text of lines.toReversed()) {
    for (const pattern of ONE_LINE) {
      const { file, line, message } = pattern.exec(text)?.groups ?? {};
      if (file !== undefined) return { file, line: Number(line), message: message ?? "" };
    }
  }
  return null;
}
const ONE_LINE = [
  // bash; dash, where only a path distinguishes a position from "request: 404: not found"; Ruby, Perl and PHP.
  /^(?<file>[^ :][^:]*): line (?<line>\d+): (?<message>\S.*)$/,
  /^(?<file>[^ :]*\/[^:]*): (?<line>\d+): (?<message>\S.*)$/,
  /^(?<file>[^ :]+):(?<line>\d+):in [^:]*: (?<message>\S.*)$/,
  /^(?<message>\S.*) at (?<file>\S+) line (?<line>\d+)\.$/,
  /^(?:PHP )?(?:Fatal|Parse) error: +(?<message>\S.*) in (?<file>\/\S+?)(?::| on line )(?<line>\d+)$/,
];
