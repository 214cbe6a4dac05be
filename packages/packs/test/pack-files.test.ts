import { describe, expect, test } from "vitest";
import { type ListedFile, MOST_BYTES, MOST_FILES, selectPackFiles } from "../pack-files.ts";

const file = (path: string, more: Partial<ListedFile> = {}): ListedFile => ({
  path,
  kind: "file",
  isExecutable: false,
  size: 10,
  ...more,
});
const hook = (path: string): ListedFile => file(path, { isExecutable: true });
const guard = hook("hooks/guard");

describe("the files of a pack", () => {
  const selected: readonly (readonly [title: string, listed: readonly ListedFile[], paths: readonly string[]])[] = [
    ["are its hooks and the files beside them", [file("hooks/lib/x.sh"), guard], ["hooks/guard", "hooks/lib/x.sh"]],
    [
      "include test cases, notes and the licence",
      [guard, ...["tests/guard.json", "README.md", "LICENSE"].map((path) => file(path))],
      ["LICENSE", "README.md", "hooks/guard", "tests/guard.json"],
    ],
    [
      "include test cases in each format of `test`, and their snapshots",
      [guard, ...["yaml", "yml", "json"].map((end) => file(`tests/a.${end}`)), file("tests/snapshots/a.json")],
      ["hooks/guard", "tests/a.json", "tests/a.yaml", "tests/a.yml", "tests/snapshots/a.json"],
    ],
    ["include its settings", [guard, file("hooks.yaml"), file("x/hooks.json")], ["hooks.yaml", "hooks/guard"]],
    ["may be settings alone", [file(".kodelet/hooks.json"), file("hooks/x")], ["hooks.json"]],
    [
      "are no other files of a repository",
      [guard, file("src/x.ts"), file("package.json"), file("tests/run.sh"), file("CLAUDE.md")],
      ["hooks/guard"],
    ],
    ["are those of .kodelet, if it has hooks", [guard, hook(".kodelet/hooks/own")], ["hooks/own"]],
    ["are those of the folder, if .kodelet has none", [guard, file(".kodelet/hooks.json")], ["hooks/guard"]],
    [
      "have no names that begin with a dot",
      [guard, file("hooks/.envrc"), file("hooks/.git/config"), file("hooks/lib/.x")],
      ["hooks/guard"],
    ],
  ];
  test.each(selected)("%s", (_title, listed, paths) => {
    const selection = selectPackFiles(listed, "s");
    expect(selection.ok && selection.value.selected.map(({ path }) => path)).toEqual(paths);
  });

  test("are named where they are left out, unless they are another part of the repository", () => {
    const others = ["tests/run.sh", "tests/lib/a.yaml", "hooks/.env", "hooks.yml", "src/x.ts", "package.json"];
    const selection = selectPackFiles([guard, ...others.map((path) => file(path))], "s");
    const leftOut = ["hooks.yml", "hooks/.env", "tests/lib/a.yaml", "tests/run.sh"];
    expect(selection).toMatchObject({ ok: true, value: { leftOut } });
  });

  const without: readonly (readonly ListedFile[])[] = [
    [],
    [file("hooks/guard")],
    [hook("guard")],
    [hook("hooks/lib/x.sh")],
    [hook("hooks/.guard")],
    [hook("x/hooks/guard")],
  ];
  test.each(without.map((listed) => [listed]))("%j holds no hooks", (listed) => {
    expect(selectPackFiles(listed, "s")).toMatchObject({ ok: false, error: { code: "PACK_WITHOUT_HOOKS" } });
  });

  const refused: readonly (readonly [cause: RegExp, listed: readonly ListedFile[]])[] = [
    [/leads out/, [guard, file("../x")]],
    [/leads out/, [guard, file("docs/../../x")]],
    [/absolute/, [guard, file("/etc/passwd")]],
    [/a link/, [guard, file("hooks/x", { kind: "link" })]],
    [/a link/, [file("hooks/guard", { kind: "link" })]],
    [/submodule/, [guard, file("hooks/lib", { kind: "repository" })]],
    [/not a regular file/, [guard, file("hooks/pipe", { kind: "device" })]],
    [/unusual/, [guard, file("hooks/a\u001b[2Jb")]],
    [/unusual/, [guard, file("hooks/a\u202eb")]],
    [/unusual/, [guard, file("hooks/a\\b")]],
    [/unusual/, [guard, file("hooks/a\ufffdb")]],
    [/unusual/, [guard, file("hooks//b")]],
    [/same name/, [guard, file("hooks/Guard")]],
    [/same name/, [guard, file("hooks/guard")]],
    [/same name/, [guard, file("hooks/\u00e9"), file("hooks/e\u0301")]],
    [/too long/, [guard, file(`hooks/${"a/".repeat(9)}b`)]],
    [/too long/, [guard, file(`hooks/${"a".repeat(250)}`)]],
    [/one settings file/, [guard, file("hooks.json"), file("hooks.yaml")]],
    [/a link/, [guard, file("hooks.json", { kind: "link" })]],
    [/MiB together/, [guard, file("hooks/big", { size: MOST_BYTES })]],
    [
      /may have at most \d+ files/,
      [guard, ...Array.from({ length: MOST_FILES }, (_, index) => file(`hooks/lib/${index}`))],
    ],
  ];
  test.each(refused)("are refused: %s in %j", (cause, listed) => {
    expect(selectPackFiles(listed, "s")).toMatchObject({
      ok: false,
      error: { code: "PACK_UNSAFE", cause: expect.stringMatching(cause) },
    });
  });

  test("may be refused for nothing that is not taken, unless its path leads out", () => {
    const odd = [file("src/link", { kind: "link" }), file("docs/a\\b"), file("vendor", { kind: "repository" })];
    expect(selectPackFiles([guard, ...odd], "s")).toMatchObject({ ok: true });
  });
});
