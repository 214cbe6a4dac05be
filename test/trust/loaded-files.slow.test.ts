import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approveAll, hookInRun, runToolCall } from "../support/approvals.ts";
import { touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const KODELET = "project/.kodelet";
const HOOKS = `${KODELET}/hooks`;
const CHANGED = "refused HOOK_REFUSED_CHANGED";

/** Python, Node and the others that are there; a row for one that is not is skipped. */
const program = (name: string): string | null =>
  ["/usr/local/bin", "/usr/bin", "/bin"].map((folder) => join(folder, name)).find(existsSync) ?? null;
const python = program("python3");

async function statuses(place: Workspace): Promise<Record<string, string>> {
  const { hooks } = await runToolCall(place);
  return Object.fromEntries(
    hooks.map(({ name, outcome, failure }) => [name, failure === undefined ? outcome : `${outcome} ${failure.code}`]),
  );
}

const script = (head: string, load: string, rest: string): string => `${head}\n${load}\n${rest}\n`;
const sh = (load: string): string => script("#!/bin/sh", load, '[ "$1" = hook ] && echo before_tool_call\nexit 0');
const py = (load: string): string =>
  script(`#!${python}`, load, 'import sys\nif sys.argv[1:] == ["hook"]:\n    print("before_tool_call")');
const js = (load: string): string =>
  script(`#!${process.execPath}`, load, 'if (process.argv[2] === "hook") console.log("before_tool_call");');

/** A hook of each interpreter that loads nothing from its folder. */
async function crowd(): Promise<Workspace> {
  const place = await workspace();
  await place.write(`${HOOKS}/shell`, sh(":"), 0o755);
  await place.write(`${HOOKS}/node.cjs`, js('const fs = require("fs");'), 0o755);
  if (python !== null) await place.write(`${HOOKS}/snake.py`, py("import json"), 0o755);
  await approveAll(place);
  return place;
}

describe("what no hook loads changes nobody's status", () => {
  const junk = [".DS_Store", "README.txt", "NOTES.md", "requirements.txt", ".shell.swp", "shell~", "shell.bak", "4913"];
  const folders = [
    "__pycache__/json.cpython-312.pyc",
    "__pycache__/rules.cpython-312.pyc",
    ".idea/x.xml",
    "old/rules.sh",
  ];
  test.each([...junk, ...folders])("%s", async (name) => {
    await using place = await crowd();
    await place.write(`${HOOKS}/${name}`, "junk");
    const after = await statuses(place);
    expect(Object.values(after)).toEqual(Object.values(after).map(() => "continue"));
    expect(Object.keys(after).length).toBeGreaterThan(1);
  });

  test.each(["colleague", "colleague.sh", "colleague.cjs", "colleague.py"])("a new hook %s", async (name) => {
    await using place = await crowd();
    const before = Object.keys(await statuses(place));
    await place.write(`${HOOKS}/${name}`, sh(":"), 0o755);
    const after = await statuses(place);
    expect(before.map((one) => after[one])).toEqual(before.map(() => "continue"));
    expect(after[name]).toContain("HOOK_REFUSED_UNTRUSTED");
  });
});

const loads: readonly {
  readonly title: string;
  readonly hook: string;
  readonly name?: string;
  readonly file: string;
  readonly text?: string;
  readonly others?: Readonly<Record<string, string>>;
}[] = [
  { title: ". with a variable", hook: sh('dir=$(dirname "$0")\n. "$dir/lib.sh"'), file: `${HOOKS}/lib.sh` },
  { title: ". with a substitution", hook: sh('. "$(dirname "$0")/lib/x.sh"'), file: `${HOOKS}/lib/x.sh` },
  {
    title: ". in braces, in a folder above",
    hook: sh(`d=\${0%/*}\n. "\${d}/../lib/x.sh"`),
    file: `${KODELET}/lib/x.sh`,
  },
  ...[
    '"$(dirname "$0")/../../tools/x.sh"',
    "`dirname $0`/../../tools/x.sh",
    `"$(cd "\${0%/*}" && pwd)/../../tools/x.sh"`,
  ].map((path) => ({
    title: `source ${path}`,
    hook: sh(`[ -f tools/x.sh ] && . ${path}`),
    file: "project/tools/x.sh",
  })),
  { title: "source in the project", hook: sh("[ -f tools/x.sh ] && . ./tools/x.sh"), file: "project/tools/x.sh" },
  {
    title: "a path by HOOKCTL_PROJECT_DIR",
    hook: sh('sh "$HOOKCTL_PROJECT_DIR/tools/x.sh"'),
    file: "project/tools/x.sh",
  },
  {
    title: "files of a named folder",
    hook: sh('for f in "$(dirname "$0")/rules"/*; do . "$f"; done'),
    file: `${HOOKS}/rules/a`,
  },
  {
    title: "a file that a loaded file loads",
    hook: sh('. "$(dirname "$0")/lib/x.sh"'),
    file: `${HOOKS}/lib/deep.sh`,
    others: { [`${HOOKS}/lib/x.sh`]: '. "$(dirname "$0")/lib/deep.sh"\n' },
  },
  {
    title: "require of node",
    name: "guard.cjs",
    hook: js('require("./rules");'),
    file: `${HOOKS}/rules.js`,
    text: "",
  },
  {
    title: "import of node",
    name: "guard.mjs",
    hook: js('import "./rules.mjs";'),
    file: `${HOOKS}/rules.mjs`,
    text: "",
  },
  {
    title: "a package of node_modules",
    name: "guard.cjs",
    hook: js('require("rules");'),
    file: "project/node_modules/rules/index.js",
    text: "",
  },
  {
    title: "the kind of module that package.json says",
    name: "guard.js",
    hook: js(""),
    file: `${KODELET}/package.json`,
    text: "{}",
  },
];

describe("a file that a hook loads", () => {
  test.each(loads)("by $title: an edit changes that hook alone", async (row) => {
    const { hook, name = "guard", file, text = ":\n", others = {} } = row;
    await using place = await workspace();
    for (const [path, content] of Object.entries({ ...others, [file]: text })) await place.write(path, content);
    await place.write(`${HOOKS}/${name}`, hook, 0o755);
    await place.write(`${HOOKS}/other`, sh(":"), 0o755);
    await approveAll(place);
    expect(await statuses(place)).toEqual({ [name]: "continue", other: "continue" });
    await place.write(file, `${text}\n`);
    expect((await statuses(place))[name]).toBe(CHANGED);
    await place.write(file, text);
    expect(await statuses(place)).toEqual({ [name]: "continue", other: "continue" });
    await rm(join(place.dir, file));
    const { reason } = await runToolCall(place);
    expect(reason).toContain(`${name} changed since it was approved: the helper `);
    expect(reason).toContain(`(gone) (DIR/${HOOKS}/${name}). Ask the user to review it: hookctl trust ${name}`);
  });

  test.each([
    ["a file that it would load in place of another", "rules", js('require("./rules");')],
    ["a nearer package", "node_modules/x/index.js", js('require("x");')],
  ])("%s is a change when it appears", async (_, file, hook) => {
    await using place = await workspace();
    await place.write(`${HOOKS}/rules.js`, "");
    await place.write("project/node_modules/x/index.js", "");
    await place.write(`${HOOKS}/guard.cjs`, hook, 0o755);
    await approveAll(place);
    expect(await statuses(place)).toEqual({ "guard.cjs": "continue" });
    await place.write(`${HOOKS}/${file}`, "");
    expect(await statuses(place)).toEqual({ "guard.cjs": CHANGED });
  });

  test("is none when a guard merely speaks of it: a lock file that changes all the time blocks nothing", async () => {
    await using place = await workspace();
    await place.write(`${HOOKS}/guard`, sh('case $1 in *"package-lock.json"*|*src/main.ts*) ;; esac'), 0o755);
    await place.write("project/package-lock.json", "1");
    await place.write("project/src/main.ts", "1");
    await approveAll(place);
    await place.write("project/package-lock.json", "2");
    await place.write("project/src/main.ts", "2");
    expect(await statuses(place)).toEqual({ guard: "continue" });
  });
});

describe.skipIf(python === null)("Python (needs python3)", () => {
  const evil = (place: Workspace): string => `open(${JSON.stringify(join(place.dir, "canary"))}, "w")\n`;

  test("rules.py that a hook imports, and what that imports in turn, change exactly that hook", async () => {
    await using place = await workspace();
    await place.write(`${HOOKS}/rules.py`, "import deeper\n");
    await place.write(`${HOOKS}/deeper.py`, "x = 1\n");
    await place.write(`${HOOKS}/guard.py`, py("import rules"), 0o755);
    await place.write(`${HOOKS}/other.py`, py("import json"), 0o755);
    await approveAll(place);
    expect(await statuses(place)).toEqual({ "guard.py": "continue", "other.py": "continue" });
    for (const file of ["rules.py", "deeper.py"]) {
      const before = (await place.read(`${HOOKS}/${file}`)) ?? "";
      await place.write(`${HOOKS}/${file}`, `${before}\n`);
      expect((await statuses(place))["guard.py"], file).toBe(CHANGED);
      await place.write(`${HOOKS}/${file}`, before);
    }
    expect(await statuses(place)).toEqual({ "guard.py": "continue", "other.py": "continue" });
  });

  test("a poisoned compiled module is never loaded, and nothing is compiled beside the hooks", async () => {
    await using place = await workspace();
    await place.write(`${HOOKS}/rules.py`, "x = 1\n");
    await place.write(`${HOOKS}/guard.py`, py("import rules"), 0o755);
    await approveAll(place);
    // Compiled from other code, with the time and size of the module that it is for.
    const poison = `import importlib.util, os, marshal, struct
path = ${JSON.stringify(join(place.dir, HOOKS, "rules.py"))}
at = importlib.util.cache_from_source(path)
os.makedirs(os.path.dirname(at), exist_ok=True)
stat = os.stat(path)
code = marshal.dumps(compile(${JSON.stringify(evil(place))}, path, "exec"))
open(at, "wb").write(importlib.util.MAGIC_NUMBER + struct.pack("<III", 0, int(stat.st_mtime), stat.st_size) + code)
`;
    execFileSync(python ?? "", ["-c", poison], { env: { PATH: "/usr/bin:/bin" } });
    expect(await statuses(place)).toEqual({ "guard.py": "continue" });
    expect(await place.read("canary")).toBeNull();
    // The same without hookctl: the poison works.
    execFileSync(join(place.dir, HOOKS, "guard.py"), ["hook"], { env: { PATH: "/usr/bin:/bin" } });
    expect(await place.read("canary")).toBe("");
  });

  test("a shell hook that starts Python for a line of code runs no module of the project", async () => {
    await using place = await workspace();
    await place.write("project/json.py", evil(place));
    await place.write(`${HOOKS}/guard`, sh(`[ "$1" = hook ] || ${python} -c 'import json'`), 0o755);
    await approveAll(place);
    const minor = Number(
      execFileSync(python ?? "", ["-c", "import sys; print(sys.version_info[1])"], { encoding: "utf8" }),
    );
    expect(hookInRun(await runToolCall(place), "guard").outcome).toBe("continue");
    expect(await place.read("canary")).toBe(minor >= 11 ? null : "");
  });
});

test("an approval of before, which was bound to everything that lay beside the hook, stays one", async () => {
  await using place = await workspace();
  await place.write(`${HOOKS}/guard`, sh('. "$(dirname "$0")/lib.sh"'), 0o755);
  await place.write(`${HOOKS}/lib.sh`, ":\n");
  await place.write(`${HOOKS}/audit`, sh(":"), 0o755);
  await approveAll(place);
  const store = "home/.local/state/hookctl/trust.json";
  const kept = JSON.parse((await place.read(store)) ?? "{}");
  for (const approval of Object.values<Record<string, object>>(kept.approvals)) {
    approval.helpers = { ...approval.helpers, "README.txt": "0".repeat(64), "gone.txt": "1".repeat(64) };
    approval.siblings = {};
  }
  await place.write(store, JSON.stringify(kept), 0o600);
  await place.write(`${HOOKS}/README.txt`, "another text");
  expect(await statuses(place)).toEqual({ audit: "continue", guard: "continue" });
  await place.write(`${HOOKS}/lib.sh`, touch(join(place.dir, "canary")));
  expect((await statuses(place)).guard).toBe(CHANGED);
  expect(await place.read("canary")).toBeNull();
});
