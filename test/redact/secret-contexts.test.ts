import { expect, test } from "vitest";
import { createRedactor, redactJson } from "../../src/audit/redact.ts";
import { redactSecrets } from "../../src/redact/redact-secrets.ts";

const A40 = "aB3xY9kLmN2pQ7rStUv4WzC8dE5fGh1jK6oT0iMn";
const HEX32 = "0123456789abcdef0123456789abcdef";

/** Secrets that are recognised by the text around them; the secret is where `S` is. */
const CONTEXTS: readonly (readonly [context: string, secret: string])[] = [
  ["docker login -u ada -p S registry.example", "hunter22x"],
  ["podman login --password=S registry.example", "hunter22x"],
  ["<server><password>S</password></server>", "hunter22x"],
  ["db.example:5432:app:ada:S", "hunter22x"],
  ["ada:S", `$apr1$${A40.slice(0, 8)}$${A40.slice(0, 22)}`],
  ["ada:S", `$2y$10$${A40}${A40.slice(0, 13)}`],
  ["ada:S", "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="],
  ["dn: uid=ada\nuserPassword: S", "hunter22x"],
  ["userPassword:: S", "e1NTSEF9aHVudGVyMjJ4"],
  ["network={\n  psk=S\n}", HEX32 + HEX32],
  ["Private-Lines: 2\nS\nPrivate-Hash: x", `${A40}\n${A40}`],
  ["Private-MAC: S", HEX32 + HEX32],
  ['{"kty":"EC","crv":"P-256","d":"S"}', `${A40}aB3`],
  ['key = {"kty":"oct","k":"S"}', `${A40}aB3`],
  ["https://mainnet.infura.io/v3/S", HEX32],
  ["https://eth-mainnet.g.alchemy.com/v2/S", A40],
  ["https://x.webhook.office.com/webhookb2/S", `9f1c7b6e-3d42@${HEX32}/IncomingWebhook/${HEX32}`],
];

test.each(CONTEXTS)("%s: the secret is removed from output and records", (context, secret) => {
  const text = context.replace("S", () => secret);
  const redactors = [(one: string) => redactSecrets(one).text, (one: string) => redactJson(one, createRedactor({}))];
  for (const redact of redactors) {
    for (const place of [text, JSON.stringify({ output: text })]) {
      const redacted = redact(place);
      expect(redacted).toContain("[redacted");
      expect(redacted).not.toContain(secret.slice(-8));
    }
  }
});
