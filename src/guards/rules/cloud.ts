import { nameSet, namesIn, tableOf } from "../../shell/table.ts";
import type { Call } from "../command/call.ts";
import type { Finding, Guard } from "../guard.ts";
import { databaseLoss } from "./cloud/databases.ts";
import table from "./cloud/rules.json" with { type: "json" };
import { aboutOf, commandRules, findingOf, judgeByForm, lineOf } from "./command-rules.ts";

const CLOUD_RULES = commandRules(tableOf(table));

export const cloud: Guard = {
  name: "cloud",
  about:
    "Asks before infrastructure, clusters, databases or containers are destroyed, and before a package is published.",
  rules: aboutOf(CLOUD_RULES.rules),
  programs: namesIn(
    "terraform tofu terragrunt pulumi kubectl oc helm aws gcloud gsutil az dropdb psql mysql sqlite3 mongosh redis-cli",
  ),
  judgeCall: judge,
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

const CONTAINER_PROGRAMS = nameSet("docker podman nerdctl");
