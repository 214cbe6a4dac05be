import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

type Command = string | readonly string[];

/** Each starts `LIB/x.sh`, where LIB is a folder of its own below `.kodelet`. */
const STYLES: readonly { readonly title: string; readonly command: Command }[] = [
  { title: "after cd", command: "cd LIB && ./x.sh" },
  { title: "after cd in a subshell", command: "(cd LIB; sh x.sh)" },
  { title: "in backticks", command: "`LIB/x.sh`" },
  { title: "in a substitution", command: 'out=$(LIB/x.sh); echo "$out"' },
  { title: "as the text of a shell without a shell", command: ["sh", "-c", "LIB/x.sh arg"] },
  { title: "by the project's variable", command: '"$HOOKCTL_PROJECT_DIR"/.kodelet/LIB/x.sh' },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell expands it
  { title: "by a default", command: "${HOOKCTL_NOWHERE:-LIB}/x.sh" },
  { title: "by a folder in a variable", command: "d=LIB; $d/x.sh" },
  { title: "by a file in a variable", command: "F=LIB/x.sh; sh $F" },
  { title: "by an exported variable", command: 'export F="$PWD/LIB/x.sh"; sh "$F"' },
  { title: "by a loop over a pattern", command: 'for f in LIB/*.sh; do sh "$f"; done' },
  { title: "by a loop over words", command: "for f in x y; do sh LIB/$f.sh; done" },
  { title: "with quotes inside", command: 'L"IB"/x.sh'.replace('L"IB"', 'LI"B"') },
  { title: "with a backslash", command: "LIB/x\\.sh" },
  { title: "with an escaped letter", command: "eval \"$(printf '%s' LIB/x.sh)\"; sh LIB/x.sh" },
  { title: "by env -S", command: "env -S./LIB/x.sh" },
  { title: "by wrappers", command: "nohup nice env A=1 sh LIB/x.sh" },
  { title: "by xargs", command: "echo a | xargs sh LIB/x.sh" },
  { title: "by find", command: "find LIB -name x.sh -exec sh LIB/x.sh ';'" },
  { title: "as input", command: "sh < LIB/x.sh" },
  { title: "by the dot", command: ". LIB/x.sh" },
  { title: "from a here-document", command: "sh <<END\nLIB/x.sh\nEND" },
  { title: "from a function", command: "f() { LIB/x.sh; }; f" },
  { title: "by a trap", command: "trap 'sh LIB/x.sh' EXIT" },
  { title: "by eval", command: "eval 'sh LIB/x.sh'" },
  { title: "in a condition", command: "if [ -f LIB/x.sh ]; then . LIB/x.sh; fi" },
  { title: "behind a pipe", command: "cat | LIB/x.sh" },
  { title: "in the background", command: "LIB/x.sh & wait" },
  { title: "by the script that it starts", command: "sh LIB/outer.sh" },
];

const FOLDERS = STYLES.map((_, index) => `case-${index}`);
const inFolder = (command: Command, folder: string): Command =>
  typeof command === "string"
    ? command.replaceAll("LIB", folder).replace('LI"B"', `${folder.slice(0, 3)}"${folder.slice(3)}"`)
    : command.map((word) => word.replaceAll("LIB", folder));

/** A project with an entry and a folder for each style. Every script says in a file of its own that it ran. */
async function setUp(place: Workspace, mark: string): Promise<void> {
  for (const folder of FOLDERS) {
    await place.write(`project/.kodelet/${folder}/x.sh`, `#!/bin/sh\n: > ${place.dir}/${mark}-${folder}\n`, 0o755);
    await place.write(`project/.kodelet/${folder}/outer.sh`, '. "$(dirname "$0")/x.sh"\n');
  }
  const before_tool_call = STYLES.map(({ command }, index) => {
    const folder = FOLDERS[index] ?? "";
    return { name: folder, command: inFolder(command, folder) };
  });
  await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call } }));
}

const ran = async (place: Workspace, mark: string): Promise<readonly string[]> => {
  const seen = await Promise.all(FOLDERS.map((folder) => place.read(`${mark}-${folder}`)));
  return FOLDERS.filter((_, index) => seen[index] !== null);
};

describe("a declared command binds what it starts", () => {
  test("each style runs as approved, and not once its script was edited", {
    tags: "slow",
    timeout: 120_000,
  }, async () => {
    await using place = await workspace();
    await setUp(place, "approved");
    expect(await runMain(place, ["trust", "--yes"])).toMatchObject({ code: 0 });
    await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
    const titles = (folders: readonly string[]) =>
      STYLES.filter((_, at) => folders.includes(FOLDERS[at] ?? "")).map(({ title }) => title);
    expect(titles(await ran(place, "approved"))).toEqual(STYLES.map(({ title }) => title));
    await setUp(place, "edited");
    await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
    expect(titles(await ran(place, "edited"))).toEqual([]);
    const shown = await runMain(place, ["list", "--json"]);
    const { hooks } = JSON.parse(shown.stdout);
    const unchanged = hooks.filter((hook: { trust: string }) => hook.trust !== "changed");
    expect(unchanged).toEqual([]);
  });

  test("a file that is put there later is a change where the command would start it", async () => {
    await using place = await workspace();
    const later = [
      "lib/later.sh",
      "sh later",
      ". ./later.sh",
      "python3 later.py",
      "make check",
      "cd sub && ./later.sh",
    ];
    const rows = later.map((command, at) => ({ name: `h${at}`, command }));
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: rows } }));
    await runMain(place, ["trust", "--yes"]);
    expect(await statuses(place)).toEqual(rows.map(() => "trusted"));
    const files = ["lib/later.sh", "later", "later.sh", "later.py", "Makefile", "sub/later.sh"];
    for (const file of files) await place.write(`project/.kodelet/${file}`, "true\n", 0o755);
    expect(await statuses(place)).toEqual(rows.map(() => "changed"));
  });

  test("a new file that a pattern means is a change, and another one beside it is none", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/lib/a.sh", "true\n");
    const command = 'for f in lib/*.sh; do sh "$f"; done';
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [{ command }] } }));
    await runMain(place, ["trust", "--yes"]);
    await place.write("project/.kodelet/lib/notes.txt", "junk\n");
    await place.write("project/.kodelet/lib/.b.sh", "hidden\n");
    expect(await statuses(place)).toEqual(["trusted"]);
    await place.write("project/.kodelet/lib/b.sh", "true\n");
    expect(await statuses(place)).toEqual(["changed"]);
    const shown = await runMain(place, ["trust", "--show"]);
    expect(shown.stdout).toContain("lib/*.sh");
  });

  test("what a command writes is no part of it", async () => {
    await using place = await workspace();
    const command = "mkdir -p out; touch out/seen; date >> out/log.txt; date | tee out/last.txt >/dev/null";
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [{ command }] } }));
    await runMain(place, ["trust", "--yes"]);
    for (let call = 0; call < 2; call++) {
      const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
      expect(result).toMatchObject({ stdout: '{"blocked":false}\n', code: 0 });
    }
  });
});

const UNKNOWN: readonly { readonly command: Command; readonly words: string }[] = [
  { command: "make check", words: "make check: it starts programs named in its own settings" },
  { command: "npm run -s guard", words: "npm run -s: it starts programs named in its own settings" },
  { command: ["npx", "guard"], words: "npx guard: it starts programs named in its own settings" },
  { command: 'eval "$GUARD"', words: "eval $GUARD: its commands are known only at run time" },
  { command: "source $GUARD", words: "$GUARD: its file is known only at run time" },
  { command: '"$TOOLS"/guard.sh', words: "$TOOLS/guard.sh: its file is known only at run time" },
  { command: "cat lib/*.txt", words: "lib/*.txt: its files are known only at run time" },
  { command: "python3 -m guard", words: "python3 -m guard: Python looks for the module and for what it imports" },
  { command: "cat rules | sh", words: "sh: it reads commands from its input" },
  { command: "find . -exec sh {} ';'", words: "{}: its file is known only at run time" },
  { command: "sudo -n make", words: "make: it starts programs named in its own settings" },
  { command: "node -e 'require(process.env.GUARD)'", words: "files that its code opens" },
  { command: "if then (", words: "it cannot be parsed as a shell command" },
];

test("what the words do not tell, trust says, and files covers by hand", async () => {
  await using place = await workspace();
  const rows = UNKNOWN.map(({ command }, at) => ({ name: `h${at}`, command, files: ["rules.txt"] }));
  await place.write("project/rules.txt", "a\n");
  await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: rows } }));
  const shown = JSON.parse((await runMain(place, ["trust", "--show", "--json"])).stdout);
  // The settings are one item: a yes to them approves all that they declare.
  const result: readonly string[] = shown.hooks[0].not_covered;
  UNKNOWN.forEach(({ words }, at) => {
    expect(result.some((one) => one.startsWith(`h${at}: `) && one.includes(words))).toBe(true);
  });
  expect(shown.hooks[0].files).toMatchObject([{ name: "rules.txt", state: "new", text: "a\n" }]);
  const text = await runMain(place, ["trust", "--show", "h0"]);
  expect(text.stdout).toContain("  not covered: make check: it starts programs named in its own settings\n");
  await runMain(place, ["trust", "--yes"]);
  await place.write("project/rules.txt", "b\n");
  expect(await statuses(place)).toEqual(rows.map(() => "changed"));
});

const KNOWN: readonly Command[] = [
  "jq -e .tool_name >/dev/null",
  'echo "$HOOKCTL_EVENT" | grep -q before',
  "sh lib/x.sh --level 3 > out.log 2>&1",
  ["python3", "guard.py", "--strict"],
  'd=$(cd "$(dirname lib/x.sh)" && pwd); echo "see README"',
];

test("an ordinary command has nothing that is not covered", async () => {
  await using place = await workspace();
  const rows = KNOWN.map((command, at) => ({ name: `h${at}`, command }));
  await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: rows } }));
  const { hooks } = JSON.parse((await runMain(place, ["trust", "--show", "--json"])).stdout);
  expect(hooks.map(({ not_covered }: { not_covered: unknown }) => not_covered)).toEqual([[]]);
});

/** `missing`: the word that names what is not there; null: nothing that is sure to be started is missing. */
const STARTING: readonly { readonly command: Command; readonly missing: string | null }[] = [
  { command: "./scripts/none.sh", missing: "./scripts/none.sh" },
  { command: ["python3", "scripts/none.py", "--strict"], missing: "scripts/none.py" },
  { command: "sh none.sh; . ./none.env", missing: "none.sh" },
  { command: "no-such-program --now", missing: "no-such-program" },
  { command: "/nowhere/at/all/guard", missing: "/nowhere/at/all/guard" },
  { command: "cd lib && ./x.sh", missing: null },
  { command: "sh lib/module/index", missing: null },
  { command: ["sh", "lib/x.sh"], missing: null },
  { command: "touch none.log; echo none.sh; cat none.txt", missing: null },
  { command: 'sh "$SOMEWHERE/none.sh"', missing: null },
  { command: "[ -f none.sh ] && . ./none.sh", missing: null },
  { command: "/bin/sh -c true", missing: null },
];

test("what a command starts and does not find is named before the yes, and by doctor", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/lib/x.sh", "#!/bin/sh\n", 0o755);
  await place.write("project/.kodelet/lib/module/index", "");
  const rows = STARTING.map(({ command }, at) => ({ name: `h${at}`, command }));
  await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: rows } }));
  const named = STARTING.flatMap(({ missing }, at) => (missing === null ? [] : [[`h${at}`, missing] as const]));
  const before = named.map(([hook, word]) => expect.stringMatching(new RegExp(`^${hook}: .* ${word}(?: |$)`)));
  const shown = JSON.parse((await runMain(place, ["trust", "--show", "--json"])).stdout);
  expect(shown.hooks).toMatchObject([{ missing: before }]);
  const yes = await runMain(place, ["trust", "--yes"]);
  expect(yes).toMatchObject({ code: 0 });
  expect(yes.stderr.match(/(?<=^ {2}missing: ).*/gm)).toEqual(before);
  const doctor = await runMain(place, ["doctor"]);
  expect(doctor.stdout.match(/h\d+(?= cannot start: )/g)).toEqual(named.map(([hook]) => hook));
});

test("a file that is put there after the yes waits for approval", async () => {
  await using place = await workspace();
  const hooks = { before_tool_call: [{ name: "late", command: "./scripts/late.sh" }] };
  await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks }));
  await runMain(place, ["trust", "--yes"]);
  expect(await statuses(place)).toEqual(["trusted"]);
  await place.write("project/.kodelet/scripts/late.sh", `#!/bin/sh\n: > ${place.dir}/ran\n`, 0o755);
  expect(await statuses(place)).toEqual(["changed"]);
  await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(await place.read("ran")).toBeNull();
});

async function statuses(place: Workspace): Promise<readonly string[]> {
  const { hooks } = JSON.parse((await runMain(place, ["list", "--json"])).stdout);
  return hooks.map(({ trust }: { trust: string }) => trust);
}
