import { nameSet, tableOf } from "../../../src/protocol/json/table.ts";
import type { Call } from "../command/call.ts";
import type { Finding, Guard } from "../guard.ts";
import type { ToolTexts } from "../tool-texts.ts";
import { databaseLoss } from "./cloud/databases.ts";
import table from "./cloud/rules.json" with { type: "json" };
import verbTable from "./cloud/verbs.json" with { type: "json" };
import { readRules } from "./command-rules.ts";

const RULES = readRules(table);

export const cloud: Guard = { ...RULES.guard, judgeCall: judge, judgeTool };

function judge(call: Call): Finding | null {
  return RULES.judgeByForm(call) ?? judgeDatabase(call) ?? judgeContainers(call) ?? judgeVerb(call);
}

const { commands, others, tools } = tableOf<{
  /** Subcommands that delete something. */
  readonly commands: string;
  /** Programs whose operands are texts, files or names of tasks, or that other rules judge. */
  readonly others: string;
  /** Patterns for the names of tools, in lower case with underscores. */
  readonly tools: Readonly<Record<"servers" | "verbs" | "things" | "sure" | "publishes", string>>;
}>(verbTable);

const DELETES = new RegExp(`(?:^|[-:._])(?:${commands.split(" ").join("|")})(?:$|[-:_])`);
const OTHERS = nameSet(others);

/** `cf delete shop`, `app db wipe`: a program that no table knows is told to delete something. */
function judgeVerb(call: Call): Finding | null {
  if (OTHERS.has(call.program) || !/^[A-Za-z][\w-]*$/.test(call.program)) return null;
  const line = RULES.lineOf(call);
  const words = line.operands.slice(0, MOST_VERBS).map(({ word, mayBeValue }) => (mayBeValue ? "" : word.text));
  const at = words.findIndex((text) => DELETES.test(text) && /^[\w:.-]+$/.test(text));
  // `tasks delete 3` removes an item of a list.
  const isItem = at === 0 && words.length === 2 && /^\d{1,4}$/.test(words[1] ?? "");
  if (at < 0 || isItem || words.slice(0, at).some((text) => !/^(?:[a-z][\w:-]*)?$/.test(text))) return null;
  return RULES.isHarmless(line, call.program) ? null : RULES.find("delete-by-name", call.source);
}

const MOST_VERBS = 3;

const SURE = new RegExp(tools.sure);
const PUBLISHES = new RegExp(tools.publishes);
const SERVERS = new RegExp(`(?:^|_)(?:${tools.servers})(?:_|$)`);
const REMOVES = new RegExp(`(?:^|_)(?:${tools.verbs})(?:_|$)`);
const THINGS = new RegExp(`(?:^|_)(?:${tools.things})(?:_|$)`);

/** A tool of a server that deletes or publishes by its name: `mcp__github__delete_repository`. */
function judgeTool({ tool, kind }: ToolTexts): Finding | null {
  if (kind !== "" && kind !== "mcp" && kind !== "other") return null;
  const name = tool
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z\d]+/g, "_")
    .toLowerCase();
  const isKnown = SERVERS.test(name) && REMOVES.test(name) && THINGS.test(name.replace(/^mcp_[a-z\d]+_/, ""));
  if (SURE.test(name) || isKnown) return RULES.find("delete-by-name", tool);
  return PUBLISHES.test(name) ? RULES.find("publish", tool) : null;
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
