import { basename, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import { isRegularFile } from "../../fs/file-kind.ts";
import { isInside } from "../../fs/paths.ts";
import { readIfPresent } from "../../fs/read-file.ts";
import { PROJECT } from "../../shell/findings.ts";
import { namedFiles } from "../../shell/named-files.ts";
import { findReferences, isShellText } from "./file-references.ts";
import { isWrittenByHooks } from "./written-files.ts";

interface ScriptContext {
  readonly projectDir: string;
  /** Where the command runs. */
  readonly folder: string;
  readonly home: string;
}

const MOST_FILES = 500;
const LARGEST_TEXT_BYTES = 256 * 1024;

/** Returns scripts with the files that they name, and the files that those name in turn. */
export function filesNamedInScripts(files: readonly string[], place: ScriptContext): readonly string[] {
  const all = new Set(files);
  for (const name of all) {
    if (all.size > MOST_FILES) break;
    for (const file of namedInText(name, place)) all.add(file);
  }
  return [...all];
}

function namedInText(name: string, place: ScriptContext): readonly string[] {
  const { projectDir } = place;
  const path = resolve(projectDir, name);
  const read = readIfPresent(path);
  if (!read.ok || read.value === null || read.value.length > LARGEST_TEXT_BYTES || read.value.includes(0)) return [];
  const text = read.value.toString("utf8");
  const paths = isShellText(path, text) ? namedByShell(text, path, place) : namedByProgram(text, path, place);
  const isOurs = (one: string): boolean => one !== path && isInside(projectDir, one) && isRegularFile(one);
  return [...new Set(paths)].filter(isOurs).map((one) => (isAbsolute(name) ? one : relative(projectDir, one)));
}

function namedByShell(text: string, path: string, { projectDir, folder, home }: ScriptContext): readonly string[] {
  const variables = { "0": path, BASH_SOURCE: path };
  const { paths, started } = namedFiles(text, { folder, home, variables });
  const whole = (one: string): string => (one.startsWith(PROJECT) ? join(projectDir, one.slice(1)) : one);
  const isMeant = (one: string): boolean => {
    return !isWrittenByHooks(whole(one), { projectDir, text, word: basename(one), isLoaded: started.has(one) });
  };
  return [...paths.keys()].filter(isMeant).map(whole);
}

/** Finds quoted paths and Python imports, relative to the script and to the working directory. */
function namedByProgram(text: string, path: string, { projectDir, folder }: ScriptContext): readonly string[] {
  const words = new Set<string>();
  for (const [, word] of text.matchAll(/["'`]([\w@./+-]{1,200})["'`]/g)) if (word !== undefined) words.add(word);
  const modules = new Set<string>();
  if (extname(path) === ".py" || /^#!.*\bpython/.test(text)) {
    for (const [, from, names] of text.matchAll(
      /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+([\w., \t]{1,500})/gm,
    )) {
      const each = (names ?? "").split(",").map((name) => name.trim().split(/\s/)[0] ?? "");
      for (const name of each) modules.add(from === undefined ? name : `${from}.${name}`);
      if (from !== undefined) modules.add(from);
    }
  }
  const loaded = new Set(
    findReferences(text, false).flatMap(({ word, isSurelyLoaded }) => (isSurelyLoaded ? word : [])),
  );
  const imported = [...modules].flatMap((module) => {
    const file = module.replaceAll(".", "/").replace(/^\/+/, "");
    return file === "" ? [] : [`${file}.py`, `${file}/__init__.py`];
  });
  return [dirname(path), folder].flatMap((base) => {
    const named = [...words].flatMap((word) => {
      const naming = { projectDir, text, word, isLoaded: loaded.has(word) };
      const ends = ENDINGS.map((ending) => resolve(base, word + ending));
      return ends.filter((one) => !isWrittenByHooks(one, naming));
    });
    return [...named, ...imported.map((one) => resolve(base, one))];
  });
}

const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".json", ".rb", ".pl", ".pm", ".lua", "/index.js", "/index.ts"];
