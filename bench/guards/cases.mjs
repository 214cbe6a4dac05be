// Reads collections of commands with an expected decision. They are data of somebody else: nothing in them is run.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/**
 * @typedef {object} Case
 * @property {string} command
 * @property {boolean} isStopped whether it should be blocked or asked about
 */

/** The cases below a folder, by the folder or file at its top. @param {string} folder @returns {Map<string, Case[]>} */
export function readCollections(folder) {
  const collections = new Map();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  for (const file of files.filter((name) => !/(?:^|\/)(?:node_modules|\.git)\//.test(name))) {
    const read = READERS[extname(file)];
    if (read === undefined) continue;
    const cases = read(readFileSync(join(folder, file), "utf8"));
    const name = file.split("/").slice(0, 2).join("/");
    if (cases.length > 0) collections.set(name, [...(collections.get(name) ?? []), ...cases]);
  }
  return collections;
}

const STOPS = /^(?:block|blocked|deny|denied|ask|warn|stop|unsafe|dangerous)$/i;
const ALLOWS = /^(?:allow|allowed|delegate|pass|safe|continue)$/i;

/** @param {unknown} command @param {unknown} expected @returns {Case[]} */
function caseOf(command, expected) {
  if (typeof command !== "string" || typeof expected !== "string") return [];
  return STOPS.test(expected) || ALLOWS.test(expected) ? [{ command, isStopped: STOPS.test(expected) }] : [];
}

/** A case as an object: the expectation is a word, or an object with one. @param {unknown} value @returns {Case[]} */
function caseOfObject(value) {
  if (Array.isArray(value)) return value.flatMap(caseOfObject);
  if (value === null || typeof value !== "object") return [];
  const row = /** @type {Record<string, any>} */ (value);
  const expected = row.expected ?? row.expected_decision ?? row.decision ?? row.verdict;
  const word = expected?.verdict ?? expected?.decision ?? expected?.kind ?? expected;
  const own = caseOf(row.command ?? row.input?.command, word);
  return own.length > 0 ? own : Object.values(row).flatMap(caseOfObject);
}

/** @param {string} text @returns {Case[]} */
function readJson(text) {
  try {
    return caseOfObject(JSON.parse(text));
  } catch {
    return [];
  }
}

/** `block rm -rf /`, one case a line. @param {string} text */
const readLines = (text) =>
  text.split("\n").flatMap((line) => {
    const [, word, command] = /^(\w+)[:\t ]\s*(\S.*)$/.exec(line) ?? [];
    return caseOf(command, word);
  });

const TOML_TEXT = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/.source;

/** The tables `[[case]]` of a TOML file. @param {string} text */
const readToml = (text) =>
  text.split(/^\[\[\w+\]\][^\n]*$/m).flatMap((table) => {
    const value = (/** @type {string} */ key) =>
      textOf(new RegExp(`^(?:${key})\\s*=\\s*(${TOML_TEXT})`, "m").exec(table)?.[1]);
    return caseOf(value("command"), value("expected|expected_decision|decision"));
  });

const CODE_TEXT = /r#"[\s\S]*?"#|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`/.source;
const ASSERTION = new RegExp(`\\b(?:assert|expect|should)_?(\\w*)\\(\\s*(?:&?\\w+,\\s*)?(${CODE_TEXT})\\s*[,)]`, "g");

/** Assertions of tests whose command is a literal: `assertBlocked('rm -rf /', …)`, `assert_allows(&pack, "ls")`. @param {string} text */
const readAssertions = (text) =>
  [...text.matchAll(ASSERTION)].flatMap(([, name = "", literal]) => {
    // Tests of a stricter mode say nothing of the usual one.
    if (/strict|paranoid/i.test(name)) return [];
    return caseOf(
      textOf(literal),
      /block|den(?:y|ied)/i.test(name) ? "block" : /allow|safe/i.test(name) ? "allow" : "",
    );
  });

const GO_TEXT = /(?:"(?:[^"\\\n]|\\.)*"|`[^`]*`)/.source;
const GO_ROW = new RegExp(
  `^\\s*\\{\\s*${GO_TEXT},\\s*(?:cmd\\(|model\\.Event\\{EventType: model\\.EventCommandExec, Command: )?(${GO_TEXT})[)}]?,\\s*(${GO_TEXT}|true|false)(?:,\\s*(true|false))?,?\\s*\\},?$`,
  "gm",
);

/** Rows of tests in Go: a title, a command, and the rule that matches, or whether one does. @param {string} text */
const readGo = (text) =>
  [...text.matchAll(GO_ROW)].flatMap(([, command = "", rule = "", flag = rule]) =>
    caseOf(
      command.startsWith("`") ? command.slice(1, -1) : textOf(command),
      flag === "false" || flag === '""' ? "allow" : "block",
    ),
  );

/** @type {Readonly<Record<string, string>>} */
const ESCAPES = { n: "\n", t: "\t", r: "\r", 0: "\0", "\n": "" };

/** The value of a literal of TOML, JavaScript or Rust. @param {string | undefined} literal @returns {string | undefined} */
function textOf(literal) {
  const [, quote = "", body = ""] = /^(r#"|"""|'''|["'`])([\s\S]*?)(?:"#|"""|'''|["'`])$/.exec(literal ?? "") ?? [];
  if (quote === "") return undefined;
  if (quote === 'r#"' || quote === "'''") return body;
  return body.replace(/\\(?:u\{?([0-9a-f]{4,6})\}?|x([0-9a-f]{2})|([\s\S]))/gi, (_, unicode, hex, char) =>
    char === undefined ? String.fromCodePoint(Number.parseInt(unicode ?? hex, 16)) : (ESCAPES[char] ?? char),
  );
}

/** @type {Readonly<Record<string, (text: string) => Case[]>>} */
const READERS = {
  ".json": readJson,
  ".jsonl": (text) => text.split("\n").flatMap(readJson),
  ".toml": readToml,
  ".txt": readLines,
  ".ts": readAssertions,
  ".js": readAssertions,
  ".rs": readAssertions,
  ".go": readGo,
};
