import fc from "fast-check";
import { expect, test } from "vitest";
import { plainTexts } from "../../src/audit/plain-text.ts";
import { createRedactor } from "../../src/audit/redact.ts";
import { propertyRuns } from "../support/property-runs.ts";

/** Parts of texts that the redactor looks for. */
const PARTS = [
  ..."PASSWORD= password: --token api_key=\" 'secret' DB_PWD= MY_PAT= SESSION_ID= -u user: curl bearer Basic".split(
    " ",
  ),
  ..."https:// @host % %3D : = sig= ?Signature= cookie: machine login sshpass -p mysql mongo redis-cli -a".split(" "),
  ..."sk- ghp_ xoxb- eyJ re_ AKIA SK SG. dp. whsec_ glpat- hooks.slack.com/services/ bytes left -----BEGIN".split(" "),
  ..."Authorization: :$6$ \\ \\n / . _ - # src/app.ts /Users/ana/p1 git status | \n ".split(" "),
  " ",
  "cd3vWAW5jO1lpSZ2hxFvC",
  "AKIAIOSFODNN7QXAMPLE",
  "eyJhbGciOiJIUzI1NiJ9",
  Buffer.from("password=Zx81kLm0qRt7").toString("base64"),
  Buffer.from("curl -H 'x: value-of-a-variable-7'").toString("base64"),
];

const VALUES = ["value-of-a-variable-7", "two words/1", "line one\nand-line-two", "plain words here", "abcdef"];
const FORMS = VALUES.flatMap((value) => [
  ...[value, JSON.stringify(value), encodeURIComponent(value), encodeURIComponent(value).replaceAll("%20", "+")],
  ...["", "a", "ab"].map((before) => Buffer.from(before + value).toString("base64")),
  ...value.split("\n"),
]);

const names = fc.constantFrom("TOKEN", "my_api_key", "DB_PASS", "NPM_PAT", "HOME", "SESSION_ID", "PATH");
const env = fc.dictionary(names, fc.constantFrom(...VALUES), { maxKeys: 4 });
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PARTS, ...FORMS),
      fc.string({ maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(..."aB3-_./="), maxLength: 40 }),
      fc.uuid(),
      fc.base64String({ maxLength: 60 }),
    ),
    { maxLength: 8 },
  )
  .chain((parts) => fc.constantFrom(parts.join(""), parts.join(" ")));

test("the redactor leaves a plain text as it is", () => {
  fc.assert(
    fc.property(env, text, (variables, said) => {
      if (plainTexts(variables)(said)) expect(createRedactor(variables)(said)).toBe(said);
    }),
    propertyRuns(3000),
  );
});

test("a part of a text that the redactor replaces is not plain", () => {
  fc.assert(
    fc.property(env, fc.constantFrom(...FORMS, ...PARTS), fc.constantFrom("", " ", "a"), (variables, part, beside) => {
      const said = `${beside}${part}${beside}`;
      const isReplaced = createRedactor(variables)(said) !== said;
      expect(isReplaced && plainTexts(variables)(said)).toBe(false);
    }),
    propertyRuns(1000),
  );
});

test.each([
  "ls -la",
  "Bash",
  "git commit -m 'fix the parser' && git push | tail -5",
  "FOO=1 npm test 2>&1",
  "/Users/ana/projects/app1/.kodelet/hooks.json#before_tool_call#1",
  "0b7c9d52-3f6e-4e0a-9f5e-6d2f1f0a7c11",
])("%j is plain", (said) => {
  expect(plainTexts({ API_TOKEN: "Zx81kLm0qRt7" })(said)).toBe(true);
});

test.each(["x --password hunter22", "curl https://a:b@c", "echo Zx81kLm0qRt7", "x".repeat(5000)])(
  "%j is left to the redactor",
  (said) => {
    expect(plainTexts({ API_TOKEN: "Zx81kLm0qRt7" })(said)).toBe(false);
  },
);
