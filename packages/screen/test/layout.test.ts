import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../../src/command-groups.ts";
import { explain } from "../../../src/protocol/problem-messages/explain.ts";
import { escapeControls } from "../../../src/protocol/text/text.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE, sourceRows } from "../../../src/report/text-style.ts";
import { pasted, tooWide } from "../../../test/support/screen.ts";
import { sourceFiles, sourceText } from "../../../test/support/sources.ts";
import { SAMPLES } from "../../../tools/docs/samples.mjs";
import { asciiSource, breakCells, cellWidth } from "../cell-width.ts";
import { breakSource, layOut } from "../layout.ts";

const on = (columns: number, text: string): string => layOut(text, { columns, isAscii: false });
const lines = (...all: readonly string[]): string => all.join("\n");

describe("a text", () => {
  const cases: { title: string; columns?: number; text: string; shown: string }[] = [
    { title: "that fits stays as it is", text: "✔ all  is   well", shown: "✔ all  is   well" },
    {
      title: "with a symbol goes on below its words",
      text: "✖ Blocked by a guard that nobody turned off",
      shown: lines("✖ Blocked by a guard that", "  nobody turned off"),
    },
    {
      title: "keeps its indent",
      text: "  the reason of a block is a sentence",
      shown: lines("  the reason of a block is a", "  sentence"),
    },
    {
      title: "is measured without its colours",
      text: "\u001b[31m✖ Blocked by a guard (x)\u001b[39m and",
      shown: "\u001b[31m✖ Blocked by a guard (x)\u001b[39m and",
    },
    {
      title: "is measured in cells: wide characters take two, and marks that combine none",
      text: `${"e\u0301".repeat(30)}\n日本語日本語日本語 日本語日本語`,
      shown: `${"e\u0301".repeat(30)}\n${lines("日本語日本語日本語", "日本語日本語")}`,
    },
    {
      title: "of JSON is for a program",
      text: `{"a":"a text that is much longer than the terminal"}`,
      shown: `{"a":"a text that is much longer than the terminal"}`,
    },
    {
      title: "with JSON in it keeps that line, which is copied",
      text: `As a test case of what was stopped here:\n{"a":"a text that is much longer than the terminal"}\n  [{"a":"also much longer than the terminal"}]`,
      shown: `As a test case of what was\nstopped here:\n{"a":"a text that is much longer than the terminal"}\n  [{"a":"also much longer than the terminal"}]`,
    },
    {
      title: "with a word that is too long keeps that word whole",
      text: "see /a/path/that/is/longer/than/the/terminal/is",
      shown: lines("see", "/a/path/that/is/longer/than/the/terminal/is"),
    },
  ];
  test.each(cases)("$title", ({ columns = 30, text, shown }) => {
    expect(on(columns, text)).toBe(shown);
  });
});

describe("a row", () => {
  const cases: { title: string; text: string; shown: string }[] = [
    {
      title: "moves cells that have no room below the second",
      text: "  1  guard   project  ✔ approved   prio 100",
      shown: lines("  1  guard   project", "     ✔ approved   prio 100"),
    },
    {
      title: "breaks a paragraph in its last cell where the cell begins",
      text: "  --since   from this time on, or today",
      shown: lines("  --since   from this time on,", "            or today"),
    },
    {
      title: "of results with a symbol each begins again at its indent",
      text: "✔ settings valid     ✔ the log is writable",
      shown: lines("✔ settings valid", "✔ the log is writable"),
    },
    {
      title: "is split at padding inside a colour, too",
      text: "\u001b[1mguard          \u001b[22m  16 checks, 2 cases",
      shown: lines("\u001b[1mguard\u001b[22m", "  16 checks, 2 cases"),
    },
  ];
  test.each(cases)("$title", ({ text, shown }) => {
    expect(on(30, text)).toBe(shown);
  });
});

describe("a command", () => {
  const cases: { title: string; text: string; shown: string }[] = [
    {
      title: "has a line of its own where it fits in one",
      text: "  Read it, then: hookctl trust deny-it",
      shown: lines("  Read it, then:", "  hookctl trust deny-it"),
    },
    {
      title: "that is too long is broken between words, and a shell joins them again",
      text: "Try: hookctl new guard --event before_tool_call --lang bash",
      shown: lines("Try:", "hookctl new guard --event \\", "  before_tool_call --lang bash"),
    },
    {
      title: "is never broken inside quotes",
      text: "Try: hookctl explain 'git push --force origin main'",
      shown: lines("Try:", "hookctl explain \\", "  'git push --force origin main'"),
    },
    {
      title: "ends where the sentence goes on",
      text: "Try: hookctl trust --yes, or: hookctl trust NAME",
      shown: lines("Try: hookctl trust --yes, or:", "hookctl trust NAME"),
    },
    {
      title: "that is too long has the rest of its sentence below it",
      text: "Try: hookctl init claude --scope project --fail-open, or: see",
      shown: lines("Try:", "hookctl init claude --scope \\", "  project --fail-open,", "or: see"),
    },
    {
      title: "is none where the program is the subject of a sentence",
      text: "version: hookctl was tested with Claude Code 2.1.330; which you have was not checked",
      shown: lines("version: hookctl was tested", "with Claude Code 2.1.330;", "which you have was not checked"),
    },
    {
      title: "is none in a line of parts with a dot between them",
      text: "hookctl: 4 hooks · last block 3m ago: rm -rf build · settings unchanged (sealed 15m ago)",
      shown: lines("hookctl: 4 hooks · last block", "3m ago: rm -rf build ·", "settings unchanged (sealed 15m", "ago)"),
    },
    {
      title: "in backquotes is one word",
      text: "Set it, or use `git stash push`.",
      shown: lines("Set it, or use", "`git stash push`."),
    },
    {
      title: "in backquotes ends with them, also where another one follows",
      text: "It reverts `off`, and turns on what is named. `cage`/`the cage` is it.",
      shown: lines("It reverts `off`, and turns on", "what is named.", "`cage`/`the cage` is it."),
    },
    {
      title: "of other programs is one as well",
      text: "To enable it: chmod +x .kodelet/hooks/audit",
      shown: lines("To enable it:", "chmod +x .kodelet/hooks/audit"),
    },
  ];
  test.each(cases)("$title", ({ text, shown }) => {
    expect(on(30, text)).toBe(shown);
  });
});

test("no text of hookctl that says something of it is taken for a command", async () => {
  const commands = Object.keys(await allCommands());
  const texts = [...sourceFiles(), "src/protocol/problem-messages/messages.json"].map(sourceText).join("\n");
  const words = [...texts.matchAll(/["`](?:[^"`\n]*: )?hookctl ([a-z]+)\b/g)].map(([, word = ""]) => word);
  const others = [...new Set(words)].filter((word) => ![...commands, "help", "unin"].includes(word));
  expect(others).toContain("was");
  for (const word of others) expect(on(40, `x: hookctl ${word} ${"some words ".repeat(9)}`)).not.toContain("\\");
});

test.each(SAMPLES)("the message of $code has no line that is too wide, and its command can be pasted", (sample) => {
  const text = problemText(sample, PLAIN_STYLE);
  const [, command] = /: (hookctl [^.,;()]+)$/.exec(explain(sample).hint) ?? [];
  for (const columns of [40, 80, 120, 200]) {
    const shown = on(columns, text);
    expect(tooWide(shown, columns)).toEqual([]);
    if (command !== undefined) expect(pasted(shown)).toContain(command);
  }
});

test("no word is lost, and only a line of one word is wider than the screen", () => {
  const word = fc.stringMatching(/^[a-z`,.✔日]{1,60}$/);
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 40 }),
      fc.nat(20),
      fc.integer({ min: 20, max: 90 }),
      (words, indent, columns) => {
        const shown = on(columns, " ".repeat(indent) + words.join(" "));
        expect(shown.split(/\s+/).filter((text) => text !== "")).toEqual(words);
        expect(tooWide(shown, columns)).toEqual([]);
      },
    ),
  );
});

test("a line of code is broken before spaces where some are near, and keeps them all", () => {
  expect(breakCells("a  b 日本 c", 6)).toEqual(["a  b", " 日本", " c"]);
  expect(breakCells("a bcdefghijkl", 6)).toEqual(["a bcde", "fghijk", "l"]);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 90 }), (text, width) => {
      const rows = breakCells(text, width);
      for (const row of rows) expect(cellWidth(row)).toBeLessThanOrEqual(width);
      expect(rows.join("")).toBe(text);
    }),
  );
});

describe("a line of source", () => {
  const rowsOn = (columns: number, isAscii: boolean, text: string): readonly string[] => {
    const style = { ...PLAIN_STYLE, breakCode: (line: string) => breakSource(line, { columns, isAscii }) };
    const rows = text.split("\n").flatMap((line) => sourceRows("+ ", line, style));
    return layOut(`x\n${rows.map((row) => `  ${row}\n`).join("")}`, { columns, isAscii })
      .split("\n")
      .slice(1, -1);
  };

  test("has a sign, and its further rows a mark that no text can forge", () => {
    expect(rowsOn(24, false, "rm -rf x / tmp/a/b/c\n↪ of\n+ it\n")).toEqual([
      "  + rm -rf x /",
      "  ↪  tmp/a/b/c",
      "  + ↪ of",
      "  + + it",
      "  + ",
    ]);
    expect(rowsOn(40, true, "a … ↪ and of that\n> of")).toEqual(["  + a \\u2026 \\u21aa and of that", "  + > of"]);
  });

  test("is read back from its rows, whatever it contains, and no row is broken again", () => {
    const char = fc.constantFrom(...'ab  ↪│+->…✔日/;"\t\n\u202e');
    fc.assert(
      fc.property(
        fc.string({ unit: char, maxLength: 200 }),
        fc.integer({ min: 20, max: 90 }),
        fc.boolean(),
        (text, columns, isAscii) => {
          const rows = rowsOn(columns, isAscii, text);
          const mark = isAscii ? "  > " : "  ↪ ";
          for (const row of rows) expect(["  + ", mark]).toContain(row.slice(0, 4));
          for (const row of rows) expect(cellWidth(row)).toBeLessThanOrEqual(columns);
          const read = rows
            .map((row) => (row.startsWith(mark) ? "" : "\n") + row.slice(4))
            .join("")
            .slice(1);
          expect(read.split("\n")).toEqual(
            text.split("\n").map((line) => (isAscii ? asciiSource : String)(escapeControls(line))),
          );
        },
      ),
    );
  });
});

describe("rows of commands with an explanation", () => {
  const next = lines("Next:", "  hookctl init      connect your agents", "  hookctl explain   see", "");
  test("have it behind them where each has room", () => {
    expect(on(40, next)).toBe(next);
  });
  test("have it below them, all of them, where one has none", () => {
    const below = ["Next:", "  hookctl init", "    connect your agents", "  hookctl explain", "    see", ""];
    expect(on(36, next)).toBe(lines(...below));
  });
});

test("the command of an example can be copied, whatever its program", () => {
  expect(on(40, "  ask     terraform -chdir=infra destroy -auto-approve")).toBe(
    lines("  ask     terraform -chdir=infra \\", "            destroy -auto-approve"),
  );
});

test("a locale without UTF-8 gets symbols that it can show, of the width that they take", () => {
  const shown = layOut("✔ yes ✖ no ▲ care • note … → ▁▄█", { columns: Number.POSITIVE_INFINITY, isAscii: true });
  expect(shown).toBe("v yes x no ! care * note ... -> _-#");
});

test("outside a terminal a line stays a line", () => {
  const text = "a ".repeat(500);
  expect(on(Number.POSITIVE_INFINITY, text)).toBe(text);
});

test("progress stays in its line, which is erased as one", () => {
  expect(on(20, "\r\u001b[Kreading a long log: 40 %")).toBe("\r\u001b[Kreading a long log…");
  expect(on(20, "\r\u001b[K")).toBe("\r\u001b[K");
});
