import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readBundled } from "../../../src/fs/read-bundled.ts";
import { firstBytes, readTextFile } from "../../../src/fs/read-file.ts";
import { GUARD_NAMES } from "../../../src/protocol/guard-settings.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { shellQuote } from "../../../src/protocol/text/shell-quote.ts";
import { GUARDS } from "../../guards/guards.ts";
import type { CaseResult } from "../cases/test-case.ts";
import type { Invocation } from "../scratch/invoke-in-scratch.ts";
import { NOT_PROBED, type ProbedStart, unlessItThrows } from "../scratch/worker.ts";
import type { TestSubject } from "../select/test-subject.ts";
import type { HookCoverage } from "../test-report.ts";
import {
  bashCoverage,
  type LineCoverage,
  mergeCoverage,
  missingRanges,
  nodeCoverage,
  pythonCoverage,
} from "./line-coverage.ts";

/** Measures what of one hook its test cases reach. */
interface CoverageProbe extends ProbedStart {
  readonly read: (results: readonly CaseResult[]) => HookCoverage;
}

/** The coverage of the cases of a hook or guard. Null for cases about all hooks together. */
export function caseCoverage({ hook }: TestSubject, folder: string): CoverageProbe | null {
  if (hook === null) return null;
  if (hook.kind === "guard") return { ...NOT_PROBED, read: (results) => guardCoverage(hook.name, results) };
  return coverageProbe(hook, folder);
}

interface Language {
  readonly start: (folder: string, file: string) => ProbedStart;
  /** Throws if nothing was written, or if it cannot be read: a hook may have written there, too. */
  readonly read: (folder: string, file: string) => LineCoverage | null;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  bash: {
    start: (folder) => ({
      program: null,
      variables: { BASH_ENV: probeFile(folder, "probe.bash"), HOOKCTL_COVERAGE: join(folder, "trace") },
    }),
    read: (folder, file) => bashCoverage(readTextFile(file), readTextFile(join(folder, "trace")), file),
  },
  python: {
    start: (folder, file) => {
      const { interpreter, option } = shebangOf(file);
      const options = option === "" ? [] : [option];
      const words = [interpreter, ...options, probeFile(folder, "probe.py"), join(folder, "lines"), file];
      const program = join(folder, basename(file));
      writeFileSync(program, `#!/bin/sh\nexec ${words.map(shellQuote).join(" ")} "$@"\n`, { mode: 0o700 });
      return { program: { path: file, startedAs: program }, variables: {} };
    },
    read: (folder) => mergeCoverage(readTextFile(join(folder, "lines")).trimEnd().split("\n").map(pythonCoverage)),
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

/** The interpreter of a program, and what follows, which the system passes as one argument. */
function shebangOf(path: string): { readonly interpreter: string; readonly option: string } {
  const line = /^#![ \t]*([^ \t\r\n]+)[ \t]*([^\r\n]*)/.exec(firstBytes(path, 256) ?? "");
  const [, interpreter = "", option = ""] = line ?? [];
  return { interpreter, option };
}

/** A bundled program that records which lines run, copied to a folder that every hook may read. */
function probeFile(folder: string, name: string): string {
  const file = join(folder, name);
  writeFileSync(file, readBundled(`assets/coverage/${name}`));
  return file;
}

/** A probe whose files are in `folder`, or the reason why there is none. */
export function coverageProbe(hook: Hook, folder: string): CoverageProbe {
  const { path } = hook;
  const unknown = (unknownBecause: string): HookCoverage => {
    return { unit: "lines", reached: 0, total: 0, missing: [], unknownBecause };
  };
  const language = hook.entry === null ? languageOf(path) : null;
  if (language === null) return { ...NOT_PROBED, read: () => unknown(NO_MEANS) };
  mkdirSync(folder, { recursive: true });
  return {
    ...language.start(folder, path),
    read: () => {
      const lines = unlessItThrows(() => language.read(folder, path));
      if (lines === null) return unknown(NOTHING_WRITTEN);
      const { all, reached } = lines;
      const both = [...all].filter((line) => reached.has(line));
      return { unit: "lines", reached: both.length, total: all.size, missing: missingRanges(lines) };
    },
  };
}

const NO_MEANS = "only bash, python and node can tell which lines ran";
const NOTHING_WRITTEN = "its interpreter wrote nothing: no case started it, or it was started without its environment";

/** By the program of its `#!` line. For TypeScript Node reports other positions than those of the source. */
function languageOf(path: string): Language | null {
  const { interpreter, option } = shebangOf(path);
  const programs = [interpreter, ...option.split(/[ \t]+/)].map((word) => basename(word));
  const program = programs.find((word) => word !== "env" && !word.startsWith("-") && !word.includes("=")) ?? "";
  if (/\.[cm]?tsx?$/.test(path)) return null;
  return ownValue(LANGUAGES, /^(bash|python|node)[\d.]*$/.exec(program)?.[1] ?? "") ?? null;
}

/** The rules of a built-in guard that made one of these cases block or ask. */
function guardCoverage(name: string, results: readonly CaseResult[]): HookCoverage {
  const guard = GUARD_NAMES.find((one) => one === name);
  const all = guard === undefined ? [] : Object.keys(GUARDS[guard].rules);
  const reached = new Set(results.flatMap(({ run }) => run?.invocations ?? []).flatMap(ruleOf));
  const missing = all.filter((rule) => !reached.has(rule));
  return { unit: "rules", reached: all.length - missing.length, total: all.length, missing };
}

/** Its metadata names the rule that decided. */
function ruleOf({ result: { response } }: Invocation): readonly string[] {
  const metadata = response.ok ? (response.value?.metadata ?? null) : null;
  return metadata === null ? [] : [String(Object(JSON.parse(metadata)).rule)];
}
