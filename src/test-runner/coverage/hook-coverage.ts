import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { firstBytes } from "../../fs/read-file.ts";
import type { Hook } from "../../protocol/hook.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";
import type { ProbedStart } from "../scratch/worker.ts";
import type { HookCoverage } from "../test-report.ts";
import { BASH_PROBE, bashCoverage } from "./bash-coverage.ts";
import { type LineCoverage, mergeCoverage, missingRanges } from "./line-coverage.ts";
import { nodeCoverage } from "./node-coverage.ts";
import { pythonCoverage, pythonProbe } from "./python-coverage.ts";

/** Measures which lines of one hook its test cases reach, with the means of its interpreter. */
export interface CoverageProbe extends ProbedStart {
  readonly read: () => HookCoverage;
}

interface Language {
  readonly start: (folder: string, file: string) => ProbedStart;
  /** Null: nothing was written, or it cannot be read. */
  readonly read: (folder: string, file: string) => LineCoverage | null;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  bash: {
    start: (folder) => ({
      program: null,
      variables: {
        BASH_ENV: probe(folder, "probe.bash", BASH_PROBE),
        HOOKCTL_COVERAGE: join(folder, "trace"),
      },
    }),
    read: (folder, file) => {
      const trace = textOf(join(folder, "trace"));
      return trace === null ? null : bashCoverage(readFileSync(file, "utf8"), trace, file);
    },
  },
  python: {
    start: (folder, file) => {
      const [, interpreter = "", option = ""] = SHEBANG.exec(firstBytes(file, 256) ?? "") ?? [];
      const runner = probe(folder, "probe.py", pythonProbe(join(folder, "lines")));
      // The system passes all that follows the interpreter as one argument.
      const words = [interpreter, ...(option === "" ? [] : [option]), runner, file].map(shellQuote).join(" ");
      const program = probe(folder, basename(file), `#!/bin/sh\nexec ${words} "$@"\n`);
      chmodSync(program, 0o700);
      return { program: { path: file, startedAs: program }, variables: {} };
    },
    read: (folder) => {
      const lines = textOf(join(folder, "lines"))?.trimEnd().split("\n") ?? [];
      return lines.length === 0 ? null : mergeCoverage(lines.map(pythonCoverage));
    },
  },
  node: {
    start: (folder) => ({ program: null, variables: { NODE_V8_COVERAGE: folder } }),
    read: (folder, file) => {
      const [source, real] = [readFileSync(file, "utf8"), realpathSync(file)];
      const written = readdirSync(folder).filter((name) => name.startsWith("coverage-"));
      const parts = written.flatMap(
        (name) => nodeCoverage(source, readFileSync(join(folder, name), "utf8"), real) ?? [],
      );
      return parts.length === 0 ? null : mergeCoverage(parts);
    },
  },
};

const SHEBANG = /^#![ \t]*([^ \t\r\n]+)[ \t]*([^\r\n]*)/;

/** A probe whose files lie in `folder`, or why there is none. */
export function coverageProbe(hook: Hook, folder: string): CoverageProbe {
  const { path } = hook;
  const unknown = (reason: string): HookCoverage => ({
    unit: "lines",
    reached: 0,
    total: 0,
    missing: [],
    unknownBecause: reason,
  });
  const language = hook.entry === null ? languageOf(path) : null;
  if (language === null) return { program: null, variables: {}, read: () => unknown(NO_MEANS) };
  mkdirSync(folder, { recursive: true });
  return {
    ...language.start(folder, path),
    read: () => {
      const lines = readQuietly(() => language.read(folder, path));
      if (lines === null) return unknown(NOTHING_WRITTEN);
      const { all, reached } = lines;
      return {
        unit: "lines",
        reached: [...all].filter((line) => reached.has(line)).length,
        total: all.size,
        missing: missingRanges(lines),
        unknownBecause: null,
      };
    },
  };
}

const NO_MEANS = "only bash, python and node can tell which lines ran";
const NOTHING_WRITTEN = "its interpreter wrote nothing: no case started it, or it was started without its environment";

/** By the program of its `#!` line. Node reports other places for TypeScript than its source has. */
function languageOf(path: string): Language | null {
  const words = /^#![ \t]*([^\r\n]*)/.exec(firstBytes(path, 256) ?? "")?.[1]?.split(/[ \t]+/) ?? [];
  const programs = words.map((word) => basename(word)).filter((word) => !word.startsWith("-") && !word.includes("="));
  const program = programs.find((word) => word !== "env") ?? "";
  if (/\.[cm]?tsx?$/.test(path)) return null;
  return LANGUAGES[/^(bash|python|node)[\d.]*$/.exec(program)?.[1] ?? ""] ?? null;
}

function probe(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const textOf = (file: string): string | null => readQuietly(() => readFileSync(file, "utf8"));

/** A hook may have written there, too: what cannot be read is no coverage. */
function readQuietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
