import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { LANGUAGES } from "../../packages/authoring/commands/hook-template.ts";
import { findEvent } from "../../src/protocol/event.ts";
import { runMain } from "../support/in-process.ts";
import { hookScript, printResponse } from "../support/shell.ts";
import type { Workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** A rule, a hook or a template that the docs show, and how a reader puts it in place. */
export interface DocExample {
  /** The page, and what of it. */
  readonly where: string;
  readonly install: (place: Workspace) => Promise<unknown>;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const PAGES = [
  ...["README.md", "hooks-examples/README.md"],
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

const settings = (place: Workspace, value: unknown) => place.write("home/.kodelet/hooks.json", JSON.stringify(value));

/** Each entry of a settings file by itself, with what the file has beside them. */
function entriesOf(page: string, file: Json): readonly DocExample[] {
  const { hooks, ...others } = file;
  const one = (event: string, entry: unknown, at: number): DocExample => ({
    where: `${page}: ${event} ${at + 1}`,
    install: (place) => settings(place, { ...others, hooks: Array.isArray(hooks) ? [entry] : { [event]: [entry] } }),
  });
  if (Array.isArray(hooks)) return hooks.map((entry, at) => one(String(entry.on), entry, at));
  // GitLab's jobs may be called hooks, too.
  const events = Object.entries(isObject(hooks) ? hooks : {}).filter(([event]) => findEvent(event) !== null);
  return events.flatMap(([event, entries]) => [entries].flat().map((entry, at) => one(event, entry, at)));
}

const hookNamed = (where: string, name: string, text: string): DocExample => ({
  where,
  install: (place) => place.write(`home/.kodelet/hooks/${name}`, text, 0o755),
});

/** What a hook declares on the page, as a hook that blocks whatever it gets. */
const declared = (page: string, identity: string): DocExample => ({
  where: `${page}: declares ${identity}`,
  install: (place) => place.hook("declared", printResponse({ blocked: true, reason: "declared" }), { says: identity }),
});

const parsed = (kind: string, text: string): unknown => {
  try {
    return kind === "yaml" ? parse(text) : JSON.parse(text);
  } catch {
    return null;
  }
};

function ofData(page: string, kind: string, text: string): readonly DocExample[] {
  const value = parsed(kind, text);
  if (!isObject(value) || "cases" in value) return [];
  if ("event" in value) return [declared(page, JSON.stringify(value))];
  return "hooks" in value ? entriesOf(page, value) : [];
}

function ofScript(page: string, text: string): readonly DocExample[] {
  if (text.startsWith("#!")) return [hookNamed(`${page}: a script`, "script", text)];
  const files = [...text.matchAll(/cat > (\S+) <<'(\w+)'\n([\s\S]*?)^\2$/gm)];
  const echoed = [...text.matchAll(/^echo '(\{"event".*?\})'/gm)];
  return [
    ...files.flatMap(([, path = "", , body = ""]) =>
      body.startsWith("#!") ? [hookNamed(`${page}: ${path}`, basename(path), body)] : ofData(page, "json", body),
    ),
    ...echoed.map(([, identity = ""]) => declared(page, identity)),
  ];
}

/** A chain of composition.md: all its hooks and its settings. */
function ofChain(page: string, text: string, at: number): DocExample {
  const lines = text.trim().split("\n");
  const all = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return {
    where: `${page}: chain ${at + 1}, ${all("event")[0]}`,
    install: async (place) => {
      for (const line of all("hook")) {
        const [, name = "", says = "", said = ""] = /^(\S+) (.+?) -> (.+)$/.exec(line) ?? [];
        const body = `cat >/dev/null; ${said.startsWith("exit ") ? said : printResponse(said)}`;
        await place.write(`home/.kodelet/hooks/${name}`, hookScript(body, says), 0o755);
      }
      for (const text of all("settings")) await place.write("home/.kodelet/hooks.json", text);
    },
  };
}

function ofPage(page: string): readonly DocExample[] {
  const text = read(page);
  const blocks = [...text.matchAll(/^```([a-z]+)( \w+)?\n([\s\S]*?)^```$/gm)];
  const chains = blocks.filter(([, kind]) => kind === "chain");
  const code = blocks.flatMap(([, kind = "", mark = "", body = ""]) => {
    if (kind === "json" || kind === "yaml") return ofData(page, kind, body);
    if (kind === "sh") return ofScript(page, body);
    return kind === "ts" && mark === " hook" ? [hookNamed(`${page}: a module`, "module.mjs", body)] : [];
  });
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
  const inline = [...prose.matchAll(/`"match":(\{[^`]*\})`/g)].map(([, match = ""]) =>
    declared(page, `{"event":"before_tool_call","match":${match}}`),
  );
  return [...code, ...chains.map(([, , , body = ""], at) => ofChain(page, body, at)), ...inline];
}

/** Executables of a folder and of those below it. */
function executablesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return executablesIn(path);
    return (statSync(join(root, path)).mode & 0o100) === 0 ? [] : [path];
  });
}

/** They call hooks, or are part of an entry. */
const NO_HOOKS = /^hooks-examples\/(callers|reyn\/scripts)\//;

const files = [...executablesIn("hooks-examples"), ...executablesIn("test/fixtures/file-sets/kodelet/.kodelet/hooks")]
  .filter((path) => !NO_HOOKS.test(path))
  .map((path) => hookNamed(path, basename(path), read(path)));

const reyn = entriesOf("hooks-examples/reyn/hooks.yaml", Object(parse(read("hooks-examples/reyn/hooks.yaml"))));

/** The events of an agent for which `hookctl new` is tried. */
const NEW_EVENTS = ["before_tool_call", "after_tool_call", "user_message_send", "agent_stop"];
const templates = Object.keys(LANGUAGES).flatMap((language) =>
  NEW_EVENTS.map(
    (event): DocExample => ({
      where: `hookctl new --lang ${language} --event ${event}`,
      install: async (place) => {
        await runMain(place, ["new", "made", "--event", event, "--lang", language]);
      },
    }),
  ),
);

/** The hooks in a copy of ADR 021, which is no part of this repository: byte for byte, by their fences. */
const adr = process.env.HOOKCTL_TEST_ADR;
const originals =
  adr === undefined
    ? []
    : [...readFileSync(adr, "utf8").matchAll(/^```(?:bash|python)\n(#!\S+.*\n# \S*\/([\w-]+)\n[\s\S]*?)^```$/gm)].map(
        ([, text = "", name = ""]) => hookNamed(`ADR 021: ${name}`, name, text),
      );

/** Every rule, hook and template that a reader finds in the docs and beside them. */
export const DOC_EXAMPLES: readonly DocExample[] = [
  ...PAGES.flatMap(ofPage),
  ...files,
  ...reyn,
  ...templates,
  ...originals,
];
