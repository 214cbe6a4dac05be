import { describe, expect, test } from "vitest";
import { spanOfRaw } from "../../../../src/protocol/json/read.ts";
import { printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { fitsText, hasPart, isSameJson } from "../../cases/compare-verdict.ts";
import { failures, runCases } from "./case-run.ts";

const REPLIES: Readonly<Record<string, string>> = {
  block: printResponse({ blocked: true, reason: "it is a danger" }),
  ask: printResponse({ decision: "ask", reason: "sure?" }),
  change: printResponse({ input: { command: "safe", options: { a: 1, b: [1, 2] } } }),
  context: printResponse({ additional_context: ["careful", "very"] }),
  push: printResponse({ pushes: [{ message: "later", wake: false }] }),
  crash: "echo 'no such thing' >&2; exit 3",
  says: "echo 'a warning' >&2",
};
const BODY = `case "$(cat)" in ${Object.entries(REPLIES)
  .map(([name, reply]) => `*'"do":"${name}"'*) ${reply} ;;`)
  .join("\n")} esac`;

/** Each expectation met and not met, by what the hook does. */
const rows: [does: string, expected: string, message: string | null][] = [
  ["block", "{ decision: block }", null],
  ["ask", "{ decision: ask }", null],
  ["nothing", "{ decision: allow }", null],
  ["nothing", "{ decision: continue }", null],
  ["block", "{ decision: allow }", "expected the decision allow, got block"],
  ["nothing", "{ decision: halt }", "expected the decision halt, got allow"],
  ["block", "{ reason: a danger }", null],
  ["block", '{ reason: { matches: "^it .* danger$" } }', null],
  ["block", '{ reason: { matches: "^danger" } }', "expected a reason with /^danger/, got it is a danger"],
  ["nothing", '{ reason: { matches: "" } }', "expected a reason with //, got no reason"],
  ["change", "{ input: { command: safe } }", null],
  ["change", "{ input: { options: { a: 1.0 } } }", null],
  ["change", "{ input: { options: { b: [1, 2] } } }", null],
  ["change", "{ exact: true, input: { options: { b: [1, 2], a: 1 }, command: safe } }", null],
  [
    "change",
    '{ input: { command: "ls" } }',
    'expected the input {"command":"ls"}, got {"command":"safe","options":{"a":1,"b":[1,2]}}',
  ],
  [
    "change",
    "{ input: { options: { b: [1] } } }",
    'expected the input {"options":{"b":[1]}}, got {"command":"safe","options":{"a":1,"b":[1,2]}}',
  ],
  [
    "change",
    "{ exact: true, input: { command: safe } }",
    'expected the input {"command":"safe"}, got {"command":"safe","options":{"a":1,"b":[1,2]}}',
  ],
  [
    "nothing",
    "{ output: { success: true } }",
    'expected the output {"success":true}, got none: the event has no such field',
  ],
  ["nothing", "{ change: null }", null],
  ["context", "{ context: very }", null],
  ["context", "{ context: [careful, very] }", null],
  ["context", "{ additional_context: [careful, very] }", null],
  ["context", '{ context: { matches: "careful\\nvery" } }', null],
  ["context", "{ context: [very] }", 'expected the context ["very"], got ["careful","very"]'],
  ["context", "{ context: else }", 'expected the context else, got ["careful","very"]'],
  ["nothing", "{ follow_ups: [] }", null],
  ["nothing", "{ follow_ups: [go on] }", 'expected the follow-ups ["go on"], got []'],
  ["push", "{ pushes: later }", null],
  ["nothing", "{ pushes: later }", "expected the pushes later, got []"],
  ["nothing", "{ exit_code: 0 }", null],
  ["crash", "{ exit_code: 3, stderr: no such thing }", null],
  ["crash", "{ exit_code: 4 }", "guard failed: exit 3, no such thing"],
  ["crash", "{ decision: allow }", "guard failed: exit 3, no such thing"],
  ["nothing", "{ exit_code: 1 }", "expected the exit code 1, got 0"],
  ["says", "{ stderr: a warning }", null],
  ["says", '{ stderr: { matches: "^a w" } }', null],
  ["nothing", "{ stderr: a warning }", "expected stderr with a warning, got nothing"],
  ["nothing", "{ max_ms: 60000 }", null],
];

test("every expectation is met or not, and says what came instead", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("guard", BODY);
  const cases = rows.map(
    ([does, expected], at) => `  - { name: "${at}", payload: { x_do: { do: ${does} } }, expect: ${expected} }\n`,
  );
  const result = await runCases(place, `hook: guard\ncases:\n${cases.join("")}`);
  expect(result).toMatchObject({ code: 1, stderr: "", faults: [] });
  const wrong = rows.flatMap(([, , message], at) => (message === null ? [] : [[String(at), message]]));
  expect(failures(result)).toEqual(Object.fromEntries(wrong));
});

test("a time that is too long says both", async () => {
  await using place = await workspace();
  await place.hook("guard", ":");
  const result = await runCases(place, "hook: guard\ncases: [{ name: a, expect: { max_ms: 0.001 } }]\n");
  expect(failures(result)).toEqual({ a: expect.stringMatching(/^expected at most 0.001 ms, got \d+ ms$/) });
});

describe("a fault of one case is told with its line and leaves the others", () => {
  const faulty: [text: string, message: string][] = [
    ["expect: { decison: block }", 'unknown key "decison" in cases[1].expect. Did you mean decision?'],
    [
      "expect: { decision: deny }",
      "cases[1].expect.decision is not valid: it must be one of allow, block, ask, halt, continue",
    ],
    ["expect: {}", "cases[1].expect is not valid: nothing is expected"],
    [
      "expect: { reason: 5 }",
      "cases[1].expect.reason is not valid: it must be a text, or {matches: REGULAR EXPRESSION}",
    ],
    [
      'expect: { reason: { matches: "(" } }',
      "cases[1].expect.reason.matches is not valid: Invalid regular expression: /(/u: Unterminated group",
    ],
    ["expect: { exit_code: 256 }", "cases[1].expect.exit_code is not valid: expected number to be <=255"],
    ["expect: { max_ms: 0 }", "cases[1].expect.max_ms is not valid: expected number to be >0"],
    ["expect: { exact: yes }", "cases[1].expect.exact is not valid: it must be true or false"],
    [
      "expect: { context: 1 }",
      "cases[1].expect.context is not valid: it must be a list of texts, a text, or {matches: REGULAR EXPRESSION}",
    ],
    ["payload: [], expect: { decision: allow }", "cases[1].payload is not valid: it must be an object"],
    [
      "event: before_tool, expect: { decision: allow }",
      "cases[1].event is not valid: it is not the name of an event. Did you mean before_tool_call?",
    ],
    ["env: { A: 1 }, expect: { decision: allow }", "cases[1].env.A is not valid: expected string, received number"],
    ["guard: gits, expect: { decision: allow }", "cases[1].guard is not valid"],
    ["payloads: {}, expect: { decision: allow }", 'unknown key "payloads" in cases[1]. Did you mean payload?'],
    [
      "expect: { decision: allow }, each: 5",
      "cases[1].each is not valid: it must be a list of rows: [{column: value}, …]",
    ],
  ];
  test.each(faulty)("%s", async (text, message) => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const cases = `hook: guard
cases:
  - { name: first, expect: { decision: allow } }
  -
    { name: second,
      ${text} }
  - { name: third, expect: { decision: allow } }
`;
    const result = await runCases(place, cases);
    expect(result.faults).toMatchObject([{ message: expect.stringContaining(message) }]);
    expect([5, 6]).toContain(result.faults[0]?.line);
    expect(result.cases.map(({ name, passed }) => [name, passed])).toEqual([
      ["first", true],
      ["third", true],
    ]);
    expect(result.code).toBe(1);
  });

  test("rows that share a fault tell it once, and a row with one of its own leaves the others", async () => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const result = await runCases(
      place,
      `hook: guard
cases:
  - name: shared
    each: [{ a: 1 }, { a: 2 }]
    expect: { decison: allow }
  - name: own \${decision}
    each:
      - { decision: allow }
      - { decision: deny }
    expect: { decision: "\${decision}" }
`,
    );
    expect(result.faults).toMatchObject([
      { line: 5, code: "CASE_UNKNOWN_KEY" },
      { line: 10, code: "CASE_BAD_VALUE" },
    ]);
    expect(result.cases).toMatchObject([{ name: "own allow", case_line: 8, passed: true }]);
  });

  test("two cases of one name: the second is the fault", async () => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const cases =
      "hook: guard\ncases:\n  - { name: a, expect: { decision: allow } }\n  - { name: a, expect: { decision: block } }\n";
    const result = await runCases(place, cases);
    expect(result.faults).toMatchObject([
      { line: 4, message: expect.stringContaining("the name “a” is not valid: the case in line 3 has it too") },
    ]);
    expect(result.cases).toMatchObject([{ name: "a", passed: true }]);
  });

  test("a field that belongs into another one fails its case with the right path", async () => {
    await using place = await workspace();
    await place.hook("guard", ":");
    const result = await runCases(
      place,
      "hook: guard\ncases:\n  - { name: a, payload: { command: ls }, expect: { decision: allow } }\n  - { name: b, payload: { x_anything: 1, tool_input: { x: 1 } }, expect: { decision: allow } }\n  - { name: c, payload: { tool_input: { comand: ls } }, expect: { decision: allow } }\n",
    );
    expect(failures(result)).toEqual({
      a: "no payload of before_tool_call has command. Did you mean tool_input.command?",
      c: "no payload of before_tool_call has tool_input.comand. Did you mean tool_input.command?",
    });
  });
});

describe("JSON values", () => {
  const same: [string, string, boolean][] = [
    ['{"a":1,"b":[1]}', '{ "b": [1.0], "a": 1e0 }', true],
    ['"\\u0061"', '"a"', true],
    ["12345678901234567890", "12345678901234567891", false],
    ["[1,2]", "[2,1]", false],
    ["null", "false", false],
  ];
  test.each(same)("%s and %s: %s", (a, b, expected) => expect(isSameJson(spanOfRaw(a), spanOfRaw(b))).toBe(expected));

  const parts: [string, string, boolean][] = [
    ['{"a":{"b":1,"c":2}}', '{"a":{"c":2}}', true],
    ['{"a":1}', '{"a":1,"b":2}', false],
    ['[{"a":1,"b":2},3]', '[{"a":1},3]', true],
    ["[1,2]", "[1]", false],
    ['{"a":null}', '{"b":null}', false],
    ['"abc"', '"ab"', false],
  ];
  test.each(parts)("%s has %s: %s", (whole, part, expected) =>
    expect(hasPart(spanOfRaw(whole), spanOfRaw(part))).toBe(expected),
  );
});

test("a regular expression that runs away is not met, and ends", { tags: "slow" }, () => {
  expect(fitsText({ matches: "^(a+)+$" }, `${"a".repeat(40)}!`)).toBe(false);
  expect(fitsText({ matches: "^(a+)+$" }, "aaa")).toBe(true);
});
