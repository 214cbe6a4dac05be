import type { Grammar } from "../command-lines.ts";

/** Options that take a value before the subcommand of a program. Others are read both ways. */
export const GRAMMARS: Readonly<Record<string, Grammar>> = {
  "terraform|tofu|terragrunt|cdktf|packer|nomad|consul|vault": {
    hasSingleDash: true,
    values: ["-chdir", "-address", "-namespace", "-region", "-token", "-var", "-var-file", "-target"],
  },
  "kubectl|oc|k3s|microk8s|kubectl.exe": {
    values: [
      ...["-n", "--namespace", "--context", "--cluster", "--user", "--kubeconfig", "-s", "--server", "--token", "--as"],
      ...["--request-timeout", "-l", "--selector", "-f", "--filename", "-o", "--output", "--field-selector"],
    ],
  },
  "helm|helmfile|helm3": {
    values: ["-n", "--namespace", "--kube-context", "--kubeconfig", "-f", "--file", "-e", "--environment", "--timeout"],
  },
  aws: {
    abbreviates: true,
    values: [
      ...["--profile", "--region", "--output", "--query", "--endpoint-url", "--color", "--ca-bundle", "--filters"],
      ...["--cli-connect-timeout", "--cli-read-timeout", "--cli-input-json"],
    ],
  },
  gcloud: { values: ["--project", "--zone", "--region", "--account", "--format", "--filter", "--configuration"] },
  gsutil: { values: ["-o", "-u", "-h", "-i"] },
  az: {
    abbreviates: true,
    values: ["-n", "--name", "-g", "--resource-group", "--subscription", "-o", "--output", "--query", "--ids"],
  },
  "docker|podman|nerdctl|docker-compose|podman-compose": {
    values: [
      ...["-H", "--host", "-l", "--log-level", "--config", "-c", "--context", "--tlscacert", "--tlscert", "--tlskey"],
      ...["--file", "--project-name", "--env-file", "--profile", "--project-directory", "--filter", "-t", "--timeout"],
    ],
  },
  "npm|pnpm|yarn|bun": {
    abbreviates: true,
    values: [
      ...["--prefix", "-w", "--workspace", "--registry", "-C", "--dir", "--filter", "-F", "--cwd", "--tag", "--otp"],
      ...["--access", "--loglevel", "--userconfig"],
    ],
  },
  azcopy: { values: ["--delete-destination"] },
  cargo: { values: ["--config", "-Z", "-C", "--color", "-p", "--package", "--manifest-path", "--registry"] },
  "gh|glab": { values: ["-R", "--repo", "--hostname"] },
  "python|python3|py": { values: ["-W", "-X"], hasSingleDash: true },
};
