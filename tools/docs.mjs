// Writes man/hookctl.1, docs/schema/, the terminal pictures in docs/pictures/ and the parts of docs/ that stand between `<!-- generated: NAME -->` and `<!-- /generated: NAME -->`, from dist/.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bars } from "./docs/bars.mjs";
import { figures, peers } from "./docs/figures.mjs";
import { manPage } from "./docs/man-page.mjs";
import { pictures } from "./docs/pictures.mjs";
import { SAMPLES } from "./docs/samples.mjs";
import { scale } from "./docs/scale.mjs";
import { code, codes, list, table } from "./docs/table.mjs";
import { EXIT_WORDS, FAMILIES, KIND_WORDS, SCHEME_WORDS } from "./docs/wording.mjs";
import { readOptions } from "./read-options.mjs";

const HELP = `Usage: npm run docs -- [options]

Writes the generated parts of docs/, its JSON Schemas and pictures, and man/hookctl.1, from dist/. Before it: npm run build

Options:
  --check     write nothing, name what is stale, and exit 1 if anything is
  -h, --help  this text
`;
const isCheck = readOptions(HELP, { check: { type: "boolean", default: false } }).check;

const root = fileURLToPath(new URL("..", import.meta.url));
const docs = join(root, "docs");
/** @param {string} module */
const built = (module) => import(new URL(`../dist/${module}`, import.meta.url).href);
/** @type {typeof import("../src/protocol/event.ts")} */
const { EVENT_ROWS, EVENT_NAMES, BASE_FIELDS } = await built("src/protocol/event.js");
/** @type {typeof import("../src/protocol/setting-rows.ts")} */
const { SETTING_ROWS, OVERRIDE_ROWS, RULE_ROWS, GRANT_ROWS, GUARD_ROWS, CAGE_ROWS, SERVER_ROWS, TOP_LEVEL_KEYS } =
  await built("src/protocol/setting-rows.js");
/** @type {typeof import("../packages/guards/guards.ts")} */
const { GUARDS } = await built("packages/guards/guards.js");
/** @type {typeof import("../packages/guards/examples.ts")} */
const { EXAMPLES } = await built("packages/guards/examples.js");
/** @type {typeof import("../src/protocol/entry.ts")} */
const { SCHEME_ROWS } = await built("src/protocol/entry.js");
/** @type {typeof import("../src/protocol/exit-code.ts")} */
const { EXIT, exitCodeOf, signalExitCode, TERMINATION_SIGNALS } = await built("src/protocol/exit-code.js");
/** @type {typeof import("../src/protocol/problem.ts")} */
const { isLostGuard } = await built("src/protocol/problem.js");
/** @type {typeof import("../src/protocol/hook.ts")} */
const { SKIP_REASONS } = await built("src/protocol/hook.js");
/** @type {typeof import("../src/cli/common-options.ts")} */
const { GLOBAL_OPTIONS, HOOK_OPTIONS } = await built("src/cli/common-options.js");
/** @type {typeof import("../src/cli/command-table.ts")} */
const { allOptions } = await built("src/cli/command-table.js");
/** @type {typeof import("../src/command-groups.ts")} */
const { allCommands } = await built("src/command-groups.js");
const COMMANDS = await allCommands();
/** @type {typeof import("../packages/scripting/help/command-help.ts")} */
const { commandGroups, helpOf, listedOptions } = await built("packages/scripting/help/command-help.js");
/** @type {typeof import("../packages/authoring/commands/schema.ts")} */
const { FILE_SCHEMAS, outputSchemas } = await built("packages/authoring/commands/schema.js");
/** @type {typeof import("../packages/testing/reporters/test-reporters.ts")} */
const { TEST_REPORTERS } = await built("packages/testing/reporters/test-reporters.js");
/** @type {typeof import("../packages/agents/agents.ts")} */
const { AGENTS, AGENT_INSTALLS } = await built("packages/agents/agents.js");
/** @type {typeof import("../src/protocol/problem-messages/explain.ts")} */
const { explain } = await built("src/protocol/problem-messages/explain.js");

/** @type {typeof import("../src/protocol/tools/vocabulary.ts")} */
const { PORTABLE_TOOLS } = await built("src/protocol/tools/vocabulary.js");

/** @import { EventRow } from "../src/protocol/event.ts" */
/** @import { SettingRow } from "../src/protocol/setting-rows.ts" */
/** @import { Agent } from "../packages/agents/agent.ts" */
/** @import { Problem } from "../src/protocol/problem.ts" */
/** @import { Guard } from "../packages/guards/guard.ts" */
/** @import { Example } from "../packages/guards/examples.ts" */

const PHASES = {
  deny: "**`pre`, a block stops the action (`deny`)**",
  halt: "**`post`, a block stops the agent (`halt`)**",
  ignore: "**`post`, a block is only a warning (`ignore`)**",
};

function eventOverview() {
  return list(
    Object.entries(PHASES).map(([effect, title]) => {
      const names = EVENT_NAMES.filter((name) => EVENT_ROWS[name].onBlock === effect).map((name) => {
        const { target } = EVENT_ROWS[name];
        return `[${code(name)}](#${name})${target === null ? "" : ` (${codes([target].flat())})`}`;
      });
      return `${title}: ${names.join(", ")}`;
    }),
  );
}

/** @param {EventRow["fields"]} fields */
function fieldList(fields) {
  return list(
    Object.entries(fields).map(([name, { kind, isRequired, about }]) => {
      return `${isRequired ? `**${code(name)}**` : code(name)} (${kind}): ${about}`;
    }),
  );
}

function eventDetails() {
  const parts = EVENT_NAMES.map((name) => {
    const { summary, fields, aliases } = EVENT_ROWS[name];
    const others = Object.values(aliases).flat();
    const named = others.length === 0 ? "" : ` Other names: ${codes(others)}.`;
    return `### ${name}\n\n${summary}${named}\n\n${fieldsOf(name, fields)}`;
  });
  return parts.join("\n\n");
}

/**
 * The fields of an event; those that it shares with an earlier one are named by a link.
 * @param {(typeof EVENT_NAMES)[number]} event @param {EventRow["fields"]} fields
 */
function fieldsOf(event, fields) {
  /** @param {[string, unknown]} entry */
  const isShared = ([name, field]) => JSON.stringify(fields[name]) === JSON.stringify(field);
  const earlier = EVENT_NAMES.slice(0, EVENT_NAMES.indexOf(event));
  const twin = earlier.find((name) => {
    const theirs = Object.entries(EVENT_ROWS[name].fields);
    return theirs.length > 1 && theirs.every(isShared);
  });
  if (twin === undefined) return fieldList(fields);
  const own = Object.entries(fields).filter(([name]) => !Object.hasOwn(EVENT_ROWS[twin].fields, name));
  const shared = `Fields of [${code(twin)}](#${twin})`;
  return own.length === 0 ? `${shared}.` : `${shared}, and:\n\n${fieldList(Object.fromEntries(own))}`;
}

const REJECTS = { deny: "blocks", halt: "halts", ignore: "only warns" };

function agentHookPoints() {
  const rows = EVENT_NAMES.flatMap((name) => {
    const { aliases, fields, target, onBlock, fieldNames } = EVENT_ROWS[name];
    const theirs = Object.fromEntries(Object.entries(fieldNames?.agenthook ?? {}).map(([own, ours]) => [ours, own]));
    const inTheirWords = (/** @type {readonly string[]} */ names) =>
      codes(names.map((field) => theirs[field] ?? field));
    const changed = target === null ? "" : inTheirWords([target].flat());
    return (aliases.agenthook ?? []).map((point) => {
      const value = changed === "" ? "" : `; Transform and Replace set ${changed}`;
      const event = `[${code(name)}](events.md#${name})`;
      return `${code(point)} (${event}): ${inTheirWords(Object.keys(fields))}${value}; Reject ${REJECTS[onBlock]}`;
    });
  });
  return list(rows);
}

/** @param {Readonly<Record<string, SettingRow>>} rows */
function configList(rows) {
  return list(
    Object.entries(rows).map(([key, { kind, isUserOnly, about }]) => {
      const values = typeof kind === "string" ? KIND_WORDS[kind] : codes(kind.map((word) => JSON.stringify(word)));
      return `${code(key)} (${values}${isUserOnly ? "; *user only*" : ""}): ${about}`;
    }),
  );
}

function options() {
  return list(
    allOptions(COMMANDS)
      .filter(({ commands }) => commands === null)
      .map(({ row }) => {
        const value = "placeholder" in row ? ` ${row.placeholder}` : "";
        const words = [row.short, row.name].filter(Boolean).join(", ") + value;
        return `${code(words)}: ${row.about}${row.kind === "list" ? "; may be repeated" : ""}`;
      }),
  );
}

function testReporters() {
  const rows = Object.entries(TEST_REPORTERS).map(([name, { about }]) => [code(name), about]);
  return table(["name", "format"], rows);
}

function schemes() {
  return list(
    Object.entries(SCHEME_ROWS).map(([name, { value, about }]) => `${code(name)} (${SCHEME_WORDS[value]}): ${about}`),
  );
}

/** @returns {readonly (readonly [code: string, about: string])[]} */
function exitRows() {
  const own = Object.entries(EXIT).map(
    ([name, number]) => /** @type {const} */ ([String(number), EXIT_WORDS[name] ?? missing(`EXIT.${name}`)]),
  );
  const signalled = TERMINATION_SIGNALS.map(
    (signal) => /** @type {const} */ ([String(signalExitCode(signal)), `Killed by ${signal}.`]),
  );
  return [...own, ...signalled];
}

const exitCodes = () => list(exitRows().map(([number, about]) => `**${number}**: ${about}`));

const manFile = join(root, "man", "hookctl.1");

/** With its date as it is; a page that has changed is of today. */
function manual() {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const before = existsSync(manFile) ? readFileSync(manFile, "utf8") : "";
  const common = Object.values(GLOBAL_OPTIONS);
  const hookOptions = Object.values(HOOK_OPTIONS);
  const groups = commandGroups(COMMANDS, true);
  const tables = { commands: COMMANDS, groups, helpOf, listedOptions, common, hookOptions };
  const parts = { version, ...tables, exits: exitRows() };
  const [, date = ""] = /^\.TH HOOKCTL 1 (\d{4}-\d\d-\d\d) /m.exec(before) ?? [];
  const same = manPage({ ...parts, date });
  return same === before ? same : manPage({ ...parts, date: new Date().toISOString().slice(0, 10) });
}

function problems() {
  for (const name of allCodes()) if (!SAMPLES.some((one) => one.code === name)) missing(name);
  const parts = FAMILIES.map(([prefix = "", title]) => {
    const items = SAMPLES.filter(({ code }) => familyOf(code) === prefix).map((problem) => {
      return `${code(problem.code)}${exitText(problem)}: ${explain(problem).summary}`;
    });
    return `### ${title}\n\n${list(items)}`;
  });
  return parts.join("\n\n");
}

function agentOverview() {
  const rows = Object.values(AGENTS).map((agent) => {
    const { project = "", user = "" } = agent.settings.files;
    const files = [code(project), code(`~/${user}`)].join(", ");
    const limit = agent.followUpLimit === 0 ? "no known limit" : String(agent.followUpLimit);
    const title = `[${code(agent.name)}](#${agent.name})`;
    return [title, agent.title, agent.testedWith ?? "untested", files, limit, agent.withoutProgram];
  });
  return table(["agent", "name", "tested with", "settings: project, user", "follow-ups", AGENT_ALONE], rows);
}

/** What a registration by hookctl does instead is in that section. */
const AGENT_ALONE = "a missing program, without [hookctl's registration](#choose-fail-open-or-fail-closed)";

const ANSWER_WORDS = {
  ...{ deny: "deny", ask: "ask", allow: "allow", halt: "halt", change: "change", canAskWithChange: "ask with change" },
  ...{ context: "context", followUp: "follow-up" },
};

function agentDetails() {
  const parts = Object.values(AGENTS).map((agent) => {
    const events = Object.entries(agent.events).map(([name, { raises, answers, isOnRequest, isSettingsChange }]) => {
      if (isSettingsChange === true) return `${code(name)}: keeps a change out of the session ([seal](trust.md#seal))`;
      const said = Object.entries(ANSWER_WORDS).filter(([answer]) => Object.hasOwn(answers, answer));
      const words = said.length === 0 ? "nothing" : said.map(([, word]) => word).join(", ");
      const request = isOnRequest === true ? " (on request)" : "";
      return `${code(name)} (${codes(raises.map(({ event }) => event))}): ${words}${request}`;
    });
    return `### ${agent.name}\n\n${afterInstall(agent)}\n\n${list(events)}`;
  });
  return parts.join("\n\n");
}

/** The agents with settings for the whole machine. */
function machineFiles() {
  const rows = Object.values(AGENTS).flatMap(({ name, title, settings: { files, machineFileOnMac } }) => {
    if (files.machine === undefined) return [];
    const onMac = machineFileOnMac === undefined ? "" : `; macOS ${code(machineFileOnMac)}`;
    return [[title, `${code(files.machine)}${onMac}`, AGENT_INSTALLS[name].machineNote ?? ""]];
  });
  return table(["agent", "file", "note"], rows);
}

/** @param {Agent} agent */
function afterInstall({ name }) {
  const { files } = AGENTS[name].settings;
  const { stillToDo } = AGENT_INSTALLS[name];
  const own = Object.hasOwn(files, "local") ? " `--scope local` is possible too." : "";
  return `${stillToDo}${own}`;
}

/** @param {Guard} guard */
const guardRow = ({ name, about }) => [`[${code(name)}](guards-examples.md#${name})`, about];

/** One guard: its rules, then its examples, which are its tests, too. */
/** @param {Guard} guard */
function guardText({ name, about, rules }) {
  const examples = EXAMPLES[name];
  const exampleLine = (/** @type {Example} */ { command, why }) =>
    `${codeOf(command)}${why === undefined ? "" : `: ${why}`}`;
  const part = (/** @type {string} */ title, /** @type {readonly Example[]} */ shown) =>
    shown.length === 0 ? [] : [`${title}\n\n${list(shown.map(exampleLine))}`];
  return [
    `## \`${name}\``,
    about,
    table(
      ["rule", "about"],
      Object.entries(rules).map(([rule, what]) => [code(rule), what]),
    ),
    ...part("Blocked:", examples.blocked),
    ...part("Asked:", examples.asked),
    ...part("Allowed:", examples.allowed),
    ...part("Known gaps, which it does not catch:", examples.gaps),
  ].join("\n\n");
}

/** Markdown code that may hold backquotes and line ends. */
function codeOf(/** @type {string} */ text) {
  const line = text.replaceAll("\n", " ⏎ ");
  return line.includes("`") ? `\`\` ${line} \`\`` : code(line);
}

const familyOf = (/** @type {string} */ name) => FAMILIES.find(([prefix = ""]) => name.startsWith(prefix))?.[0];

/** A failed hook has no exit code of its own: the page says once what becomes of it. */
/** @param {Problem} problem */
function exitText(problem) {
  if (isLostGuard(problem)) return " (2 where the event can be blocked)";
  return /^(HOOK|REPLY)_/.test(problem.code) ? "" : ` (${exitCodeOf(problem)})`;
}

function toolArguments() {
  return list(
    Object.entries(PORTABLE_TOOLS).map(([tool, { kind, takes }]) => {
      const names = Object.keys(takes).map((name) =>
        name.endsWith("?") ? code(name.slice(0, -1)) : `**${code(name)}**`,
      );
      return `${code(tool)} (${kind}): ${names.join(", ")}`;
    }),
  );
}

/** The names that each agent has for a portable tool. */
function toolNames() {
  const agents = Object.values(AGENTS);
  return table(
    ["tool", ...agents.map(({ name }) => code(name))],
    Object.keys(PORTABLE_TOOLS).map((tool) => [
      code(tool),
      ...agents.map(({ tools }) => {
        const rows = Object.entries(tools.table).map(([name, row]) => ({ name, rows: [row].flat() }));
        return codes(rows.filter((one) => one.rows.some((row) => row.tool === tool)).map(({ name }) => name));
      }),
    ]),
  );
}

/** Types are gone at run time, but their declarations are built. */
function allCodes() {
  const declared = readFileSync(join(root, "dist", "src", "protocol", "problem.d.ts"), "utf8");
  return [...declared.matchAll(/\bcode: "([A-Z0-9_]+)"/g)].map(([, name = ""]) => name);
}

/** @param {string} what @returns {never} */
function missing(what) {
  throw new Error(`${what} has no words for the docs: add it to tools/docs/wording.mjs or tools/docs/samples.mjs`);
}

/** @type {Readonly<Record<string, () => string>>} */
const PARTS = {
  "event-overview": eventOverview,
  "event-base": () => fieldList(BASE_FIELDS),
  "event-details": eventDetails,
  "agenthook-points": agentHookPoints,
  settings: () => configList(SETTING_ROWS),
  overrides: () => configList(OVERRIDE_ROWS),
  guards: () => configList(GUARD_ROWS),
  rules: () => configList(RULE_ROWS),
  grants: () => configList(GRANT_ROWS),
  cage: () => configList(CAGE_ROWS),
  "guard-list": () => table(["guard", "about"], Object.values(GUARDS).map(guardRow)),
  "guard-rules": () => Object.values(GUARDS).map(guardText).join("\n\n"),
  schemes,
  servers: () => configList(SERVER_ROWS),
  "top-keys": () => codes(TOP_LEVEL_KEYS),
  options,
  "exit-codes": exitCodes,
  "test-reporters": testReporters,
  problems,
  agents: agentOverview,
  "agent-details": agentDetails,
  "tool-arguments": toolArguments,
  "tool-names": toolNames,
  "machine-files": machineFiles,
  figures,
  peers,
  scale,
  "skip-reasons": () => list(Object.entries(SKIP_REASONS).map(([key, words]) => `${code(key)}: ${words}`)),
};

const MARKED = /<!-- generated: ([a-z-]+) -->\n[\s\S]*?<!-- \/generated: \1 -->/g;

/** @param {string} text */
function written(text) {
  return text.replace(MARKED, (_all, name) => {
    const make = PARTS[name] ?? missing(`the generated part "${name}"`);
    return `<!-- generated: ${name} -->\n\n${make()}\n\n<!-- /generated: ${name} -->`;
  });
}

const stale = [];
const pages = readdirSync(docs).filter((file) => file.endsWith(".md"));
for (const page of ["README.md", ...pages.map((name) => `docs/${name}`)]) {
  const before = readFileSync(join(root, page), "utf8");
  const after = written(before);
  if (after === before) continue;
  stale.push(page);
  if (!isCheck) writeFileSync(join(root, page), after);
}
// They are packed and read by programs; `hookctl schema NAME` prints one for people.
const schemas = [
  ...Object.entries(FILE_SCHEMAS).map(([name, make]) => [name, make()]),
  ...Object.entries(outputSchemas()).map(([name, schema]) => [name.replace("/", "-"), schema]),
].map(([name, schema]) => [`schema/${name}.json`, `${JSON.stringify(schema)}\n`]);
const drawn = Object.entries({ "calls.svg": bars(), ...(await pictures()) }).map(([name, svg]) => [
  `pictures/${name}`,
  svg,
]);
for (const [name = "", after = ""] of [...schemas, ...drawn, ["../man/hookctl.1", manual()]]) {
  const file = join(docs, name);
  if (existsSync(file) && readFileSync(file, "utf8") === after) continue;
  stale.push(relative(root, file));
  if (isCheck) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, after);
}
for (const path of stale) console.log(isCheck ? `${path} is stale: npm run docs` : `${path} written`);
if (isCheck && stale.length > 0) process.exitCode = 1;
