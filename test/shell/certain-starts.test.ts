import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { certainStarts } from "../../src/shell/certain-starts.ts";
import { PROJECT } from "../../src/shell/findings.ts";
import { namedFiles } from "../../src/shell/named-files.ts";

const PLACE = { folder: `${PROJECT}/.kodelet`, home: "/home/user" };
/** Programs by their name, files by their first place from the project's folder. */
const starts = (command: string | readonly string[]): readonly string[] =>
  certainStarts(command, PLACE).map((one) =>
    one.kind === "program" ? one.name : (one.places[0] ?? "").replace(`${PROJECT}/`, "").replace("/./", "/"),
  );

describe("what a command starts in any case", () => {
  test.each<[string | readonly string[], readonly string[]]>([
    ["python3 hooks/pre.py --all", ["python3", ".kodelet/hooks/pre.py"]],
    [
      ["python3", "hooks/pre.py"],
      ["python3", ".kodelet/hooks/pre.py"],
    ],
    ["./guard.sh", [".kodelet/guard.sh"]],
    ["/opt/guard", ["/opt/guard"]],
    ["~/hooks/x.sh", ["/home/user/hooks/x.sh"]],
    ['"$HOOKCTL_PROJECT_DIR"/.claude/hooks/x.sh', [".claude/hooks/x.sh"]],
    ['export A="$HOOKCTL_PROJECT_DIR"; cd "$HOOKCTL_PROJECT_DIR" || exit 1\n"$A"/x.sh', ["x.sh"]],
    ["cd lib && ./x.sh", [".kodelet/lib/x.sh"]],
    ["LEVEL=2 ./x.sh", [".kodelet/x.sh"]],
    ["env LEVEL=2 python3 -u x.py", ["env", "python3", ".kodelet/x.py"]],
    ["jq -r .a | ./x.sh", ["jq", ".kodelet/x.sh"]],
    ["exec ./x.sh; ./y.sh", [".kodelet/x.sh"]],
    ["bash -eu x.sh", ["bash", ".kodelet/x.sh"]],
    ["cat <<'END' >&2\nhello\nEND", ["cat"]],
  ])("%j", (command, expected) => expect(starts(command)).toEqual(expected));

  test.each([
    ["a failure that is handled", "./x.sh || true"],
    ["a bare ‘or’", "./x.sh || ./y.sh"],
    ["a condition", "if [ -x ./x.sh ]; then ./x.sh; fi; ./y.sh"],
    ["a test before it", "[ -x ./x.sh ] && ./x.sh; ./y.sh"],
    ["an end before it", '[ -n "$CI" ] || exit 0; ./y.sh'],
    ["a folder that only the run knows", 'cd "$WHERE"; ./x.sh'],
    ["a name that only the run knows", '"$TOOL" ./x.sh'],
    ["a variable that is read", "X=./a; read X; $X"],
    ["a PATH of its own", "PATH=$PWD/bin:$PATH; tool"],
    ["what it defines itself", "tool() { ./x.sh; }; tool"],
    ["what the shell knows", "echo hello; cd ..; true"],
    ["text that cannot be parsed", "if ./x.sh"],
    ["options that may take a word", "python3 -W ignore"],
    ["a text for another shell", 'eval "./x.sh"; ./y.sh'],
  ])("nothing for sure after %s", (_title, command) => {
    expect(starts(command).filter((one) => one.includes("/") || one === "tool")).toEqual([]);
  });

  test("an interpreter may add an ending to the script", () => {
    expect(certainStarts("node hooks/x", PLACE)).toMatchObject([
      { kind: "program" },
      { isRead: true, places: expect.arrayContaining([`${PROJECT}/.kodelet/hooks/x.mjs`]) },
    ]);
  });

  test("every file is one that an approval of the command covers", () => {
    const word = fc.constantFrom(
      "./a.sh",
      "b/c.py",
      "python3",
      "sh",
      "cd",
      "lib",
      "exec",
      "&&",
      "||",
      ";",
      "|",
      "-x",
      "$A",
      "A=b",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const command = words.join(" ");
        const covered = [...namedFiles(command, PLACE).paths.keys()];
        for (const one of certainStarts(command, PLACE)) {
          if (one.kind === "program") continue;
          const place = (one.places[0] ?? "").replaceAll("/./", "/");
          expect(covered).toContain(place);
        }
      }),
    );
  });
});
