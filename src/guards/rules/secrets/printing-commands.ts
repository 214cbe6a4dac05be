import type { Call } from "../../command/call.ts";
import type { Finding } from "../../guard.ts";
import { type CommandRules, commandRules, judgeByForm, lineOf } from "../command-rules.ts";

/** Outputs of kubectl that hold the values of a secret; `-o name` and `-o wide` do not. */
const withValues = (): string =>
  ["yaml", "json", "json*", "go-template*", "template*", "custom-columns*"]
    .flatMap((format) => [`-o=${format}`, `--output=${format}`])
    .concat("--template")
    .join("|");

/** A command that prints a stored credential. */
export const judgePrinting = (call: Call): Finding | null => (showsMetadata(call) ? null : judgeByForm(call, PRINTING));

/** `kubectl get secret db -o jsonpath='{.metadata.name}'` shows no secret value. */
function showsMetadata(call: Call): boolean {
  if (call.program !== "kubectl" && call.program !== "oc") return false;
  const { options } = lineOf(call, PRINTING);
  const formats = options.filter(({ name }) => /^(?:-o|--output|--template)$/.test(name));
  return formats.length > 0 && formats.every(({ value }) => METADATA_ONLY.test(value?.text ?? ""));
}

/** Annotations are missing: they may hold the content as it was applied. */
const FIELD = String.raw`(?:\.items\[\*\]|@)?\.(?:metadata\.(?:name|namespace|uid|labels|creationTimestamp)|type|kind)`;
const METADATA_ONLY = new RegExp(
  String.raw`^(?:jsonpath=(?:\{(?:range \.items\[\*\]|end|"[^"{}]*"|${FIELD})\})+|custom-columns=(?:[\w-]+:${FIELD}(?:,(?=.)|$))+)$`,
);

/** Command lines that print a stored credential. */
export const PRINTING: CommandRules = commandRules(
  () => ({
    "print-credential": {
      about:
        "a command prints a stored credential: gh auth token, kubectl get secret -o yaml, security find-generic-password",
      decision: "block",
      effect: "prints a stored credential",
      instead: "Pass it on without printing it, for example `docker login --password-stdin`, or let the person do it.",
      forms: {
        gh: ["auth token", "auth status -t|--show-token"],
        glab: ["auth status -t|--show-token"],
        aws: [
          ...[
            "configure get aws_secret_access_key|aws_session_token|*.aws_secret_access_key|*.aws_session_token",
            "configure export-credentials",
            "secretsmanager get-secret-value",
          ],
          ...[
            "secretsmanager batch-get-secret-value",
            "ssm get-parameter|get-parameters|get-parameters-by-path --with-decryption",
          ],
          ...[
            "sts get-session-token|assume-role|get-federation-token",
            "ecr get-login-password|get-login|get-authorization-token",
          ],
          ...["codeartifact get-authorization-token", "iam create-access-key", "eks get-token"],
        ],
        gcloud: [
          ...[
            "auth print-access-token|print-identity-token|print-refresh-token",
            "auth application-default print-access-token",
          ],
          ...[
            "secrets versions access",
            "iam service-accounts keys create",
            "sql generate-login-token",
            "config config-helper",
          ],
        ],
        az: [
          "account get-access-token",
          "keyvault secret show|download",
          "storage account keys list",
          "ad sp create-for-rbac|credential",
          "acr credential show",
        ],
        "kubectl|oc": [
          ...["secret|secrets", "secret/*", "secrets/*"].map((kind) => `get ${kind} ${withValues()}`),
          ...["config view --raw", "create token", "whoami -t|--show-token"],
        ],
        vault: ["kv get", "read", "print token", "token create", "login !-no-print"],
        op: ["read", "item get --reveal", "item get --fields", "get item", "document get"],
        bw: ["get password|item|totp|notes", "export", "unlock --raw"],
        "pass|gopass": ["show"],
        lpass: ["show", "export"],
        rbw: ["get"],
        "secret-tool": ["lookup", "search"],
        security: ["find-generic-password -w|-g", "find-internet-password -w|-g", "dump-keychain", "export"],
        "kwallet-query": ["-r"],
        keyring: ["get"],
        git: [
          "credential fill",
          "credential-store get",
          "credential-cache get",
          "credential-osxkeychain get",
          "credential-manager get",
        ],
        npm: ["config get *authToken", "config get *password", "token create"],
        heroku: ["auth:token", "config", "config:get"],
        "flyctl|fly": ["auth token", "tokens create"],
        doppler: ["secrets !--only-names", "secrets get|download"],
        infisical: ["secrets", "export"],
        railway: ["variables"],
        netlify: ["env:list", "env:get"],
        vercel: ["env ls"],
        chamber: ["read", "export"],
        sops: ["-d|--decrypt", "decrypt", "exec-env"],
        "ansible-vault": ["view"],
        age: ["-d|--decrypt"],
        "gpg|gpg2": ["--export-secret-keys|--export-secret-subkeys"],
        doctl: ["auth token"],
        getent: ["shadow|gshadow"],
        "docker-credential-desktop|docker-credential-osxkeychain|docker-credential-pass|docker-credential-secretservice":
          ["get"],
      },
    },
  }),
  () => ({
    gh: { values: ["-h", "--hostname", "-u", "--user"] },
    aws: { values: ["--profile", "--region", "--output", "--query", "--endpoint-url"] },
    gcloud: { values: ["--project", "--account", "--configuration", "--format"] },
    "kubectl|oc": {
      values: [
        "-n",
        "--namespace",
        "--context",
        "--kubeconfig",
        "--cluster",
        "-l",
        "--selector",
        "-o",
        "--output",
        "--template",
      ],
    },
    "vault|security": { hasSingleDash: true },
    git: { values: ["-C", "-c"] },
  }),
);
