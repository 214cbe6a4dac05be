import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crashText, findCrash } from "../../src/protocol/text/crash.ts";
import { cpuMs, expectGrowth } from "../support/cpu-time.ts";
import { propertyRuns } from "../support/property-runs.ts";

const lines = (...all: readonly string[]): string => `${all.join("\n")}\n`;

const crashes: readonly (readonly [title: string, stderr: string, told: string])[] = [
  [
    "Python: the innermost frame",
    lines(
      "checking",
      "Traceback (most recent call last):",
      '  File "/h/guard.py", line 20, in <module>',
      "    main()",
      '  File "/h/guard.py", line 12, in main',
      '    return call["tool_inptu"]',
      "           ~~~~^^^^^^^^^^^^^^",
      "KeyError: 'tool_inptu'",
    ),
    "KeyError: 'tool_inptu' at guard.py:12",
  ],
  [
    "Python: syntax",
    lines('  File "/h/guard.py", line 1', "    x = {", "        ^", "SyntaxError: '{' was never closed"),
    "SyntaxError: '{' was never closed at guard.py:1",
  ],
  [
    "Node: the first frame that is not Node's own",
    lines(
      "<anonymous_script>:1",
      "{",
      "SyntaxError: Expected property name or '}' in JSON at position 1",
      "    at JSON.parse (<anonymous>)",
      "    at a (file:///h/guard.mjs:7:27)",
      "    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)",
      "",
      "Node.js v20.20.2",
    ),
    "SyntaxError: Expected property name or '}' in JSON at position 1 at guard.mjs:7",
  ],
  [
    "Node: syntax, with frames of Node alone",
    lines(
      "file:///h/guard.mjs:2",
      "",
      "SyntaxError: Unexpected end of input",
      "    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)",
      "",
      "Node.js v20.20.2",
    ),
    "SyntaxError: Unexpected end of input at guard.mjs:2",
  ],
  [
    "CommonJS, with the thrown line above",
    lines(
      "/h/guard.js:3",
      "  throw new TypeError('no');",
      "  ^",
      "",
      "TypeError: no",
      "    at Object.<anonymous> (/h/guard.js:3:9)",
      "    at node:internal/main/run_main_module:28:49 {",
      "  code: 1",
      "}",
    ),
    "TypeError: no at guard.js:3",
  ],
  [
    "bash: the last message",
    lines("/h/guard: line 2: foo: command not found", "/h/guard: line 7: x: unbound variable"),
    "x: unbound variable at guard:7",
  ],
  ["dash", lines("/h/guard: 2: foo: not found"), "foo: not found at guard:2"],
  ["Perl", lines("no payload at /h/guard.pl line 4."), "no payload at guard.pl:4"],
  ["Ruby", lines("/h/guard.rb:4:in `main': undefined local variable"), "undefined local variable at guard.rb:4"],
  ["PHP", lines("PHP Fatal error:  Uncaught Exception: no in /h/guard.php:9"), "Uncaught Exception: no at guard.php:9"],
  [
    "Go",
    lines(
      "panic: no",
      "",
      "goroutine 1 [running]:",
      "main.main()",
      "\t/usr/lib/go/src/runtime/panic.go:1",
      "\t/h/main.go:9 +0x1d",
    ),
    "panic: no at main.go:9",
  ],
];

describe("the place of a crash is read from stderr", () => {
  test.each(crashes)("%s", (_, stderr, told) => {
    const crash = findCrash(stderr);
    expect(crash && crashText(crash)).toBe(told);
  });

  test.each([
    "",
    "no such rule",
    "error: the network is down",
    "12:30:01: started",
    "request: 404: not found",
    "  at noon",
  ])("%j has none", (stderr) => {
    expect(findCrash(stderr)).toBeNull();
  });

  test("any text is read without an error, and a place has a line", () => {
    const word = fc.constantFrom(
      '  File "/a", line 1',
      "    at /a.js:1:2)",
      "a: line 1: b",
      "panic: x",
      "Error: y",
      "\t/a.go:1",
      "",
    );
    const text = fc.array(fc.oneof(word, fc.string())).map((all) => all.join("\n"));
    fc.assert(
      fc.property(text, (stderr) => {
        const crash = findCrash(stderr);
        expect(crash === null || (crash.file !== "" && Number.isInteger(crash.line))).toBe(true);
      }),
      propertyRuns(2000),
    );
  });

  test.each(["a: ", " at ", '  File "', "    at (", "x in /"])(
    "eight times as much of %j takes no square of the time",
    (part) => {
      const text = (count: number): string => `${part.repeat(count)}\n`.repeat(3);
      const texts = { small: text(8000), large: text(64_000) };
      expectGrowth(24, (size) => cpuMs(() => findCrash(texts[size])));
    },
  );
});
