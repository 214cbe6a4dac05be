import { describe, expect, test } from "vitest";
import { cloud } from "../../rules/cloud.ts";
import { decisionOf, judge } from "./judge.ts";

/** The commands of each rule. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  "destroy-infrastructure": [
    "terraform -chdir=live destroy -auto-approve",
    "terraform apply -destroy",
    "terragrunt run-all destroy",
    "pulumi -C infra destroy",
    "cdk destroy --all",
    "vault kv delete secret/x",
    "nomad job stop -purge web",
  ],
  "delete-cluster-resources": [
    "kubectl --context prod delete ns shop",
    "kubectl delete -f app.yaml",
    "oc delete project shop",
    "helm uninstall web",
    "helm del web",
    "kafka-topics.sh --bootstrap-server k:9092 --delete --topic t",
    "kubectl delete pod x --dry-run=none",
  ],
  "delete-cloud-resources": [
    "aws rds delete-db-instance --db-instance-identifier x",
    "aws s3 rm s3://b/k --recursive",
    "aws s3 sync . s3://b --delete",
    "gcloud sql instances delete x",
    "gsutil -m rm -r gs://b",
    "az storage blob delete-batch -s x",
    "fly apps destroy x",
    "firebase firestore:delete --all-collections",
    "gh release delete v1",
    "rclone purge remote:x",
  ],
  "delete-containers-data": [
    "docker system prune --volumes -f",
    "docker --context prod volume rm data",
    "podman volume prune",
    "docker compose -f a.yml -p x down --volumes",
    "docker-compose down -v",
    "docker rm -fv db",
    "docker rm -f $(docker ps -aq)",
    "docker images -q | xargs docker image rm",
  ],
  "reset-database": [
    "dropdb shop",
    "mysqladmin -u root drop shop",
    "psql --command='drop schema public cascade'",
    "mysql -uroot -psecret shop -e 'TRUNCATE t'",
    "echo 'DROP TABLE t;' | psql shop",
    "printf '%s' 'DROP TABLE t' | mysql shop",
    "cat <<EOF | sqlite3 x.db\nDELETE FROM t;\nEOF",
    "mongosh --eval 'db.dropDatabase()'",
    "redis-cli -n 2 flushdb",
    "echo FlushAll | redis-cli",
    "npx prisma migrate reset --force",
    "python manage.py flush --no-input",
    "php artisan migrate:fresh",
  ],
  publish: [
    "npm publish",
    "npm --access public publish",
    "pnpm -r publish",
    "cargo publish",
    "twine upload dist/x",
    "gem push x.gem",
  ],
};

describe.each(Object.entries(FOUND))("the rule %s", (rule, commands) => {
  test.each(commands)("%s", (command) => {
    expect(judge(cloud, { command })).toMatchObject({ rule, decision: "ask" });
  });
});

test("each rule has its commands here", () => {
  expect(Object.keys(FOUND).sort()).toEqual(Object.keys(cloud.rules).sort());
});

const ALLOWED = [
  "terraform init && terraform plan -out plan",
  "terraform apply",
  "terraform state list",
  "pulumi preview",
  "kubectl apply -f app.yaml",
  "kubectl rollout restart deployment/delete-worker",
  "kubectl logs -n drain web",
  "helm upgrade --install web .",
  "aws s3 cp x s3://b/delete",
  "aws iam list-users",
  "aws ec2 terminate-instances help --dry-run",
  "gcloud config list",
  "az vm list --query delete",
  "docker rm -f web",
  "docker volume ls",
  "docker image prune -f",
  "docker compose up -d",
  "psql -c 'select 1'",
  "psql -f schema.sql",
  "mysql -e 'ALTER TABLE t DROP INDEX i'",
  "redis-cli SET k flushall",
  "mongosh --eval 'db.t.deleteMany({ old: true })'",
  "npm run publish",
  "npm install delete",
  "npm pack",
  "cargo build --release",
  "gh pr list",
  "python manage.py migrate",
  "kubectl delete pod x --dry-run=server",
];

test.each(ALLOWED)("allowed: %s", (command) => {
  expect(decisionOf(cloud, command)).toBe("allow");
});
