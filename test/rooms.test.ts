import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

interface Room {
  readonly mayLookInto: readonly string[];
  readonly mayUse: readonly string[];
  /** No clock, no disk, no environment. */
  readonly isPure?: true;
}

const disk = ["node:fs", "node:path"];
const belowRuntime = [
  ...["protocol", "templates", "dialects", "config", "discover", "shell", "guards", "trust"],
  ...["process", "sandbox", "invoke", "chain", "fs", "session", "audit"],
];
const runtimeAndAbove = [...belowRuntime, "engine"];

const ROOMS: Readonly<Record<string, Room>> = {
  protocol: { mayLookInto: [], mayUse: ["node:buffer"], isPure: true },
  // Jinja2 in our own words. Templates and payloads are hostile: it reaches nothing but what it is handed.
  templates: { mayLookInto: ["protocol"], mayUse: [], isPure: true },
  dialects: { mayLookInto: ["protocol"], mayUse: [], isPure: true },
  // One file an agent: its payloads and answers as tables, and what protects in its settings.
  agents: { mayLookInto: ["protocol", "dialects"], mayUse: ["jsonc-parser", "smol-toml"], isPure: true },
  config: { mayLookInto: ["protocol", "fs", "templates"], mayUse: ["yaml", "zod", ...disk] },
  discover: { mayLookInto: ["protocol", "fs", "process"], mayUse: [...disk, "node:buffer"] },
  // An approval keeps and shows a settings entry, and with it what may be a secret of its MCP server.
  trust: { mayLookInto: ["protocol", "fs", "process", "discover", "audit", "shell"], mayUse: disk },
  shell: { mayLookInto: ["protocol"], mayUse: ["unbash", "node:path"], isPure: true },
  // Built-in guards: what a command starts, and rules over it. Commands are hostile text.
  guards: { mayLookInto: ["protocol", "shell"], mayUse: ["unbash", "node:path"], isPure: true },
  process: { mayLookInto: ["protocol", "fs"], mayUse: ["node:child_process", ...disk] },
  invoke: {
    mayLookInto: ["protocol", "dialects", "fs", "process", "templates"],
    mayUse: ["node:url", ...disk],
  },
  // Locks a hook in: what it may see and do, and the program that sees to it.
  sandbox: { mayLookInto: ["protocol", "fs", "process"], mayUse: [...disk, "node:os"] },
  chain: { mayLookInto: ["protocol"], mayUse: [], isPure: true },
  // Files as everybody here reads them, FIFOs and links in mind, and as what is kept between calls is changed.
  fs: { mayLookInto: ["protocol"], mayUse: disk },
  session: { mayLookInto: ["protocol", "fs"], mayUse: disk },
  // The log and what a tool prints lose the same secrets.
  audit: { mayLookInto: ["protocol", "fs", "guards"], mayUse: disk },
  // The audit log to OTLP/HTTP. What it sends was redacted when it was written.
  export: {
    mayLookInto: ["protocol", "fs", "audit"],
    mayUse: [...disk, "node:crypto", "node:http", "node:https", "node:zlib"],
  },
  engine: { mayLookInto: belowRuntime, mayUse: ["node:path"] },
  // Built-in guards as hooks: the facts of a call that they judge by. The engine gets them by injection.
  "guard-hooks": { mayLookInto: [...runtimeAndAbove, "agents"], mayUse: ["node:path"] },
  // What today's hooks make of calls that were recorded.
  replay: {
    mayLookInto: [
      ...[
        "protocol",
        "agents",
        "dialects",
        "fs",
        "config",
        "invoke",
        "chain",
        "audit",
        "engine",
        "guard-hooks",
        "packs",
      ],
    ],
    mayUse: [...disk, "node:os"],
  },
  // Hooks of others: fetched, checked, pinned and written, and nothing of them run.
  packs: { mayLookInto: ["protocol", "fs", "process", "config"], mayUse: [...disk, "node:os"] },
  // Registers `hookctl bridge` in the settings of agents: edits of their text, backups, and hooks taken over.
  install: {
    mayLookInto: [...runtimeAndAbove, "agents", "report", "cli"],
    mayUse: ["jsonc-parser", "smol-toml", ...disk, "node:url"],
  },
  // One call of an agent: who calls, which events it raises, and the answer in its own format.
  bridge: { mayLookInto: [...runtimeAndAbove, "agents", "install", "report", "cli"], mayUse: disk },
  // One request of a program after another: lines, JSON-RPC, and who may send them.
  serve: {
    mayLookInto: [...runtimeAndAbove, "agents", "library", "report", "cli"],
    mayUse: [...disk, "node:net", "node:http", "node:crypto", "node:stream"],
  },
  doctor: {
    mayLookInto: [...runtimeAndAbove, "agents", "install", "packs", "export", "serve", "report", "cli"],
    mayUse: [...disk, "node:http"],
  },
  // The schema of case files, and regular expressions of cases with a time limit.
  "test-runner": {
    mayLookInto: [...runtimeAndAbove, "agents", "guard-hooks"],
    mayUse: ["unbash", "zod", "node:vm", "node:os", ...disk],
  },
  // What a program imports in place of the command line: it joins the rooms as commands do, and prints nothing. Of
  // report it takes only the JSON of a run and of a list, so that both faces tell the same.
  library: {
    mayLookInto: [...runtimeAndAbove, "guard-hooks", "report"],
    mayUse: [...disk, "node:module", "node:url", "node:child_process", "node:net", "node:stream", "sucrase"],
  },
  report: {
    mayLookInto: ["protocol", "guards", "replay", "test-runner"],
    mayUse: ["chalk", "diff", "node:crypto"],
    isPure: true,
  },
  // The command line: its options and arguments, and what a command prints. It knows no command's code.
  cli: { mayLookInto: ["protocol", "report"], mayUse: ["commander", ...disk] },
  commands: {
    mayLookInto: [
      ...[...runtimeAndAbove, "agents", "install", "packs", "bridge", "doctor", "test-runner", "report", "cli"],
      ...["export", "guard-hooks", "replay", "serve"],
    ],
    mayUse: [...disk, "node:url", "node:os", "node:http", "node:net", "node:stream"],
  },
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
  readonly isTypeOnly: boolean;
}

const QUOTED = `("(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*')`;
const STATIC_IMPORT = new RegExp(
  `^[ \\t]*(?:import|export)\\b(\\s+type\\b)?(?:[^;"'\`()=]*?\\bfrom)?\\s*${QUOTED}`,
  "gm",
);
const DYNAMIC_IMPORT = new RegExp(`(?<![.\\w$])(?:import|require)\\s*\\(\\s*(?:${QUOTED}\\s*[,)])?`, "g");
const STRING_OR_COMMENT = new RegExp(`${QUOTED}|\`(?:\\\\.|[^\`\\\\])*\`|(?<!\\\\)//.*|/\\*[\\s\\S]*?\\*/`, "g");

function withoutComments(source: string): string {
  return source.replace(STRING_OR_COMMENT, (match) => (match.startsWith("/") ? " " : match));
}

function withoutWords(source: string): string {
  return source.replace(STRING_OR_COMMENT, (match) => (match.startsWith("`") ? match : " "));
}

function importsOf(source: string): Import[] {
  const code = withoutComments(source);
  const fixed = [...code.matchAll(STATIC_IMPORT)].map(([, type, to]) => ({
    to: unquoted(to),
    isTypeOnly: Boolean(type),
  }));
  const lazy = [...code.matchAll(DYNAMIC_IMPORT)].map(([, to]) => ({ to: unquoted(to), isTypeOnly: false }));
  return [...fixed, ...lazy];
}

function unquoted(text: string | undefined): string {
  return text === undefined ? "something computed" : text.slice(1, -1);
}

function isLibrary(name: string, to: string): boolean {
  return to === name || to.startsWith(`${name}/`);
}

/** Says what is wrong with one import of a file, or nothing. `path` is below src, with slashes. */
function wrongImport(path: string, row: Room, { to, isTypeOnly }: Import): string[] {
  const room = path.split("/", 1)[0] ?? "";
  if (!to.startsWith(".")) {
    if (row.mayUse.some((name) => isLibrary(name, to))) return [];
    return [`src/${path}: ${room} may not use ${to}`];
  }
  const target = normalize(join(dirname(path), to))
    .split(sep)
    .join("/");
  // The outside is handed in: a room may name its type, and only `bin` and the files beside it make one.
  if (["host.ts", "terminal.ts"].includes(target) && isTypeOnly && !row.isPure) return [];
  const other = target.split("/", 1)[0] ?? "";
  if (other === room || row.mayLookInto.includes(other)) return [];
  return [`src/${path}: ${room} -> ${other} (${to})`];
}

/** Every sentence says which file and which arrow or word is not in the table. */
function faultsOf(path: string, source: string): string[] {
  const room = path.split("/", 1)[0] ?? "";
  if (room === path) return [];
  const row = ROOMS[room];
  if (row === undefined) return [`src/${path}: the room ${room} has no row`];
  const code = withoutWords(source);
  const impure = row.isPure ? IMPURE.filter(({ mention }) => mention.test(code)) : [];
  return [
    ...importsOf(source).flatMap((line) => wrongImport(path, row, line)),
    ...impure.map(({ name }) => `src/${path}: ${room} is pure and may not mention ${name}`),
  ];
}

const src = fileURLToPath(new URL("../src", import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => path.split(sep).join("/"))
  .sort();
const rooms = [...new Set(files.filter((path) => path.includes("/")).map((path) => path.split("/", 1)[0] ?? ""))];

describe("the house", () => {
  test("has rooms", () => {
    expect(rooms).not.toEqual([]);
  });

  test.each(rooms)("%s looks only where its row says", (room) => {
    const own = files.filter((path) => path.startsWith(`${room}/`));
    expect(own.flatMap((path) => faultsOf(path, readFileSync(join(src, path), "utf8")))).toEqual([]);
  });
});

/** Rows of the page: what a room may import, where `engine…` stands for the engine and its own row, and its libraries. */
function rowsOfThePage(): Readonly<Record<string, { rooms: readonly string[]; libraries: readonly string[] }>> {
  const page = readFileSync(new URL("../docs/architecture.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \|[^|]*\|([^|]*)\|([^|]*)\|$/gm)];
  const named = (cell = ""): readonly string[] => cell.split(",").flatMap((name) => name.trim() || []);
  const engine = named(rows.find(([, room]) => room === "engine")?.[2]);
  const whole = (name: string): readonly string[] => (name === "engine…" ? ["engine", ...engine] : [name]);
  return Object.fromEntries(
    rows.map(([, room = "", rooms, libraries]) => [
      room,
      { rooms: named(rooms).flatMap(whole).sort(), libraries: [...named(libraries)].sort() },
    ]),
  );
}

test("docs/architecture.md has the same table", () => {
  const isNodes = (name: string): boolean => name.startsWith("node:");
  const table = Object.entries(ROOMS).map(([room, { mayLookInto, mayUse }]) => [
    room,
    { rooms: [...mayLookInto].sort(), libraries: mayUse.filter((name) => !isNodes(name)).sort() },
  ]);
  expect(rowsOfThePage()).toEqual(Object.fromEntries(table));
});

/** A FIFO in place of a file would stop hookctl for ever, so only `fs` opens files by name. */
const READS_BY_NAME: Readonly<Record<string, string>> = {
  "process/ancestors.ts": "/proc",
  "process/descriptors.ts": "/proc",
  "process/own-program.ts": "hookctl's own package.json",
  "process/proc.ts": "/proc",
  "cli/help.ts": "hookctl's own package.json",
  "cli/read-payload.ts": "the caller chose it, and `--payload <(…)` is a FIFO",
  "commands/read-bundled.ts": "hookctl's own files",
  "invoke/mcp-client.ts": "hookctl's own package.json",
  "invoke/template-program.ts": "its own stdin",
  "install/compile-cache.ts": "hookctl's own code",
};
const BY_NAME = /\breadFileSync\((?!descriptor\b)/;

test("files are read through fs", () => {
  const found = files.filter(
    (path) =>
      /^(?!fs\/|guards\/)\w[\w-]*\//.test(path) && BY_NAME.test(withoutWords(readFileSync(join(src, path), "utf8"))),
  );
  expect(found.filter((path) => READS_BY_NAME[path] === undefined)).toEqual([]);
});

/** What a server keeps depends on looks that it repeats, so they all go through `fs/disk.ts`; but for these. */
const LOOKS_BY_ITSELF: Readonly<Record<string, string>> = {
  "fs/disk.ts": "it is the way",
  "fs/lock.ts": "a lock is taken each time",
  "fs/write-file.ts": "it writes",
  "audit/append.ts": "each line is appended to what is there by then",
  "audit/log-files.ts": "the same",
  "audit/remove-log.ts": "the same",
  "process/descriptors.ts": "/proc, at each start",
  "process/kill-descendants.ts": "/proc, at each start",
  "process/proc.ts": "/proc, at each start",
  "invoke/mcp-client.ts": "hookctl's own package.json",
};
const LOOK =
  /\b(?:access|exists|lstat|open|opendir|readdir|readFile|readlink|realpath|stat|statfs|watch)(?:Sync)?\b|\*/;
const NODE_FS = /^import (?!type )([^;]*?) from "node:fs(?:\/promises)?";|getBuiltinModule\("(?:node:)?fs/gm;

/** The modules that a file can load. */
function modulesBehind(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { to, isTypeOnly } of importsOf(readFileSync(join(src, path), "utf8"))) {
    if (!isTypeOnly && to.startsWith("."))
      modulesBehind(
        normalize(join(dirname(path), to))
          .split(sep)
          .join("/"),
        seen,
      );
  }
  return seen;
}

test("every look on which a run depends can be repeated", () => {
  const behind = [...modulesBehind("library/run-and-list.ts")];
  expect(behind).toContain("trust/store/trust-store.ts");
  const looking = behind.filter((path) => {
    const imports = readFileSync(join(src, path), "utf8").matchAll(NODE_FS);
    return [...imports].some(([, names]) => names === undefined || LOOK.test(names));
  });
  expect(looking.sort()).toEqual(Object.keys(LOOKS_BY_ITSELF).sort());
});

describe("the table", () => {
  const cases: { title: string; path: string; source: string; faults: string[] }[] = [
    {
      title: "lets a room look into itself and its row",
      path: "chain/a.ts",
      source: `import { b } from "./b.ts";\nimport type { Hook } from "../protocol/hook.ts";`,
      faults: [],
    },
    {
      title: "finds a static arrow over several lines",
      path: "chain/a.ts",
      source: `import {\n  b,\n} from "../trust/b.ts";`,
      faults: ["src/chain/a.ts: chain -> trust (../trust/b.ts)"],
    },
    {
      title: "finds an arrow that only carries a type",
      path: "trust/a.ts",
      source: `import type { B } from "../chain/b.ts";\ntype C = import("../session/c.ts").C;`,
      faults: ["src/trust/a.ts: trust -> chain (../chain/b.ts)", "src/trust/a.ts: trust -> session (../session/c.ts)"],
    },
    {
      title: "finds an arrow of a re-export, of a bare import and of a lazy import",
      path: "session/a.ts",
      source: `export * from "../audit/a.ts";\nimport "../chain/b.ts";\nconst c = await import("../trust/c.ts");`,
      faults: [
        "src/session/a.ts: session -> audit (../audit/a.ts)",
        "src/session/a.ts: session -> chain (../chain/b.ts)",
        "src/session/a.ts: session -> trust (../trust/c.ts)",
      ],
    },
    {
      title: "finds a library and a node module that the room may not use",
      path: "discover/a.ts",
      source: `import { z } from "zod";\nimport { readFile } from "node:fs/promises";\nimport { homedir } from "node:os";`,
      faults: ["src/discover/a.ts: discover may not use zod", "src/discover/a.ts: discover may not use node:os"],
    },
    {
      title: "refuses an import that cannot be read from the line",
      path: "commands/a.ts",
      source: `const x = await import(name);\nconst y = await import("../audit/" + name);`,
      faults: Array(2).fill("src/commands/a.ts: commands may not use something computed"),
    },
    {
      title: "lets a room name the type of the outside, and a pure room not even that",
      path: "report/a.ts",
      source: `import type { Host } from "../host.ts";`,
      faults: ["src/report/a.ts: report -> host.ts (../host.ts)"],
    },
    {
      title: "refuses a room to take the outside itself",
      path: "engine/a.ts",
      source: `import type { Host } from "../host.ts";\nimport { host } from "../host.ts";`,
      faults: ["src/engine/a.ts: engine -> host.ts (../host.ts)"],
    },
    {
      title: "refuses a clock in a pure room, and takes no comment or message for one",
      path: "chain/a.ts",
      source: `// Date.now() would be wrong\nconst hint = "see process.env";\nconst at = new Date();`,
      faults: ["src/chain/a.ts: chain is pure and may not mention new Date("],
    },
    {
      title: "refuses a room without a row",
      path: "utils/a.ts",
      source: "",
      faults: ["src/utils/a.ts: the room utils has no row"],
    },
    {
      title: "lets the files beside the rooms import anything",
      path: "main.ts",
      source: `import { z } from "zod";`,
      faults: [],
    },
  ];

  test.each(cases)("$title", ({ path, source, faults }) => {
    expect(faultsOf(path, source)).toEqual(faults);
  });
});
