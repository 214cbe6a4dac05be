import { dirname, extname, join, relative } from "node:path";
import { type FolderNames, fileKind, isInside } from "../../fs/paths.ts";
import { filesBelow } from "./files-below.ts";

/**
 * True if the Python in the first line of a text (`python3` without one) supports PYTHONSAFEPATH, which keeps it from
 * loading modules from the folder of its script. False in doubt.
 */
export type SupportsSafePath = (text: string) => boolean;

/** What the search for Python modules takes from the search through a hook's texts, and adds to it. */
interface SurroundingSearch {
  readonly folders: SearchedFolders;
  /** Texts that start programs and so choose the interpreter. */
  readonly starters: readonly string[];
  /** The files of a declared command. */
  readonly first: ReadonlySet<string>;
  /** The approved files. */
  readonly known: ReadonlySet<string>;
  readonly supportsSafePath: SupportsSafePath;
  readonly add: (path: string) => void;
}

/** The modules that the Python programs of a hook can import. A class, because it remembers the programs. */
export class PythonSearch {
  /** True while no program imports a module from its own folder. */
  isAlone = true;
  private readonly search: SurroundingSearch;
  /** Python programs, each with the folder in which Python looks first. */
  private readonly scripts = new Map<string, { readonly folder: string; readonly text: string }>();

  constructor(search: SurroundingSearch) {
    this.search = search;
  }

  follow(folder: string, { key, text }: { readonly key: string; readonly text: string }): void {
    const { modules, isDynamic } = pythonImports(text);
    const inFolder = this.search.folders.modules(folder);
    const beside = modules.filter((module) => inFolder.has(module) && !isStandardModule(module));
    if (beside.length > 0 || isDynamic || /["'\s]-m["'\s]/.test(text)) this.isAlone = false;
    for (const module of beside) this.addModules(folder, module, text);
    this.scripts.set(key, { folder, text });
  }

  addShadows(): void {
    for (const script of this.scripts.values()) this.addShadowsOf(script);
  }

  /** Python looks in the folder of its script first, so a file there can replace any module. */
  private addShadowsOf({ folder, text }: { readonly folder: string; readonly text: string }): void {
    if (this.isAlone && this.isSafe(text)) return;
    const { modules, isDynamic } = pythonImports(text);
    const inFolder = this.search.folders.modules(folder);
    // The imports of a module from elsewhere are unknown.
    const isOpen = isDynamic || modules.some((module) => !isStandardModule(module) && !inFolder.has(module));
    for (const module of inFolder.keys()) {
      if (isOpen || isStandardModule(module) || modules.includes(module)) this.addModules(folder, module, text);
    }
  }

  /** The command that starts a script chooses the Python; the script's first line counts only without such a command. */
  private isSafe(text: string): boolean {
    const pythons = this.search.starters.flatMap(pythonsIn);
    if (this.search.starters.some(mayDropVariables)) return false;
    if (pythons.length === 0 && this.search.first.size > 0 && !text.startsWith("#!")) return false;
    return [...pythons.map((one) => `#!${one}`), text].every((one) => this.search.supportsSafePath(one));
  }

  private addModules(folder: string, module: string, text: string): void {
    for (const name of this.search.folders.modules(folder).get(module) ?? []) this.addModule(join(folder, name));
    this.addCompiled(folder, module, ignoresVariables(text) || this.search.starters.some(mayDropVariables));
  }

  private addModule(path: string): void {
    if (fileKind(path) !== "folder") {
      this.search.add(path);
      return;
    }
    // Of a package only code counts: its data is read by its own code, if at all.
    for (const { path: file } of filesBelow(path) ?? []) {
      if (/\.(?:py|pyc|pyd|so)$/.test(file) && (!file.includes("/__pycache__/") || isOldCompiled(file)))
        this.search.add(file);
    }
    for (const file of this.search.known) if (isInside(path, file)) this.search.add(file);
  }

  private addCompiled(folder: string, module: string, isAll: boolean): void {
    const cache = join(folder, "__pycache__");
    for (const name of this.search.folders.entries(cache)) {
      if (name.startsWith(`${module}.`) && (isAll || isOldCompiled(name))) this.search.add(join(cache, name));
    }
  }
}

/** The modules that a Python program imports. */
interface PythonImports {
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

/** True if a text starts a Python program. */
export const startsPython = (text: string): boolean => /\b(?:python|pypy)[\d.]*\b/.test(text);

/** True if `-E` or `-I` makes Python ignore PYTHONSAFEPATH and PYTHONPYCACHEPREFIX. */
const ignoresVariables = (text: string): boolean => /^#![^\n]*\b(?:python|pypy)\S*[^\n]*\s-\w*[EI]/.test(text);

const PYTHON_WORD = /[^\s"'`();&|=]*\b(?:python|pypy)[\d.]*(?=[\s"'`;&|)]|$)(?:["']?[ \t]+-\w+)*/g;

/** Each Python that a text starts, with its options. */
const pythonsIn = (text: string): readonly string[] =>
  text.startsWith("#!") && isPython("", text)
    ? []
    : [...text.matchAll(PYTHON_WORD)].map(([word]) => word.replace(/["']/g, ""));

/** True if a text may start Python without PYTHONSAFEPATH and PYTHONPYCACHEPREFIX. */
const mayDropVariables = (text: string): boolean =>
  /\bPYTHON(?:SAFEPATH|PYCACHEPREFIX)\b/.test(text) ||
  /\benv\b[^\n;|&]*\s-(?:[\s-]|\w*i)/.test(text) ||
  /\b(?:python|pypy)[\d.]*["']?(?:[ \t]+-\w+)*[ \t]+-\w*[EI]/.test(text);

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

/** The module name by which a file or folder can be imported; null if it cannot. */
function moduleOf(name: string): string | null {
  return /^([A-Za-z_]\w*)(?:\.py|\.pyc|\.pyw|\.[\w.-]*so|\.pyd)?$/.exec(name)?.[1] ?? null;
}

/** True for a compiled module of a Python before 3.8, which ignores PYTHONPYCACHEPREFIX. */
const isOldCompiled = (name: string): boolean => /\.(?:cpython-3[0-7]|pypy3?[0-7]?)(?:\.opt-\d)?\.pyc$/.test(name);

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

/** The entries of the folders of one search, each folder read once. */
export interface SearchedFolders {
  /** The names in a folder, including approved files that were deleted. */
  readonly entries: (folder: string) => ReadonlySet<string>;
  /** The modules that can be imported from a folder, each with its files. A folder is a package if it has an `__init__`. */
  readonly modules: (folder: string) => ReadonlyMap<string, readonly string[]>;
  /** A folder of the project and those above it, up to the project's own. */
  readonly above: (folder: string) => readonly string[];
}

/** `known` are the approved files, and `itself` the paths of the hook, which is not a module of its own. */
export function searchedFolders(
  project: string,
  known: ReadonlySet<string>,
  { itself, namesIn }: { readonly itself: ReadonlySet<string>; readonly namesIn: FolderNames },
): SearchedFolders {
  const found = new Map<string, ReadonlySet<string>>();
  const entries = (folder: string): ReadonlySet<string> => {
    const before = found.get(folder);
    if (before !== undefined) return before;
    const approved = [...known].filter((path) => isInside(folder, path) && path !== folder);
    const gone = approved.map((path) => relative(folder, path).split("/")[0] ?? "");
    const names = gone.length === 0 ? namesIn(folder) : new Set([...namesIn(folder), ...gone]);
    found.set(folder, names);
    return names;
  };
  const modules = (folder: string): ReadonlyMap<string, readonly string[]> => {
    const found = new Map<string, string[]>();
    for (const name of entries(folder)) {
      const module = moduleOf(name);
      if (module === null || itself.has(join(folder, name))) continue;
      const isPackage = (): boolean => [...entries(join(folder, name))].some((entry) => entry.startsWith("__init__."));
      if (extname(name) === "" && !isPackage()) continue;
      found.set(module, [...(found.get(module) ?? []), name]);
    }
    return found;
  };
  return { entries, modules, above: (folder) => foldersUpTo(project, folder) };
}

function foldersUpTo(project: string, from: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = from; isInside(project, folder); folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder)) break;
  }
  return folders;
}
