import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REDACTED, redactedJson, redactor } from "../../src/record/redact.ts";

const redact = redactor({});
const A40 = "aB3".repeat(14).slice(0, 40);

describe("known token shapes are taken out wherever they stand", () => {
  const shapes: Readonly<Record<string, string>> = {
    "an AWS access key": "AKIAIOSFODNN7EXAMPLE",
    "a GitHub token": `ghp_${A40}`,
    "a fine-grained GitHub token": `github_pat_${A40}_${A40}`,
    "a GitLab token": `glpat-${A40}`,
    "a model provider's key": `sk-ant-api03-${A40}`,
    "a payment provider's key": `sk_live_${A40}`,
    "a Slack token": `xoxb-123456789012-${A40}`,
    "a Google key": `AIza${A40}`,
    "an npm token": `npm_${A40}`,
    "a JSON web token": `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${A40}`,
    "a JSON web token that was cut": "eyJhbGciOiJIUzI1NiJ9",
    "a bearer header": "Bearer abc.def-ghi_jkl",
    "a basic header": "Basic dXNlcjpwYXNz",
    "a private key": `-----BEGIN RSA PRIVATE KEY-----\n${A40}\n-----END RSA PRIVATE KEY-----`,
    "a private key without an end": `-----BEGIN PRIVATE KEY-----\n${A40}`,
  };
  const places = [
    (secret: string) => secret,
    (secret: string) => `say "${secret}" now`,
    (secret: string) => `x=${secret}\n`,
  ];
  test.each(Object.entries(shapes))("%s", (_name, secret) => {
    for (const place of places) {
      const told = redact(place(secret));
      expect(told).toContain(REDACTED);
      expect(told).not.toContain(secret.slice(-12));
    }
  });

  test.each([
    ["https://user:hunter2@host/path", "hunter2"],
    ["password=hunter22", "hunter22"],
    ['{"api_key": "abcdef123"}', "abcdef123"],
    ["client_secret: abcdef123,", "abcdef123"],
    ["API-KEY='abcdef123'", "abcdef123"],
  ])("%s loses its secret and keeps the rest", (text, secret) => {
    expect(redact(text)).toBe(text.replace(secret, REDACTED));
  });
});

describe("values of secret-named variables", () => {
  const withEnv = redactor({
    ...{
      MY_TOKEN: "plain-looking",
      DB_PASSWORD: "correct horse",
      OPENAI_API_KEY: "abcdef",
      LONGER_SECRET: "plain-looking-2",
    },
    ...{ AUTHOR: "Ada Lovelace", HOME: "/home/ada", SHORT_TOKEN: "abc", EMPTY_SECRET: "", GONE_SECRET: undefined },
  });

  test("are taken out, each time, the longest first", () => {
    expect(withEnv("plain-looking-2 plain-looking correct horse xabcdefx abcdef")).toBe(
      `${REDACTED} ${REDACTED} ${REDACTED} x${REDACTED}x ${REDACTED}`,
    );
  });

  test("other variables and very short values stay", () => {
    const text = "Ada Lovelace in /home/ada says abc";
    expect(withEnv(text)).toBe(text);
  });

  test("no value of a secret-named variable survives, whatever it is and wherever it stands", () => {
    const secret = fc.string({ minLength: 6, unit: "grapheme" }).filter((text) => !REDACTED.includes(text));
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        expect(redactor({ A_SECRET: value })(before + value + after)).not.toContain(value);
      }),
    );
  });
});

describe("text without secrets is not touched", () => {
  test.each([
    "no rm -rf here",
    "basic validation failed, Basic Authentication is required",
    "the token is missing; authorisation failed",
    "commit 9dc5445a3b1e6f0c2d4e8f7a9b0c1d2e3f4a5b6c",
    "ask-me-about-something-very-long-indeed",
    "https://host:8080/path?a=b@c",
    "keys: a, b",
    "",
  ])("%j", (text) => expect(redact(text)).toBe(text));

  test("words, numbers and paths stay as they are", () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/);
    const number = fc.integer().map(String);
    const path = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}.ts:3`);
    const words = fc.array(fc.oneof(word, number, path), { maxLength: 30 });
    // "bearer" is the one word that turns what follows into a secret.
    const texts = words.map((all) => all.join(" ")).filter((text) => !text.includes("bearer"));
    fc.assert(
      fc.property(texts, (text) => {
        expect(redact(text)).toBe(text);
      }),
    );
  });
});

test.each([
  ["-eyJ", "eyJ"],
  ["eyJaaaaaaaa.", "eyJ"],
  ["://a:", "://"],
  ["-----BEGIN PRIVATE KEY-----", "BEGIN"],
  ["-----BEGIN ", "BEGIN"],
  ["password: ", "password"],
  ['secret="', "secret"],
  ["Bearer ", "Bearer"],
  ["Basic a", "Basic"],
  [" ", "white space"],
  ["sk-", "sk-"],
  ["xoxb-AKIA", "xoxb-"],
])("5 MB of %j come to an end", (piece) => {
  const text = piece.repeat(Math.ceil(5_000_000 / piece.length));
  expect(redact(text).length).toBeLessThanOrEqual(text.length * 3);
});

describe("JSON stays JSON", () => {
  test.each([
    ['{"used_tokens":131072}', '{"used_tokens":131072}'],
    ['{"n":1.10,"big":12345678901234567890}', '{"n":1.10,"big":12345678901234567890}'],
    ['{"password":"abcdef\\"ghi","a":1}', `{"password":"${REDACTED}","a":1}`],
    ['["-----BEGIN PRIVATE KEY-----",{"a":"x-y"}]', `["${REDACTED}",{"a":"x-y"}]`],
    ['{"deep":[{"note":"token=abcdefgh"}]}', `{"deep":[{"note":"token=${REDACTED}"}]}`],
    [`{"${"ghp_"}${A40}":true}`, `{"${REDACTED}":true}`],
    ['{"auth":"none"}', '{"auth":"none"}'],
  ])("%s becomes %s", (raw, expected) => expect(redactedJson(raw, redact)).toBe(expected));

  test("whatever the value, however secret its words", () => {
    const spiced = fc.constantFrom(
      "password: abcdefgh",
      "Bearer abcdefgh\\",
      '"token":"abcdefgh',
      "-----BEGIN PRIVATE KEY-----",
    );
    const value = fc.oneof(fc.jsonValue(), fc.dictionary(spiced, spiced), fc.array(fc.tuple(spiced, fc.string())));
    fc.assert(
      fc.property(value, (some) => {
        const told = redactedJson(JSON.stringify(some), redact);
        expect(() => JSON.parse(told)).not.toThrow();
        expect(told).not.toContain("abcdefgh");
      }),
    );
  });
});
