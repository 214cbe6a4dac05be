// The files into which the hot way of `run`, `list` and `bridge` is bundled.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Loaded only for a tool call that a built-in guard judges. */
export const PARSER = "unbash";

/** The parser of the command line, which every call loads. */
export const COMMAND_LINE = "commander";

/** The parts of the hot way, each with what it imports that an earlier part does not have. */
/** @type {Readonly<Record<string, readonly string[]>>} */
export const PARTS = {
  // What a call needs that no hook matched, with what an agent and the hooks of its format both need.
  hot: [
    "src/main.ts",
    "src/dialects/field-paths.ts",
    "src/dialects/tools/claude-tools.ts",
    "src/dialects/tools/tool-output.ts",
    "src/engine/run/unmatched-run.ts",
    // A few lines, which would be a file of their own.
    "packages/guard-hooks/load-guards.ts",
    // What an agent's call needs of the next part, which is not loaded without hooks.
    "src/process/proc.ts",
  ],
  // What finds the hooks of a call. Where none of them matches, the next part is not loaded.
  "hot-roster": [
    "src/engine/hooks/resolve-hooks.ts",
    "src/engine/approval-checks.ts",
    "src/engine/settings/project-settings.ts",
    "src/chain/order.ts",
    "src/report/problem-text.ts",
  ],
  // A call of an agent, up to where its hooks are known.
  "hot-bridge": ["packages/connect/commands/bridge.ts"],
  "hot-hooks": [
    "src/commands/run/run-hooks.ts",
    "packages/connect/bridge/answer-with-hooks.ts",
    "src/engine/run/deliver-messages.ts",
    "src/session/state.ts",
  ],
  "hot-rare": [
    "src/command-groups.ts",
    ...["testing", "connect", "packs", "authoring", "insight", "scripting"].map((name) => `packages/${name}/index.ts`),
    "packages/scripting/commands/completion/completion.ts",
    "packages/handlers/invoke-templates.ts",
    "packages/sandbox/sandboxed-hooks.ts",
    "packages/connect/install/agent-files.ts",
  ],
  // A server, which is started once in a session.
  "hot-resident": ["packages/connect/resident/resident-server.ts"],
  "hot-guards": [
    "packages/guard-hooks/invoke-guard.ts",
    "packages/guards/rules/secrets.ts",
    "packages/guards/rules/remote-code.ts",
    "packages/guards/rules/cloud.ts",
  ],
};

/** commander starts processes for programs in several files only, and that module would cost each call 4 ms. */
/** @type {import("rolldown").Plugin} */
export const lazyChildProcess = {
  name: "lazy-child-process",
  transform(code, id) {
    if (!id.endsWith(`/${COMMAND_LINE}/lib/command.js`)) return null;
    const lazy = code
      .replace("const childProcess = require('node:child_process');\n", "")
      .replaceAll("childProcess.spawn(", "require('node:child_process').spawn(");
    if (lazy === code || /childProcess\b/.test(lazy)) throw new Error(`${id} imports child_process in another way`);
    return lazy;
  },
};

/** The groups by which rolldown writes these parts. */
/** @param {typeof PARTS} parts @returns {import("rolldown").CodeSplittingGroup[]} */
export function groupsOf(parts) {
  const taken = new Set();
  const parser = { name: "hot-parser", test: (/** @type {string} */ id) => id.includes(`/node_modules/${PARSER}/`) };
  const ours = Object.entries(parts).map(([name, entries]) => {
    const behind = sourceFiles(entries).flatMap((entry) => [...modulesBehind(entry)]);
    const own = new Set(behind.filter((path) => !taken.has(path)));
    for (const path of own) taken.add(path);
    const isFirst = taken.size === own.size;
    const isCommandLine = (/** @type {string} */ id) => isFirst && id.includes(`/node_modules/${COMMAND_LINE}/`);
    return { name, test: (/** @type {string} */ id) => own.has(id) || isCommandLine(id) };
  });
  return [parser, ...ours];
}

/** Source files by their paths in the repository: a name that is no file would be bundled, or left out, in silence. */
/** @param {readonly string[]} paths */
export function sourceFiles(paths) {
  const files = paths.map((path) => join(root, path));
  const missing = files.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`the build names files that do not exist: ${missing.join(", ")}`);
  return files;
}

/** A module and all that it imports from the start; types vanish, and `import()` waits until it is needed. */
/** @param {string} path @param {Set<string>} [seen] @returns {ReadonlySet<string>} */
function modulesBehind(path, seen = new Set()) {
  if (seen.has(path)) return seen;
  seen.add(path);
  const imports = readFileSync(path, "utf8").matchAll(
    /^(?:import|export)(?! type\b)[^;]*? from "(\.[^"]+)"(?: with \{ type: "json" \})?;/gm,
  );
  for (const [, target = ""] of imports) modulesBehind(resolve(dirname(path), target), seen);
  return seen;
}
