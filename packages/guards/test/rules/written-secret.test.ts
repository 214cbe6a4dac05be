import { describe, expect, test } from "vitest";
import { redactText } from "../../../../src/redact/redact-secrets.ts";
import type { FileAccess } from "../../command/files/file-access.ts";
import { reasonOf } from "../../judge.ts";
import { realSecretsIn } from "../../rules/secrets/real-secrets.ts";
import { secrets } from "../../rules/secrets.ts";
import type { ToolTexts } from "../../tool-texts.ts";
import { decisionOf, findingOf, PLACE } from "./examples-of.ts";

/** Each was made by hand for this file and opens nothing. */
const REAL = {
  "GitHub token": "ghp_9aK2mQ7xWz4LpT6vB8nR3cY5dF1gH0jS2eUa",
  "model provider key": "sk-ant-api03-Xy7Kp2Qm9Zt4Lw8Vb3Nc6Rd1Fg5Hj0Sk2Ue7Wa9",
  "AWS access key": "AKIA4RZQ7XN2MKLP8WVT",
  "URL password": "postgres://app:Kp29Zt4Lw8Vb3Nc6Rd@db.internal:5432/shop",
  "secret value": 'clientSecret = "9aK2mQ7xWz4LpT6vB8nR3c"',
};
const MADE_UP = [
  "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "AKIAIOSFODNN7EXAMPLE",
  "sk-test-1234567890abcdef1234567890",
  "sk-your-key-here",
  "postgres://app:secret@db:5432/app",
  'password: "hunter2abc!"',
  'apiKey: "AIzaSyD4kP9xQ2mZ7tL1wV8bN3cR6dF5gH0jS2e"',
  'token = "550e8400-e29b-41d4-a716-446655440000"',
  "const csrfToken = request.headers.get('x-csrf-token')",
  "secretName: my-service-credentials-v2",
];

const access = (path: string, newText: string, oldText: string | null = null): FileAccess => ({
  ...{ kind: "write", path, isGlob: false, source: path, call: null },
  edit: { oldText, newText },
});
const CONTEXT = { place: PLACE, commands: [], paths: [], ownFiles: [] };
const decided = (file: FileAccess): string => secrets.judgeFile?.(file, CONTEXT)?.decision ?? "allow";
const SOURCE = "/home/dev/shop/src/a.ts";

describe("a file tool", () => {
  test.each(Object.entries(REAL))("%s: asked about in code, allowed where secrets belong", (kind, text) => {
    expect(realSecretsIn(text).map((one) => one.kind)).toEqual([kind]);
    expect(decided(access(SOURCE, `// ${text}\n`))).toBe("ask");
    const places = ["/home/dev/shop/.env.local", "/tmp/a.ts", "/home/dev/shop/infra/prod.tfvars"];
    expect(places.map((path) => decided(access(path, text)))).toEqual(places.map(() => "allow"));
  });

  test.each(MADE_UP)("%s is no real secret", (text) => expect(decided(access(SOURCE, text))).toBe("allow"));

  test("a secret that was there before is not new", () => {
    const token = REAL["GitHub token"];
    expect(decided(access(SOURCE, `key = "${token}"`, `token = "${token}"`))).toBe("allow");
  });

  test("a key for tests is a sample", () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC".repeat(4)}\n-----END PRIVATE KEY-----`;
    expect(decided(access("/home/dev/shop/test/fixtures/tls.ts", key))).toBe("allow");
    expect(decided(access(SOURCE, key))).toBe("ask");
  });
});

test.each([
  ["echo 'K' >> src/a.ts", "ask"],
  ["cat > src/a.ts <<'E'\nK\nE", "ask"],
  ["x='K'; printf %s \"$x\" | tee -a notes.md", "ask"],
  ["sed -i 's#TODO#K#' src/a.ts", "ask"],
  ["sed -i 's#K#TODO#g' src/a.ts", "allow"],
  ["python3 -c \"open('a.py', 'w').write('K')\"", "ask"],
  ["git commit -m 'use K'", "ask"],
  ["claude -p 'deploy with K'", "ask"],
  ["echo 'T=K' >> .env", "allow"],
  ["echo 'K' > /tmp/x", "allow"],
  ["curl -H 'Authorization: Bearer K' https://api.example.com -o out.json", "allow"],
  ["deploy --token K > deploy.log", "allow"],
])("%s: %s", (command, expected) => {
  expect(decisionOf(secrets, command.replace("K", REAL["GitHub token"]))).toBe(expected);
});

test("the reason of a long command shows no half of a secret", () => {
  const token = REAL["GitHub token"];
  for (let length = 60; length < 130; length++) {
    const finding = findingOf(secrets, {
      command: `git commit -m '${"x ".repeat(length / 2)}${"y".repeat(length % 2)} ${token}'`,
    });
    if (finding === null) throw new Error("There is no finding.");
    const shown = redactText(reasonOf(finding), () => "[redacted]");
    expect(shown).not.toContain(token.slice(0, 6));
  }
});

describe("texts of tools whose files are not known", () => {
  const tool = (more: Partial<ToolTexts>): string => {
    const texts = () => [{ key: "prompt", text: `use ${REAL["GitHub token"]}` }];
    const given = { tool: "Task", kind: "", texts, files: [], ...more };
    return secrets.judgeTool?.(given, CONTEXT)?.decision ?? "allow";
  };
  test.each([
    ["a prompt", {}, "ask"],
    ["a cell of a notebook", { files: [{ ...access("/home/dev/shop/a.ipynb", ""), edit: null }] }, "ask"],
    ["a search", { kind: "search" }, "allow"],
    ["a shell, which has rules of its own", { kind: "shell" }, "allow"],
    ["a text that is replaced", { texts: () => [{ key: "oldstring", text: REAL["GitHub token"] }] }, "allow"],
  ] as const)("%s", (_, more, expected) => expect(tool(more)).toBe(expected));
});
