// Writes docs/schema/, the terminal pictures in docs/pictures/ and the parts of docs/ that stand between `<!-- generated: NAME -->` and `<!-- /generated: NAME -->`, from dist/.
// `--check` writes nothing, names what is stale and exits 1.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONTRACTS, contractEvents, contractFields } from "./docs/contract-tables.mjs";
import { pictures } from "./docs/pictures.mjs";
import { SAMPLES } from "./docs/samples.mjs";
import { code, codes, table } from "./docs/table.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const docs = join(root, "docs");
const built = (/** @type {string} */ module) => import(new URL(`../dist/${module}`, import.meta.url).href);
const { EVENTS, EVENT_NAMES, BASE_FIELDS, DIALECT_NAMES } = await built("protocol/event.js");
const { SETTING_ROWS, OVERRIDE_ROWS, TOP_LEVEL_KEYS } = await built("protocol/settings.js");
const { SCHEME_ROWS } = await built("protocol/entry.js");
const { SERVER_ROWS } = await built("protocol/entry.js");
const { EXIT, exitCodeOf, signalExitCode, TERMINATION_SIGNALS } = await built("protocol/exit-code.js");
const { isLostGuard } = await built("protocol/problem.js");
const { SKIP_REASONS } = await built("protocol/hook.js");
const { OPTION_TABLE } = await built("cli/option-table.js");
const { FILE_SCHEMAS } = await built("config/schema/json-schema.js");
const { DIALECT_FIELDS } = await built("config/schema/dialect-fields.js");
const { CHECKS } = await built("test-runner/check-hook.js");
const { AGENTS } = await built("agents/agents.js");
const { INSTALL_FORMATS } = await built("install/registration.js");
const { explain } = await built("protocol/explain.js");

/** @type {Readonly<Record<string, string>>} in the words of somebody who calls hookctl */
const EXIT_WORDS = {
  ok: "Go on.",
  checkFailed:
    "A check of `test` or `doctor` failed, `try` could not learn the event of its hook, or with `--strict` something would not start.",
  blocked: "**Blocked**, halted, or a hook wants the user asked. Nothing else gives 2.",
  usage: "Wrong command line, or no payload.",
  badPayload: "The payload is not valid.",
  fault: "A fault in hookctl.",
  outputLost: "The result could not be written to stdout, or a file to its place.",
  recursion: "hookctl was called from inside its own hooks, too deep.",
  notApproved: "An approval is missing, and the verb cannot go on without it.",
  badConfig: "The settings are not valid.",
};

/** @type {Readonly<Record<string, string>>} */
const KIND_WORDS = {
  ...{
    duration: 'duration: `"500ms"`, `"5s"`',
    size: 'size: `"64MiB"`, or bytes',
    flag: "`true` or `false`",
    count: "whole number, 0 or more",
  },
  ...{ number: "number", texts: "list of strings", match: "object of field paths", durations: "object of durations" },
  ...{ variables: "object of strings", text: "text" },
};

/** @type {Readonly<Record<string, string>>} */
const SCHEME_WORDS = { text: "text", command: "text or list", tool: "`server.tool`", push: "object" };

const FAMILIES = [
  ["USAGE_", "Command line"],
  ["PAYLOAD_", "Payload"],
  ["HOOK_", "A hook that gave no answer"],
  ["REPLY_", "An answer that cannot be read"],
  ["CONFIG_", "Settings"],
  ["CASE_", "Test cases"],
  ["", "The rest"],
];

function eventOverview() {
  const rows = EVENT_NAMES.map((name) => {
    const { phase, onBlock, target } = EVENTS[name];
    return [`[${code(name)}](#${name})`, phase, onBlock, target === null ? "" : codes([target].flat())];
  });
  return table(["event", "phase", "a block", "a change replaces"], rows);
}

const renaming = DIALECT_NAMES.filter((dialect) => EVENT_NAMES.some((name) => EVENTS[name].aliases[dialect]));
const aliasHead = ["event", ...renaming];
function eventAliases() {
  const named = EVENT_NAMES.filter((name) => Object.keys(EVENTS[name].aliases).length > 0);
  const rows = named.map((name) => [
    code(name),
    ...aliasHead.slice(1).map((dialect) => codes(EVENTS[name].aliases[dialect] ?? [])),
  ]);
  return table(aliasHead, rows);
}

function fieldTable(fields) {
  const rows = Object.entries(fields).map(([name, { kind, isRequired, about, sample }]) => {
    return [isRequired ? `**${code(name)}**` : code(name), kind, about, code(JSON.stringify(sample))];
  });
  return table(["field", "kind", "what it is", "sample"], rows);
}

function eventDetails() {
  const parts = EVENT_NAMES.map((name) => {
    const { summary, fields } = EVENTS[name];
    return `### ${name}\n\n${summary}\n\n${fieldTable(fields)}`;
  });
  return parts.join("\n\n");
}

const REJECTS = { deny: "it does not happen", halt: "the agent should stop", ignore: "a warning" };

function agentHookPoints() {
  const rows = EVENT_NAMES.flatMap((name) => {
    const { aliases, fields, target, onBlock, fieldNames } = EVENTS[name];
    const theirs = Object.fromEntries(Object.entries(fieldNames?.agenthook ?? {}).map(([own, ours]) => [ours, own]));
    const inTheirWords = (/** @type {string[]} */ names) => codes(names.map((field) => theirs[field] ?? field));
    const changed = target === null ? "" : inTheirWords([target].flat());
    return (aliases.agenthook ?? []).map((point) => {
      const event = `[${code(name)}](events.md#${name})`;
      return [code(point), event, inTheirWords(Object.keys(fields)), changed, REJECTS[onBlock]];
    });
  });
  return table(["point", "event", "arguments beside `ctx`", "Transform and Replace set", "Reject"], rows);
}

function configTable(rows) {
  const lines = Object.entries(rows).map(([key, { kind, isUserOnly, about }]) => {
    const values = typeof kind === "string" ? KIND_WORDS[kind] : codes(kind.map((word) => JSON.stringify(word)));
    return [code(key), values, isUserOnly ? "user only" : "user, project", about];
  });
  return table(["key", "value", "who may set it", "what it does"], lines);
}

function flags() {
  const rows = OPTION_TABLE.map(({ name, short, placeholder, about, commands, kind }) => {
    const words = [short, name].filter(Boolean).join(", ") + (placeholder === undefined ? "" : ` ${placeholder}`);
    const again = kind === "list" ? "; may be repeated" : "";
    return [code(words), commands === undefined ? "all" : codes(commands), about + again];
  });
  return table(["option", "commands", "what it does"], rows);
}

function schemes() {
  const rows = Object.entries(SCHEME_ROWS).map(([name, { value, about }]) => [code(name), SCHEME_WORDS[value], about]);
  return table(["key", "value", "what it does"], rows);
}

function exitCodes() {
  const own = Object.entries(EXIT).map(([name, number]) => [
    String(number),
    EXIT_WORDS[name] ?? missing(`EXIT.${name}`),
  ]);
  const ended = TERMINATION_SIGNALS.map((signal) => [String(signalExitCode(signal)), `Ended by ${signal}.`]);
  return table(["code", "meaning"], [...own, ...ended]);
}

function problems() {
  for (const name of allCodes()) if (!SAMPLES.some((one) => one.code === name)) missing(name);
  const parts = FAMILIES.map(([prefix = "", title]) => {
    const rows = SAMPLES.filter(({ code }) => familyOf(code) === prefix).map((problem) => {
      const { summary, hint } = explain(problem);
      return [code(problem.code), exitText(problem), summary, hint];
    });
    return `### ${title}\n\n${table(["code", "exit", "for example", "what to do"], rows)}`;
  });
  return parts.join("\n\n");
}

function agentOverview() {
  const rows = Object.values(AGENTS).map((agent) => {
    const { project = "", user = "" } = INSTALL_FORMATS[agent.name].files;
    const files = [code(project), code(`~/${user}`)].join(", ");
    const limit = agent.followUpLimit === 0 ? "no limit known" : String(agent.followUpLimit);
    const title = `[${code(agent.name)}](#${agent.name})`;
    return [title, agent.title, agent.testedWith ?? "untested", files, limit, agent.withoutProgram];
  });
  return table(["agent", "name", "run with", "settings: project, user", "follow-ups", "without hookctl"], rows);
}

const ANSWER_WORDS = {
  ...{ deny: "deny", ask: "ask", allow: "allow", halt: "halt", change: "change", canAskWithChange: "ask with change" },
  ...{ context: "context", followUp: "follow-up", notify: "tell" },
};

function agentDetails() {
  const parts = Object.values(AGENTS).map((agent) => {
    const rows = Object.entries(agent.events).map(([name, { raises, answers, timeoutMs }]) => [
      code(name),
      codes(raises.map(({ event }) => event)),
      Object.keys(ANSWER_WORDS)
        .filter((answer) => answers[answer] !== undefined)
        .map((answer) => ANSWER_WORDS[answer])
        .join(", "),
      timeoutMs === null ? "" : `${timeoutMs / 1000} s`,
    ]);
    const missed = agent.unsupportedEvents.length === 0 ? "" : `\n\nNot covered: ${codes(agent.unsupportedEvents)}.`;
    const events = table(["event", "here", "an answer can say", "limit"], rows);
    return `### ${agent.name}\n\n${howTo(agent)}\n\n${events}${missed}`;
  });
  return parts.join("\n\n");
}

function howTo({ name, title }) {
  const { files, stillToDo } = INSTALL_FORMATS[name];
  const scopes = Object.keys(files).filter((scope) => scope !== "project");
  return [
    `- See: \`hookctl install ${name} --dry-run\``,
    `- Install: \`hookctl install ${name}\` for this project, or with \`--scope ${scopes.join("|")}\``,
    `- Then, in ${title}: ${stillToDo}`,
    `- Check: \`hookctl doctor ${name}\``,
    `- Undo: \`hookctl uninstall ${name}\``,
  ].join("\n");
}

const familyOf = (/** @type {string} */ name) => FAMILIES.find(([prefix = ""]) => name.startsWith(prefix))?.[0];

/** A hook that failed has no exit code of its own. */
function exitText(problem) {
  if (isLostGuard(problem)) return "2 at events that can be denied, else 0";
  return /^(HOOK|REPLY)_/.test(problem.code) ? "0, or 2 if the hook is closed" : String(exitCodeOf(problem));
}

/** Types are gone at run time, but their declarations are built. */
function allCodes() {
  const declared = readFileSync(join(root, "dist", "protocol", "problem.d.ts"), "utf8");
  return [...declared.matchAll(/\bcode: "([A-Z0-9_]+)"/g)].map(([, name = ""]) => name);
}

/** @param {string} what @returns {never} */
function missing(what) {
  throw new Error(`${what} has no words for the docs: add it to tools/docs.mjs or tools/docs/samples.mjs`);
}

/** Two tables for the page of each contract. */
const contractParts = CONTRACTS.flatMap((contract) => [
  [`events-${contract}`, () => contractEvents(contract, EVENTS)],
  [`fields-${contract}`, () => contractFields(contract, { events: EVENTS, base: BASE_FIELDS, added: DIALECT_FIELDS })],
]);

/** @type {Readonly<Record<string, () => string>>} */
const PARTS = {
  ...Object.fromEntries(contractParts),
  "event-overview": eventOverview,
  "event-aliases": eventAliases,
  "event-base": () => fieldTable(BASE_FIELDS),
  "event-details": eventDetails,
  "agenthook-points": agentHookPoints,
  settings: () => configTable(SETTING_ROWS),
  overrides: () => configTable(OVERRIDE_ROWS),
  schemes,
  servers: () => configTable(SERVER_ROWS),
  "top-keys": () => codes(TOP_LEVEL_KEYS),
  flags,
  "exit-codes": exitCodes,
  problems,
  checks: () =>
    table(
      ["check", "what it looks at"],
      CHECKS.map(({ name, about }) => [name, about]),
    ),
  agents: agentOverview,
  "agent-details": agentDetails,
  "skip-reasons": () =>
    table(
      ["reason", "what it means"],
      Object.entries(SKIP_REASONS).map(([key, words]) => [code(key), words]),
    ),
};

const MARKED = /<!-- generated: ([a-z-]+) -->\n[\s\S]*?<!-- \/generated: \1 -->/g;

/** @param {string} text */
function written(text) {
  return text.replace(MARKED, (_all, name) => {
    const make = PARTS[name] ?? missing(`the generated part "${name}"`);
    return `<!-- generated: ${name} -->\n\n${make()}\n\n<!-- /generated: ${name} -->`;
  });
}

const isCheck = process.argv.includes("--check");
const stale = [];
for (const name of readdirSync(docs).filter((file) => file.endsWith(".md"))) {
  const before = readFileSync(join(docs, name), "utf8");
  const after = written(before);
  if (after === before) continue;
  stale.push(`docs/${name}`);
  if (!isCheck) writeFileSync(join(docs, name), after);
}
const schemas = Object.entries(FILE_SCHEMAS).map(([name, make]) => [
  `schema/${name}.json`,
  `${JSON.stringify(make(), null, 2)}\n`,
]);
const drawn = Object.entries(await pictures()).map(([name, svg]) => [`pictures/${name}`, svg]);
for (const [name = "", after = ""] of [...schemas, ...drawn]) {
  const file = join(docs, name);
  if (existsSync(file) && readFileSync(file, "utf8") === after) continue;
  stale.push(`docs/${name}`);
  if (isCheck) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, after);
}
for (const path of stale) console.log(isCheck ? `${path} is stale: npm run docs` : `${path} written`);
if (isCheck && stale.length > 0) process.exitCode = 1;
