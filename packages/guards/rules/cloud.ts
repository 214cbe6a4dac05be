import { nameSet } from "../../../src/protocol/json/table.ts";
import type { Call } from "../command/call.ts";
import type { Finding, Guard } from "../guard.ts";
import { databaseLoss } from "./cloud/databases.ts";
import table from "./cloud/rules.json" with { type: "json" };
import { readRules } from "./command-rules.ts";

const RULES = readRules(table);

export const cloud: Guard = { ...RULES.guard, judgeCall: judge };

function judge(call: Call): Finding | null {
  return RULES.judgeByForm(call) ?? judgeDatabase(call) ?? judgeContainers(call);
}

function judgeDatabase(call: Call): Finding | null {
  const loss = databaseLoss(call);
  return loss === null ? null : RULES.find("reset-database", call.source, loss);
}

/** `docker rm -f $(docker ps -aq)` removes all that are listed. */
function judgeContainers(call: Call): Finding | null {
  const [first, second] = RULES.lineOf(call).operands.map(({ word }) => word.text);
  const isRemoval =
    CONTAINER_PROGRAMS.has(call.program) &&
    /^rmi?$/.test((/^(?:container|image)$/.test(first ?? "") ? second : first) ?? "");
  const isListed = ({ program }: Call): boolean => CONTAINER_PROGRAMS.has(program);
  if (!isRemoval || !call.args.some(({ printedBy }) => printedBy.some(isListed))) return null;
  const effect = "removes all containers or images that are listed";
  return RULES.find("delete-containers-data", call.source, { effect });
}

const CONTAINER_PROGRAMS = nameSet("docker podman nerdctl");
