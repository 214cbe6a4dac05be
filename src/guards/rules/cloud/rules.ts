import type { Grammar } from "../command-lines.ts";
import { type CommandRule, commandRules } from "../command-rules.ts";

/** Options that take a value before the subcommand of a program. Unknown options are read with and without a value. */
const grammars = (): Readonly<Record<string, Grammar>> => ({
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
});

/** Forms with which the command lines of providers delete. Single objects count too: they are rarely all that they seem. */
const providers = (): Readonly<Record<string, readonly string[]>> => ({
  aws: [
    ...["* delete-*|terminate-*|purge-*|destroy-*|remove-*|batch-delete-*|deregister-*|force-delete-*"],
    ...["kms schedule-key-deletion", "ec2 release-address", "kms disable-key", "organizations close-account"],
    ...["s3 rb", "s3 rm", "s3 sync --delete", "s3 mv --recursive"],
  ],
  gcloud: [
    "** delete|destroy|purge",
    "storage rm",
    "** storage rm",
    "storage rsync --delete-unmatched-destination-objects",
  ],
  gsutil: ["rm|rb", "rsync -d"],
  bq: ["rm", "** rm"],
  az: ["** delete|purge|untag|delete-*|purge-*"],
  "doctl|hcloud|linode-cli|vultr-cli|scw|oci|ibmcloud|openstack|civo|upctl|exo|ovhcloud|aliyun|tccli|yc": [
    "** delete|destroy|remove|rm|terminate|purge",
  ],
  heroku: ["destroy", "*:destroy", "*:delete", "domains:clear", "repo:reset"],
  "fly|flyctl": ["destroy", "** destroy|delete|remove|rm", "secrets unset"],
  "vercel|vc|now": ["remove|rm", "** remove|rm"],
  netlify: ["*:delete", "* delete"],
  railway: ["down|delete", "* delete"],
  firebase: ["*:delete", "*:remove", "hosting:disable", "projects:delete"],
  wrangler: ["delete", "** delete", "*:* delete"],
  supabase: ["** delete"],
  "neonctl|neon|pscale|turso|render|northflank": ["** delete|destroy"],
  "gh|glab|hub": ["repo|project|release|secret|variable|environment|cache|run|gist|ssh-key|gpg-key delete|archive"],
  "mc|mcli": ["rb|rm", "admin ** remove|rm|delete|disable|unset", "mirror --remove"],
  s3cmd: ["del|rm|rb", "sync --delete-removed"],
  s5cmd: ["rm|rb"],
  rclone: ["delete|purge|deletefile|rmdirs|cleanup"],
  restic: ["forget", "prune", "key remove"],
  borg: ["delete|prune"],
  "fastly|circleci|doppler|ldcli|flipt|pd|op|stripe|newrelic|datadog-ci|apigeecli|algolia|sentry-cli|auth0|okta|kong|deck":
    ["** delete|destroy|remove|rm|purge|reset"],
  azcopy: ["remove|rm", "sync --delete-destination=true", "sync --delete-destination=True"],
});

const asks = (rule: Omit<CommandRule, "decision">): CommandRule => ({ decision: "ask", ...rule });

/** What each form of a command destroys or publishes. */
const rules = (): Readonly<Record<string, CommandRule>> => ({
  "destroy-infrastructure": asks({
    about:
      "infrastructure is destroyed or changed without review: terraform destroy, apply -auto-approve, pulumi destroy",
    effect: "destroys or changes infrastructure without review",
    instead: "Show the plan (`terraform plan`) and let the person apply it.",
    forms: {
      "terraform|tofu|terragrunt|cdktf": [
        ...["destroy", "apply -destroy|--destroy", "apply -auto-approve|--auto-approve", "deploy --auto-approve"],
        ...[
          "state rm|push",
          "workspace delete",
          "force-unlock",
          "run-all destroy",
          "run --all ** destroy",
          "destroy-all",
        ],
      ],
      pulumi: ["destroy|down", "up|update -y|--yes|-f|--skip-preview", "stack rm", "state delete", "state unprotect"],
      "cdk|sam|eb|copilot|sst": ["destroy|delete|terminate|remove", "* delete", "env delete"],
      "serverless|sls": ["remove"],
      vagrant: ["destroy"],
      "eksctl|kops": ["delete"],
      nomad: ["job stop -purge", "stop -purge", "namespace delete", "volume delete"],
      consul: ["kv delete", "snapshot restore"],
      vault: [
        "delete|destroy",
        "kv delete|destroy",
        "kv metadata delete",
        "secrets|auth disable",
        "lease revoke -prefix",
      ],
      etcdctl: ["del"],
    },
  }),
  "delete-cluster-resources": asks({
    about: "resources of a cluster are deleted: kubectl delete and drain, helm uninstall",
    effect: "deletes or stops what runs in the cluster",
    instead: "Show what it affects (`kubectl get`, `--dry-run=client`) and let the person run it.",
    forms: {
      "kubectl|oc|kubectl.exe": ["delete", "drain", "replace --force", "adm drain", "apply --prune"],
      "k3s|microk8s|minikube": ["kubectl delete|drain", "kubectl -- delete|drain"],
      "helm|helm3": ["uninstall|delete|del|un"],
      helmfile: ["destroy|delete"],
      argocd: ["app|appset|cluster|repo|proj delete|rm"],
      "flux|istioctl|cilium": ["uninstall", "delete"],
      velero: ["* delete"],
      "kafka-topics|kafka-topics.sh|kafka-consumer-groups|kafka-consumer-groups.sh": ["--delete"],
      "kafka-delete-records|kafka-delete-records.sh": [""],
      rabbitmqctl: ["reset|force_reset|delete_queue|delete_vhost|purge_queue"],
      rabbitmqadmin: ["delete|purge"],
      nats: ["stream|kv|object rm|purge|del"],
    },
  }),
  "delete-cloud-resources": asks({
    about: "resources of a cloud provider are deleted: aws, gcloud, az, doctl, heroku, fly, vercel …",
    effect: "deletes resources at the provider",
    instead: "List what it affects and let the person delete it.",
    forms: providers(),
  }),
  "delete-containers-data": asks({
    about: "volumes and images are deleted: docker system prune -a, volume rm, compose down -v",
    effect: "deletes volumes or images with their data",
    instead: "Remove the one container or image by name, and keep volumes.",
    forms: {
      "docker|podman|nerdctl": [
        ...[
          "system prune -a|--all|--volumes",
          "volume rm|remove|prune",
          "image prune -a|--all",
          "builder prune -a|--all",
        ],
        ...["rm|remove -v|--volumes", "container rm -v|--volumes", "compose down -v|--volumes|--rmi"],
        ...[
          "compose rm -v|--volumes",
          "swarm leave -f|--force",
          "stack rm|down|remove",
          "service|secret|config rm|remove",
        ],
        ...["system reset", "machine rm|reset"],
      ],
      "docker-compose|podman-compose": ["down -v|--volumes|--rmi", "rm -v|--volumes"],
    },
  }),
  "reset-database": asks({
    about: "a database is dropped or emptied: dropdb, FLUSHALL, migrate reset, db:drop",
    effect: "deletes the data of a database",
    instead: "Make a backup first and let the person run it.",
    forms: {
      "dropdb|dropuser": [""],
      "mysqladmin|mariadb-admin": ["drop", "** drop"],
      pg_restore: ["-c|--clean"],
      prisma: ["migrate reset", "db push --force-reset|--accept-data-loss"],
      "rails|rake|bin/rails": ["db:drop*", "db:drop", "db:reset*", "db:reset", "db:purge", "db:schema:load"],
      "python|python3|py|django-admin|manage.py": ["flush", "* flush", "reset_db", "* reset_db"],
      "php|artisan": ["* migrate:fresh|migrate:reset|migrate:refresh|db:wipe", "migrate:fresh|db:wipe"],
      "console|symfony": ["doctrine:*:drop", "console doctrine:*:drop"],
      alembic: ["downgrade base"],
      "sequelize|sequelize-cli": ["db:drop", "db:migrate:undo:all"],
      typeorm: ["schema:drop"],
      knex: ["migrate:rollback --all"],
      flyway: ["clean"],
      liquibase: ["drop-all|dropAll"],
      mix: ["ecto.drop|ecto.reset"],
      supabase: ["db reset"],
      heroku: ["pg:reset"],
      turso: ["db destroy"],
      influx: ["delete", "bucket delete", "org delete"],
    },
  }),
  publish: asks({
    about: "a package is published or withdrawn: npm publish, cargo publish, twine upload, gem push",
    effect: "publishes or withdraws a package for everybody",
    instead: "Try it with `--dry-run` and let the person publish.",
    forms: {
      "npm|pnpm|yarn|bun": [
        "publish|unpublish|deprecate",
        "npm publish",
        "-r|--recursive publish",
        "workspaces foreach ** publish",
      ],
      "lerna|changeset|jsr|deno|np": ["publish"],
      cargo: ["publish|yank !-n", "workspaces publish"],
      "twine|poetry|uv|flit|hatch|pdm|maturin|rye": ["upload|publish"],
      "python|python3|py": ["-m twine ** upload", "-m flit|hatch|poetry|uv|pdm publish", "setup.py ** upload"],
      gem: ["push|yank"],
      "mvn|mvnw": ["deploy", "** deploy|deploy:*|release:perform"],
      "gradle|gradlew": ["publish|publishPlugins|publishAllPublications*|uploadArchives"],
      sbt: ["publish|publishSigned|sonatypeRelease"],
      "dotnet|nuget": ["nuget push|delete", "push|delete"],
      "vsce|ovsx": ["publish|unpublish"],
      pod: ["trunk push|delete"],
      mix: ["hex.publish|hex.retire"],
      "dart|flutter": ["pub publish"],
      "cabal|stack|luarocks|anaconda": ["upload"],
    },
  }),
});

export const CLOUD_RULES = commandRules(rules, grammars);
