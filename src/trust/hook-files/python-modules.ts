import { extname, join } from "node:path";
import type { FolderNames } from "../../fs/paths.ts";

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
