import { expect, test } from "vitest";
import { indexSecrets, replaceWrapped } from "../../src/audit/known-secrets.ts";
import { createRedactor } from "../../src/audit/redact.ts";
import { writtenForms } from "../../src/audit/secret-values.ts";
import { redactSecrets } from "../../src/redact/redact-secrets.ts";
import { isDistinctive, secretValuesIn } from "../../src/redact/stored-values.ts";

const VALUE = "qz7-Rk!2vLw9pX";
const ENCODED = Buffer.from(`me:${VALUE}`).toString("base64");

const files: readonly (readonly [title: string, text: string, isEnvironment: boolean])[] = [
  [".env", `PORT=3000\nexport DB_PASSWORD=${VALUE} # note\n`, true],
  [".env in quotes", `API_TOKEN="${VALUE}"\r\n`, true],
  [".env with an address", `DATABASE_URL=postgres://app:${VALUE}@db.example/app`, true],
  ["INI", `[default]\naws_secret_access_key = ${VALUE}\n`, false],
  ["netrc", `machine host.example login me password ${VALUE}\n`, false],
  [".npmrc", `//registry.example/:_authToken=${VALUE}\n`, false],
  [".git-credentials", `https://me:${VALUE}@git.example\n`, false],
  [".pgpass", `db.example:5432:app:me:${VALUE}\n`, false],
  ["YAML", `host.example:\n    oauth_token: ${VALUE}\n`, false],
  ["JSON", JSON.stringify({ auths: { "host.example": { auth: ENCODED } } }), false],
  ["JSON in lines", JSON.stringify({ token: VALUE }, null, 2), false],
  ["XML", `<server><password>${VALUE}</password></server>`, false],
  ["one word", `${VALUE}-and-more\n`, false],
];
test.each(files)("the value in a file is found: %s", (_title, text, isEnvironment) => {
  expect(secretValuesIn(text, isEnvironment).some((value) => value.startsWith(VALUE))).toBe(true);
});

test("a random value of any name is one in a file with variables, an id and a digest are none", () => {
  const random = "9f8Kd72hQ0zPx41LmB6v";
  expect(secretValuesIn(`FOO=${random}`, true)).toEqual([random]);
  expect(secretValuesIn(`FOO_ID=${random}\nBUILD_SHA=${random}\nNEXT_PUBLIC_FOO=${random}`, true)).toEqual([]);
});

test.each([
  ...[
    "true",
    "development",
    "production",
    "localhost",
    "password",
    "password123",
    "changeme",
    "12345678",
    "2026-11-24",
  ],
  ...[
    "/usr/local/bin",
    "https://api.example/v1",
    "my-app-2",
    "db.example.com:5432",
    "10.0.0.1",
    "$OTHER_TOKEN",
    "aaaaaaaaaaaa",
  ],
  ...["postgres", "me@host.example", "secret_1"],
])("%s is no value, whatever its name is", (value) => {
  expect(isDistinctive(value)).toBe(false);
  expect(secretValuesIn(`API_TOKEN=${value}\nDB_PASSWORD: "${value}"\n`, true)).toEqual([]);
});

const lines = (text: string, width: number): string => text.replace(new RegExp(`.{${width}}`, "g"), "$&\n");
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const hex = (text: string): string => Buffer.from(text).toString("hex");
const forms: Readonly<Record<string, string>> = {
  plain: VALUE,
  "base64 at each offset, 0": base64(VALUE),
  "base64 at each offset, 1": base64(`x${VALUE}yy`),
  "base64 at each offset, 2": base64(`xy${VALUE}yz1`),
  "base64 for addresses": Buffer.from(`??>${VALUE}~~?`).toString("base64url"),
  hexadecimal: hex(VALUE),
  "hexadecimal in capitals": hex(VALUE).toUpperCase(),
  "hexadecimal, byte by byte": hex(VALUE).replace(/..(?!$)/g, "$& "),
  "hexadecimal with colons": hex(VALUE)
    .toUpperCase()
    .replace(/..(?!$)/g, "$&:"),
  "an address with each byte encoded": hex(VALUE).replace(/../g, "%$&"),
  reversed: [...VALUE].reverse().join(""),
  "in an address": encodeURIComponent(VALUE),
  "in an address, strictly": encodeURIComponent(VALUE).replace("!", "%21"),
  "in JSON": JSON.stringify({ a: VALUE }),
  "in lines of base64": lines(base64(`${"some text before it ".repeat(5)}${VALUE}`), 76),
  "in lines of hexadecimal": lines(hex(`${"before ".repeat(7)}${VALUE}`), 60),
  "in lines of ten": lines(VALUE, 10),
};
const index = indexSecrets(writtenForms(VALUE));
const replaceValues = (text: string, mark: string): string =>
  index === null ? text : replaceWrapped(text, index, mark);

test.each(Object.entries(forms))("a value is removed from output and from records: %s", (_title, text) => {
  const redact = createRedactor({}, "", () => [VALUE]);
  for (const redacted of [redactSecrets(`a\n${text}\nb`, replaceValues).text, redact(`a\n${text}\nb`)]) {
    expect(redacted).toContain("[redacted");
    const left = redacted.replaceAll("\n", "");
    for (const form of writtenForms(VALUE)) expect(left).not.toContain(form);
  }
});

test("the id of the session is none, even if a file has it", () => {
  const session = "0b1c7f6e-1111-4222-8333-123456789abc";
  expect(createRedactor({}, session, () => [session])(`of ${session}`)).toBe(`of ${session}`);
});

test("a text without a value keeps all its bytes", () => {
  const text = `${lines("abcdefghij".repeat(8), 10)}\r\nx  y\t\n\n${lines("Zm9v".repeat(40), 76)}`;
  expect(replaceValues(text, "[redacted]")).toBe(text);
});
