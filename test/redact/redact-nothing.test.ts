import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { indexSecrets, replaceWrapped } from "../../src/audit/known-secrets.ts";
import { writtenForms } from "../../src/audit/secret-values.ts";
import { redactSecrets } from "../../src/redact/redact-secrets.ts";
import { propertyRuns } from "../support/property-runs.ts";

const index = indexSecrets(["qz7-Rk!2vLw9pX", "9f8Kd72hQ0zPx41LmB6v"].flatMap(writtenForms));
const redact = (text: string): string =>
  redactSecrets(text, (part, mark) => (index === null ? part : replaceWrapped(part, index, mark))).text;

const digest = (algorithm: string, seed: number): Buffer => createHash(algorithm).update(String(seed)).digest();
const hex = (seed: number, length: number): string => digest("sha512", seed).toString("hex").slice(0, length);
const long = (seed: number): string =>
  Array.from({ length: 20 }, (_, at) =>
    digest("sha512", seed * 100 + at)
      .toString("base64")
      .replace(/=+$/, ""),
  ).join("");
const uuid = (seed: number): string => hex(seed, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
const lines = (text: string, width: number): string => text.replace(new RegExp(`.{${width}}`, "g"), "$&\n");

/** What programs print, each with another number. */
const OUTPUTS: readonly ((seed: number) => string)[] = [
  (n) =>
    `commit ${hex(n, 40)}\nAuthor: Ada <ada@host.example>\nDate: Mon Nov 2 10:0${n % 10}:00 2026\n\n    Repair the key lookup\n`,
  (n) => `${hex(n, 7)} Merge branch 'token-cache'\n${hex(n + 1, 7)} Add password field to form\n`,
  (n) => `web@1.${n}.0 /home/ada/web\n├── chalk@5.3.${n}\n└─┬ vitest@2.${n}.1\n  └── vite@5.4.${n}\n`,
  (n) =>
    `{"integrity":"sha512-${digest("sha512", n).toString("base64")}","resolved":"https://registry.example/a/-/a-1.${n}.0.tgz"}`,
  (n) => `request ${uuid(n)} took ${n} ms\npod/api-${hex(n, 9)}-x7k2p Running\nid: ${uuid(n + 7)}\n`,
  (n) => `<img src="data:image/png;base64,${long(n)}==" alt="">`,
  (n) => `.btn-${n}{color:#${hex(n, 6)};background:url(data:font/woff2;base64,${long(n)})}`,
  (n) =>
    `!function(e,t){var n=${n};e.tokenKey=t.key;return n?t[${n}]:function(r){return r.password=e.auth(r)}}(this,{});`,
  (n) =>
    ` ✓ test/auth.test.ts (${n} tests) ${n}ms\n ✗ refuses a wrong password\n   expected 'token' to be 'key-${n}'\n`,
  (n) =>
    lines(hex(n, 128), 32)
      .split("\n")
      .map((row, at) => `${(at * 16).toString(16).padStart(8, "0")}: ${row.replace(/.{4}/g, "$& ")} ................`)
      .join("\n"),
  (n) => `CONTAINER ID   IMAGE\n${hex(n, 12)}   web@sha256:${hex(n, 64)}   Up ${n} hours\n`,
  (n) =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  uid: ${uuid(n)}\n  name: web-${hex(n, 10)}-abcde\nspec:\n  image: web:v1.${n}.0\n  secretName: web-tls\n`,
  (n) => `-----BEGIN CERTIFICATE-----\n${lines(`MIID${long(n)}`, 64)}\n-----END CERTIFICATE-----\n`,
  (n) =>
    `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB${long(n)} ada@host\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${digest("sha256", n).toString("base64")} a@b\n`,
  (n) =>
    `src/a.ts:${n}:5:error:TS2345\nyarn.lock:${5000 + n}:resolved:sha1\nlocalhost:5${100 + (n % 800)} LISTEN ${n}/node\n`,
  (n) => `{"version":3,"sources":["a.ts"],"mappings":"AAAA,SAAS${"AAAA;EACE,".repeat(n % 40)}IAAI"}`,
  (n) => `drwxr-xr-x 2 ada ada 4096 Nov ${n % 28} 10:00 secrets\n-rw-r--r-- 1 ada ada ${n} Nov 1 10:00 tokens.ts\n`,
  (n) =>
    `userPassword: string;\n<password>string</password>\nconst psk = read();\ndocker login -u ada --password-stdin\nexpect(key).toBe(${n});\n`,
  (n) => `traceparent: 00-${hex(n, 32)}-${hex(n + 3, 16)}-01\netag: W/"${hex(n, 32)}"\n`,
  (n) =>
    `sha1 ${hex(n, 40)}\nmd5 ${hex(n, 32)}\n${digest("sha256", n).toString("base64")}\n${digest("sha512", n).toString("base64url")}\n`,
];

test("outputs without a secret keep all their bytes", () => {
  const changed: string[] = [];
  for (let seed = 0; seed < propertyRuns(10_000).numRuns; seed++) {
    const text = OUTPUTS[seed % OUTPUTS.length]?.(seed) ?? "";
    if (redact(text) !== text) changed.push(redact(text).slice(0, 300));
  }
  expect(changed).toEqual([]);
  expect(redact(`${OUTPUTS[0]?.(1)} 9f8Kd72hQ0zPx41LmB6v`)).toContain("[redacted secret value]");
});

const MODULES = join(import.meta.dirname, "../../node_modules");
const FILES = /\.(?:js|cjs|mjs|ts|json|md|css|map|txt)$|LICENSE$/;

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    // Programs keep their own files in folders such as .cache.
    if (entry.isDirectory()) yield* entry.name.startsWith(".") ? [] : filesBelow(path);
    else if (entry.isFile() && FILES.test(entry.name)) yield path;
  }
}

test("files of packages keep all their bytes", () => {
  const changed: string[] = [];
  const { numRuns: most } = propertyRuns(2000);
  let count = 0;
  for (const file of filesBelow(MODULES)) {
    if (count === most) break;
    if (statSync(file).size > 60_000) continue;
    const text = readFileSync(file, "utf8");
    count += 1;
    const redacted = redact(text);
    if (redacted !== text) changed.push(`${file}: ${redacted.match(/.{0,60}\[redacted[^\]]*\].{0,20}/)?.[0]}`);
  }
  expect(count).toBe(most);
  expect(changed).toEqual([]);
});
