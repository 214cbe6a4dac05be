import { chmodSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { firstBytes, readTextFile } from "../../../src/fs/read-file.ts";
import { GUARD_NAMES } from "../../../src/protocol/guard-settings.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import type { HookResult } from "../../../src/protocol/hook-response.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { GUARDS } from "../../guards/guards.ts";
import type { CaseResult } from "../cases/case-run.ts";
import { NOT_PROBED, type ProbedStart } from "../scratch/worker.ts";
import type { TestSubject } from "../select/test-subject.ts";
import type { HookCoverage } from "../test-report.ts";
import {
  BASH_PROBE,
  bashCoverage,
  type LineCoverage,
  mergeCoverage,
  missingRanges,
  nodeCoverage,
  pythonCoverage,
  pythonProbe,
} from "./line-coverage.ts";

/** The coverage of the cases of a hook or guard. Null for cases about all hooks together. */
interface CaseCoverage extends ProbedStart {
  readonly read: (results: readonly CaseResult[]) => HookCoverage;
}

export function caseCoverage(subject: TestSubject, folder: string): CaseCoverage | null {
  if (subject.hook === null) return null;
  const { hook } = subject;
  if (hook.kind === "guard") return { ...NOT_PROBED, read: (results) => guardCoverage(hook.name, results) };
  return coverageProbe(hook, folder);
}

/** Measures which lines of one hook its test cases reach, using its interpreter. */
interface CoverageProbe extends ProbedStart {
  readonly read: () => HookCoverage;
}

interface Language {
  readonly start: (folder: string, file: string) => ProbedStart;
  /** Returns null if nothing was written, or if it cannot be read. */
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
      return trace === null ? null : bashCoverage(readTextFile(file), trace, file);
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
      const [source, real] = [readTextFile(file), realpathSync(file)];
      const written = readdirSync(folder).filter((name) => name.startsWith("coverage-"));
      const parts = written.flatMap((name) => nodeCoverage(source, readTextFile(join(folder, name)), real) ?? []);
      return parts.length === 0 ? null : mergeCoverage(parts);
    },
  },
};

const SHEBANG = /^#![ \t]*([^ \t\r\n]+)[ \t]*([^\r\n]*)/;

/** A probe whose files are in `folder`, or the reason why there is none. */
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

/** By the program of its `#!` line. For TypeScript Node reports other positions than those of the source. */
function languageOf(path: string): Language | null {
  const words = /^#![ \t]*([^\r\n]*)/.exec(firstBytes(path, 256) ?? "")?.[1]?.split(/[ \t]+/) ?? [];
  const programs = words.map((word) => basename(word)).filter((word) => !word.startsWith("-") && !word.includes("="));
  const program = programs.find((word) => word !== "env") ?? "";
  if (/\.[cm]?tsx?$/.test(path)) return null;
  return ownValue(LANGUAGES, /^(bash|python|node)[\d.]*$/.exec(program)?.[1] ?? "") ?? null;
}

function probe(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const textOf = (file: string): string | null => readQuietly(() => readTextFile(file));

/** A hook may have written there, too: unreadable files are ignored. */
function readQuietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** The rules of a built-in guard that made one of these cases block or ask. */
function guardCoverage(name: string, results: readonly Pick<CaseResult, "run">[]): HookCoverage {
  const guard = GUARD_NAMES.find((one) => one === name);
  const all = guard === undefined ? [] : Object.keys(GUARDS[guard].rules);
  const reached = new Set(results.flatMap(({ run }) => run?.invocations ?? []).flatMap(({ result }) => ruleOf(result)));
  const missing = all.filter((rule) => !reached.has(rule));
  return { unit: "rules", reached: all.length - missing.length, total: all.length, missing, unknownBecause: null };
}

/** Its metadata names the rule that decided. */
function ruleOf({ response }: HookResult): readonly string[] {
  const metadata = response.ok ? (response.value?.metadata ?? null) : null;
  return metadata === null ? [] : [String(Object(JSON.parse(metadata)).rule)];
}
