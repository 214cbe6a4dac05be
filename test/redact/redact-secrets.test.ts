import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactSecrets } from "../../src/redact/redact-secrets.ts";
import { TOKEN_KINDS } from "../../src/redact/token-kinds.ts";
import { testCost } from "./redact-cost.ts";

/** Letters of both cases and digits, as tokens have; not one of a real service. */
const A40 = "aB3xY9kLmN2pQ7rStUv4WzC8dE5fGh1jK6oT0iMn";
const HEX = "0123456789abcdef";
const HEX32 = HEX + HEX;
const UPPER = A40.toUpperCase();
const UUID = "9f1c7b6e-3d42-4a58-8c03-7e5d1b2a4f60";

const tokens: readonly (readonly [kind: string, token: string])[] = [
  ["AWS access key", "AKIAQ7RSTUV4WZC8DE5F"],
  ["GitHub token", `ghp_${A40}`],
  ["GitHub token", `gho_${A40}`],
  ["GitHub token", `github_pat_${A40}_${A40}`],
  ["GitLab token", `glpat-${A40}`],
  ["model provider key", `sk-${A40}`],
  ["model provider key", `sk-proj-${A40}`],
  ["model provider key", `sk-ant-api03-${A40}-x`],
  ["Stripe key", `sk_live_${A40}`],
  ["Stripe key", `rk_live_${A40}`],
  ["webhook secret", `whsec_${A40}`],
  ["Slack token", `xoxb-123456789012-${A40}`],
  ["Slack token", `xapp-1-A0-${A40}`],
  ["Google API key", `AIza${A40}`],
  ["Google OAuth token", `ya29.${A40}`],
  ["Google OAuth token", `GOCSPX-${A40}`],
  ["Azure client secret", `aB38Q~${A40}`],
  ["npm token", `npm_${A40}`],
  ["PyPI token", `pypi-AgEIcHlwaS5vcmc${A40}`],
  ["RubyGems key", `rubygems_${HEX32}${HEX}`],
  ["NuGet key", `oy2${A40.toLowerCase()}xyz`],
  ["crates.io token", `cio${A40.slice(0, 32)}`],
  ["Docker Hub token", `dckr_pat_${A40}`],
  ["Vault token", `hvs.${A40}`],
  ["Terraform token", `${A40.slice(0, 14)}.atlasv1.${A40}`],
  ["Pulumi token", `pul-${HEX32}${HEX.slice(0, 8)}`],
  ["Hugging Face token", `hf_${A40}`],
  ["Groq key", `gsk_${A40}`],
  ["xAI key", `xai-${A40}`],
  ["NVIDIA key", `nvapi-${A40}`],
  ["Replicate token", `r8_${A40}`],
  ["Perplexity key", `pplx-${A40}`],
  ["Tavily key", `tvly-${A40}`],
  ["LangSmith key", `lsv2_pt_${HEX32}_${HEX}`],
  ["Pinecone key", `pcsk_${A40}`],
  ["Atlassian token", `ATATT3x${A40}`],
  ["Linear key", `lin_api_${A40}`],
  ["Notion token", `ntn_${A40}`],
  ["Airtable token", `pat${A40.slice(0, 14)}.${HEX32}${HEX32}`],
  ["Figma token", `figd_${A40}`],
  ["Postman key", `PMAK-${HEX32}-${HEX32}`],
  ["New Relic key", `NRAK-${A40.toUpperCase()}`],
  ["Grafana token", `glsa_${A40}`],
  ["Sentry token", `sntrys_${A40}`],
  ["PostHog key", `phx_${A40}`],
  ["Supabase token", `sbp_${HEX32}`],
  ["PlanetScale token", `pscale_tkn_${A40}`],
  ["Doppler token", `dp.pt.${A40}`],
  ["DigitalOcean token", `dop_v1_${HEX32}`],
  ["Heroku key", `HRKU-${A40}`],
  ["Netlify token", `nfp_${A40}`],
  ["Fly.io token", `fm2_${A40}`],
  ["Fly.io token", `fm2r_${A40}`],
  ["Shopify token", `shpat_${HEX32}`],
  ["Square token", `sq0atp-${A40}`],
  ["Databricks token", `dapi${HEX32}`],
  ["SendGrid key", `SG.${A40}.${A40}`],
  ["Brevo key", `xkeysib-${HEX32}${HEX32}`],
  ["Mailchimp key", `${HEX32}-us12`],
  ["Resend key", `re_${A40.slice(0, 8)}_${A40}`],
  ["Twilio key", `SK${HEX32}`],
  ["Telegram bot token", `123456789:AA${A40}`],
  ["Discord token", `M${A40.slice(0, 23)}.${A40.slice(0, 6)}.${A40}`],
  ["age key", `AGE-SECRET-KEY-1${A40.toUpperCase()}`],
  ["SonarQube token", `squ_${HEX32}01234567`],
  ["SonarQube token", `sqp_${HEX32}01234567`],
  ["CircleCI token", `CCIPAT_${A40.slice(0, 22)}_${HEX32}01234567`],
  ["Buildkite token", `bkua_${HEX32}01234567`],
  ["Bitbucket token", `ATBB${A40.slice(0, 32)}`],
  ["Trello token", `ATTA${HEX32}${HEX32}`],
  ["Mapbox token", `sk.eyJ1Ijoi${A40}.${A40.slice(0, 22)}`],
  ["Dropbox token", `sl.${A40}${A40}`],
  ["LaunchDarkly key", `sdk-${UUID}`],
  ["LaunchDarkly key", `mob-${UUID}`],
  ["Tailscale key", `tskey-auth-${A40.slice(0, 12)}-${A40.slice(0, 32)}`],
  ["Vercel token", `vcp_${A40}`],
  ["Jina key", `jina_${HEX32}${A40}`],
  ["E2B key", `e2b_${HEX32}01234567`],
  ["Render key", `rnd_${A40.slice(0, 28)}`],
  ["Neon key", `napi_${A40.toLowerCase()}${HEX}`],
  ["Segment or Sourcegraph token", `sgp_${A40}${HEX}`],
  ["Segment or Sourcegraph token", `sgp_${HEX}_${HEX32}01234567`],
  ["JFrog token", `AKCp8${A40}${A40}`],
  ["JFrog token", `cmVmdGtu${A40}${A40}`],
  ["Mailgun key", `key-${HEX32}`],
  ["Notion secret", `secret_${A40}aB3`],
  ["Cloudflare key", `v1.0-${HEX}01234567-${HEX32}${HEX32}${HEX32}${HEX32}`],
  ["Cloudflare key", `cfut_${A40}${HEX}`],
  ["PASETO token", `v4.local.${A40}${A40}`],
  ["PASETO token", `v2.public.${A40}${A40}.${A40}`],
  ["Firebase server key", `AAAAaB3xY9k:APA91b${A40}${A40}${A40}`],
  ["Contentful token", `CFPAT-${A40}aB3`],
  ["Dynatrace token", `dt0c01.${UPPER.slice(0, 24)}.${UPPER}${UPPER.slice(0, 24)}`],
  ["EasyPost key", `EZAK${A40}${A40.slice(0, 14)}`],
  ["Shippo token", `shippo_live_${HEX32}01234567`],
  ["Typeform token", `tfp_${A40}_${A40.slice(0, 18)}`],
  ["Prefect token", `pnu_${A40.slice(0, 36)}`],
  ["ReadMe key", `rdme_${HEX32}${HEX32}abcdef`],
  ["Alibaba Cloud key", `LTAI5t${A40.slice(0, 18)}`],
  ["HubSpot token", `pat-na1-${UUID}`],
  ["OpenShift token", `sha256~${A40}aB3`],
  ["1Password token", `ops_eyJ${A40}${A40}${A40}`],
  ["Snyk token", `snyk_uat.${A40}`],
  ["Cerebras key", `csk-${HEX32}${HEX}`],
  ["ElevenLabs key", `sk_${HEX32}${HEX}`],
  ["Razorpay key", `rzp_live_${A40.slice(0, 14)}`],
  ["ClickUp token", `pk_12345678_${UPPER.slice(0, 32)}`],
  ["GitLab registration token", `GR1348941${A40.slice(0, 20)}`],
  ["Bedrock key", `ABSK${A40}${A40}${A40}`],
  ["Clojars token", `CLOJARS_${HEX32}${HEX}${HEX.slice(0, 12)}`],
  ["Deno Deploy token", `ddp_${A40.slice(0, 36)}`],
  ["WakaTime key", `waka_${UUID}`],
  ["Adafruit key", `aio_${A40.slice(0, 28)}`],
  ["JSON web token", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${A40}`],
];

test("the table of tokens has a case for each kind", () => {
  expect(TOKEN_KINDS.filter((kind) => !tokens.some(([tested]) => tested === kind))).toEqual([]);
});

describe("a token is replaced wherever it stands", () => {
  const places: readonly ((token: string) => string)[] = [
    (token) => token,
    (token) => `const key = "${token}";`,
    (token) => `12:\t${token}\r\nnext`,
    (token) => `\u001b[32m${token}\u001b[0m`,
    (token) => `first\\n${token}\\nlast`,
    (token) => `https://api.example/?key=${token}&x=1`,
    (token) => `(${token})`,
    (token) => `${"a long text of other words, src/Main.ts:12\n".repeat(200)}${token}\n`,
  ];
  test.each(tokens)("%s %s", (kind, token) => {
    for (const place of places) {
      const { text, kinds } = redactSecrets(place(token));
      expect(text).not.toContain(token.slice(-10));
      expect(kinds.length).toBeGreaterThan(0);
    }
    expect(redactSecrets(`see ${token} there`)).toEqual({ text: `see [redacted ${kind}] there`, kinds: [kind] });
  });
});

const named: readonly (readonly [text: string, secret: string, kind: string])[] = [
  ["DB_PASSWORD=correcthorse", "correcthorse", "secret value"],
  ["MYSQL_ROOT_PASSWORD=my-own-pw", "my-own-pw", "secret value"],
  ["export API_KEY='abcdefghijkl'", "abcdefghijkl", "secret value"],
  ["SESSION_SECRET=keyboard-cat-9", "keyboard-cat-9", "secret value"],
  [`STRIPE_KEY=${A40}`, A40, "secret value"],
  ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPxRfi", "wJalrXUtnFEMI/K7MDENG+bPxRfi", "secret value"],
  ["password: hunter22", "hunter22", "secret value"],
  ["client_secret: abcdef123,", "abcdef123", "secret value"],
  ['"apiKey": "abc123def456"', "abc123def456", "secret value"],
  ['{\\"token\\":\\"a1b2c3d4e5\\"}', "a1b2c3d4e5", "secret value"],
  ["  'access_token' => 'a1b2c3d4e5',", "a1b2c3d4e5", "secret value"],
  ["password = 'Passw0rd!'", "Passw0rd!", "secret value"],
  ["pwd=12345678", "12345678", "secret value"],
  [`AccountName=x;AccountKey=${A40}==;`, `${A40}==`, "secret value"],
  ["Server=db;User Id=sa;Password=Abc12345!;", "Abc12345!", "secret value"],
  [`//registry.example/:_authToken=${A40}`, A40, "secret value"],
  ["postgres://admin:s3cr3t@db/x", "s3cr3t", "URL password"],
  ["https://user:pa%40ss@host/path", "pa%40ss", "URL password"],
  [`Authorization: Bearer ${A40}`, A40, "bearer token"],
  ["Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "basic credentials"],
  [`authorization: Token ${A40}`, A40, "authorization header"],
  ['"auth": "dXNlcjpwYXNz"', "dXNlcjpwYXNz", "basic credentials"],
  [`Set-Cookie: session=${A40}; Path=/`, A40, "cookie"],
  [`{"apiKey":"-${A40}"}`, `-${A40}`, "secret value"],
  [`{"token": "-v7${A40.slice(0, 20)}_x-Q"}`, `-v7${A40.slice(0, 20)}_x-Q`, "secret value"],
  ["machine x login y password z123", "z123", "password"],
  ["https://hooks.slack.com/services/T0AB12/B0CD34/aBcDeFgH12345678", "aBcDeFgH12345678", "webhook address"],
  [`https://x.blob.example/a?sv=2024&sig=${A40}`, A40, "signature"],
  ["root:$6$saltsalt$aB3xY9kLmN2pQ7rStUv4WzC8dE5f:19000:0:", "aB3xY9kLmN2pQ7rStUv4WzC8dE5f", "password hash"],
];

describe("a secret that its name or the text before it shows is replaced, and nothing else", () => {
  test.each(named)("%s", (text, secret, kind) => {
    const result = redactSecrets(text);
    expect(result.text).not.toContain(secret);
    expect(result.kinds).toEqual([kind]);
    const [before = ""] = text.split(secret);
    if (kind !== "cookie" && kind !== "webhook address" && kind !== "password hash")
      expect(result.text).toBe(text.replace(secret, `[redacted ${kind}]`));
    else expect(result.text.slice(0, 5)).toBe(before.slice(0, 5));
  });
});

describe("key blocks are replaced with their text", () => {
  const body = `${A40}\n${A40}\n`;
  test.each(["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])("%sPRIVATE KEY", (type) => {
    const block = `-----BEGIN ${type}PRIVATE KEY-----\n${body}-----END ${type}PRIVATE KEY-----`;
    expect(redactSecrets(`a\n${block}\nb`).text).toBe("a\n[redacted private key]\nb");
    expect(redactSecrets(block.replaceAll("\n", "\\n")).text).toBe("[redacted private key]");
  });
  test.each([
    [
      "a PGP block",
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\nComment: a-b\n\n${body}-----END PGP PRIVATE KEY BLOCK-----`,
    ],
    ["numbered lines", `1\t-----BEGIN PRIVATE KEY-----\n2\t${A40}\n3\t-----END PRIVATE KEY-----`],
    ["a block without its end", `-----BEGIN PRIVATE KEY-----\n${body}`],
  ])("%s", (_title, text) => {
    expect(redactSecrets(text).text).not.toContain(A40);
    expect(redactSecrets(text).kinds).toEqual(["private key"]);
  });
});

describe("ordinary text is not touched", () => {
  test.each([
    "commit 9dc5445a3b1e6f0c2d4e8f7a9b0c1d2e3f4a5b6c\nAuthor: Ada <ada@example.org>\n\n    Read the token from the keychain",
    "a uuid 123e4567-e89b-12d3-a456-426614174000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    '"integrity": "sha512-aB3xY9kLmN2pQ7rStUv4WzC8dE5fGh1jK6oT0iMnaB3xY9kLmN2pQ7rStUv4WzC8dE5fGh1jK6oT0iMnaB3xY9kL=="',
    "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0=",
    ".sk-circle-fade-dot-animation { animation: sk-folding-cube-angle 2s }",
    "token: string; password: string | null;",
    "const token = await getToken(user1);",
    "const apiKey = process.env.API_KEY ?? config.apiKey2;",
    "var token = this$1$1.getToken();",
    "function f({token:e,password:n}){return e.token=n.getToken(),t.password}",
    "auth: OAuth2Token, token=token2, secret: Sha256Digest",
    '"key": "-Xmx2048m", "key": "--max-old-space-size=4096", "key": "-v", "key": "-----BEGIN", "key": "-std=c++17"',
    "TOKEN_COUNT=3 MAX_TOKENS=4096 tokens: 131072 completion_tokens=123456789",
    '{ token: "keyword.operator", secret: "db-credentials-v2" }',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how shells and CI files refer to variables.
    "password=${DB_PASSWORD} PASSWORD=$PASSWORD API_KEY=${{ secrets.API_KEY }} token: {{ token }}",
    "PASSWORD=<your password> API_KEY=xxxxxxxx API_KEY=your-api-key SECRET=changeme token: sk-xxxxxxxxxxxxxxxxxxxx",
    '"password": "Enter your password", "password": "Passwort"',
    "SSH_AUTH_SOCK=/tmp/ssh-1/agent GOOGLE_APPLICATION_CREDENTIALS=/home/u/key2.json DB_PASSWORD_FILE=/run/secrets/db",
    "SORT_KEY=created2 PUBLIC_KEY=ed25519abc",
    "Basic JavaScript course; Bearer authentication is required; Authorization: Bearer $TOKEN; authorization: required",
    "cookie: chocolate; see the Cookies page",
    "postgres://postgres:postgres@localhost/x postgres://$USER:$PASS@h/x https://host:8080/a@b",
    'const BEGIN = "-----BEGIN PRIVATE KEY-----", END = "-----END PRIVATE KEY-----";',
    "-----BEGIN CERTIFICATE-----\nMIIBaB3xY9kLmN2pQ7rStUv4WzC8dE5fGh1jK6oT0iMn\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIaB3xY9kLmN2pQ7rStUv4WzC8dE5f me@host",
    "U_UNEXPECTED_TOKEN=0x10100, if (password == 'abc123') password != other2",
  ])("%s", (text) => expect(redactSecrets(text)).toEqual({ text, kinds: [] }));

  test("neither are the lock file, the settings and the documents of this project", () => {
    const root = new URL("../../", import.meta.url);
    for (const name of [
      "package-lock.json",
      "package.json",
      "biome.json",
      "README.md",
      "docs/trust.md",
      "docs/protocol.md",
    ]) {
      const text = readFileSync(new URL(name, root), "utf8");
      expect(redactSecrets(text)).toEqual({ text, kinds: [] });
    }
  });
});

describe("JSON stays JSON", () => {
  test.each([
    ['{"password":"abc\\"def123","n":1.10}', '{"password":"[redacted secret value]","n":1.10}'],
    [`["${A40}",{"log":"token=a1b2c3d4e5"}]`, `["${A40}",{"log":"token=[redacted secret value]"}]`],
    [`{"${`ghp_${A40}`}":"\\u00e9"}`, '{"[redacted GitHub token]":"\\u00e9"}'],
    ['{"k":"-----BEGIN PRIVATE KEY-----"}', '{"k":"-----BEGIN PRIVATE KEY-----"}'],
  ])("%s becomes %s", (raw, expected) => expect(redactSecrets(raw).text).toBe(expected));

  const secret = fc.constantFrom(`ghp_${A40}`, "password: hunter22", `Bearer ${A40}`, '"token":"a1b2c3d4e5"', "x\\");
  const string = fc.oneof(
    fc.string(),
    secret,
    fc.tuple(fc.string(), secret).map((parts) => parts.join(" ")),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, string, fc.integer(), fc.array(tie("value")), fc.dictionary(string, tie("value"))),
  })).value;

  test("whatever it holds, with the same keys where they are no secrets", () => {
    fc.assert(
      fc.property(json, (value) => {
        const { text } = redactSecrets(JSON.stringify(value));
        expect(() => JSON.parse(text)).not.toThrow();
        expect(text).not.toContain(A40);
      }),
    );
  });

  test("also as a line among others", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "password", "log"), string), (value) => {
        const lines = redactSecrets(`first\n${JSON.stringify(value)}\n`).text.split("\n");
        expect(() => JSON.parse(lines[1] ?? "")).not.toThrow();
      }),
    );
  });
});

test("what was redacted once stays as it is", () => {
  const part = fc.constantFrom(
    ...tokens.map(([, token]) => token),
    ...named.map(([text]) => text),
    " ",
    "\n",
    '"',
    "=",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const { text } = redactSecrets(parts.join(" "));
      expect(redactSecrets(text).text).toBe(text);
    }),
  );
});

testCost(["password: "]);
