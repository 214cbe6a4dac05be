import { extname, join } from "node:path";
import type { FolderNames } from "../../fs/paths.ts";

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

/** The modules that can be imported from a folder. */
export interface FolderModules {
  /** Each with its names in the folder: `rules` may be `rules.py` and a package. */
  readonly all: ReadonlyMap<string, readonly string[]>;
  /** Those of them that have the name of a module that comes with Python. */
  readonly standard: readonly string[];
}

const listed = new WeakMap<FolderNames, Map<string, FolderModules>>();

/** The modules in a folder. Computed once for all hooks of a listing, because hundreds of hooks may be in one folder. */
export function modulesIn(folder: string, namesIn: FolderNames): FolderModules {
  const byFolder = listed.get(namesIn) ?? new Map<string, FolderModules>();
  const modules = byFolder.get(folder) ?? modulesAmong(namesIn(folder), folder, namesIn);
  listed.set(namesIn, byFolder.set(folder, modules));
  return modules;
}

/** The modules among these names of a folder. A folder is a package if it has an `__init__`. */
export function modulesAmong(names: Iterable<string>, folder: string, namesIn: FolderNames): FolderModules {
  const all = new Map<string, string[]>();
  for (const name of names) {
    const module = moduleOf(name);
    if (module === null || (extname(name) === "" && !isPackage(namesIn(join(folder, name))))) continue;
    const files = all.get(module);
    if (files === undefined) all.set(module, [name]);
    else files.push(name);
  }
  return { all, standard: [...all.keys()].filter(isStandardModule) };
}

const isPackage = (names: ReadonlySet<string>): boolean => [...names].some((name) => name.startsWith("__init__."));

/** The module name by which a file or folder can be imported; null if it cannot. */
function moduleOf(name: string): string | null {
  return /^([A-Za-z_]\w*)(?:\.py|\.pyc|\.pyw|\.[\w.-]*so|\.pyd)?$/.exec(name)?.[1] ?? null;
}

/** True for a module that comes with Python. A file of that name beside a script would replace it. */
export const isStandardModule = (name: string): boolean => STANDARD.has(name) || name.startsWith("_");

const STANDARD: ReadonlySet<string> = new Set(
  (
    "abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi " +
    "cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy " +
    "copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest dummy_threading email encodings " +
    "ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass " +
    "gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json " +
    "keyword lib2to3 linecache locale logging lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing netrc " +
    "nis nntplib ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil " +
    "platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random " +
    "re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site sitecustomize smtpd " +
    "smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct " +
    "subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit " +
    "tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib usercustomize uu uuid " +
    "venv warnings wave weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo"
  ).split(" "),
);
