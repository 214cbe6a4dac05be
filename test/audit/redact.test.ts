import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor, REDACTED, redactJson } from "../../src/audit/redact.ts";
import { looksRandom } from "../../src/redact/token-kinds.ts";
import { cpuMs, expectGrowth } from "../support/cpu-time.ts";

const redact = createRedactor({});
const A40 = "aB3".repeat(14).slice(0, 40);

test("a text without a secret in one environment is redacted in another, also the second time", () => {
  const text = "deploy with correct-horse";
  const [plain, secret] = [createRedactor({ HOME: "/home" }), createRedactor({ DEPLOY_TOKEN: "correct-horse" })];
  for (let count = 0; count < 2; count++) {
    expect(plain(text)).toBe(text);
    expect(secret(text)).toBe(`deploy with ${REDACTED}`);
  }
});

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
    "a PGP private key": `-----BEGIN PGP PRIVATE KEY BLOCK-----\nComment: a-b\n\n${A40}\n-----END PGP PRIVATE KEY BLOCK-----`,
    "a Vault token": `hvs.${A40}`,
    "a Slack app token": `xapp-1-A0-${A40}`,
    "a Docker Hub token": `dckr_pat_${A40}`,
    "a GitLab runner token": `glrt-${A40}`,
    "a Groq key": `gsk_${A40}`,
    "an xAI key": `xai-${A40}`,
    "an NVIDIA key": `nvapi-${A40}`,
    "a webhook's secret": `whsec_${A40}`,
    "an Atlassian token": `ATATT3x${A40}`,
    "a Linear key": `lin_api_${A40}`,
    "a Replicate token": `r8_${A40}`,
    "a Hugging Face token": `hf_${A40}`,
    "a PyPI token": `pypi-${A40}`,
    "a project key of a model provider": `sk-proj-${A40}`,
    "a signed URL": `https://x.blob.example/a?sv=2024&sig=${A40}`,
    "a cookie": `Set-Cookie: session=${A40}; Path=/`,
    "a cookie that is sent": `cookie: a=b; sid=${A40}`,
    "an authorization header": `Authorization: Token ${A40}`,
    "an authorization header as JSON": `"authorization":"${A40}"`,
    "a DSN": `SENTRY_DSN=${A40}`,
    "a personal access token": `GH_PAT=${A40}`,
    "a key": `"STRIPE_KEY": "${A40}"`,
    "a key of another name": `ENCRYPTION_KEY='${A40}'`,
    "a session": `PHP_SESSION_ID=${A40}`,
    "an AWS secret": `aws_secret_access_key = ${A40}`,
    "a private key without an end": `-----BEGIN PRIVATE KEY-----\n${A40}`,
  };
  const places = [
    (secret: string) => secret,
    (secret: string) => `say "${secret}" now`,
    (secret: string) => `x=${secret}\n`,
  ];
  test.each(Object.entries(shapes))("%s", (_name, secret) => {
    for (const place of places) {
      const result = redact(place(secret));
      expect(result).toContain(REDACTED);
      expect(result).not.toContain(secret.slice(-12));
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
  const withEnv = createRedactor({
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

  test("of a name that is only likely they are, unless they are plain words", () => {
    const odd = {
      GH_PAT: "abc123def",
      STRIPE_KEY: "k1k2k3k4",
      APP_DSN: "udp4host",
      COOKIE: "sid1=abc",
      SESSION: "s3ss10n",
    };
    const result = createRedactor(odd)(Object.values(odd).join(" "));
    expect(result).toBe(
      Object.values(odd)
        .map(() => REDACTED)
        .join(" "),
    );
    const plain = {
      DESKTOP_SESSION: "ubuntu22x",
      XDG_SESSION_ID: "session1",
      SORT_KEY: "column1",
      SESSION: "wayland",
      KEY: "escape",
    };
    const text = Object.values(plain).join(" ");
    expect(createRedactor(plain)(text)).toBe(text);
  });

  test("no value survives in another spelling", () => {
    const secret = fc
      .string({ minLength: 10, unit: "grapheme" })
      .filter((text) => /[\w]{4}/.test(text) && !text.includes("\ud800"));
    const ascii = (text: string): string =>
      JSON.stringify(text).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const base64 = (before: string, value: string): string => Buffer.from(`${before}${value}`).toString("base64");
    fc.assert(
      fc.property(secret, fc.constantFrom("", "a", "ab"), (value, before) => {
        const result = createRedactor({ A_SECRET: value });
        const inJson = JSON.stringify(value).slice(1, -1);
        expect(result(JSON.stringify({ a: `x${value}y` }))).toBe(`{"a":"x${REDACTED}y"}`);
        expect(result(JSON.stringify(JSON.stringify(value)))).not.toContain(inJson);
        expect(result(ascii(`x${value}y`))).toBe(`"x${REDACTED}y"`);
        expect(result(`?q=${encodeURIComponent(value)}&`)).toBe(`?q=${REDACTED}&`);
        expect(result(base64(before, value)).length).toBeLessThan(REDACTED.length + 8);
      }),
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
        expect(createRedactor({ A_SECRET: value })(before + value + after)).not.toContain(value);
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
    "a uuid 123e4567-e89b-12d3-a456-426614174000 and sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "TOKENS_USED=131072 MAX_TOKENS: 4096",
    "PRIMARY_KEY=identity PUBLIC_KEY=ed25519abc SORT_KEY=created2",
    "authorization: required, see the manual",
    "cookie: chocolate, and the Cookies page",
    "session: abc123 started",
    "the key: value1 pairs of lin_api and sk-learn, r8_model",
    "-----BEGIN CERTIFICATE-----",
    "src/hf_model_loader_v2.ts npm_config_registry glpat-short",
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
  ["cookie: a=", "cookie"],
  ["authorization: ", "authorization"],
  ["Authorization: Token a", "Token"],
  ["A_KEY=", "A_KEY"],
  ["A", "A"],
  ["aA1.", "aA1."],
  ["?sig=", "?sig="],
  ["12345678:AA", "12345678:AA"],
  ["-", "-"],
  ["sntrys_", "sntrys_"],
])("a megabyte of %j comes to an end", { tags: "slow" }, (piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
  expect(redact(text).length).toBeLessThanOrEqual(text.length * 3);
});

test.each([
  "cookie: a=b ",
  "authorization: a1 ",
  "A_KEY=a1 ",
  "://a:",
  "-----BEGIN PRIVATE KEY-----a-",
  "basic aA",
  "AAAA_",
  '"token":"',
])("eight times as much of %j takes no square of the time", (piece) => {
  const withEnv = createRedactor({ A_SECRET: "aaaaaaaaab", B_TOKEN: 'x"y\\z\u00e9aaaaa' });
  const text = (bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length));
  const texts = { small: text(50_000), large: text(400_000) };
  // About 8 times as long; the square would be 64 times.
  expectGrowth(24, (size) => cpuMs(() => withEnv(texts[size])));
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
  ])("%s becomes %s", (raw, expected) => expect(redactJson(raw, redact)).toBe(expected));

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
        const result = redactJson(JSON.stringify(some), redact);
        expect(() => JSON.parse(result)).not.toThrow();
        expect(result).not.toContain("abcdefgh");
      }),
    );
  });
});

describe("the session id of a payload", () => {
  const ids = fc.oneof(
    fc.uuid(),
    fc.stringMatching(/^(ses_|thread-|2026-11-23T10-)?[A-Za-z0-9]{16,40}$/),
    fc.stringMatching(/^[a-f0-9]{8,64}$/),
  );
  const likely = fc.constantFrom(
    "CLAUDE_CODE_SESSION_ID",
    "GEMINI_SESSION_ID",
    "QWEN_SESSION",
    "SESSION_ID",
    "X_SESSION",
  );
  const sure = fc.constantFrom("AWS_SESSION_TOKEN", "SESSION_SECRET", "SESSION_PASSWORD", "AUTH_SESSION_ID");

  test("stays readable where a variable of its agent holds it, alone, in a path, in JSON and as an assignment", () => {
    fc.assert(
      fc.property(ids, likely, (id, name) => {
        const own = createRedactor({ [name]: id }, id);
        for (const text of [id, `/t/${id}.jsonl`, `${name}=${id}`]) {
          // What a redactor without variables removes, it removes for its shape.
          fc.pre(createRedactor({}, id)(text) === text);
          expect(own(text)).toBe(text);
        }
        expect(redactJson(JSON.stringify({ session_id: id }), own)).toBe(JSON.stringify({ session_id: id }));
      }),
    );
  });

  test("does not make a secret readable: one of a sure name, or another session's", () => {
    fc.assert(
      fc.property(ids, ids, likely, sure, (id, other, name, secret) => {
        fc.pre(!id.includes(other) && looksRandom(other));
        expect(createRedactor({ [secret]: id }, id)(`saw ${id}`)).toBe(`saw ${REDACTED}`);
        expect(createRedactor({ [name]: other }, id)(`saw ${other}`)).not.toContain(other);
      }),
    );
  });

  test("one environment serves sessions in turn", () => {
    const env = { CLAUDE_CODE_SESSION_ID: "0b1c7f6e-1111-4222-8333-123456789abc" };
    const said = (session: string): string => createRedactor(env, session)(env.CLAUDE_CODE_SESSION_ID);
    expect(["other", env.CLAUDE_CODE_SESSION_ID, "other"].map(said)).toEqual([
      REDACTED,
      env.CLAUDE_CODE_SESSION_ID,
      REDACTED,
    ]);
  });
});
