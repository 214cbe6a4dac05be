import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canSwitchUser, giveToUser, runAsUser, WHY_SKIPPED } from "../../../../test/support/as-user.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { scratchPathFault } from "../../cases/case-schema.ts";
import { failures, runCases } from "./case-run.ts";

/** Blocks with the content of a file of the project as its reason. */
const READS = `read -r line < "$HOOKCTL_PROJECT_DIR/src/a.txt" 2>/dev/null || line=none
printf '{"blocked":true,"reason":"%s in %s"}' "$line" "$(basename "$PWD")"`;

describe("files", () => {
  test("lie in the project of their case alone, and nothing stays of them", async () => {
    await using place = await workspace();
    await place.hook("guard", READS);
    const result = await runCases(
      place,
      `
hook: guard
cases:
  - { name: with, files: { src/a.txt: "hello\\n", "b/c/d.txt": "" }, expect: { reason: hello } }
  - { name: without, expect: { reason: none } }
  - name: of \${name}
    each: [{ name: one }, { name: two }]
    files: { src/a.txt: "\${name} it is\\n" }
    expect: { reason: "\${name} it is" }
`,
    );
    expect(failures(result)).toEqual({});
    expect(result).toMatchObject({ code: 0, stderr: "", faults: [] });
    expect(await readdir(place.project)).toEqual([".kodelet"]);
  });

  test("a declared hook has them beside the files of its project, which they do not replace", async () => {
    await using place = await workspace();
    await place.write("project/src/own.txt", "own\n");
    await place.write(
      "project/.kodelet/check.sh",
      'cd "$HOOKCTL_PROJECT_DIR"; cat src/*.txt | tr "\\n" " " > out; printf \'{"blocked":true,"reason":"%s"}\' "$(cat out)"',
      0o755,
    );
    await place.write("project/.kodelet/hooks.yaml", "hooks: { PreToolUse: [{ name: check, command: ./check.sh }] }\n");
    await symlink("/etc", join(place.project, "link"));
    const file = "project/.kodelet/tests/check.yaml";
    const cases = `
hook: check
cases:
  - { name: beside, files: { src/new.txt: "new\\n" }, expect: { reason: new own } }
  - { name: alone, expect: { reason: { matches: "^own *$" } } }
  - { name: replaced, files: { .kodelet/check.sh: "echo evil" }, expect: { decision: allow } }
  - { name: link, files: { link/passwd: x }, expect: { decision: allow } }
  - { name: a folder, files: { .kodelet/check.sh/x: x }, expect: { decision: allow } }
`;
    const result = await runCases(place, cases, { file, call: "test --json --trust" });
    expect(failures(result)).toEqual({
      replaced: ".kodelet/check.sh: the project has this file, and a case does not replace it",
      link: "link/passwd: it leads through a link of the project",
      "a folder": expect.stringMatching(/^its files cannot be written: E(NOTDIR|EXIST)$/),
    });
  });

  const outside = [
    "/etc/x",
    "../x",
    "a/../../x",
    "~/x",
    "",
    ".",
    "a//b",
    "a/",
    "./a",
    ".git/config",
    "sub/.GIT/x",
    "a\0b",
    "a\\b",
  ];
  test.each(outside)("a path that leaves the project or is none: %j", (path) => {
    expect(scratchPathFault(path)).not.toBeNull();
  });
  test.each(["a", "a/b.txt", ".env", "..a/b", ".github/x", "ü/ñ"])("a path in the project: %j", (path) => {
    expect(scratchPathFault(path)).toBeNull();
  });

  test("such a path is a fault with its line, and the other cases run", async () => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const result = await runCases(
      place,
      `hook: guard
cases:
  - name: out
    files:
      ../x: evil
    expect: { decision: allow }
  - { name: in, expect: { decision: allow } }
`,
    );
    expect(result.faults).toMatchObject([
      {
        line: 5,
        code: "CASE_BAD_VALUE",
        message: expect.stringContaining("cases[0].files.../x is not valid: it leads out of the project"),
      },
    ]);
    expect(result.cases).toMatchObject([{ name: "in", passed: true }]);
  });
});

describe("variables", () => {
  const SAYS = `printf '{"blocked":true,"reason":"%s"}' "$MODE$USER"`;
  const cases = (env: string): string =>
    `hook: guard\ncases: [{ name: a, env: ${env}, expect: { reason: "strict" } }]\n`;

  test("reach a hook of the user's from the user's cases", async () => {
    await using place = await workspace();
    await place.hook("guard", SAYS);
    expect(failures(await runCases(place, cases("{ MODE: strict }")))).toEqual({});
  });

  test("one that a run would take away fails the case", async () => {
    await using place = await workspace();
    await place.hook("guard", SAYS);
    const message = "NODE_OPTIONS is not passed to the hook; env_allow in the user's settings allows it";
    expect(failures(await runCases(place, cases("{ NODE_OPTIONS: --require=/x }")))).toEqual({ a: message });
  });

  test("a project's case sets only what a project's hook may get", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.hook("guard", SAYS, { scope: "project" });
    const how = { file: "project/.kodelet/tests/guard.yaml", call: "test . --json" };
    const message = "GIT_EXTERNAL_DIFF is not passed to the hook; env_allow in the user's settings allows it";
    expect(failures(await runCases(place, cases("{ GIT_EXTERNAL_DIFF: /x }"), how))).toEqual({ a: message });
    expect(failures(await runCases(place, cases("{ USER: strict }"), how))).toEqual({});
    const named = { ...how, call: "check . --json" };
    expect(failures(await runCases(place, cases("{ MODE: strict }"), named))).toEqual({});
    const loader = "NODE_OPTIONS is not passed to the hook; env_allow in the user's settings allows it";
    expect(failures(await runCases(place, cases("{ NODE_OPTIONS: --require=/x }"), named))).toEqual({ a: loader });
    await place.write("home/.kodelet/hooks.yaml", "settings: { env_allow: [MODE] }\n");
    expect(failures(await runCases(place, cases("{ MODE: strict }"), how))).toEqual({});
  });

  test.each(["HOME", "PATH", "TMPDIR", "XDG_CONFIG_HOME", "HOOKCTL_DRY_RUN", "A=B", ""])(
    "%j is a fault: the scratch folders stay",
    async (name) => {
      await using place = await workspace();
      await place.hook("guard", SAYS);
      const result = await runCases(place, cases(`{ ${JSON.stringify(name)}: x }`));
      expect(result.faults).toMatchObject([{ code: "CASE_BAD_VALUE", line: 2 }]);
    },
  );
});

describe("the session's values", () => {
  const COUNTS = `case "$(cat)" in
    *'"seen":2'*) ${printResponse({ blocked: true, reason: "the third time" })} ;;
    *) printf '{"state":{"increment":{"seen":1},"set":{"n":12345678901234567890}}}' ;;
  esac`;
  const cases = `
hook: guard
cases:
  - { name: first, expect: { decision: allow, state: { seen: 1 } } }
  - { name: second, state: { seen: 1, other: x }, expect: { state: { seen: 2, n: 12345678901234567890 } } }
  - { name: third, state: { seen: 2 }, expect: { decision: block } }
  - { name: exact, state: { other: x }, expect: { exact: true, state: { seen: 1 } } }
  - { name: digits, expect: { state: { n: 12345678901234567891 } } }
  - { name: no session, state: { seen: 1 }, payload: { conv_id: "" }, expect: { decision: allow } }
`;
  test("are set before, and compared after, each case by itself", async () => {
    await using place = await workspace();
    await place.hook("guard", COUNTS);
    const result = await runCases(place, cases);
    expect(failures(result)).toEqual({
      exact: 'expected the state {"seen":1}, got {"other":"x","n":12345678901234567890,"seen":1}',
      digits: 'expected the state {"n":12345678901234567891}, got {"n":12345678901234567890,"seen":1}',
      "no session": "its state cannot be set: the payload has no conv_id",
    });
    await expect(readdir(join(place.home, ".local/state/hookctl/sessions"))).rejects.toThrow("ENOENT");
  });
});

describe.skipIf(!canSwitchUser)(`a hook that removes permissions leaves nothing behind${WHY_SKIPPED}`, () => {
  const leavesNothing = async (line: string): Promise<void> => {
    await using place = await workspace();
    const tmp = join(place.dir, "tmp");
    await mkdir(tmp);
    await writeFile(join(tmp, "mine"), "");
    await place.hook("a-guard", `${line}; exit 3`);
    await place.hook("b-next", `mkdir made && touch "$HOME/made" "$TMPDIR/made"; ${printResponse({})}`);
    await place.write(
      "home/.kodelet/tests/a.yaml",
      "hook: a-guard\ncases: [{ name: a, files: { f: x }, expect: { decision: allow } }]\n",
    );
    await giveToUser(place);
    const result = await runAsUser(place, ["test", "-j1", "--json"], { env: { TMPDIR: tmp } });
    expect(result.code).toBe(1);
    const { hooks } = JSON.parse(result.stdout);
    expect(hooks).toMatchObject([{ name: "a-guard" }, { name: "b-next" }]);
    expect(hooks[1].checks.filter(({ status }: { readonly status: string }) => status === "failed")).toEqual([]);
    expect(await readdir(tmp)).toEqual(["mine"]);
  };

  test("no folder of a case, also of one that fails", () => leavesNothing("mkdir -p x/y; chmod 0 x/y x"));

  test.each(['chmod 0 . "$PWD"', 'chmod 0 "$HOME" "$TMPDIR"', 'chmod 0 "$HOME/.."', "mkdir x; touch x/f; chmod 500 x"])(
    "and disturbs no other hook: %s",
    { tags: "slow" },
    leavesNothing,
  );
});
