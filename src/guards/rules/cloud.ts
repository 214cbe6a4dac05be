import type { Call } from "../command/call.ts";
import type { Finding, Guard } from "../guard.ts";
import { databaseLoss } from "./cloud/databases.ts";
import { CLOUD_RULES } from "./cloud/rules.ts";
import { aboutOf, findingOf, judgeByForm, lineOf } from "./command-rules.ts";

const examples = (): Guard["examples"] => ({
  blocked: [],
  asked: [
    { command: "terraform -chdir=infra destroy" },
    { command: "tofu apply -auto-approve" },
    { command: "pulumi up --yes --stack prod" },
    { command: "kubectl -n shop delete deployment web" },
    { command: "kubectl drain node-3 --ignore-daemonsets" },
    { command: "helm --namespace shop uninstall web" },
    { command: "aws --profile prod ec2 terminate-instances --instance-ids i-0abc" },
    { command: "aws s3 rb s3://backups --force" },
    { command: "gcloud --project shop compute instances delete web-1 --quiet" },
    { command: "az group delete --name shop --yes" },
    { command: "doctl compute droplet delete 12345" },
    { command: "heroku apps:destroy --app shop" },
    { command: "vercel remove shop" },
    { command: "gh repo delete acme/shop --yes" },
    { command: "docker system prune -af --volumes" },
    { command: "docker compose -f prod.yml down -v" },
    { command: "psql \"$DATABASE_URL\" -c 'DROP TABLE orders'" },
    { command: "mysql shop -e'TRUNCATE orders'" },
    { command: "sqlite3 data.db 'delete from orders'" },
    { command: "psql shop <<'SQL'\nBEGIN;\nUPDATE orders SET state = 'lost';\nSQL" },
    { command: "mongosh shop --eval 'db.orders.drop()'" },
    { command: "redis-cli -h cache FLUSHALL" },
    { command: "RAILS_ENV=production rails db:drop" },
    { command: "npm publish --access public" },
    { command: "cargo publish" },
    { command: "python3 -m twine upload dist/*" },
  ],
  allowed: [
    { command: "terraform plan -destroy" },
    { command: "terraform apply plan.out" },
    { command: "kubectl delete pod web --dry-run=client" },
    { command: "kubectl get pods -l app=delete-me" },
    { command: "kubectl describe pod drain" },
    { command: "helm list --namespace uninstall" },
    { command: "aws ec2 describe-instances --filters Name=tag:state,Values=terminated" },
    { command: "aws s3 ls s3://backups" },
    { command: "gcloud compute instances list" },
    { command: "docker system df" },
    { command: "docker compose down" },
    { command: "docker run --rm alpine true" },
    { command: 'psql shop -c "DELETE FROM orders WHERE id = 7"' },
    { command: "psql shop -c \"SELECT 'drop table orders' AS text\"" },
    { command: "sqlite3 :memory: 'create table t(a); drop table t'" },
    { command: "redis-cli GET flushes" },
    { command: "npm publish --dry-run" },
    { command: "npm run publish:docs" },
    { command: "git commit -m 'terraform destroy is asked'" },
    { command: "echo 'DROP TABLE orders' > migrations/down.sql" },
  ],
  gaps: [
    { command: "psql shop -f migrations/down.sql", why: "Files are not read." },
    { command: "curl -X DELETE https://api.example.com/v1/servers/7", why: "Requests over HTTP are not judged." },
    { command: "make deploy", why: "What a Makefile starts is not followed." },
  ],
});

export const cloud: Guard = {
  name: "cloud",
  about:
    "Asks before infrastructure, clusters, databases or containers are destroyed, and before a package is published.",
  get rules() {
    return aboutOf(CLOUD_RULES.rules());
  },
  programs: [
    ...["terraform", "tofu", "terragrunt", "pulumi", "kubectl", "oc", "helm", "aws", "gcloud", "gsutil", "az"],
    ...["dropdb", "psql", "mysql", "sqlite3", "mongosh", "redis-cli"],
  ],
  judgeCall: judge,
  get examples() {
    return examples();
  },
};

function judge(call: Call): Finding | null {
  return judgeByForm(call, CLOUD_RULES) ?? judgeDatabase(call) ?? judgeContainers(call);
}

function judgeDatabase(call: Call): Finding | null {
  const effect = databaseLoss(call);
  const found = effect === null ? null : findingOf("reset-database", call, CLOUD_RULES);
  return effect === null || found === null ? null : { ...found, effect };
}

/** `docker rm -f $(docker ps -aq)` removes all that are listed. */
function judgeContainers(call: Call): Finding | null {
  const [first, second] = lineOf(call, CLOUD_RULES).operands.map(({ word }) => word.text);
  const isRemoval =
    CONTAINER_PROGRAMS.has(call.program) &&
    /^rmi?$/.test((/^(?:container|image)$/.test(first ?? "") ? second : first) ?? "");
  const isListed = ({ program }: Call): boolean => CONTAINER_PROGRAMS.has(program);
  if (!isRemoval || !call.args.some(({ printedBy }) => printedBy.some(isListed))) return null;
  const found = findingOf("delete-containers-data", call, CLOUD_RULES);
  return found === null ? null : { ...found, effect: "removes all containers or images that are listed" };
}

const CONTAINER_PROGRAMS: ReadonlySet<string> = new Set(["docker", "podman", "nerdctl"]);
