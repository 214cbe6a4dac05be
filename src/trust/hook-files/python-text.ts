/** The modules that a Python program imports. */
export interface PythonImports {
  /** The first parts of dotted names: `a` of `import a.b`. */
  readonly modules: readonly string[];
  /** The program changes the module search path, or computes module names. */
  readonly isDynamic: boolean;
}

const PLAIN = /^[ \t]*(?:[^#\n"']*[;:][ \t]*)?import[ \t]+([\w., \t]+)/gm;
const FROM = /(?:^|[;:])[ \t]*from[ \t]+\.*([\w.]*)[ \t]+import[ \t]*\(?([\w., \t\n]*)/gm;
const DYNAMIC = /\b(?:sys\.path|importlib|__import__|runpy|addsitedir|pkgutil|__path__)\b/;

export function pythonImports(text: string): PythonImports {
  const plain = [...text.matchAll(PLAIN)].flatMap(([, names = ""]) => firstParts(names));
  // `from . import rules` names a module behind `import`.
  const from = [...text.matchAll(FROM)].flatMap(([, module = "", names = ""]) => [
    ...firstParts(module),
    ...firstParts(names),
  ]);
  return { modules: [...new Set([...plain, ...from])], isDynamic: DYNAMIC.test(text) };
}

const firstParts = (names: string): readonly string[] =>
  names.split(",").flatMap((name) => /^\s*(\w+)/.exec(name)?.[1] ?? []);

export const isPython = (path: string, text: string): boolean =>
  /\.pyw?$/.test(path) || /^#![^\n]*\b(?:python|pypy)/.test(text);

/** True if `-E` or `-I` makes Python ignore PYTHONSAFEPATH and PYTHONPYCACHEPREFIX. */
export const ignoresVariables = (text: string): boolean => /^#![^\n]*\b(?:python|pypy)\S*[^\n]*\s-\w*[EI]/.test(text);

/** The Python code inside a text of another language: `-c`, `-m`, a here-document. Null if there is none. */
export function inlinePython(text: string): string | null {
  if (!/\b(?:python|pypy)[\d.]*["']?(?:[ \t]+-\w+)*(?:[ \t]+-[mc]|[ \t]+-?[ \t]*(?:<|$|[;|&]))/m.test(text))
    return null;
  const modules = [...text.matchAll(/\b(?:python|pypy)[\d.]*["']?(?:[ \t]+-\w+)*[ \t]+-m[ \t]*["']?(\w+)/g)];
  const named = modules.flatMap(([, module = ""]) => module);
  // Each on its own line, like the imports of a program.
  const imports = [...text.matchAll(/\b(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+[\w., \t]+/g)].map(([line]) => line);
  return [...named.map((module) => `import ${module}`), ...imports].join("\n");
}

/** The folders that a shell enters before it starts Python. */
export const foldersEntered = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:cd|pushd)[ \t]+["']?(?:\$\{?\w+\}?["']?\/)?([\w.][\w./-]*)/g)].flatMap(
    ([, folder = ""]) => folder,
  );

/** True for a compiled module of a Python before 3.8, which ignores PYTHONPYCACHEPREFIX. */
export const isOldCompiled = (name: string): boolean =>
  /\.(?:cpython-3[0-7]|pypy3?[0-7]?)(?:\.opt-\d)?\.pyc$/.test(name);

/** True if a text starts a Python program. */
export const startsPython = (text: string): boolean => /\b(?:python|pypy)[\d.]*\b/.test(text);

const PYTHON_WORD = /[^\s"'`();&|=]*\b(?:python|pypy)[\d.]*(?=[\s"'`;&|)]|$)(?:["']?[ \t]+-\w+)*/g;

/** Each Python that a text starts, with its options. */
export const pythonsIn = (text: string): readonly string[] =>
  text.startsWith("#!") && isPython("", text)
    ? []
    : [...text.matchAll(PYTHON_WORD)].map(([word]) => word.replace(/["']/g, ""));

/** True if a text may start Python without PYTHONSAFEPATH and PYTHONPYCACHEPREFIX. */
export const mayDropVariables = (text: string): boolean =>
  /\bPYTHON(?:SAFEPATH|PYCACHEPREFIX)\b/.test(text) ||
  /\benv\b[^\n;|&]*\s-(?:[\s-]|\w*i)/.test(text) ||
  /\b(?:python|pypy)[\d.]*["']?(?:[ \t]+-\w+)*[ \t]+-\w*[EI]/.test(text);
