import { dirname, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { sourceFiles, sourceText } from "./support/sources.ts";

interface Room {
  readonly name: string;
  /** The libraries and modules of Node that it may use. */
  readonly uses: readonly string[];
  /** No clock, no disk, no environment. */
  readonly isPure?: true;
}

const pure = (name: string, ...uses: readonly string[]): Room => ({ name, uses, isPure: true });
const room = (name: string, ...uses: readonly string[]): Room => ({ name, uses });
const disk = ["node:fs", "node:path"];

/** The rooms from the ground up. A room imports only rooms of lower floors, types included; `import()` may reach any room. */
const FLOORS: readonly (readonly Room[])[] = [
  [pure("src/protocol", "node:buffer")],
  [
    pure("src/chain"),
    pure("src/dialects"),
    pure("src/report", "chalk", "diff"),
    pure("src/shell", "unbash", "node:path"),
    // Templates and payloads are hostile: it reaches nothing but its arguments.
    pure("packages/jinja"),
    room("src/fs", ...disk),
  ],
  [
    pure("src/redact"),
    pure("packages/agents", "jsonc-parser", "smol-toml"),
    room("src/config", "yaml", "zod", ...disk),
    room("src/process", "node:child_process", ...disk),
    room("src/session", ...disk),
  ],
  [
    room("packages/screen"),
    pure("packages/guards", "unbash", "node:path"),
    room("src/audit", ...disk),
    room("src/discover", "node:buffer", ...disk),
    room("src/invoke"),
  ],
  [room("src/trust", ...disk), room("packages/handlers", "node:fs", "node:url")],
  [room("src/engine", "node:path")],
  [
    room("src/cli", "commander", ...disk),
    room("packages/guard-hooks", "node:path"),
    room("packages/sandbox", "node:os", ...disk),
  ],
  [
    room("src/commands", ...disk),
    room(
      "packages/cage",
      "node:child_process",
      "node:dns",
      "node:http",
      "node:https",
      "node:net",
      "node:os",
      "node:stream",
      "node:url",
      ...disk,
    ),
    room("packages/packs", "execa", "fast-glob", "zod", "node:os", "node:url", ...disk),
    room("packages/scripting", "node:path"),
    // The schema of case files, and regular expressions of cases with a timeout.
    room("packages/testing", "diff", "fast-glob", "unbash", "zod", "node:crypto", "node:os", "node:vm", ...disk),
    room(
      "packages/sdk",
      "sucrase",
      "node:child_process",
      "node:crypto",
      "node:module",
      "node:net",
      "node:stream",
      "node:url",
      ...disk,
    ),
  ],
  [
    room("packages/authoring", "zod", ...disk),
    room(
      "packages/connect",
      "diff",
      "execa",
      "jsonc-parser",
      "smol-toml",
      "node:child_process",
      "node:net",
      "node:url",
      "node:v8",
      ...disk,
    ),
    room("packages/insight", "fast-glob", "node:crypto", "node:http", "node:https", "node:os", "node:zlib", ...disk),
  ],
];

/** The one package without which the core does not work: templates are part of its settings. */
const REQUIRED = ["packages/jinja"];

const MOST_FLOORS = 9;

/** Lines and files of TypeScript. A budget is raised only in a commit that says why; that of `src` is not. */
const BUDGETS: Readonly<Record<string, { readonly lines: number; readonly files: number }>> = {
  src: { lines: 31_192, files: 288 },
  "packages/agents": { lines: 2_550, files: 36 },
  "packages/authoring": { lines: 1_502, files: 12 },
  "packages/cage": { lines: 1_940, files: 15 },
  "packages/connect": { lines: 13_620, files: 126 },
  "packages/guard-hooks": { lines: 1_580, files: 19 },
  "packages/guards": { lines: 12_380, files: 92 },
  "packages/handlers": { lines: 400, files: 7 },
  "packages/insight": { lines: 5_961, files: 47 },
  "packages/jinja": { lines: 4_750, files: 37 },
  "packages/packs": { lines: 2_060, files: 17 },
  "packages/sandbox": { lines: 900, files: 8 },
  "packages/screen": { lines: 386, files: 4 },
  "packages/scripting": { lines: 852, files: 12 },
  "packages/sdk": { lines: 3_350, files: 42 },
  "packages/testing": { lines: 6_380, files: 57 },
};

const IMPURE: readonly { readonly name: string; readonly mention: RegExp }[] = [
  { name: "Date.now", mention: /\bDate\s*\.\s*now\b/ },
  { name: "new Date(", mention: /\bnew\s+Date\b/ },
  // `getBuiltinModule` is an import that waits until it is needed.
  { name: "process.", mention: /\bprocess\s*(?:\?\.|\.(?!getBuiltinModule\b)\w|\[)/ },
  { name: "performance.", mention: /\bperformance\s*(?:\?\.|\.\w|\[)/ },
  { name: "Math.random", mention: /\bMath\s*\.\s*random\b/ },
  { name: "setTimeout", mention: /\bsetTimeout\b/ },
];

interface Import {
  readonly to: string;
  /** False for `import()`. */
  readonly isStatic: boolean;
}

const QUOTED = `("(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*')`;
const STATIC_IMPORT = new RegExp(
  `^[ \\t]*(?:import|export)\\b(?:\\s+type\\b)?(?:[^;"'\`()=]*?\\bfrom)?\\s*${QUOTED}`,
  "gm",
);
const DYNAMIC_IMPORT = new RegExp(`(?<![.\\w$])(?:import|require)\\s*\\(\\s*(?:${QUOTED}\\s*[,)])?`, "g");
const TYPE_IMPORT = new RegExp(`(?<!await |=> |\\breturn )\\bimport\\(${QUOTED}\\)\\.[A-Z]`, "g");
const STRING_OR_COMMENT = new RegExp(`${QUOTED}|\`(?:\\\\.|[^\`\\\\])*\`|(?<!\\\\)//.*|/\\*[\\s\\S]*?\\*/`, "g");

function withoutComments(source: string): string {
  return source.replace(STRING_OR_COMMENT, (match) => (match.startsWith("/") ? " " : match));
}

function withoutWords(source: string): string {
  return source.replace(STRING_OR_COMMENT, (match) => (match.startsWith("`") ? match : " "));
}

function importsOf(source: string): Import[] {
  const code = withoutComments(source);
  const fixed = [...code.matchAll(STATIC_IMPORT)].map(([, to]) => ({ to: unquoted(to), isStatic: true }));
  // A type in the form `import("./b.ts").B` ties two files as an import does.
  const types = [...code.matchAll(TYPE_IMPORT)].map(([, to]) => ({ to: unquoted(to), isStatic: true }));
  const lazy = [...code.matchAll(DYNAMIC_IMPORT)].map(([, to]) => ({ to: unquoted(to), isStatic: false }));
  return [...fixed, ...types, ...lazy];
}

function unquoted(text: string | undefined): string {
  return text === undefined ? "something computed" : text.slice(1, -1);
}

const LEVELS = new Map(FLOORS.flatMap((rooms, floor) => rooms.map(({ name }) => [name, floor] as const)));

/** The room of a file; `src` for the files beside the rooms, which join them. */
const roomOf = (path: string): string => {
  const [top = "", second = "", third] = path.split("/");
  return top === "src" && third === undefined ? "src" : `${top}/${second}`;
};

const targetOf = (path: string, to: string): string => posix.normalize(posix.join(dirname(path), to));

/** What is wrong with one import of a file; null if nothing is. */
function importFault(path: string, row: Room, { to, isStatic }: Import): string | null {
  if (!to.startsWith(".")) {
    const isAllowed = row.uses.some((name) => to === name || to.startsWith(`${name}/`));
    return isAllowed ? null : `${path}: ${row.name} may not use ${to}`;
  }
  const other = roomOf(targetOf(path, to));
  if (!isStatic || other === row.name) return null;
  const isBelow = (LEVELS.get(other) ?? FLOORS.length) < (LEVELS.get(row.name) ?? 0);
  const isOptional = path.startsWith("src/") && other.startsWith("packages/") && !REQUIRED.includes(other);
  return isBelow && !isOptional ? null : `${path}: ${row.name} -> ${other} (${to})`;
}

/** Each fault names the file, and the import or the word that the table does not allow. */
function faultsOf(path: string, source: string): readonly string[] {
  const name = roomOf(path);
  if (name === "src") {
    return importsOf(source)
      .filter(({ to, isStatic }) => isStatic && targetOf(path, to).startsWith("packages/"))
      .map(({ to }) => `${path}: the core -> ${to}`);
  }
  const row = FLOORS.flat().find((known) => known.name === name);
  if (row === undefined) return [`${path}: the room ${name} has no row`];
  const code = withoutWords(source);
  const impure = row.isPure ? IMPURE.filter(({ mention }) => mention.test(code)) : [];
  return [
    ...importsOf(source).flatMap((line) => importFault(path, row, line) ?? []),
    ...impure.map((word) => `${path}: ${name} is pure and may not mention ${word.name}`),
  ];
}

const files = sourceFiles();
const rooms = [...new Set(files.map(roomOf))].sort();

describe("the house", () => {
  test.each(rooms)("%s imports only what its row allows", (name) => {
    const own = files.filter((path) => roomOf(path) === name);
    expect(own.flatMap((path) => faultsOf(path, sourceText(path)))).toEqual([]);
  });

  test("has a row for each room, on at most nine floors", () => {
    expect(rooms.filter((name) => name !== "src")).toEqual([...LEVELS.keys()].sort());
    expect(FLOORS.length).toBeLessThanOrEqual(MOST_FLOORS);
  });

  test("has no files that import each other in a circle", () => {
    expect(circles()).toEqual([]);
  });

  test.each(Object.entries(BUDGETS))("%s stays in its budget", (part, budget) => {
    const own = files.filter((path) => path.startsWith(`${part}/`));
    const lines = own.reduce((sum, path) => sum + sourceText(path).split("\n").length - 1, 0);
    expect(lines).toBeLessThanOrEqual(budget.lines);
    expect(own.length).toBeLessThanOrEqual(budget.files);
  });

  test("has a budget for the core and for each package", () => {
    const parts = new Set(files.map((path) => (path.startsWith("src/") ? "src" : roomOf(path))));
    expect(Object.keys(BUDGETS).sort()).toEqual([...parts].sort());
  });
});

/** Each group of files that reach each other by imports that are not lazy. */
function circles(): readonly (readonly string[])[] {
  const below = new Map(
    files.map((path) => {
      const fixed = importsOf(sourceText(path)).filter(({ to, isStatic }) => isStatic && to.startsWith("."));
      return [path, fixed.map(({ to }) => targetOf(path, to))] as const;
    }),
  );
  // Files that import nothing of the rest are taken away until only circles, and what imports them, are left.
  const left = new Map(below);
  let taken = true;
  while (taken) {
    taken = false;
    for (const [path, targets] of left) {
      if (targets.some((target) => left.has(target))) continue;
      left.delete(path);
      taken = true;
    }
  }
  return [...left.keys()].map((path) => [path]);
}

test("docs/architecture.md has the same floors", () => {
  const page = sourceText("docs/architecture.md");
  const rows = [...page.matchAll(/^\| (\d+) \| `([\w/-]+)` \|[^|]*\|([^|]*)\|$/gm)].map(
    ([, floor, name, libraries = ""]) => [
      name,
      {
        floor: Number(floor),
        libraries: libraries
          .split(",")
          .flatMap((library) => library.trim() || [])
          .sort(),
      },
    ],
  );
  const table = FLOORS.flatMap((row, floor) =>
    row.map(({ name, uses }) => [
      name,
      { floor: floor + 1, libraries: uses.filter((library) => !library.startsWith("node:")).sort() },
    ]),
  );
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(table));
});

/** A FIFO in place of a file would stop hookctl for ever, so only `fs` opens files by name. */
const READS_BY_NAME: Readonly<Record<string, string>> = {
  "src/cli/read-payload.ts": "the caller chose it, and `--payload <(…)` is a FIFO",
  "src/cli/version.ts": "hookctl's package.json",
  "packages/handlers/mcp-client.ts": "hookctl's package.json",
  "packages/handlers/template-program.ts": "its stdin",
  "src/process/ancestors.ts": "/proc",
  "src/process/spawn-child.ts": "/proc",
  "src/process/proc.ts": "/proc",
  "packages/connect/install/compile-cache.ts": "hookctl's code",
};
const BY_NAME = /\breadFileSync\((?!descriptor\b)/;

test("files are read through fs", () => {
  const found = files.filter(
    (path) => !/^src\/fs\/|^src\/[^/]+$/.test(path) && BY_NAME.test(withoutWords(sourceText(path))),
  );
  expect(found.filter((path) => READS_BY_NAME[path] === undefined)).toEqual([]);
});

/** A server's cached results depend on reads that it repeats, so all go through `fs/disk.ts`; but for these. */
const READS_UNRECORDED: Readonly<Record<string, string>> = {
  "src/fs/disk.ts": "it records",
  "src/fs/lock.ts": "a lock is taken each time",
  "src/fs/write-file.ts": "it writes",
  "src/audit/append.ts": "each line is appended to the file as it is then",
  "src/audit/log-files.ts": "the same",
  "src/audit/remove-log.ts": "the same",
  "src/process/spawn-child.ts": "/proc, at each start",
  "src/process/kill-descendants.ts": "/proc, at each start",
  "src/process/proc.ts": "/proc, at each start",
  "packages/handlers/mcp-client.ts": "hookctl's package.json",
};
const READ =
  /\b(?:access|exists|lstat|open|opendir|readdir|readFile|readlink|realpath|stat|statfs|watch)(?:Sync)?\b|\*/;
const NODE_FS = /^import (?!type )([^;]*?) from "node:fs(?:\/promises)?";|getBuiltinModule\("(?:node:)?fs/gm;

/** The modules that a file can load, those of packages left out: they are loaded by programs of hookctl's own. */
function modulesBehind(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { to } of importsOf(sourceText(path))) {
    if (to.startsWith(".") && to.endsWith(".ts")) modulesBehind(targetOf(path, to), seen);
  }
  return seen;
}

test("every read on which a run depends can be repeated", () => {
  const behind = [...modulesBehind("packages/sdk/library/run-and-list.ts")];
  expect(behind).toContain("src/trust/store/trust-store.ts");
  const reading = behind.filter((path) =>
    [...sourceText(path).matchAll(NODE_FS)].some(([, names]) => names === undefined || READ.test(names)),
  );
  expect(reading.sort()).toEqual(Object.keys(READS_UNRECORDED).sort());
});

describe("the rules find", () => {
  const cases: { title: string; path: string; source: string; faults: string[] }[] = [
    {
      title: "nothing wrong with imports of the same room and of a lower floor",
      path: "src/chain/a.ts",
      source: `import { b } from "./b.ts";\nimport type { Hook } from "../protocol/hook.ts";`,
      faults: [],
    },
    {
      title: "a static import over several lines",
      path: "src/chain/a.ts",
      source: `import {\n  b,\n} from "../trust/b.ts";`,
      faults: ["src/chain/a.ts: src/chain -> src/trust (../trust/b.ts)"],
    },
    {
      title: "imports of types",
      path: "src/trust/a.ts",
      source: `import type { B } from "../engine/b.ts";\ntype C = import("../cli/c.ts").C;`,
      faults: [
        "src/trust/a.ts: src/trust -> src/engine (../engine/b.ts)",
        "src/trust/a.ts: src/trust -> src/cli (../cli/c.ts)",
      ],
    },
    {
      title: "a re-export and a bare import, but not a lazy import",
      path: "src/session/a.ts",
      source: `export * from "../audit/a.ts";\nimport "../trust/b.ts";\nconst c = await import("../engine/c.ts");`,
      faults: [
        "src/session/a.ts: src/session -> src/audit (../audit/a.ts)",
        "src/session/a.ts: src/session -> src/trust (../trust/b.ts)",
      ],
    },
    {
      title: "a package that the core imports, but not a package that it loads when it is needed",
      path: "src/commands/a.ts",
      source: `import { g } from "../../packages/guard-hooks/g.ts";\nawait import("../../packages/testing/index.ts");`,
      faults: ["src/commands/a.ts: src/commands -> packages/guard-hooks (../../packages/guard-hooks/g.ts)"],
    },
    {
      title: "a package imported by a file beside the rooms",
      path: "src/main.ts",
      source: `import { g } from "../packages/guards/index.ts";`,
      faults: ["src/main.ts: the core -> ../packages/guards/index.ts"],
    },
    {
      title: "a library and a module of Node that the room may not use",
      path: "src/discover/a.ts",
      source: `import { z } from "zod";\nimport { homedir } from "node:os";`,
      faults: [
        "src/discover/a.ts: src/discover may not use zod",
        "src/discover/a.ts: src/discover may not use node:os",
      ],
    },
    {
      title: "an import whose target is computed",
      path: "src/commands/a.ts",
      source: `const x = await import(name);`,
      faults: ["src/commands/a.ts: src/commands may not use something computed"],
    },
    {
      title: "a clock in a pure room, but not in a comment or a message",
      path: "src/chain/a.ts",
      source: `// Date.now() would be wrong\nconst hint = "see process.env";\nconst at = new Date();`,
      faults: ["src/chain/a.ts: src/chain is pure and may not mention new Date("],
    },
    {
      title: "a room without a row",
      path: "src/utils/a.ts",
      source: "",
      faults: ["src/utils/a.ts: the room src/utils has no row"],
    },
  ];

  test.each(cases)("$title", ({ path, source, faults }) => {
    expect(faultsOf(path, source)).toEqual(faults);
  });
});
